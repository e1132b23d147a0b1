/* SPDX-License-Identifier: MIT */
/* Gives equal items the same number: a growing hash table with open addressing. */
#ifndef HP_INTERN_H
#define HP_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_intern_slot {
	uint32_t hash;
	/** Plus one; 0 when the slot is free. */
	uint32_t number;
};

/** Begins as zeros. */
struct hp_intern {
	struct hp_intern_slot *slots;
	size_t size;
	size_t count;
	/** Whether the thing that has a number is equal to a key. */
	bool (*is_same)(const void *things, uint32_t number, const void *key);
};

/**
 * Find the number of a thing.
 *
 * @param things
 *         Where the numbered ones are, for is_same.
 * @param next
 *         The number that it gets when there is no equal one.
 * @param number
 *         Its number: next, when it is new.
 * @return
 *         False when memory ran out.
 */
bool hp_intern(struct hp_intern *intern, uint64_t hash, const void *things, const void *key,
	       uint32_t next, uint32_t *number);

void hp_intern_free(struct hp_intern *intern);

/** Mix one more number into a hash. */
static inline uint64_t hp_hash(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

#endif
