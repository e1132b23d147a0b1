/* SPDX-License-Identifier: MIT */
/*
 * Functions of an address between the innermost, which was inlined, and the outermost, which has the code.
 *
 *	hash          innermost
 *	lookup        between: inlined in work, and has hash inlined in it
 *	work          outermost
 */
#ifndef HP_BETWEEN_H
#define HP_BETWEEN_H

#include <stdbool.h>
#include <stdint.h>

/** No address has more of them: a walk through debug information goes no deeper. */
enum { HP_BETWEEN_MAX = 256 };

struct hp_between {
	/** The name as shown: "lookup (in work)". */
	char *name;
	/** The source line of the call that was inlined, "src/work.c:33"; NULL if not known, or not kept. */
	char *location;
	/** Declaration of the function; NULL and 0 if not known, or not kept. */
	char *file;
	uint32_t line;
};

/** All of an address, innermost first. */
struct hp_betweens {
	struct hp_between *items;
	uint32_t count;
};

/** Add a function around the others, of which nothing is set; its texts are to be from malloc. NULL when memory ran out. */
struct hp_between *hp_betweens_add(struct hp_betweens *betweens);

/** Copy all, without lines and declarations unless `with_sources`. Returns false when memory ran out; it is to be freed then, too. */
bool hp_betweens_copy(struct hp_betweens *to, const struct hp_betweens *from, bool with_sources);

void hp_betweens_free(struct hp_betweens *betweens);

#endif
