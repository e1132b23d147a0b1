/* SPDX-License-Identifier: MIT */
/* Sections, rows and percentiles that reports do not have. */
#include "format.h"
#include "match.h"
#include "notes.h"

/* ---- sections ---- */

static size_t count_recorded(const struct hp_side *side, const struct hp_subject *subject)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++)
		count += hp_subject_is_recorded(subject, side->runs[i].report.model);
	return count;
}

/* Note that a side, or some of its runs, lacks what the other side has. */
static int note_side(struct hp_comparison *comparison, unsigned side,
		     const struct hp_subject *subject, size_t recorded)
{
	const struct hp_side *runs = hp_notes_side(comparison, side);
	bool is_said = subject->needs && hp_match_wants(&comparison->options, subject->needs) &&
		       count_recorded(runs, subject->needs) <= recorded;

	if (recorded == runs->count || is_said)
		return 0;
	/* In a window it may just not have happened. */
	if (hp_side_is_of_windows(runs) && (recorded || !*subject->how))
		return 0;
	if (recorded == 0)
		return hp_notes_add(comparison, "%s has no %s%s", hp_notes_name(side),
				    subject->rows, subject->how);
	return hp_notes_add(
		comparison, "%zu of %zu runs of %s have no %s: only the others are compared",
		runs->count - recorded, runs->count, hp_notes_name(side), subject->rows);
}

/* Whether the user selected subjects; "all" just means whatever there is. */
static bool is_choice(uint32_t subjects)
{
	size_t nth = 0;

	while (hp_subjects[nth] && subjects >> nth & 1)
		nth++;
	return subjects && hp_subjects[nth];
}

static int note_subject(struct hp_comparison *comparison, const struct hp_subject *subject)
{
	size_t base = count_recorded(&comparison->base, subject);
	size_t head = count_recorded(&comparison->head, subject);
	bool is_asked_for = is_choice(comparison->options.subjects);

	if (!hp_match_wants(&comparison->options, subject))
		return 0;
	if (!base && !head)
		return is_asked_for ? hp_notes_add(comparison, "neither side has %s%s",
						   subject->rows, subject->how)
				    : 0;
	int failed = note_side(comparison, 0, subject, base);
	return failed ? failed : note_side(comparison, 1, subject, head);
}

static int note_subjects(struct hp_comparison *comparison)
{
	int failed = 0;

	for (size_t i = 0; hp_subjects[i] && !failed; i++)
		if (hp_subjects[i]->rows)
			failed = note_subject(comparison, hp_subjects[i]);
	return failed;
}

/* ---- rows ---- */

static bool is_cut(const struct hp_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (side->runs[i].report.is_cut)
			return true;
	return false;
}

static int note_cut(struct hp_comparison *comparison)
{
	int failed = 0;

	if (is_cut(&comparison->base))
		failed = hp_notes_add(comparison,
				      "base holds only its largest functions (--limit): others "
				      "are missing rather than new");
	if (!failed && is_cut(&comparison->head))
		failed = hp_notes_add(comparison,
				      "head holds only its largest functions (--limit): others "
				      "are missing rather than removed");
	return failed;
}

static bool has_untimed(const struct hp_side *side)
{
	for (size_t i = 0; i < side->count; i++)
		if (side->runs[i].has_untimed)
			return true;
	return false;
}

static int note_untimed(struct hp_comparison *comparison)
{
	if (!has_untimed(&comparison->base) && !has_untimed(&comparison->head))
		return 0;
	return hp_notes_add(
		comparison,
		"functions that were called too often to be timed are not compared, nor are "
		"exclusive times: --max-overhead 0 times every call");
}

/* ---- percentiles ---- */

static int note_percentile(struct hp_comparison *comparison, unsigned side, double percent)
{
	const struct hp_side *runs = hp_notes_side(comparison, side);
	struct hp_figure number = hp_format_decimal(percent);
	const struct hp_run *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < runs->count; i++) {
		if (hp_run_knows_percentile(&runs->runs[i], percent))
			continue;
		first = first ? first : &runs->runs[i];
		count++;
	}
	if (!first)
		return 0;
	if (count == runs->count)
		return hp_notes_add(comparison, "%s has no P%s: save it with --percentiles %s",
				    hp_notes_name(side), number.text, number.text);
	return hp_notes_add(comparison, "%.100s of %s has no P%s: save it with --percentiles %s",
			    first->label, hp_notes_name(side), number.text, number.text);
}

static int note_percentiles(struct hp_comparison *comparison)
{
	const struct hp_compare_options *options = &comparison->options;
	int failed = 0;

	for (unsigned i = 0; i < options->percentile_count; i++)
		for (unsigned side = 0; side < 2 && !failed; side++)
			failed = note_percentile(comparison, side, options->percentiles[i]);
	return failed;
}

int hp_note_missing(struct hp_comparison *comparison)
{
	int failed = note_subjects(comparison);

	if (!failed)
		failed = note_cut(comparison);
	if (!failed)
		failed = note_untimed(comparison);
	return failed ? failed : note_percentiles(comparison);
}
