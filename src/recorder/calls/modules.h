/* SPDX-License-Identifier: MIT */
/* Modules: the files that code is in, and the sites of functions that are known by their address. */
#ifndef HOTPATH_MODULES_H
#define HOTPATH_MODULES_H

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* In place of a site's id: `hotpath cc` was told not to measure this function. */
#define SITE_SKIPPED UINT32_MAX

/* The site of the function at an address, registered when it is new; 0 when there is no room. */
uint32_t hotpath__function_site(uintptr_t function);
/* The site of the call with this return address; 0 when there is no room. */
uint32_t hotpath__call_site(uintptr_t from);
/* The site of an object that a probe found: by the address of the object if it is a static variable in a module that is
   known, else by the call with this return address. The call becomes its place. The lock is held; 0 when there is no
   room. *is_static says which of the two it is. */
uint32_t hotpath__site_of_object(enum hp_site_kind kind, uintptr_t object, uintptr_t from,
				 bool *is_static);
/* Register the modules of all code that is mapped, while the kernel's list of mappings can still be read; the lock
   is held. */
void hotpath__learn_modules(void);
/* Copy a module from the parent's segment into that of a forked child; the lock is held. Returns its offset, or 0. */
uint64_t hotpath__module_copy(const char *parent, uint64_t at);
/* An executable mapping, and the module that it belongs to. */
struct code {
	uintptr_t start;
	uintptr_t end;
	/* The difference between its addresses in memory and in its file; and the id of the module, 0 when it has
	   none. */
	uintptr_t bias;
	uint32_t module;
	bool readable;
	/* The code is of a library of ours. */
	bool ours;
	uint64_t device;
	uint64_t inode;
	/* Unwind tables in memory: .eh_frame_hdr, 0 when there is none that can be read, and the bounds of the memory that
	   has .eh_frame too. */
	uintptr_t tables;
	uintptr_t tables_low;
	uintptr_t tables_high;
};

/* The executable mapping around an address; false when there is none, or code is being unloaded. The lock is held. */
bool hotpath__find_code(uintptr_t address, struct code *code);
/* Code is about to be unloaded, or has been: other code may get its addresses. */
void hotpath__unload_begins(void);
void hotpath__unload_ends(void);

#pragma GCC visibility pop

#endif
