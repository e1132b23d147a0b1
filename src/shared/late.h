/* SPDX-License-Identifier: MIT */
/*
 * Libraries that are loaded at their first use. The dynamic linker takes longer to load those that few commands need than
 * `hotpath run` takes for everything else.
 */
#ifndef HP_LATE_H
#define HP_LATE_H

#include <stdbool.h>
#include <stddef.h>

/** A function or variable of a library, and where the pointer to it is stored. */
struct hp_late_symbol {
	const char *name;
	void *pointer;
};

/**
 * Load a library, which stays loaded.
 *
 * @return
 *         Whether it is there and has all of the symbols.
 */
bool hp_late_load(const char *library, const struct hp_late_symbol *symbols, size_t count);

#endif
