/* SPDX-License-Identifier: MIT */
/*
 * libuv, as the program has it without us: loaded with the program, or later for a plugin.
 *
 * It is not unloaded any more once it was found, since we keep the addresses of its functions.
 */
#include "libuv.h"

#include "atomic.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <uv.h>

#define LIBUV "libuv.so.1"

/* Its code; 0 while it is not known. */
static uintptr_t code_begin, code_end;

static int missing(void)
{
	return UV_ENOSYS;
}

struct search {
	uintptr_t address;
	uintptr_t begin;
	uintptr_t end;
};

static int look_at(struct dl_phdr_info *module, size_t size, void *argument)
{
	struct search *search = argument;

	(void)size;
	for (size_t i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &module->dlpi_phdr[i];
		uintptr_t begin = module->dlpi_addr + part->p_vaddr;
		if (part->p_type != PT_LOAD || search->address - begin >= part->p_memsz)
			continue;
		search->begin = begin;
		search->end = begin + part->p_memsz;
		return 1;
	}
	return 0;
}

/* Where the part of a file is that has a function. All of libuv's code is in one. */
static void learn_code(function_t function)
{
	struct search search = { .address = (uintptr_t)function };

	if (!dl_iterate_phdr(look_at, &search))
		return;
	store(&code_end, search.end, RELAXED);
	/* Pairs with libuv_has. */
	store(&code_begin, search.begin, RELEASE);
}

/* A linker may have left libuv out when it found all that the program calls in us. */
static void *look_up(const char *name)
{
	bool is_libuv = strncmp(name, "uv_", 3) == 0;
	void *pinned = is_libuv ? dlopen(LIBUV, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
	void *found = dlsym(RTLD_NEXT, name);

	if (found || !is_libuv)
		return found;
	if (!pinned)
		pinned = dlopen(LIBUV, RTLD_LAZY | RTLD_NODELETE);
	return pinned ? dlsym(pinned, name) : NULL;
}

/* Each thread that comes here finds the same. */
function_t libuv_find(function_t *known, const char *name)
{
	function_t function = load(known, RELAXED);
	if (function)
		return function;

	void *found = look_up(name);
	memcpy(&function, &found, sizeof(function));
	if (!function)
		return (function_t)missing;
	if (!load(&code_begin, RELAXED) && strncmp(name, "uv_", 3) == 0)
		learn_code(function);
	store(known, function, RELAXED);
	return function;
}

bool libuv_has(uintptr_t address)
{
	static function_t any;

	if (!load(&code_begin, RELAXED))
		libuv_find(&any, "uv_run");
	/* Pairs with learn_code. */
	uintptr_t begin = load(&code_begin, ACQUIRE);

	return begin && address - begin < load(&code_end, RELAXED) - begin;
}
