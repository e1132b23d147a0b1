/* SPDX-License-Identifier: MIT */
/* What the sections of a report are, so that the page need not know them. */
#include "page_parts.h"

#include "section.h"

#include <string.h>

/* Sections that are another view of the same member are not told again. */
static bool is_told(size_t nth)
{
	for (size_t i = 0; i < nth; i++)
		if (strcmp(hp_sections[i]->json_key, hp_sections[nth]->json_key) == 0)
			return true;
	return false;
}

static void put_section(struct hp_json *json, const struct hp_section *section,
			const struct hp_report_options *options)
{
	const char *noun = section->noun   ? section->noun
			   : section->kind ? section->kind->noun
					   : "function";

	hp_json_begin_object(json);
	hp_json_member_string(json, "key", section->json_key);
	hp_json_member_string(json, "name", section->name);
	hp_json_member_string(json, "noun", noun);
	hp_json_member_string(json, "sentence", hp_section_sentence(section, options));
	hp_json_member_string(json, "tab", section->pane.tab);
	hp_json_member_string(json, "pane", section->pane.name);
	hp_json_member_string(json, "how", section->pane.how);
	hp_json_end_object(json);
}

void hp_page_put_sections(struct hp_json *json)
{
	struct hp_report_options options;

	hp_report_options_init(&options);
	hp_json_begin_array(json);
	for (size_t i = 0; hp_sections[i]; i++)
		if (!is_told(i))
			put_section(json, hp_sections[i], &options);
	hp_json_end_array(json);
}
