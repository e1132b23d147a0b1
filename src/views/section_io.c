/* SPDX-License-Identifier: MIT */
/* What is special about the section "io": how much of what the kernel counted was seen. */
#include "format.h"
#include "io.h"
#include "kind_rows.h"
#include "section.h"

static uint64_t seen(const struct hp_model *model)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < model->entries.count; i++)
		if (model->entries.items[i].kind == &hp_kind_io)
			bytes += hp_io_counted_bytes(&model->entries.items[i]);
	return bytes;
}

/* In a sum of processes, the bytes of children would be counted twice. */
static uint64_t counted(const struct hp_model *model)
{
	return model->io.has_children && model->processes > 1 ? 0 : model->io.counted_bytes;
}

static unsigned percent(uint64_t part, uint64_t whole)
{
	return part >= whole ? 100 : (unsigned)((double)part * 100 / (double)whole);
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	uint64_t all = counted(model);

	(void)section, (void)options;
	if (all)
		hp_text_printf(text, "Seen: %u %% of what the kernel counted%s (%s).\n",
			       percent(seen(model), all),
			       model->io.has_children ? " for it and its children" : "",
			       hp_format_bytes(all).text);
	return true;
}

static void write_members(const struct hp_model *model, struct hp_json *json)
{
	if (!hp_kind_has_rows(&hp_kind_io, model, HP_SLOT_NONE))
		return;
	hp_json_key(json, "io_total");
	hp_json_begin_object(json);
	hp_json_member_u64(json, "seen_bytes", seen(model));
	hp_json_member_known(json, "counted_bytes", counted(model), counted(model));
	hp_json_member_bool(json, "has_children", model->io.has_children);
	hp_json_end_object(json);
}

const struct hp_section hp_section_special_io = {
	.kind = &hp_kind_io,
	.write_notes = write_notes,
	.write_members = write_members,
};
