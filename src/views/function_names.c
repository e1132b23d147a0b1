/* SPDX-License-Identifier: MIT */
/* Finds functions by the names that users give. */
#include "function_names.h"

#include "cpu/native.h"
#include "nearest.h"

#include <string.h>

/* Whether a function is shown as "name (in other)", because it was inlined. */
static bool is_inlined(const char *shown, const char *name)
{
	size_t length = strlen(name);

	return strncmp(shown, name, length) == 0 && strncmp(shown + length, " (in ", 5) == 0;
}

/* Look for a function among those of a frame, as below. */
static void find_in_frame(const struct hp_cpu_frame *frame, const char *name, const char **found)
{
	for (uint32_t level = 0; level < hp_cpu_frame_levels(frame); level++) {
		const char *shown = hp_cpu_frame_level(frame, level);
		if (*found == name || strcmp(shown, name) == 0)
			*found = name;
		else if (is_inlined(shown, name))
			*found = !*found || strcmp(*found, shown) == 0 ? shown : "";
	}
}

/* Look for a function among the frames of stacks: *found becomes its name if it is there, or else the one name of its
   inlined calls; "" if they have several. */
static void find_shown(const struct hp_cpu *cpu, const char *name, const char **found)
{
	for (size_t i = 0; i < cpu->frame_count; i++)
		find_in_frame(&cpu->frames[i], name, found);
}

const char *hp_function_in_stacks(const struct hp_model *model, const char *name)
{
	const char *found = NULL;

	find_shown(&model->cpu, name, &found);
	find_shown(&model->allocations, name, &found);
	return found && *found ? found : name;
}

bool hp_function_is_measured(const struct hp_model *model, const char *name)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (strcmp(model->functions[i].name, name) == 0)
			return true;
	return false;
}

const char *hp_function_shown(const struct hp_model *model, const char *name)
{
	return hp_function_is_measured(model, name) ? name : hp_function_in_stacks(model, name);
}

static bool has_frame(const struct hp_cpu *cpu, const char *name)
{
	for (size_t i = 0; i < cpu->frame_count; i++)
		for (uint32_t level = 0; level < hp_cpu_frame_levels(&cpu->frames[i]); level++)
			if (strcmp(hp_cpu_frame_level(&cpu->frames[i], level), name) == 0)
				return true;
	return false;
}

/* Whether it is a row of CPU time that has no stack, such as "<kernel>". */
static bool is_rest(const struct hp_cpu *cpu, const char *name)
{
	struct hp_native native;
	bool is_there = false;

	if (name[0] != '<')
		return false;
	if (hp_native_read(&native, cpu))
		for (size_t i = 0; i < native.rest_count; i++)
			is_there |= strcmp(native.rests[i].name, name) == 0;
	hp_native_free(&native);
	return is_there;
}

bool hp_function_is_known(const struct hp_model *model, const char *name)
{
	return hp_function_is_measured(model, name) || has_frame(&model->cpu, name) ||
	       has_frame(&model->allocations, name) || has_frame(&model->waits, name) ||
	       is_rest(&model->cpu, name);
}

/* Try a name, or the part of it that the source has: "parse" of "parse (in main)". */
static void try_shown(struct hp_nearest *nearest, const char *name, const char *shown)
{
	char bare[64];
	const char *end = strstr(shown, " (in ");
	if (!end || (size_t)(end - shown) >= sizeof(bare)) {
		hp_nearest_try(nearest, name, shown);
		return;
	}
	memcpy(bare, shown, (size_t)(end - shown));
	bare[end - shown] = '\0';
	hp_nearest_try(nearest, name, bare);
	if (nearest->name == bare)
		nearest->name = shown;
}

static void try_frames(struct hp_nearest *nearest, const struct hp_cpu *cpu, const char *name)
{
	for (size_t i = 0; i < cpu->frame_count; i++)
		for (uint32_t level = 0; level < hp_cpu_frame_levels(&cpu->frames[i]); level++)
			try_shown(nearest, name, hp_cpu_frame_level(&cpu->frames[i], level));
}

const char *hp_function_nearest(const struct hp_model *model, const char *name)
{
	struct hp_nearest nearest = { NULL, 0 };

	for (size_t i = 0; i < model->function_count; i++)
		hp_nearest_try(&nearest, name, model->functions[i].name);
	try_frames(&nearest, &model->cpu, name);
	try_frames(&nearest, &model->allocations, name);
	return nearest.name;
}
