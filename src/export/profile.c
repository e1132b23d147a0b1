/* SPDX-License-Identifier: MIT */
/* A profile: the stacks of a model, or the tree of its measured functions, as a call tree of source functions. */
#include "profile.h"

#include "file_name.h"
#include "locations.h"
#include "measured_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Names that no function has. */
#define CUT_OFF "[cut off]"
#define NO_STACK "[no stack]"

/* State while stacks are read. */
struct reading {
	struct hp_profile *profile;
	/* Read also stacks of which the main value is zero. */
	bool all;
	/* Values without a stack, by thread. */
	struct hp_values *rest;
	/* The sites that are open in a frame. */
	uint32_t *sites;
	/* The locations with the names above; HP_INDEX_NONE until they are needed. */
	uint32_t cut_off;
	uint32_t no_stack;
};

const char *hp_profile_base(const char *path)
{
	const char *name = hp_file_name(path);

	return *name ? name : path;
}

const char *hp_profile_program(const struct hp_profile *profile)
{
	return profile->model->program ? hp_profile_base(profile->model->program) : "program";
}

const char *hp_profile_thread(const struct hp_profile *profile, uint32_t thread)
{
	const char *name = profile->cpu->threads[thread].name;

	return name && *name ? name : hp_profile_program(profile);
}

bool hp_profile_is_program(const struct hp_profile *profile, int32_t module)
{
	const char *path = profile->cpu->modules[module].path;

	return path && strcmp(hp_profile_base(path), hp_profile_program(profile)) == 0;
}

/* ---- stacks ---- */

/* The measured sites before a frame, which are open in it, outermost first; returns how many. */
static uint32_t sites_inside(const struct reading *reading, const struct hp_cpu_stack *stack,
			     uint32_t at)
{
	const struct hp_cpu_frame *frames = reading->profile->cpu->frames;
	uint32_t count = 0;

	while (at > count && frames[stack->frames[at - count - 1]].kind == HP_FRAME_SITE) {
		reading->sites[count] = stack->frames[at - count - 1];
		count++;
	}
	return count;
}

/* Remove the sites that belong to the caller of a frame; returns how many remain. */
static uint32_t leave_out(const struct reading *reading, uint32_t caller, uint32_t frame,
			  uint32_t count)
{
	struct hp_profile *profile = reading->profile;
	uint32_t left = 0;

	if (caller == HP_INDEX_NONE || frame == HP_INDEX_NONE)
		return count;
	for (uint32_t i = 0; i < count; i++)
		if (!hp_locations_has(profile, profile->tree.calls[caller].key, frame,
				      reading->sites[i]))
			reading->sites[left++] = reading->sites[i];
	return left;
}

static uint32_t add_call(struct hp_profile *profile, uint32_t parent, uint32_t location)
{
	return location == HP_INDEX_NONE ? HP_INDEX_NONE
					 : hp_call_tree_add(&profile->tree, parent, location);
}

static uint32_t named_call(struct hp_profile *profile, uint32_t *location, const char *name)
{
	if (*location == HP_INDEX_NONE)
		*location = hp_locations_add_name(profile, name);
	return add_call(profile, HP_INDEX_NONE, *location);
}

/* The innermost call of a stack; HP_INDEX_NONE when memory ran out. */
static uint32_t read_stack(struct reading *reading, const struct hp_cpu_stack *stack)
{
	struct hp_profile *profile = reading->profile;
	const struct hp_cpu_frame *frames = profile->cpu->frames;
	uint32_t call = HP_INDEX_NONE;
	if (!stack->whole) {
		call = named_call(profile, &reading->cut_off, CUT_OFF);
		if (call == HP_INDEX_NONE)
			return call;
	}

	for (uint32_t at = stack->depth; at > 0;) {
		bool is_code = frames[stack->frames[at - 1]].kind != HP_FRAME_SITE;
		uint32_t frame = is_code ? stack->frames[--at] : HP_INDEX_NONE;
		uint32_t sites = sites_inside(reading, stack, at);
		at -= sites;
		sites = leave_out(reading, call, frame, sites);
		call = add_call(profile, call,
				hp_locations_add(profile, frame, reading->sites, sites));
		if (call == HP_INDEX_NONE)
			break;
	}
	return call;
}

/* The total of each thread, from which its stacks are subtracted one by one. NULL when memory ran out. */
static struct hp_values *thread_values(const struct hp_profile *profile)
{
	struct hp_values *values = calloc(profile->cpu->thread_count + 1, sizeof(*values));

	for (uint32_t i = 0; values && i < profile->cpu->thread_count; i++)
		values[i] = profile->subject->values_in(profile->model, i);
	return values;
}

/* Whether a profile has stacks with these values. */
static bool is_wanted(const struct reading *reading, const struct hp_values *values)
{
	return reading->all ? !hp_values_are_zero(values)
			    : hp_profile_main(reading->profile, values) > 0;
}

static bool read_stacks(struct reading *reading)
{
	struct hp_profile *profile = reading->profile;
	const struct hp_cpu *cpu = profile->cpu;
	bool has_one_rest = profile->subject->is_of_all_threads;

	for (size_t i = 0; i < cpu->stack_count; i++) {
		const struct hp_cpu_stack *stack = &cpu->stacks[i];
		struct hp_values values = profile->subject->values_of(cpu, stack);
		if (stack->thread >= cpu->thread_count)
			continue;
		hp_values_subtract(&reading->rest[has_one_rest ? 0 : stack->thread], &values);
		if (!is_wanted(reading, &values))
			continue;
		uint32_t call = stack->depth ? read_stack(reading, stack)
					     : named_call(profile, &reading->no_stack, NO_STACK);
		if (call == HP_INDEX_NONE)
			return false;
		profile->samples[profile->sample_count++] = (struct hp_sampled){ stack->thread,
										 call, values };
	}
	return true;
}

/* Add the values that have no stack. */
static bool read_rest(struct reading *reading)
{
	struct hp_profile *profile = reading->profile;

	for (uint32_t i = 0; i < profile->cpu->thread_count; i++) {
		if (!is_wanted(reading, &reading->rest[i]))
			continue;
		uint32_t call = named_call(profile, &reading->no_stack, NO_STACK);
		if (call == HP_INDEX_NONE)
			return false;
		profile->samples[profile->sample_count++] = (struct hp_sampled){ i, call,
										 reading->rest[i] };
	}
	return true;
}

static int by_thread(const void *left, const void *right)
{
	const struct hp_sampled *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->call > b->call) - (a->call < b->call);
}

/* Merge samples with the same thread and stack. */
static void join_samples(struct hp_profile *profile)
{
	struct hp_sampled *all = profile->samples;
	size_t count = 0;

	if (profile->sample_count)
		qsort(all, profile->sample_count, sizeof(*all), by_thread);
	for (size_t i = 0; i < profile->sample_count; i++) {
		hp_values_add(&profile->total, &all[i].values);
		if (count && by_thread(&all[count - 1], &all[i]) == 0)
			hp_values_add(&all[count - 1].values, &all[i].values);
		else
			all[count++] = all[i];
	}
	profile->sample_count = count;
}

static uint32_t depth_max(const struct hp_cpu *cpu)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < cpu->stack_count; i++)
		if (cpu->stacks[i].depth > depth)
			depth = cpu->stacks[i].depth;
	return depth;
}

static bool read_model(struct hp_profile *profile, bool all)
{
	const struct hp_cpu *cpu = profile->cpu;
	struct reading reading = {
		.profile = profile, .all = all, .cut_off = HP_INDEX_NONE, .no_stack = HP_INDEX_NONE
	};

	profile->levels = calloc(cpu->frame_count + 1, sizeof(*profile->levels));
	profile->samples = calloc(cpu->stack_count + cpu->thread_count + 1,
				  sizeof(*profile->samples));
	reading.sites = calloc((size_t)depth_max(cpu) + 1, sizeof(*reading.sites));
	reading.rest = thread_values(profile);
	bool done = profile->levels && profile->samples && reading.sites && reading.rest &&
		    hp_symbols_find(cpu, &profile->functions, profile->levels) &&
		    read_stacks(&reading) && read_rest(&reading);
	free(reading.sites);
	free(reading.rest);
	return done;
}

int hp_profile_make(struct hp_profile *profile, const struct hp_model *model,
		    const struct hp_export_subject *subject, bool all)
{
	*profile = (struct hp_profile){ .model = model, .subject = subject };
	profile->cpu = subject->stacks ? subject->stacks(model) : &profile->made;
	bool done = subject->stacks ? read_model(profile, all) : hp_measured_tree_read(profile);

	if (done)
		join_samples(profile);
	return done ? 0 : -ENOMEM;
}

void hp_profile_free(struct hp_profile *profile)
{
	for (uint32_t i = 0; i < profile->location_count; i++) {
		free(profile->locations[i].sites);
		free(profile->locations[i].levels.items);
	}
	if (profile->levels)
		hp_levels_free(profile->levels, profile->cpu->frame_count);
	hp_measured_tree_free(&profile->made);
	free(profile->locations);
	free(profile->samples);
	hp_intern_free(&profile->location_index);
	hp_call_tree_free(&profile->tree);
	hp_functions_free(&profile->functions);
	*profile = (struct hp_profile){ .model = NULL };
}

/* ---- functions ---- */

/* The first thread of the same name. */
static uint32_t group_of(const struct hp_profile *profile, uint32_t thread)
{
	for (uint32_t i = 0; i < thread; i++)
		if (strcmp(hp_profile_thread(profile, i), hp_profile_thread(profile, thread)) == 0)
			return i;
	return thread;
}

/* Add the functions of a location as children of a call. */
static uint32_t add_levels(struct hp_call_tree *tree, uint32_t call,
			   const struct hp_location *location)
{
	for (uint32_t i = 0; i < location->levels.count && call != HP_INDEX_NONE; i++)
		call = hp_call_tree_add(tree, call, location->levels.items[i].function);
	return call;
}

static bool add_sampled(const struct hp_profile *profile, const struct hp_sampled *sampled,
			uint32_t root, uint32_t *path, struct hp_call_tree *tree)
{
	uint32_t depth = hp_call_tree_path(&profile->tree, sampled->call, path);
	uint32_t call = root;

	for (uint32_t i = 0; i < depth && call != HP_INDEX_NONE; i++)
		call = add_levels(tree, call, &profile->locations[path[i]]);
	if (call == HP_INDEX_NONE)
		return false;
	hp_values_add(&tree->calls[call].values, &sampled->values);
	return true;
}

int hp_profile_functions(const struct hp_profile *profile, bool by_name, struct hp_call_tree *tree)
{
	uint32_t *path = calloc((size_t)profile->tree.depth_max + 1, sizeof(*path));
	uint32_t root = HP_INDEX_NONE;
	bool done = path != NULL;

	*tree = (struct hp_call_tree){ .calls = NULL };
	for (size_t i = 0; done && i < profile->sample_count; i++) {
		const struct hp_sampled *sampled = &profile->samples[i];
		if (i == 0 || sampled->thread != sampled[-1].thread)
			root = hp_call_tree_add(tree, HP_INDEX_NONE,
						by_name ? group_of(profile, sampled->thread)
							: sampled->thread);
		done = root != HP_INDEX_NONE && add_sampled(profile, sampled, root, path, tree);
	}
	free(path);
	return done ? 0 : -ENOMEM;
}
