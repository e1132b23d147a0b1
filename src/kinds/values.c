/* SPDX-License-Identifier: MIT */
/* Values that the program shows: expressions, values by key, and gauges. */
#include "kind.h"

#include "atomic.h"
#include "data_flow.h"

#include <string.h>

enum {
	UPDATES,
	/* An enum hp_value, and after it the bits; a string is text 0. */
	VALUE,
	BITS,
	/* Of gauges: doubles. */
	LOWEST,
	HIGHEST,
};

static const char *const types[] = { "dbg", "val", "gauge" };

enum { TYPES = sizeof(types) / sizeof(*types) };

static void put_type(const void *row, struct hp_text *text)
{
	const struct hp_entry *entry = row;

	hp_text_puts(text, types[(entry->site_kind - HP_SITE_DBG) % TYPES]);
}

static bool parse_type(void *row, const char *text)
{
	struct hp_entry *entry = row;

	for (unsigned i = 0; i < TYPES; i++) {
		if (strcmp(types[i], text) == 0) {
			entry->site_kind = (enum hp_site_kind)(HP_SITE_DBG + i);
			return true;
		}
	}
	return false;
}

/* clang-format off */
static const struct hp_field fields[] = {
	{ "entry_type", "Type", HP_FIELD_SPECIAL, HP_SLOT_NONE, .rank = 3,
	  .put = put_type, .parse = parse_type, .wanted = "dbg, val or gauge" },
	HP_FIELDS_BEGIN("expression"),
	{ "last_value", "Value", HP_FIELD_VALUE, HP_WORD(VALUE), .known = HP_WORD(UPDATES), .rank = 1,
	  .compare = { "value", .kind = HP_COMPARED_LEVEL, .nth = 0, .is_neutral = true, .needs_row = true } },
	{ "value_kind", NULL, HP_FIELD_VALUE_KIND, HP_WORD(VALUE) },
	{ "min", "Min", HP_FIELD_DOUBLE, HP_WORD(LOWEST), .known = HP_WORD(UPDATES), .rank = 4,
	  .merge = HP_MERGE_LEAST_DOUBLE, .only = HP_SITE_GAUGE,
	  .compare = { "value_min", .kind = HP_COMPARED_LEVEL, .nth = 1, .rank = 2, .is_neutral = true, .needs_row = true } },
	{ "max", "Max", HP_FIELD_DOUBLE, HP_WORD(HIGHEST), .known = HP_WORD(UPDATES), .rank = 4,
	  .merge = HP_MERGE_MOST_DOUBLE, .only = HP_SITE_GAUGE,
	  .compare = { "value_max", .kind = HP_COMPARED_LEVEL, .nth = 2, .rank = 2, .is_neutral = true, .needs_row = true } },
	{ "log_count", "Updates", HP_FIELD_COUNT, HP_WORD(UPDATES), .merge = HP_MERGE_SUM, .rank = 2,
	  .counter = HP_FROM_COUNTER(HP_VALUE_UPDATES),
	  .compare = { "updates", .nth = 3, .rank = 1, .per = HP_PER_SECOND } },
	{ "location", "Source", HP_FIELD_PLACE, .rank = 5 },
	HP_FIELDS_NONE,
};
/* clang-format on */

static void read_gauge(struct hp_entry *entry, const struct hp_shared *shared)
{
	if (!entry->words[UPDATES])
		return;
	entry->words[VALUE] = HP_VALUE_DOUBLE;
	entry->words[BITS] = load(&shared->current, RELAXED);
	entry->words[LOWEST] = load(&shared->min, RELAXED);
	entry->words[HIGHEST] = load(&shared->max, RELAXED);
}

static bool take_shared(struct hp_entry *entry, const struct hp_shared *shared,
			const struct hp_source *source)
{
	if (entry->site_kind != HP_SITE_GAUGE)
		return source->last(source, shared, &entry->words[VALUE], &entry->words[BITS],
				    &entry->texts[0]);
	read_gauge(entry, shared);
	return true;
}

static const struct hp_logged_field log_fields[] = {
	{ "value", "Value", HP_LOGGED_VALUE, 1, 0 },
	{ NULL, NULL, 0, 0, 0 },
};

const struct hp_kind hp_kind_values = {
	.key = "debug",
	.noun = "value",
	.header = "Key/Expr",
	.hint = "HOTPATH_DBG, HOTPATH_VAL and HOTPATH_GAUGE_SET show them",
	.first_site = HP_SITE_DBG,
	.last_site = HP_SITE_GAUGE,
	.rates = { HP_WORD(UPDATES) },
	.fields = fields,
	.tables = { { .name = "debug",
		      .sentence = "The last values of expressions, keys and gauges.",
		      .compared = "values",
		      .order = 130,
		      .tab = "Debug",
		      .how = "No value has been seen yet.\n\n"
			     "Show values with HOTPATH_DBG(), HOTPATH_VAL() and HOTPATH_GAUGE_SET()\n"
			     "(hotpath.h). What functions return is among their recent calls, key 'o',\n"
			     "where the program logs it with HOTPATH_RETURN()." } },
	.events = types,
	.log = log_fields,
	.no_log = "No value was logged.",
	.read = take_shared,
};
