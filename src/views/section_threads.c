/* SPDX-License-Identifier: MIT */
/* What is special about the section "threads": the memory of the process, above the rows. */
#include "format.h"
#include "nothing.h"
#include "section.h"

#include <inttypes.h>

static int64_t difference(const struct hp_memory *memory)
{
	return (int64_t)(memory->allocated_bytes - memory->freed_bytes);
}

static bool is_freed_known(const struct hp_memory *memory)
{
	return memory->mode >= HP_ALLOC_FREED;
}

static void put_figure(struct hp_text *text, const char *what, struct hp_figure figure)
{
	hp_text_printf(text, ", %s: %s", what, figure.text);
}

static bool write_notes(const struct hp_section *section, const struct hp_model *model,
			const struct hp_report_options *options, struct hp_text *text)
{
	const struct hp_memory *memory = &model->memory;

	(void)section, (void)options;
	/* Processes that ran one after the other had these sizes at different times. */
	if (model->processes > 1)
		return true;
	hp_text_printf(text, "PID: %" PRIu32, model->pid);
	if (memory->rss_bytes)
		put_figure(text, "RSS", hp_format_bytes(memory->rss_bytes));
	if (memory->own_rss_bytes)
		hp_text_printf(text, " (%s of it hotpath's)",
			       hp_format_bytes(memory->own_rss_bytes).text);
	if (memory->peak_rss_bytes)
		put_figure(text, "peak RSS", hp_format_bytes(memory->peak_rss_bytes));
	if (memory->mode != HP_ALLOC_NONE)
		put_figure(text, "allocated", hp_format_bytes(memory->allocated_bytes));
	if (is_freed_known(memory)) {
		put_figure(text, "freed", hp_format_bytes(memory->freed_bytes));
		put_figure(text, "difference", hp_format_difference(difference(memory)));
	}
	hp_text_putc(text, '\n');
	return true;
}

static void write_head(const struct hp_model *model, struct hp_json *json)
{
	const struct hp_memory *memory = &model->memory;
	bool known = is_freed_known(memory);

	hp_json_member_u64(json, "pid", model->pid);
	hp_json_member_known(json, "rss_bytes", memory->rss_bytes, memory->rss_bytes);
	hp_json_member_known(json, "own_rss_bytes", memory->own_rss_bytes, memory->own_rss_bytes);
	hp_json_member_known(json, "peak_rss_bytes", memory->peak_rss_bytes,
			     memory->peak_rss_bytes);
	hp_json_member_known(json, "allocated_bytes", memory->allocated_bytes,
			     memory->mode != HP_ALLOC_NONE);
	hp_json_member_known(json, "freed_bytes", memory->freed_bytes, known);
	hp_json_key(json, "difference_bytes");
	if (known)
		hp_json_i64(json, difference(memory));
	else
		hp_json_null(json);
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)options;
	return hp_threads_total(&model->threads) > (hp_section_has_memory(model) ? 0 : 1);
}

/* Every process has threads, but a report saved without this section has no data. */
static bool is_available(const struct hp_model *model)
{
	return model->threads.count || model->threads.rest.threads;
}

const struct hp_section hp_section_special_threads = {
	.kind = &hp_kind_threads,
	.is_automatic = is_automatic,
	.is_available = is_available,
	.write_notes = write_notes,
	.why_nothing = hp_no_threads,
	.write_head = write_head,
};
