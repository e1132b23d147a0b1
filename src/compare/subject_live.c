/* SPDX-License-Identifier: MIT */
/* What is special about live blocks when they are compared: they are told apart by function and file. */
#include "function_row.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole string is a number in decimal. */
static bool read_line(const char *string, uint32_t *line)
{
	char *end;
	unsigned long value = strtoul(string, &end, 10);

	*line = (uint32_t)value;
	return *string >= '0' && *string <= '9' && !*end && value <= UINT32_MAX;
}

/*
 * "src/work.c:33" is a source location; "libc.so.6+0x6f5a4 (strdup)" is a code address, which moves with each build.
 */
static void read_location(const struct hp_model *model, const char *location,
			  struct hp_subject_row *row)
{
	const char *colon = strrchr(location, ':');
	bool is_source = colon && read_line(colon + 1, &row->line);
	size_t length = is_source ? (size_t)(colon - location) : strcspn(location, "+");

	snprintf(row->text, sizeof(row->text), "%.*s", (int)length, location);
	if (is_source)
		row->file = row->text;
	else if (!hp_is_own_file(model, row->text))
		row->module = row->text;
}

static bool is_live(const struct hp_model *model)
{
	return model->memory.mode == HP_ALLOC_LIVE &&
	       (model->memory.peak_bytes || !model->memory.bytes);
}

/* Skip call sites where nothing is left: a plain report does not have them. */
static bool get(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	const struct hp_live *live = hp_model_row(model, &hp_kind_live, at);

	if (!live)
		return false;
	row->name = live->name;
	row->kind = HP_SITE_FUNCTION;
	row->share = -1;
	if (live->location && strlen(live->location) < sizeof(row->text))
		read_location(model, live->location, row);
	return hp_live_has_blocks(live);
}

const struct hp_subject hp_subject_special_live = {
	.kind = &hp_kind_live,
	.how = ": run it with --alloc=live",
	.needs = &hp_subject_alloc,
	.adds_up = true,
	.is_recorded = is_live,
	.get = get,
};
