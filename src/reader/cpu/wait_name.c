/* SPDX-License-Identifier: MIT */
/* Names what a wait was for, which is the innermost frame of its stack. */
#include "wait_name.h"

#include "edge.h"
#include "flow/read_entries.h"
#include "io.h"
#include "waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_edge(uint32_t kind)
{
	return kind == HP_SITE_LOCK_WAIT || kind == HP_SITE_WAIT || kind == HP_SITE_IO;
}

/* What was waited for: the site of the target, which is the third number of an edge, or the site itself; and in one word, for
   what, which for input and output is the operation. */
static uint32_t target_of(const struct hp_build *build, uint32_t id, const char **word)
{
	const struct hp_site *site = hp_check_site(build->snapshot->bytes, id);
	uint32_t numbers[3] = { 0, 0, id };

	if (!site || !is_edge(site->kind))
		return id;
	char *name = hp_snapshot_string(build->snapshot, site->name);
	if (name)
		hp_edge_numbers(name, numbers);
	free(name);
	if (site->kind == HP_SITE_IO)
		*word = hp_io_word(numbers[0]);
	return numbers[2];
}

char *hp_wait_name(const struct hp_build *build, uint64_t frame)
{
	uint32_t reason = hp_frame_module(frame);
	const char *word = reason && reason < HP_REASONS ? hp_wait_reasons[reason] : "wait";
	bool failed = false;
	uint32_t site = target_of(build, (uint32_t)hp_frame_value(frame), &word);
	char *target = hp_site_label(build, site, &failed), *name = NULL;

	if (!failed && asprintf(&name, target ? "%s %s" : "%s", word, target) < 0)
		name = NULL;
	free(target);
	return name;
}
