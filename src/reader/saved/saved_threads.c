/* SPDX-License-Identifier: MIT */
/* Reads the memory use of the process from the section about threads of a saved report. */
#include "saved_threads.h"

static const struct hp_saved_field process_fields[] = {
	{ "rss_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, rss_bytes) },
	{ "own_rss_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, own_rss_bytes) },
	{ "peak_rss_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, peak_rss_bytes) },
	{ "allocated_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, allocated_bytes) },
	{ "freed_bytes", &hp_saved_type_u64, offsetof(struct hp_memory, freed_bytes) },
	{ NULL, NULL, 0 },
};

/* A report of threads alone still says what was recorded of allocations. */
static void set_mode(struct json_object *section, struct hp_memory *memory)
{
	if (memory->mode != HP_ALLOC_NONE || !hp_saved_member(section, "allocated_bytes"))
		return;
	memory->mode = hp_saved_member(section, "freed_bytes") ? HP_ALLOC_FREED : HP_ALLOC_COUNT;
}

int hp_saved_threads(struct json_object *report, struct hp_model *model, struct hp_error *error)
{
	struct json_object *section = hp_saved_member(report, "threads");
	int failed = hp_saved_member_fields(report, "threads", process_fields, &model->memory,
					    error);

	if (section && !failed)
		set_mode(section, &model->memory);
	return failed;
}
