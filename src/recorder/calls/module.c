/* SPDX-License-Identifier: MIT */
/*
 * The list of known modules, and the sites of functions, calls and static variables by their address in a module.
 *
 * A module is written to the segment once. To find a module that is not in the list is slow; functions are looked up once
 * per thread and place in the call tree. The list is emptied when code is unloaded.
 */
#include "modules.h"

#include "cpu/sampling.h"
#include "flow/flow.h"
#include "mapped_module.h"
#include "own_work.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/threads.h"
#include "selection.h"
#include "sites.h"

#include <sys/auxv.h>

static struct module *new_module(struct recorder *recorder)
{
	struct module *module = recorder->spare_modules;

	if (module)
		recorder->spare_modules = module->next;
	else
		module = hotpath__private(sizeof(*module));
	return module;
}

/* Add the module of a function to the list. Code of no file, or of a file that is not a valid ELF file, becomes a module
   of one address. */
static struct module *find_module(struct recorder *recorder, uintptr_t function)
{
	struct module *module = new_module(recorder);
	if (!module)
		return NULL;

	*module = (struct module){ .start = function, .end = function + 1 };
	hotpath__describe_module(module, function);
	module->next = recorder->modules;
	recorder->modules = module;
	return module;
}

static struct module *module_of(uintptr_t function)
{
	struct recorder *recorder = hotpath__recorder;
	struct module *module = recorder->modules;

	while (module && (function < module->start || function >= module->end))
		module = module->next;
	return module ? module : find_module(recorder, function);
}

void hotpath__learn_modules(void)
{
	uintptr_t end = 0, start;

	while ((start = hotpath__code_after(end, &end)))
		module_of(start);
}

static bool is_selected(const struct module *module, uint64_t offset)
{
	struct hp_symbol symbol;

	return !module->selection || !hp_elf_function_at(&module->file, offset, &symbol) ||
	       hp_selection_has(module->selection, symbol.name, symbol.size);
}

static void forget_modules(struct recorder *recorder)
{
	while (recorder->modules) {
		struct module *module = recorder->modules;
		recorder->modules = module->next;
		hp_elf_close(&module->file);
		module->next = recorder->spare_modules;
		recorder->spare_modules = module;
	}
}

uint32_t hotpath__function_site(uintptr_t function)
{
	struct guard guard;
	uint32_t site = 0;

	hotpath__lock(&guard);
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *module = module_of(function);
	if (module && !is_selected(module, function - module->bias))
		site = SITE_SKIPPED;
	else if (module)
		site = hotpath__site_of_address(HP_SITE_ADDRESS, NULL, module->at,
						function - module->bias);
	hotpath__unlock(&guard);
	if (!site)
		hotpath__count(HP_COUNTER_functions);
	return site;
}

/* The call instruction is before its return address, which may already belong to another module. */
uint32_t hotpath__call_site(uintptr_t from)
{
	struct guard guard;
	uint32_t site = 0;

	hotpath__lock(&guard);
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *module = from ? module_of(from - 1) : NULL;
	if (module)
		site = hotpath__site_of_address(HP_SITE_CALL, NULL, module->at,
						from - module->bias);
	hotpath__unlock(&guard);
	return site;
}

uint32_t hotpath__site_of_code(enum hp_site_kind kind, const char *name, uintptr_t code)
{
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *module = module_of(code);
	return module ? hotpath__site_of_address(kind, name, module->at, code - module->bias) : 0;
}

enum {
	/* Static variables that have a site of their own; there may be arrays of thousands of locks. */
	STATIC_OBJECTS_MAX = 256,
};

/* A module that is known around an address in its data; NULL when there is none. */
static const struct module *known_around(uintptr_t object)
{
	const struct module *module = hotpath__recorder->modules;

	while (module && (object < module->start || object >= module->end || !module->at))
		module = module->next;
	return module;
}

/* Find the module that a variable is in. The program's own module is added first if no code of it was seen yet: a
   library may wait for a variable of the program. */
static const struct module *module_around(uintptr_t object)
{
	const struct module *module = known_around(object);

	if (module || !module_of(getauxval(AT_ENTRY)))
		return module;
	return known_around(object);
}

/* The site of a static variable; 0 when there are too many of them. */
static uint32_t static_site(enum hp_site_kind kind, const struct module *home, uintptr_t object)
{
	struct recorder *recorder = hotpath__recorder;
	uint32_t before = hotpath__header()->site_count, id;

	if (recorder->static_objects >= STATIC_OBJECTS_MAX)
		return 0;
	id = hotpath__site_of_address(kind, NULL, home->at, object - home->bias);
	recorder->static_objects += hotpath__header()->site_count > before;
	return id;
}

/* The module of the calling code is looked up first: most static variables are in the module of the code that uses them.
   The call instruction is before its return address. */
uint32_t hotpath__site_of_object(enum hp_site_kind kind, uintptr_t object, uintptr_t from,
				 bool *is_static)
{
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *code = from ? module_of(from - 1) : NULL;
	const struct module *home = object ? module_around(object) : NULL;
	uint32_t id = 0, place = 0;
	if (code && code->at)
		place = hotpath__site_of_address(HP_SITE_CALL, NULL, code->at, from - code->bias);
	if (home)
		id = static_site(kind, home, object);
	*is_static = id != 0;
	if (!id && place)
		id = hotpath__site_of_address(kind, NULL, code->at, from - 1 - code->bias);
	if (!id)
		id = hotpath__site_register(
			&(struct hotpath_site){ .name = "<unknown>", .kind = kind });
	if (id)
		hotpath__site_place(id, place);
	return id;
}

/*
 * At some moment of unloading, the addresses become free, and another thread may load other code there. So whatever
 * is known by address is forgotten before and after, and nothing is learned in between.
 */
static void unload(bool begins)
{
	struct recorder *recorder = load(&hotpath__recorder, ACQUIRE);
	struct guard guard;

	if (!recorder || load(&recorder->state, ACQUIRE) != STATE_RUNNING)
		return;
	struct own_work work = hotpath__own_work_begins();
	hotpath__lock(&guard);
	/* The unloading may have begun before recording, or in the parent process. */
	if (begins || recorder->unloading)
		store(&recorder->unloading, recorder->unloading + (begins ? 1 : -1U), RELAXED);
	forget_modules(recorder);
	hotpath__forget_found();
	if (!begins)
		hotpath__forget_code();
	/* SEQ_CST, like the stores in hotpath__close_hot_paths: a thread that opens its hot path at the same time
	   sees one of them. */
	store(&recorder->unloads, recorder->unloads + 1, SEQ_CST);
	hotpath__close_hot_paths(recorder);
	hotpath__unlock(&guard);
	hotpath__own_work_ends(work);
}

void hotpath__unload_begins(void)
{
	unload(true);
}

void hotpath__unload_ends(void)
{
	unload(false);
}
