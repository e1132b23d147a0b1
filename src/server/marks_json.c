/* SPDX-License-Identifier: MIT */
/* The windows of a program before and after a mark in JSON, with their comparison. */
#include "arithmetic.h"
#include "compare_write.h"
#include "json_writer.h"
#include "marks.h"
#include "now.h"
#include "programs_json.h"
#include "window_run.h"

#include <inttypes.h>

/* ---- what is still missing ---- */

static void put_not_marked(const struct hp_marked *marked, struct hp_text *text)
{
	if (marked->base.count < marked->needed)
		hp_text_printf(text,
			       "collecting what is normal: %zu of %zu windows; then mark the "
			       "moment before something changes",
			       marked->base.count, marked->needed);
	else
		hp_text_printf(text,
			       "%zu windows show what is normal; mark the moment before something "
			       "changes",
			       marked->base.count);
}

/* Nothing can be added to what was before. */
static void put_marked(const struct hp_marked *marked, struct hp_text *text)
{
	if (marked->base.count < marked->needed)
		hp_text_printf(text,
			       "only %zu of %zu windows came before the mark; start over, or set "
			       "the mark again later",
			       marked->base.count, marked->needed);
	else if (marked->head.count < marked->needed)
		hp_text_printf(text, "%zu of %zu windows since the mark", marked->head.count,
			       marked->needed);
}

/* Why there are no further windows. */
static void put_standstill(const struct hp_marked *marked, struct hp_text *text)
{
	const char *reason = marked->problem.text;

	if (marked->state == HP_PROGRAM_ENDED)
		reason = marked->executable ? "the program has ended; its next start is followed"
					    : "the run has ended";
	else if (marked->state == HP_PROGRAM_STOPPED)
		reason = "the program is stopped, or does not record at the moment";
	if (*reason)
		hp_text_printf(text, "%s%s", text->length ? "; " : "", reason);
}

static void put_missing(struct hp_json *json, const struct hp_marked *marked)
{
	struct hp_text text = HP_TEXT_INIT;

	if (marked->mark_unix_ns)
		put_marked(marked, &text);
	else
		put_not_marked(marked, &text);
	put_standstill(marked, &text);
	hp_json_member_string(json, "missing", text.length && !text.failed ? text.bytes : NULL);
	hp_text_free(&text);
}

/* ---- the comparison ---- */

static bool have_both(const struct hp_marked *marked, size_t windows)
{
	return marked->base.count >= windows && marked->head.count >= windows;
}

/* Compare two sides, which are lent to the comparison, and write that, if there is a text: then each window will cost as much. */
static void compare(struct hp_marked *marked, const struct hp_side *head, struct hp_text *text)
{
	struct hp_comparison comparison = { .base = marked->base, .head = *head };
	struct hp_compare_style style = { 0 };
	uint64_t begin = hp_own_cpu_ns();

	hp_window_options_init(&comparison.options);
	if (hp_compare(&comparison) == 0) {
		marked->needed = hp_max(comparison.runs_needed, HP_MARK_LEAST);
		marked->is_needed_known = true;
		if (text)
			hp_compare_json.write(&comparison, &style, text);
	}
	comparison.base = comparison.head = (struct hp_side){ 0 };
	hp_comparison_clear(&comparison);
	if (text && text->failed)
		hp_text_free(text);
	if (text)
		marked->compare_ns = hp_own_cpu_ns() - begin;
}

/* How many windows verdicts need follows from how many figures are judged, which base alone tells before there is a mark. */
static void prepare(struct hp_marked *marked)
{
	if (have_both(marked, HP_MARK_LEAST) && !marked->compared.length)
		compare(marked, &marked->head, &marked->compared);
	else if (marked->base.count >= HP_MARK_LEAST && !marked->is_needed_known)
		compare(marked, &marked->base, NULL);
}

/* ---- all ---- */

static void put_mark(struct hp_json *json, const struct hp_marked *marked)
{
	hp_json_key(json, "mark");
	if (!marked->mark_unix_ns) {
		hp_json_null(json);
		return;
	}
	hp_json_begin_object(json);
	hp_json_member_u64(json, "unix_ns", marked->mark_unix_ns);
	hp_json_member_string(json, "by", marked->is_mark_of_restart ? "restart" : "request");
	hp_json_end_object(json);
}

static void put_windows(struct hp_json *json, const struct hp_marked *marked)
{
	hp_json_key(json, "windows");
	hp_json_begin_object(json);
	hp_json_member_u64(json, "before", marked->base.count);
	hp_json_member_u64(json, "after", marked->head.count);
	hp_json_member_u64(json, "needed", marked->needed);
	hp_json_member_u64(json, "kept", HP_MARK_WINDOWS);
	hp_json_member_u64(json, "window_ns", marked->window_ns);
	hp_json_end_object(json);
}

void hp_marked_put_json(struct hp_marked *marked, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, false);

	prepare(marked);
	hp_json_begin_object(&json);
	hp_json_member_string(&json, "program", marked->id);
	hp_json_member_string(&json, "state", hp_program_state_name(marked->state));
	hp_json_member_u64(&json, "restarts", marked->restarts);
	hp_json_member_known(&json, "restarted_unix_ns", marked->restarted_unix_ns,
			     marked->restarts > 0);
	put_mark(&json, marked);
	put_windows(&json, marked);
	put_missing(&json, marked);
	/* What is kept is JSON already, with a line feed at its end. With too few windows it has no verdicts. */
	hp_json_key(&json, "comparison");
	if (marked->compared.length && have_both(marked, marked->needed))
		hp_text_add(text, marked->compared.bytes, marked->compared.length - 1);
	else
		hp_json_null(&json);
	hp_text_puts(text, "}\n");
}
