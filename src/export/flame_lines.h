/* SPDX-License-Identifier: MIT */
/* The hottest lines of functions, for the tooltips of a flame graph. */
#ifndef HP_FLAME_LINES_H
#define HP_FLAME_LINES_H

#include "profile.h"
#include "text.h"

/** The main value of a line of a function, inclusive: a stack counts once. */
struct hp_flame_line {
	uint32_t function;
	/** 0 stands for the whole function. */
	uint32_t line;
	uint64_t value;
	/** Private: the last stack that was counted, plus one. */
	size_t last;
};

/** Lines by function, then the highest value first, with the whole function in front. Begins as zeros. */
struct hp_flame_lines {
	struct hp_flame_line *items;
	uint32_t count;
	size_t room;
	struct hp_intern index;
};

/** Add up the stacks of a profile. Returns 0, or -ENOMEM; either way it is to be freed. */
int hp_flame_lines_read(struct hp_flame_lines *lines, const struct hp_profile *profile);

/** Write the three hottest lines of a function, with their shares of its value; nothing when no line is known. */
void hp_flame_lines_put(const struct hp_flame_lines *lines, uint32_t function,
			struct hp_text *text);

void hp_flame_lines_free(struct hp_flame_lines *lines);

#endif
