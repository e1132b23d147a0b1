/* SPDX-License-Identifier: MIT */
/* What was meant by a mistyped word. */
#ifndef HP_NEAREST_H
#define HP_NEAREST_H

/** The best guess so far; zero-initialised at the start. */
struct hp_nearest {
	const char *name;
	unsigned distance;
};

/** Consider a name: it becomes the guess if it is nearer than the last one, and near enough. */
void hp_nearest_try(struct hp_nearest *nearest, const char *word, const char *name);

#endif
