/* SPDX-License-Identifier: MIT */
/* Plain columns: a heading, rows, two blanks between them, no border. */
#ifndef LISTING_H
#define LISTING_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	LISTING_COLUMNS = 8,
};

struct listing {
	/** The heading of each column. One that begins with '>' stands at the right. */
	const char *const *headings;
	size_t columns;
	/** The cells, row by row. */
	char **cells;
	size_t count;
	size_t room;
	bool failed;
};

/**
 * Begin a listing.
 *
 * @param headings
 *         At most LISTING_COLUMNS, ending with NULL; must outlive the listing.
 */
void listing_init(struct listing *listing, const char *const *headings);

/** Add the next cell, from left to right. Control characters are shown as '?'. */
void listing_add(struct listing *listing, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Write it; without headings when no column has one. */
void listing_write(const struct listing *listing, struct hp_text *text);

void listing_free(struct listing *listing);

#endif
