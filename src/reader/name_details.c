/* SPDX-License-Identifier: MIT */
/* What compilers write for debuggers adds to names, where somebody reads that. */
#include "name_details.h"

#include <stdlib.h>

bool (*hp_name_details_read)(struct hp_name **names, size_t count, const struct hp_module *module,
			     const char *path);

/* A callback is a function, whatever its first instruction is of. */
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

static bool read_module(struct hp_name **names, size_t count, const struct hp_snapshot *snapshot)
{
	const struct hp_module *module = hp_check_module(snapshot->bytes, names[0]->module);
	char *path = module ? hp_snapshot_string(snapshot, module->path) : NULL;
	bool done = !path || hp_name_details_read(names, count, module, path);

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
