/* SPDX-License-Identifier: MIT */
/* Explains the RSS of a process beside the blocks of malloc. */
#include "outside_malloc.h"

#include "format.h"

#include <inttypes.h>

/* Names of the kinds of resident memory, in the line and in JSON. */
static const struct {
	const char *name;
	const char *key;
} kinds[HP_RESIDENT_KINDS] = {
	[HP_RESIDENT_HEAP] = { "heap", "rss_heap_bytes" },
	[HP_RESIDENT_MAPPED] = { "mmap", "rss_mapped_bytes" },
	[HP_RESIDENT_FILES] = { "mapped files", "rss_file_bytes" },
	[HP_RESIDENT_CODE] = { "code and data", "rss_code_bytes" },
	[HP_RESIDENT_STACKS] = { "stacks", "rss_stack_bytes" },
	[HP_RESIDENT_OWN] = { "hotpath", "rss_own_bytes" },
};

/* The peak of several processes is a sum, and left out. */
static void write_resident(const struct hp_model *model, const struct hp_outside *outside,
			   struct hp_text *text)
{
	uint64_t bytes = hp_outside_resident(outside), peak = model->memory.peak_rss_bytes;
	const char *separator = ": ";

	hp_text_printf(text, "RSS of %s", hp_format_bytes(bytes).text);
	if (model->processes > 1)
		hp_text_printf(text, " in process %" PRIu32, outside->pid);
	else if (peak > bytes)
		hp_text_printf(text, " (peak %s)", hp_format_bytes(peak).text);
	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++) {
		if (!outside->resident[i])
			continue;
		hp_text_printf(text, "%s%s %s", separator,
			       hp_format_bytes(outside->resident[i]).text, kinds[i].name);
		separator = ", ";
	}
	hp_text_putc(text, '\n');
}

/* Write what is mapped by a program that runs or was killed. */
static void write_mapped(const struct hp_outside *outside, struct hp_text *text)
{
	hp_text_printf(text, "Outside malloc, mmap has %s",
		       hp_format_bytes(outside->mapped_bytes).text);
	hp_text_printf(text, ", at most %s; how much of it is in use is not known\n",
		       hp_format_bytes(outside->mapped_peak_bytes).text);
}

void hp_outside_write(const struct hp_model *model, struct hp_text *text)
{
	const struct hp_outside *outside = &model->memory.outside;

	if (hp_outside_resident(outside))
		write_resident(model, outside, text);
	else if (outside->mapped_peak_bytes)
		write_mapped(outside, text);
}

void hp_outside_json(const struct hp_outside *outside, struct hp_json *json)
{
	uint64_t resident = hp_outside_resident(outside);

	hp_json_key(json, "outside_malloc");
	if (!resident && !outside->mapped_peak_bytes) {
		hp_json_null(json);
		return;
	}
	hp_json_begin_object(json);
	hp_json_member_u64(json, "pid", outside->pid);
	hp_json_member_u64(json, "mapped_bytes", outside->mapped_bytes);
	hp_json_member_u64(json, "mapped_peak_bytes", outside->mapped_peak_bytes);
	hp_json_member_known(json, "rss_bytes", resident, resident);
	for (unsigned i = 0; i < HP_RESIDENT_KINDS; i++)
		hp_json_member_known(json, kinds[i].key, outside->resident[i], resident);
	hp_json_end_object(json);
}
