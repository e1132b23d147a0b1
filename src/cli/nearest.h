/* SPDX-License-Identifier: MIT */
/* What was meant by a mistyped word. */
#ifndef NEAREST_H
#define NEAREST_H

/** The best guess so far; zero-initialised at the start. */
struct nearest {
	const char *name;
	unsigned distance;
};

/** Consider a name: it becomes the guess if it is nearer than the last one, and near enough. */
void nearest_try(struct nearest *nearest, const char *word, const char *name);

#endif
