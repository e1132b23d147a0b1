/* SPDX-License-Identifier: MIT */
/* What is special about the section "blocked": deadlocks are in JSON as sentences, too. */
#include "deadlocks.h"
#include "nothing.h"
#include "section.h"

static void write_head(const struct hp_model *model, struct hp_json *json)
{
	const struct hp_blocked_thread *first = NULL;

	hp_json_key(json, "deadlocks");
	hp_json_begin_array(json);
	while ((first = hp_deadlock_next(model, first))) {
		struct hp_text text = HP_TEXT_INIT;
		hp_deadlock_sentence(model, first, &text);
		json->text->failed |= text.failed;
		hp_json_string(json, text.bytes);
		hp_text_free(&text);
	}
	hp_json_end_array(json);
}

const struct hp_section hp_section_special_blocked = {
	.kind = &hp_kind_blocked,
	.why_nothing = hp_nothing_waits,
	.write_head = write_head,
};
