/* SPDX-License-Identifier: MIT */
/*
 * The sites of locks, under which the reader shows them; and what else is kept of a lock as an object: where it was made,
 * its name, its end.
 */
#include "lock_sites.h"

#include <string.h>

const struct lock_kind MUTEX = { HP_SITE_MUTEX, ALONE },
		       READ_LOCK = { HP_SITE_READ_LOCK, SHARED_MODE },
		       WRITE_LOCK = { HP_SITE_WRITE_LOCK, ALONE },
		       SPIN_LOCK = { HP_SITE_SPIN_LOCK, ALONE },
		       OWN_LOCK = { HP_SITE_OWN_LOCK, ALONE },
		       TARGET = { HP_SITE_TARGET, TARGET_MODE };

/* Pages that have no static variables, as far as the recorder knows: a program may make millions of locks in the heap. */
static uintptr_t heap_pages[1024];

enum { PAGE_BITS = 12 };

static uintptr_t *page_slot(uintptr_t address)
{
	uintptr_t page = address >> PAGE_BITS;

	return &heap_pages[page % (sizeof(heap_pages) / sizeof(*heap_pages))];
}

static bool is_in_heap(uintptr_t address)
{
	return load(page_slot(address), RELAXED) == address >> PAGE_BITS;
}

static uint32_t register_site(const struct lock *lock, const struct lock_kind *kind, uintptr_t from)
{
	uintptr_t place = lock->made_by ? lock->made_by : from;
	bool is_static;

	if (lock->label[0])
		return hotpath__labelled_site(kind->site, lock->label);
	if (is_in_heap(lock->key))
		return hotpath__flow_site(kind->site, NULL, place - 1);
	uint32_t site = hotpath__lock_site(kind->site, lock->key, place, &is_static);
	if (site && !is_static)
		store(page_slot(lock->key), lock->key >> PAGE_BITS, RELAXED);
	return site;
}

/* Set the number of a lock. If several threads do so at the same time, the first one counts. */
static void set_number(struct lock *lock)
{
	uint32_t none = 0;

	if (!load(&lock->number, RELAXED))
		__atomic_compare_exchange_n(&lock->number, &none, hotpath__lock_number(), false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

uint32_t holds_new_site(struct lock *lock, const struct lock_kind *kind, uintptr_t from)
{
	uint32_t site = register_site(lock, kind, from), none = 0;

	if (!site)
		return 0;
	set_number(lock);
	/* If several readers register the lock at the same time, the first one counts. */
	if (!__atomic_compare_exchange_n(&lock->sites[kind->mode], &none, site, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return none;
	hotpath__instance(site, true);
	return site;
}

/* ---- creation and end ---- */

static void forget(struct lock *lock)
{
	for (unsigned i = 0; i < MODES; i++)
		if (lock->sites[i])
			hotpath__instance(lock->sites[i], false);
	locks_forget(lock);
}

void holds_made(const volatile void *address, uintptr_t from)
{
	holds_enter();
	struct lock *lock = locks_find(address);

	/* The program never destroyed a lock at the same address. */
	if (lock)
		forget(lock);
	lock = locks_add(address);
	if (lock)
		lock->made_by = from;
	holds_leave();
}

void holds_gone(const volatile void *address)
{
	struct lock *lock = locks_find(address);

	if (!lock)
		return;
	holds_enter();
	forget(lock);
	holds_leave();
}

/* ---- what is waited for, and is no lock ---- */

uint32_t holds_target(const volatile void *address, uintptr_t from)
{
	holds_enter();
	struct lock *lock = holds_lock_at(address);
	uint32_t site = lock ? holds_site_of(lock, &TARGET, from) : 0;

	holds_leave();
	return site;
}

uint32_t holds_futex(const volatile void *address, uintptr_t from)
{
	if (locks_find(address) || !is_in_heap((uintptr_t)address))
		return holds_target(address, from);
	return hotpath__flow_site(HP_SITE_TARGET, NULL, from - 1);
}

/* Keep a label, with the sign of a cut at its end if there is no room for all of it; never a part of a character. */
static void keep_label(char kept[LOCK_LABEL], const char *label)
{
	static const char cut[] = "…";
	size_t length = strnlen(label, LOCK_LABEL), end = LOCK_LABEL - sizeof(cut);

	memset(kept, 0, LOCK_LABEL);
	if (length < LOCK_LABEL) {
		memcpy(kept, label, length);
		return;
	}
	while (end && ((unsigned char)label[end] & 0xc0) == 0x80)
		end--;
	memcpy(kept, label, end);
	memcpy(kept + end, cut, sizeof(cut));
}

/* A labelled lock loses its sites, so that the next use of it registers one with the label. */
void holds_label(const void *object, const char *label)
{
	if (!holds_on())
		return;
	holds_enter();
	struct lock *lock = holds_lock_at(object);

	if (lock) {
		keep_label(lock->label, label);
		for (unsigned i = 0; i < MODES; i++)
			store(&lock->sites[i], 0, RELAXED);
	}
	holds_leave();
}
