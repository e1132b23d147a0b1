/* SPDX-License-Identifier: MIT */
/* Live blocks: what is still allocated, by call site. */
#include "live.h"

#include "kind.h"

#include <stdlib.h>
#include <string.h>

#define AT(member) HP_AT(struct hp_live, member)

/* Without the folder of a source file: "work.c:33". After an address there may be other slashes. */
static void put_location(const void *row, struct hp_text *text)
{
	const struct hp_live *live = row;
	const char *location = live->location ? live->location : "-";
	const char *slash = strstr(location, " (") ? NULL : strrchr(location, '/');

	hp_text_puts(text, slash ? slash + 1 : location);
}

/* clang-format off */
static const struct hp_field fields[] = {
	{ "name", NULL, HP_FIELD_NAME, AT(name) },
	{ "location", "Location", HP_FIELD_TEXT, AT(location), .put = put_location },
	{ "bytes", "Bytes", HP_FIELD_BYTES, AT(bytes), .merge = HP_MERGE_SUM, .is_level = true,
	  .compare = { "live_bytes", .nth = 0 } },
	{ "blocks", "Blocks", HP_FIELD_COUNT, AT(blocks), .merge = HP_MERGE_SUM, .is_level = true,
	  .compare = { "live_blocks", .nth = 1, .rank = 1 } },
	{ "peak_bytes", "Peak", HP_FIELD_BYTES, AT(peak_bytes), .merge = HP_MERGE_SUM, .is_level = true,
	  .compare = { "live_peak", .kind = HP_COMPARED_LEVEL, .nth = 2, .rank = 2, .needs_row = true } },
	{ "libc", NULL, HP_FIELD_BOOL, AT(of_libc) },
	HP_FIELDS_NONE,
};
/* clang-format on */

bool hp_live_has_blocks(const struct hp_live *live)
{
	return live->bytes || live->blocks;
}

void hp_live_clear(struct hp_live *live)
{
	free(live->name);
	free(live->location);
	free(live->module);
}

/* The largest first; of the same size, in the order of names. */
static int by_size(const void *left, const void *right)
{
	const void *const *one = left, *const *other = right;
	const struct hp_live *a = *one, *b = *other;
	int order = (a->bytes < b->bytes) - (a->bytes > b->bytes);

	if (order == 0)
		order = (a->blocks < b->blocks) - (a->blocks > b->blocks);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order
		     : strcmp(a->location ? a->location : "", b->location ? b->location : "");
}

/* The same call site in the next model. */
static uint64_t identity_of(const void *row)
{
	const struct hp_live *live = row;
	uint64_t hash = UINT64_C(14695981039346656037);

	for (const char *c = live->name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	for (const char *c = live->location; c && *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return hash;
}

const struct hp_kind hp_kind_live = {
	.key = "memory_live",
	.noun = "place",
	.header = "Function",
	.limit = "rows of the section about live blocks",
	.default_limit = HP_KIND_ROWS,
	.fields = fields,
	.tables = { { .name = "live",
		      .aliases = "memory-live",
		      .sentence = "Blocks that are still allocated.",
		      .compared = "live blocks",
		      .order = 50,
		      .tab = "Functions",
		      .pane = "Live",
		      .how = "Live blocks are not recorded.\n\n"
			     "Start the program with 'hotpath run --alloc PROGRAM'." } },
	.order = by_size,
	.identity = identity_of,
	.keeps_order = true,
};
