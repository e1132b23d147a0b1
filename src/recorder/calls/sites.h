/* SPDX-License-Identifier: MIT */
/* The table of sites. */
#ifndef HOTPATH_SITES_H
#define HOTPATH_SITES_H

#include "hotpath/abi.h"

#include "segment.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The id of a site, registered when it is new; 0 when there is no room. */
uint32_t hotpath__site_id(struct hotpath_site *site);
/* Register a site, or find it; the lock is held. 0 when there is no room. */
uint32_t hotpath__site_register(const struct hotpath_site *site);
/* The id of a site, or 0 when it is not registered; works without the lock. */
uint32_t hotpath__site_find(const struct hotpath_site *site);
/* The site of an address in a module, as given in its file; name may be NULL. The lock is held. */
uint32_t hotpath__site_of_address(enum hp_site_kind kind, const char *name, uint64_t module,
				  uint64_t offset);
/* The site of an object that is known by a name and an address in memory; the lock is held. 0 when there is no
   room. */
uint32_t hotpath__site_of_code(enum hp_site_kind kind, const char *name, uintptr_t code);
/* The site of the polls that belong to a future's site; the lock is held. 0 when it is not a future's. */
uint32_t hotpath__poll_site(uint32_t future);
/* A span of site `id` began in the stack frame of the instrumented function `twin`: they may be the same function. */
void hotpath__site_twin(uint32_t id, uint32_t twin);
/* Store the call that a lock is known by. */
void hotpath__site_place(uint32_t id, uint32_t place);
/* From now on calls of a function are not all measured: HP_UNMEASURED_COUNTED or HP_UNMEASURED_OFF, 0 if they are. Or this was
   never so. The lock is held. */
void hotpath__site_unmeasured(uint32_t id, uint32_t now);
void hotpath__site_measured(uint32_t id);
/* Whether calls of a function are not timed now. */
bool hotpath__is_restrained(uint32_t id);
/* Register all sites of the parent's segment in a forked child's, with the same ids; the lock is held. */
bool hotpath__sites_copy(const char *parent);

#pragma GCC visibility pop

#endif
