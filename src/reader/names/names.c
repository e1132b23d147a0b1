/* SPDX-License-Identifier: MIT */
/*
 * Finds the names of functions that a segment only knows by their address, or by the address of a call in them.
 *
 * The addresses are sorted by module and address. Then the file of each module is opened, if it is still the one that
 * ran, and its symbols are read in one pass: each symbol is stored at the first wanted address at or after it, if it
 * is the closest one so far. The symbol of an address is then the one stored there, or at an earlier address.
 */
#include "names.h"

#include "atomic.h"
#include "calls/twins.h"
#include "demangle.h"
#include "file_name.h"
#include "lower_bound.h"
#include "module_file.h"
#include "name_details.h"
#include "stripped.h"
#include "stub_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* A hostile segment could name one large file as often as it has sites. */
	MODULES_MAX = 1000,
};

/* The names to be found in one file, sorted by address. */
struct wanted {
	const char *path;
	struct hp_name *names;
	size_t count;
	/* Why the file cannot be used; NULL if it can. */
	const char *problem;
	bool with_frames;
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

/* ---- one file ---- */

static bool is_before(const void *name, const void *address)
{
	return ((const struct hp_name *)name)->address < *(const uint64_t *)address;
}

/* The first wanted name at or after an address. */
static size_t first_at(const struct wanted *wanted, uint64_t address)
{
	return hp_lower_bound(&address, wanted->names, wanted->count, sizeof(*wanted->names),
			      is_before);
}

/* Of several symbols for one address, prefer the one that programmers use: pread, not __libc_pread. */
static bool is_better(const struct hp_symbol *symbol, const struct hp_symbol *than)
{
	if (!than->name || symbol->address != than->address)
		return !than->name || symbol->address > than->address;
	size_t internal = strspn(symbol->name, "_"), other = strspn(than->name, "_");
	return internal != other ? internal < other : symbol->rank > than->rank;
}

static void take_symbol(void *context, const struct hp_symbol *symbol)
{
	struct wanted *wanted = context;
	size_t at = first_at(wanted, symbol->address);

	if (at < wanted->count && is_better(symbol, &wanted->names[at].symbol))
		wanted->names[at].symbol = *symbol;
}

static bool is_inside(const struct hp_symbol *symbol, const struct hp_name *name)
{
	uint64_t far = name->address - symbol->address;

	return far == 0 || (name->is_inside && far < symbol->reach);
}

/* Give each address the symbol of the function that contains it, if there is one. */
static void choose_symbols(struct wanted *wanted)
{
	struct hp_symbol last = { .name = NULL };

	for (size_t i = 0; i < wanted->count; i++) {
		struct hp_name *name = &wanted->names[i];
		if (name->symbol.name)
			last = name->symbol;
		name->symbol = last;
		if (!last.name || !is_inside(&last, name))
			name->symbol.name = NULL;
	}
}

/*
 * Find the start of functions without a symbol, so that a function has one name for all its addresses. A symbol
 * without a size is discarded if the unwind tables say that another function begins between it and the address.
 */
static void find_entries(struct wanted *wanted, const struct hp_elf *elf)
{
	for (size_t i = 0; i < wanted->count; i++) {
		struct hp_name *name = &wanted->names[i];
		uint64_t start;
		if (!name->is_inside || !hp_elf_function_start(elf, name->address, &start))
			continue;
		if (name->symbol.name && name->symbol.size == 0 && start > name->symbol.address)
			name->symbol.name = NULL;
		if (!name->symbol.name) {
			name->entry = start;
			name->has_entry = true;
		}
	}
}

/*
 * Count functions only, not calls: many calls are in internal functions of a library, which have no exported symbol.
 */
static size_t count_unnamed(const struct wanted *wanted, size_t *functions)
{
	size_t unnamed = 0;

	*functions = 0;
	for (size_t i = 0; i < wanted->count; i++) {
		*functions += !wanted->names[i].is_inside;
		unnamed += !wanted->names[i].is_inside && !wanted->names[i].has_symbol;
	}
	return unnamed;
}

static bool note_unnamed(const struct wanted *wanted, struct hp_model *model)
{
	const char *name = hp_file_name(wanted->path);
	size_t functions, unnamed = count_unnamed(wanted, &functions);

	if (unnamed == 0)
		return true;
	if (wanted->problem)
		return hp_model_note(model, "%s %s: its functions are shown by address", name,
				     wanted->problem);
	return hp_note_unnamed(model, name, unnamed < functions);
}

/* The readable name, with a suffix such as "@plt"; NULL when memory ran out. */
static char *readable(const char *symbol, const char *full, const char *behind)
{
	/* A symbol may have a version suffix: "name@VERSION". */
	size_t length = strcspn(symbol, "@");
	char *name = full ? hp_demangled_name(full)
			  : strndup(symbol, length ? length : strlen(symbol));
	char *text = NULL;

	if (!name || !*behind)
		return name;
	if (asprintf(&text, "%s%s", name, behind) < 0)
		text = NULL;
	free(name);
	return text;
}

/* Must be called while the file is open, because the symbols point into it. */
static bool name_by_symbol(struct hp_name *name, const char *path)
{
	const char *symbol = name->symbol.name, *behind = name->is_stub ? "@plt" : "";

	if (strcmp(path, "[vdso]") == 0)
		behind = "@vdso";
	name->has_symbol = true;
	name->has_entry = true;
	name->entry = name->symbol.address;
	/* A stub has no overloads, so its parameters are not needed. */
	name->full = symbol && !*behind ? hp_demangle(symbol) : NULL;
	char *full = symbol && *behind ? hp_demangle(symbol) : NULL;
	name->text = symbol ? readable(symbol, name->full ? name->full : full, behind)
			    : strdup("<plt>");
	name->symbol.name = NULL;
	free(full);
	return name->text != NULL;
}

static bool name_by_address(struct hp_name *name, const char *path)
{
	/* A call is shown by its return address. */
	uint64_t address = name->has_entry ? name->entry : name->address + name->is_call;

	if (asprintf(&name->text, "%s+0x%" PRIx64, hp_file_name(path), address) >= 0)
		return true;
	name->text = NULL;
	return false;
}

/* The cold part of a function is separate, and its frame was set up in the other part. */
static bool is_part(const char *text)
{
	return strstr(text, ".cold") != NULL;
}

static void find_frame(struct hp_name *name, const struct hp_elf *elf)
{
	enum hp_elf_caller caller = HP_ELF_CALLER_FRAME;

	if (!name->is_call)
		caller = hp_elf_caller(elf, name->entry, name->address);
	else if (!hp_elf_keeps_frame(elf, name->entry, name->address))
		caller = HP_ELF_CALLER_HIDDEN;
	name->may_link = caller == HP_ELF_CALLER_LINK;
	name->hides_caller = caller == HP_ELF_CALLER_HIDDEN && name->has_entry &&
			     !(name->text && is_part(name->text));
}

static void find_frames(struct wanted *wanted, const struct hp_elf *elf)
{
	for (size_t i = 0; i < wanted->count; i++)
		find_frame(&wanted->names[i], elf);
}

static bool look_up(struct wanted *wanted, const struct hp_module *module)
{
	struct hp_module_file file;
	bool done = true;

	wanted->problem = hp_module_file_open(&file, module, wanted->path);
	if (file.symbols)
		hp_elf_each_function(file.symbols, take_symbol, wanted);
	/* The dynamic symbols of the file itself have the same names, and may be the only ones. */
	if (!wanted->problem && file.symbols != &file.elf)
		hp_elf_each_function(&file.elf, take_symbol, wanted);
	choose_symbols(wanted);
	if (!wanted->problem) {
		done = hp_stub_names_find(wanted->names, wanted->count, &file.elf);
		find_entries(wanted, &file.elf);
	}
	for (size_t i = 0; i < wanted->count && done; i++)
		if (wanted->names[i].symbol.name || wanted->names[i].is_stub)
			done = name_by_symbol(&wanted->names[i], wanted->path);
	if (!wanted->problem && wanted->with_frames)
		find_frames(wanted, &file.elf);
	hp_module_file_close(&file);
	return done;
}

/* ---- all of them ---- */

static bool resolve_module(const struct hp_names *names, struct hp_name *first, size_t count,
			   const struct hp_snapshot *snapshot, struct hp_model *model, bool known)
{
	const struct hp_module *module = known ? hp_check_module(snapshot->bytes, first->module)
					       : NULL;
	char *path = module ? hp_snapshot_string(snapshot, module->path) : NULL;
	struct wanted wanted = { path ? path : "?", first, count, "is unknown",
				 names->with_frames };
	bool done = !path || look_up(&wanted, module);

	for (size_t i = 0; i < count && done; i++) {
		first[i].problem = wanted.problem;
		done = first[i].has_symbol || name_by_address(&first[i], wanted.path);
	}
	done = done && (!model || note_unnamed(&wanted, model));
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
		struct wanted wanted = { path ? path : "?", first, count, first->problem, false };
		done = note_unnamed(&wanted, model);
		free(path);
	}
	sort(names, by_site);
	return done;
}

bool hp_names_resolve(struct hp_names *names, const struct hp_snapshot *snapshot)
{
	if (!resolve_all(names, snapshot, NULL))
		return false;
	sort(names, by_site);
	return hp_name_details_add(names, snapshot, HP_DETAILED_ALL);
}

void hp_names_free(struct hp_names *names)
{
	for (size_t i = 0; i < names->count; i++) {
		free(names->items[i].text);
		free(names->items[i].full);
		free(names->items[i].mark);
		free(names->items[i].detail.inlined);
		free(names->items[i].detail.file);
	}
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
