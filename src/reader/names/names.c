/* SPDX-License-Identifier: MIT */
/* Finds the names of functions that a segment only knows by their address, or by the address of a call in them. */
#include "names.h"

#include "atomic.h"
#include "calls/twins.h"
#include "demangle.h"
#include "module_names.h"
#include "name_details.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* A hostile segment could name one large file as often as it has sites. */
	MODULES_MAX = 1000,
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_address(const void *left, const void *right)
{
	const struct hp_name *a = left, *b = right;
	int order = compare(a->module, b->module);

	if (order == 0)
		order = compare(a->address, b->address);
	return order ? order : compare(a->site, b->site);
}

static int by_site(const void *left, const void *right)
{
	return compare(((const struct hp_name *)left)->site, ((const struct hp_name *)right)->site);
}

static int by_text(const void *left, const void *right)
{
	const struct hp_name *a = left, *b = right;
	int order = strcmp(a->text, b->text);

	return order ? order : compare(a->site, b->site);
}

static void sort(struct hp_names *names, int (*order)(const void *, const void *))
{
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), order);
}

static bool resolve_module(const struct hp_names *names, struct hp_name *first, size_t count,
			   const struct hp_snapshot *snapshot, struct hp_model *model, bool known)
{
	const struct hp_module *module = known ? hp_check_module(snapshot->bytes, first->module)
					       : NULL;
	char *path = module ? hp_snapshot_string(snapshot, module->path) : NULL;
	struct hp_module_names wanted = { path, first, count, NULL, names->with_frames };
	bool done = hp_module_names_find(&wanted, module) &&
		    (!model || hp_module_names_note(&wanted, model));

	free(path);
	return done;
}

/* The number of consecutive names with the same module. */
static size_t count_of_module(const struct hp_names *names, size_t first)
{
	size_t count = 1;

	while (first + count < names->count &&
	       names->items[first + count].module == names->items[first].module)
		count++;
	return count;
}

static bool resolve_all(struct hp_names *names, const struct hp_snapshot *snapshot,
			struct hp_model *model)
{
	unsigned modules = 0;

	sort(names, by_address);
	for (size_t i = 0, count; i < names->count; i += count) {
		struct hp_name *first = &names->items[i];
		count = count_of_module(names, i);
		if (!resolve_module(names, first, count, snapshot, model, modules++ < MODULES_MAX))
			return false;
	}
	return true;
}

static bool show_parameters(struct hp_name *name)
{
	char *text = name->full ? strdup(name->full) : NULL;

	if (name->full && !text)
		return false;
	if (text) {
		free(name->text);
		name->text = text;
	}
	return true;
}

/* Whether equal names belong to different functions. */
static bool is_overloaded(const struct hp_name *first, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (first[i].module != first->module || first[i].entry != first->entry)
			return true;
	return false;
}

/* Show the parameters of overloaded functions, and only of those. */
static bool tell_apart(struct hp_names *names)
{
	sort(names, by_text);
	for (size_t i = 0, count; i < names->count; i += count) {
		struct hp_name *first = &names->items[i];
		for (count = 1; i + count < names->count; count++)
			if (strcmp(first[count].text, first->text) != 0)
				break;
		bool overloaded = is_overloaded(first, count);
		for (size_t j = 0; overloaded && j < count; j++)
			if (!show_parameters(&first[j]))
				return false;
	}
	sort(names, by_site);
	return true;
}

/* A lock, or a condition variable or the like that is known in the same way. */
static bool is_lock(uint32_t kind)
{
	return (kind >= HP_SITE_MUTEX && kind <= HP_SITE_OWN_LOCK) || kind == HP_SITE_TARGET;
}

static bool is_known_by_address(const struct hp_site *site)
{
	uint32_t kind = load(&site->kind, RELAXED);

	return kind == HP_SITE_ADDRESS || kind == HP_SITE_CALL ||
	       (kind >= HP_SITE_CHANNEL && site->module);
}

/*
 * A call is looked up by its last byte, because the return address may already be in the next function. An object
 * that a probe found is known by its callback, or by a return address in the function that created it.
 */
static struct hp_name name_of(uint32_t id, const struct hp_site *site)
{
	bool is_call = site->kind == HP_SITE_CALL;
	uint64_t address = site->offset - is_call;

	return (struct hp_name){ .site = id,
				 .module = site->module,
				 .address = address,
				 .is_call = is_call,
				 .is_inside = site->kind != HP_SITE_ADDRESS,
				 .is_found = site->kind >= HP_SITE_CHANNEL,
				 .is_lock = is_lock(site->kind),
				 .entry = address };
}

static bool make_room(struct hp_names *names, uint32_t sites)
{
	size_t known = names->around ? (size_t)names->site_count + 1 : 0, room = (size_t)sites + 1;
	struct hp_name *items = reallocarray(names->items, names->count + room - known,
					     sizeof(*items));
	struct hp_around *around = reallocarray(names->around, room, sizeof(*around));

	names->items = items ? items : names->items;
	if (around) {
		names->around = around;
		memset(around + known, 0, (room - known) * sizeof(*around));
	}
	return items && around;
}

/* Collect the addresses of new sites. */
static bool collect(struct hp_names *names, const struct hp_snapshot *snapshot)
{
	if (snapshot->site_count <= names->site_count && names->items)
		return true;
	if (!make_room(names, snapshot->site_count))
		return false;
	while (names->site_count < snapshot->site_count) {
		uint32_t id = ++names->site_count;
		const struct hp_site *site = hp_check_site(snapshot->bytes, id);
		if (site && is_known_by_address(site))
			names->items[names->count++] = name_of(id, site);
	}
	return true;
}

/* Find names for the new items, which are at the end. */
static bool add_new(struct hp_names *names, const struct hp_snapshot *snapshot,
		    struct hp_model *model, bool *changed)
{
	size_t known = names->count;

	if (!collect(names, snapshot))
		return false;
	struct hp_names added = { .items = names->items + known, .count = names->count - known };
	*changed = added.count > 0;
	if (*changed &&
	    (!resolve_all(&added, snapshot, model) || !tell_apart(names) ||
	     !hp_name_details_add(names, snapshot, model ? HP_DETAILED_ALL : HP_DETAILED_FLOWS) ||
	     !hp_name_marks_set(names, snapshot)))
		return false;
	hp_twins_find(names, snapshot);
	return true;
}

bool hp_names_read(struct hp_names *names, const struct hp_snapshot *snapshot,
		   struct hp_model *model)
{
	bool changed;

	*names = (struct hp_names){ .items = NULL };
	return add_new(names, snapshot, model, &changed);
}

/* Remove the parameters again, so that old and new names are compared anew. */
static bool shorten(struct hp_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		struct hp_name *name = &names->items[i];
		char *text = name->full ? hp_demangled_name(name->full) : NULL;
		if (name->full && !text)
			return false;
		if (text) {
			free(name->text);
			name->text = text;
		}
	}
	return true;
}

bool hp_names_update(struct hp_names *names, const struct hp_snapshot *snapshot, bool *changed)
{
	*changed = false;
	if (snapshot->site_count > names->site_count && !shorten(names))
		return false;
	return add_new(names, snapshot, NULL, changed);
}

bool hp_names_note(struct hp_names *names, const struct hp_snapshot *snapshot,
		   struct hp_model *model)
{
	bool done = true;

	sort(names, by_address);
	for (size_t i = 0, count; done && i < names->count; i += count) {
		struct hp_name *first = &names->items[i];
		const struct hp_module *module = hp_check_module(snapshot->bytes, first->module);
		char *path = module ? hp_snapshot_string(snapshot, module->path) : NULL;

		count = count_of_module(names, i);
		struct hp_module_names wanted = { path, first, count, first->problem, false };
		done = hp_module_names_note(&wanted, model);
		free(path);
	}
	sort(names, by_site);
	return done;
}

/* Remember what was found, for the next process that executes the same files. */
static void learn_all(const struct hp_names *names, const struct hp_snapshot *snapshot)
{
	for (size_t i = 0, count; i < names->count; i += count) {
		struct hp_name *first = &names->items[i];
		const struct hp_module *module = hp_check_module(snapshot->bytes, first->module);
		char *path = module ? hp_snapshot_string(snapshot, module->path) : NULL;

		count = count_of_module(names, i);
		struct hp_module_names found = { path, first, count, NULL, true };
		if (path && !first->problem)
			hp_module_names_learn(&found, module);
		free(path);
	}
}

bool hp_names_resolve(struct hp_names *names, const struct hp_snapshot *snapshot)
{
	bool done = resolve_all(names, snapshot, NULL) &&
		    hp_name_details_add(names, snapshot, HP_DETAILED_ALL);

	if (done && names->with_frames)
		learn_all(names, snapshot);
	sort(names, by_site);
	return done;
}

void hp_name_clear(struct hp_name *name)
{
	free(name->text);
	free(name->full);
	free(name->mark);
	free(name->detail.inlined);
	free(name->detail.file);
	free(name->detail.place_file);
	free(name->detail.outer_file);
	hp_betweens_free(&name->detail.between);
}

void hp_names_free(struct hp_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		hp_name_clear(&names->items[i]);
	free(names->items);
	free(names->around);
	*names = (struct hp_names){ .items = NULL };
}

const struct hp_name *hp_names_find(const struct hp_names *names, uint32_t site)
{
	struct hp_name key = { .site = site };

	return names->count ? bsearch(&key, names->items, names->count, sizeof(key), by_site)
			    : NULL;
}

char *hp_names_label(const struct hp_names *names, const struct hp_snapshot *snapshot,
		     uint32_t site)
{
	const struct hp_site *known = hp_check_site(snapshot->bytes, site);
	const struct hp_name *name = hp_names_find(names, site);
	char *own = known ? hp_snapshot_string(snapshot, known->name) : NULL, *both = NULL;

	if (!name || !own)
		return own ? own : strdup(name ? hp_name_shown(name) : "?");
	if (asprintf(&both, "%s %s%s", own, hp_name_shown(name), name->mark ? name->mark : "") < 0)
		both = NULL;
	free(own);
	return both;
}
