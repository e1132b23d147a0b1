/* SPDX-License-Identifier: MIT */
/* The section "user-metadata": what HOTPATH_USER_METADATA says about a run. */
#include "section.h"
#include "table.h"

static bool has_any(const struct hp_model *model)
{
	return model->user_metadata.count;
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return has_any(model);
}

static void write_table(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	const struct hp_metadata *metadata = &model->user_metadata;
	struct hp_table table;

	hp_section_title(section, options, metadata->count, metadata->count, text);
	if (!metadata->count) {
		hp_text_puts(text, "Nothing.\n");
		return;
	}
	hp_table_init(&table, 2);
	hp_table_head(&table, "Key\0Value", 2);
	for (size_t i = 0; i < metadata->count; i++) {
		hp_table_cell(&table, metadata->items[i].key, HP_PAINT_PLAIN);
		hp_table_cell(&table, metadata->items[i].value, HP_PAINT_PLAIN);
	}
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
}

static void write_json(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_json *json)
{
	const struct hp_metadata *metadata = &model->user_metadata;

	(void)section, (void)options;
	hp_json_begin_object(json);
	for (size_t i = 0; i < metadata->count; i++)
		hp_json_member_string(json, metadata->items[i].key, metadata->items[i].value);
	hp_json_end_object(json);
}

const struct hp_section hp_section_metadata = {
	.name = "user-metadata",
	.noun = "pair",
	.json_key = "user_metadata",
	.order = 140,
	.sentence = "What HOTPATH_USER_METADATA says about this run.",
	.is_automatic = is_automatic,
	.is_available = has_any,
	.write_table = write_table,
	.write_json = write_json,
};
