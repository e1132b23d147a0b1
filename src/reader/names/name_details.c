/* SPDX-License-Identifier: MIT */
/* Details that debug information adds to names, in programs that can read it. */
#include "name_details.h"

#include "own_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool (*hp_name_details_read)(struct hp_name **names, size_t count, const struct hp_module *module,
			     const char *path);

/* A callback is the function itself, even if its first instruction belongs to an inlined one. */
static bool is_callback(const struct hp_name *name)
{
	return name->is_found && name->address == name->entry;
}

static bool is_wanted(const struct hp_name *name, enum hp_detailed which)
{
	return name->is_inside && name->has_symbol && !name->is_stub && !name->problem &&
	       !name->is_detailed && !is_callback(name) &&
	       (which == HP_DETAILED_ALL || name->is_found);
}

static int by_module(const void *left, const void *right)
{
	const struct hp_name *a = *(struct hp_name *const *)left;
	const struct hp_name *b = *(struct hp_name *const *)right;

	return (a->module > b->module) - (a->module < b->module);
}

/* The functions of the profiler are not told apart, so their details are not read. */
static bool read_module(struct hp_name **names, size_t count, const struct hp_snapshot *snapshot)
{
	const struct hp_module *module = hp_check_module(snapshot->bytes, names[0]->module);
	char *path = module ? hp_snapshot_string(snapshot, module->path) : NULL;
	bool done = !path || hp_is_own_file(path) ||
		    hp_name_details_read(names, count, module, path);

	free(path);
	return done;
}

static bool read_all(struct hp_name **wanted, size_t count, const struct hp_snapshot *snapshot)
{
	bool done = true;

	if (count)
		qsort(wanted, count, sizeof(struct hp_name *), by_module);
	for (size_t i = 0, same; i < count && done; i += same) {
		for (same = 1; i + same < count; same++)
			if (wanted[i + same]->module != wanted[i]->module)
				break;
		done = read_module(&wanted[i], same, snapshot);
	}
	return done;
}

bool hp_name_details_add(struct hp_names *names, const struct hp_snapshot *snapshot,
			 enum hp_detailed which)
{
	struct hp_name **wanted;
	size_t count = 0;

	if (!hp_name_details_read)
		return true;
	wanted = calloc(names->count + 1, sizeof(struct hp_name *));
	for (size_t i = 0; wanted && i < names->count; i++)
		if (is_wanted(&names->items[i], which)) {
			wanted[count++] = &names->items[i];
			names->items[i].is_detailed = true;
		}
	bool done = wanted && read_all(wanted, count, snapshot);
	free(wanted);
	return done;
}

/* ---- those of one label ---- */

/* An object that a probe found, and its label without a mark. */
struct labelled {
	struct hp_name *name;
	char *label;
};

/* Sites have numbers in the order in which they were first used. */
static int by_label(const void *left, const void *right)
{
	const struct labelled *a = left, *b = right;
	int order = strcmp(a->label, b->label);

	return order ? order : (a->name->site > b->name->site) - (a->name->site < b->name->site);
}

static bool is_same_place(const struct hp_name *a, const struct hp_name *b)
{
	return a->module == b->module && a->address == b->address;
}

/* The number of the nth object's place, in the order of first use: a future and its polls share one place. */
static size_t number_of(const struct labelled *first, size_t nth)
{
	size_t number = 0;

	for (size_t i = 0; i <= nth; i++) {
		size_t earlier = 0;
		while (!is_same_place(first[earlier].name, first[i].name))
			earlier++;
		number += earlier == i;
		if (is_same_place(first[i].name, first[nth].name))
			break;
	}
	return number;
}

static bool have_places(const struct labelled *first, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!is_same_place(first[i].name, first->name))
			return true;
	return false;
}

/* Whether each place has a source line, and all lines are different. */
static bool have_lines(const struct labelled *first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct hp_name *name = first[i].name;
		if (!name->detail.place_line)
			return false;
		for (size_t j = 0; j < i; j++)
			if (first[j].name->detail.place_line == name->detail.place_line &&
			    !is_same_place(first[j].name, name))
				return false;
	}
	return true;
}

static bool mark(struct labelled *first, size_t count)
{
	/* With more, they are told apart by their offset in the function: the comparisons above are quadratic. */
	enum { FEW = 256 };
	bool few = count <= FEW, by_line = few && have_lines(first, count);

	if (!have_places(first, count))
		return true;
	for (size_t i = 0; i < count; i++) {
		struct hp_name *name = first[i].name;
		int length;
		if (by_line)
			length = asprintf(&name->mark, ":%" PRIu32, name->detail.place_line);
		else if (few)
			length = asprintf(&name->mark, " #%zu", number_of(first, i));
		else
			length = asprintf(&name->mark, "+0x%" PRIx64, name->address - name->entry);
		if (length < 0) {
			name->mark = NULL;
			return false;
		}
	}
	return true;
}

static bool mark_all(struct labelled *all, size_t count)
{
	bool done = true;

	if (count)
		qsort(all, count, sizeof(*all), by_label);
	for (size_t i = 0, same; i < count && done; i += same) {
		for (same = 1; i + same < count; same++)
			if (strcmp(all[i + same].label, all[i].label) != 0)
				break;
		done = mark(&all[i], same);
	}
	return done;
}

bool hp_name_marks_set(struct hp_names *names, const struct hp_snapshot *snapshot)
{
	struct labelled *all = calloc(names->count + 1, sizeof(*all));
	bool done = all != NULL;
	size_t count = 0;

	for (size_t i = 0; done && i < names->count; i++) {
		struct hp_name *name = &names->items[i];
		free(name->mark);
		name->mark = NULL;
		if (!name->is_found)
			continue;
		all[count] = (struct labelled){ name, hp_names_label(names, snapshot, name->site) };
		done = all[count++].label != NULL;
	}
	done = done && mark_all(all, count);
	while (count)
		free(all[--count].label);
	free(all);
	return done;
}
