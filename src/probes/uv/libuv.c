/* SPDX-License-Identifier: MIT */
/*
 * Looks up the functions of libuv, which may be loaded with the program, or later for a plugin.
 *
 * Once it was found, libuv is not unloaded any more (RTLD_NODELETE), because the probe keeps the addresses of its
 * functions.
 */
#include "libuv.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#define LIBUV "libuv.so.1"

/* The bounds of libuv's code; 0 while they are not known. */
static uintptr_t code_begin, code_end;

int libuv_missing(void)
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

/* Find the bounds of the loaded segment with a function. All of libuv's code is in one segment. */
static void learn_code(function_t function)
{
	struct search search = { .address = (uintptr_t)function };

	if (!dl_iterate_phdr(look_at, &search))
		return;
	store(&code_end, search.end, RELAXED);
	/* Pairs with libuv_has. */
	store(&code_begin, search.begin, RELEASE);
}

static void *pin(int flags)
{
	return dlopen(LIBUV, RTLD_LAZY | RTLD_NODELETE | flags);
}

/* libuv may not be loaded: a linker may have dropped it as not needed, because the probe defines all functions that
   the program calls. */
void *libuv_ask(const char *name)
{
	bool is_libuv = strncmp(name, "uv_", 3) == 0;
	void *pinned = is_libuv ? pin(RTLD_NOLOAD) : NULL;
	void *found = next_symbol(name);

	if (found || !is_libuv)
		return found;
	if (!pinned)
		pinned = pin(0);
	return pinned ? dlsym(pinned, name) : NULL;
}

/* A plugin may have brought the probe and libuv, and take only libuv away with it. */
__attribute__((constructor(102))) static void program_begins(void)
{
	if (NEXT_KNOWN(uv_run))
		pin(RTLD_NOLOAD);
}

bool libuv_has(uintptr_t address)
{
	function_t any = load(&code_begin, RELAXED) ? NULL : (function_t)NEXT(uv_run);

	if (any && any != (function_t)libuv_missing)
		learn_code(any);
	/* Pairs with learn_code. */
	uintptr_t begin = load(&code_begin, ACQUIRE);

	return begin && address - begin < load(&code_end, RELAXED) - begin;
}
