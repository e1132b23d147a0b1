/* SPDX-License-Identifier: MIT */
/* The call tree of measured functions as a profile: its frames are functions, and no stacks were taken. */
#include "measured_tree.h"

#include "locations.h"

#include <stdlib.h>
#include <string.h>

/* Calls without a branch of their own, as the report calls them. */
#define OTHER "<other>"

bool hp_measured_tree_is_recorded(const struct hp_model *model)
{
	return model->has_tree && model->branch_count;
}

/* ---- frames ---- */

/* The module of a function, which is added if it is new. */
static int32_t module_of(struct hp_cpu *cpu, const struct hp_function *function)
{
	size_t at = 0;
	if (!function->module)
		return HP_CPU_NOT_KNOWN;

	while (at < cpu->module_count && strcmp(cpu->modules[at].path, function->module) != 0)
		at++;
	if (at == cpu->module_count)
		cpu->modules[cpu->module_count++].path = function->module;
	return (int32_t)at;
}

/*
 * A frame for each function, and one thread without a name, which is the program. Texts are the model's. Viewers want a
 * file, so that is the program if no file of a function is known.
 */
static bool make_frames(struct hp_cpu *cpu, const struct hp_model *model)
{
	*cpu = (struct hp_cpu){ .modules = calloc(model->function_count + 1, sizeof(*cpu->modules)),
				.threads = calloc(1, sizeof(*cpu->threads)),
				.frames = calloc(model->function_count + 1, sizeof(*cpu->frames)) };
	if (!cpu->modules || !cpu->threads || !cpu->frames)
		return false;
	cpu->threads[0].pid = cpu->threads[0].tid = model->pid;
	cpu->thread_count = 1;
	for (size_t i = 0; i < model->function_count; i++)
		cpu->frames[cpu->frame_count++] =
			(struct hp_cpu_frame){ .kind = HP_FRAME_SITE,
					       .module = module_of(cpu, &model->functions[i]),
					       .function = (int32_t)i,
					       .name = model->functions[i].name };
	if (cpu->module_count == 0 && model->program)
		cpu->modules[cpu->module_count++].path = model->program;
	return true;
}

void hp_measured_tree_free(struct hp_cpu *cpu)
{
	free(cpu->modules);
	free(cpu->threads);
	free(cpu->frames);
	*cpu = (struct hp_cpu){ .modules = NULL };
}

/* ---- branches ---- */

/* State while branches are read. */
struct reading {
	struct hp_profile *profile;
	/* The call of each branch, and the totals of its children together. */
	uint32_t *calls;
	uint64_t *inside_ns;
	/* The location of OTHER; HP_INDEX_NONE until it is needed. */
	uint32_t other;
};

static uint32_t location_of(struct reading *reading, const struct hp_branch *branch)
{
	uint32_t site = (uint32_t)branch->function;

	if (branch->function >= 0)
		return hp_locations_add(reading->profile, HP_INDEX_NONE, &site, 1);
	if (reading->other == HP_INDEX_NONE)
		reading->other = hp_locations_add_name(reading->profile, OTHER);
	return reading->other;
}

static struct hp_values values_of(const struct hp_branch *branch, uint64_t inside_ns)
{
	uint64_t ns = branch->self_ns;
	uint64_t left_ns = branch->total_ns > inside_ns ? branch->total_ns - inside_ns : 0;

	if (branch->open && left_ns > ns)
		ns = left_ns;
	return (struct hp_values){
		{ [HP_BRANCH_CALLS] = branch->calls + branch->open, [HP_BRANCH_NS] = ns }
	};
}

static bool read_branch(struct reading *reading, size_t number)
{
	struct hp_profile *profile = reading->profile;
	const struct hp_branch *branch = &profile->model->branches[number];
	uint32_t location = location_of(reading, branch);
	uint32_t parent = branch->parent == HP_NO_BRANCH ? HP_INDEX_NONE
							 : reading->calls[branch->parent];
	if (location == HP_INDEX_NONE)
		return false;

	uint32_t call = hp_call_tree_add(&profile->tree, parent, location);
	reading->calls[number] = call;
	profile->samples[profile->sample_count++] =
		(struct hp_sampled){ 0, call, values_of(branch, reading->inside_ns[number]) };
	return call != HP_INDEX_NONE;
}

static bool read_branches(struct reading *reading)
{
	const struct hp_model *model = reading->profile->model;

	for (size_t i = 0; i < model->branch_count; i++)
		if (model->branches[i].parent != HP_NO_BRANCH)
			reading->inside_ns[model->branches[i].parent] +=
				model->branches[i].total_ns;
	for (size_t i = 0; i < model->branch_count; i++)
		if (!read_branch(reading, i))
			return false;
	return true;
}

bool hp_measured_tree_read(struct hp_profile *profile)
{
	size_t count = profile->model->branch_count;
	struct reading reading = { .profile = profile,
				   .calls = calloc(count + 1, sizeof(uint32_t)),
				   .inside_ns = calloc(count + 1, sizeof(uint64_t)),
				   .other = HP_INDEX_NONE };

	profile->samples = calloc(count + 1, sizeof(*profile->samples));
	bool done = make_frames(&profile->made, profile->model) && profile->samples &&
		    reading.calls && reading.inside_ns && read_branches(&reading);
	free(reading.calls);
	free(reading.inside_ns);
	return done;
}
