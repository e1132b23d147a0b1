/* SPDX-License-Identifier: MIT */
/* Notes on runs with problems. */
#include "arithmetic.h"
#include "format.h"
#include "notes.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Maximum number of a run's own notes that are considered. */
	SENTENCES_MAX = 16,
};

/* ---- how they ended ---- */

/* Reports from other tools may not say how the process ended; those have no process id either. */
static bool is_unclean(const struct hp_model *model)
{
	return !model->exit.clean && model->exit.status < 0 && (model->pid || model->start_unix_ns);
}

/* Describe how a run ended; empty if it ended well. */
static void describe_exit(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_model *model = run->report.model;

	if (model->exit.running)
		hp_text_puts(text, "had not ended");
	else if (model->exit.signal)
		hp_text_printf(text, "ended by signal %d", model->exit.signal);
	else if (model->exit.status > 0)
		hp_text_printf(text, "ended with status %d", model->exit.status);
	else if (is_unclean(model))
		hp_text_puts(text, "ended without exit");
}

/* How many runs of a side ended like this one; 0 if an earlier run did, so that it was noted already. */
static size_t count_like(const struct hp_side *side, size_t nth, const char *exit)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++) {
		struct hp_text text = HP_TEXT_INIT;
		describe_exit(&side->runs[i], &text);
		bool is_like = text.length && strcmp(text.bytes, exit) == 0;
		hp_text_free(&text);
		if (is_like && i < nth)
			return 0;
		count += is_like;
	}
	return count;
}

static int note_exit(struct hp_comparison *comparison, unsigned side, size_t nth)
{
	const struct hp_side *runs = hp_notes_side(comparison, side);
	struct hp_text exit = HP_TEXT_INIT;
	int failed = 0;

	describe_exit(&runs->runs[nth], &exit);
	size_t count = exit.length ? count_like(runs, nth, exit.bytes) : 0;
	if (count == runs->count && count > 1)
		failed = hp_notes_add(comparison, "every run of %s %s", hp_notes_name(side),
				      exit.bytes);
	else if (count > 1)
		failed = hp_notes_add(comparison, "%zu of %zu runs of %s %s", count, runs->count,
				      hp_notes_name(side), exit.bytes);
	else if (count == 1)
		failed = hp_notes_add(comparison, "%.100s of %s %s", runs->runs[nth].label,
				      hp_notes_name(side), exit.bytes);
	hp_text_free(&exit);
	return failed;
}

/* A program that always leaves by _exit is not worth a note. */
static bool are_all_unclean(const struct hp_side *side)
{
	for (size_t i = 0; i < side->count; i++) {
		const struct hp_model *model = side->runs[i].report.model;
		if (model->exit.running || model->exit.signal || !is_unclean(model))
			return false;
	}
	return true;
}

static int note_exits(struct hp_comparison *comparison)
{
	int failed = 0;

	if (hp_side_is_of_windows(&comparison->base) ||
	    (are_all_unclean(&comparison->base) && are_all_unclean(&comparison->head)))
		return 0;
	for (unsigned side = 0; side < 2; side++)
		for (size_t i = 0; i < hp_notes_side(comparison, side)->count && !failed; i++)
			failed = note_exit(comparison, side, i);
	return failed;
}

/* ---- the same run twice ---- */

struct process {
	uint64_t start;
	uint32_t pid;
	const struct hp_run *run;
};

static int by_start(const void *left, const void *right)
{
	const struct process *a = left, *b = right;
	int order = (a->start > b->start) - (a->start < b->start);

	return order ? order : (a->pid > b->pid) - (a->pid < b->pid);
}

static size_t gather(const struct hp_side *side, struct process *processes)
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct hp_model *model = side->runs[i].report.model;
		if (model->start_unix_ns && model->pid)
			processes[count++] = (struct process){ model->start_unix_ns, model->pid,
							       &side->runs[i] };
	}
	return count;
}

static int tell_twins(struct hp_comparison *comparison, const struct process *twin, size_t count)
{
	const char *one = twin->run->label, *other = (twin + 1)->run->label;

	if (count == 1)
		return hp_notes_add(comparison,
				    "%.100s and %.100s are the same run, which counts more than "
				    "once",
				    one, other);
	return hp_notes_add(comparison,
			    "%zu runs were given more than once, such as %.100s and %.100s: "
			    "each copy counts",
			    count, one, other);
}

/* The same run given twice makes results look more certain than they are: copies do not vary. */
static int note_twins(struct hp_comparison *comparison)
{
	size_t room = comparison->base.count + comparison->head.count, twins = 0, first = 0;
	/* Windows are of one process, each of another time. */
	if (hp_side_is_of_windows(&comparison->base))
		return 0;
	struct process *processes = calloc(room + 1, sizeof(*processes));
	if (!processes)
		return -ENOMEM;

	size_t count = gather(&comparison->base, processes);
	count += gather(&comparison->head, processes + count);
	qsort(processes, count, sizeof(*processes), by_start);
	for (size_t i = count; i-- > 1;) {
		if (by_start(&processes[i - 1], &processes[i]) != 0)
			continue;
		first = i - 1;
		twins += i + 1 == count || by_start(&processes[i], &processes[i + 1]) != 0;
	}
	int failed = twins ? tell_twins(comparison, &processes[first], twins) : 0;
	free(processes);
	return failed;
}

/* ---- what measuring cost ---- */

static int note_cost(struct hp_comparison *comparison, unsigned side)
{
	const struct hp_side *runs = hp_notes_side(comparison, side);
	double *costs = calloc(runs->count + 1, sizeof(*costs));
	if (!costs)
		return -ENOMEM;

	for (size_t i = 0; i < runs->count; i++)
		costs[i] = hp_report_cost_percent(runs->runs[i].report.model);
	double cost = hp_median(costs, runs->count);
	free(costs);
	if (!(cost > HP_COST_PERCENT))
		return 0;
	return hp_notes_add(comparison,
			    "measuring cost %s of the time of %s: times of small functions are "
			    "mostly that cost",
			    hp_format_percent(cost).text, hp_notes_name(side));
}

static int note_costs(struct hp_comparison *comparison)
{
	int failed = note_cost(comparison, 0);

	return failed ? failed : note_cost(comparison, 1);
}

/* ---- what was lost ---- */

static const char *const sentences[] = {
#define COUNTER(name, sentence) sentence,
#include "counters.def"
#undef COUNTER
};

/* Counters that are normal in correct programs; only noted if one side alone has them. */
static bool is_harmless(size_t counter)
{
	return counter == HP_COUNTER_abandoned || counter == HP_COUNTER_detached ||
	       counter == HP_COUNTER_unknown_blocks || counter == HP_COUNTER_samples ||
	       counter == HP_COUNTER_early || counter == HP_COUNTER_not_open ||
	       counter == HP_COUNTER_ended_twice || counter == HP_COUNTER_clock_backwards;
}

static uint64_t most_dropped(const struct hp_side *side, size_t counter)
{
	uint64_t most = 0;

	for (size_t i = 0; i < side->count; i++) {
		uint64_t dropped = side->runs[i].report.model->dropped[counter];
		most = hp_max(most, dropped);
	}
	return most;
}

static int note_counter(struct hp_comparison *comparison, size_t counter)
{
	uint64_t dropped[] = { most_dropped(&comparison->base, counter),
			       most_dropped(&comparison->head, counter) };
	int failed = 0;

	if (is_harmless(counter) && (dropped[0] != 0) == (dropped[1] != 0))
		return 0;
	for (unsigned side = 0; side < 2 && !failed; side++)
		if (dropped[side])
			failed = hp_notes_add(
				comparison, "in %s, %s%s %s", hp_notes_name(side),
				hp_notes_side(comparison, side)->count > 1 ? "up to " : "",
				hp_format_count(dropped[side]).text, sentences[counter]);
	return failed;
}

static int note_dropped(struct hp_comparison *comparison)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences) && !failed; i++)
		failed = note_counter(comparison, i);
	return failed;
}

/* ---- what could not be found out ---- */

static size_t sentence_count(const struct hp_model *model)
{
	return hp_min(model->note_count, SENTENCES_MAX);
}

static bool has_sentence(const struct hp_side *side, const char *sentence)
{
	for (size_t i = 0; i < side->count; i++) {
		const struct hp_model *model = side->runs[i].report.model;
		for (size_t j = 0; j < sentence_count(model); j++)
			if (strcmp(model->notes[j], sentence) == 0)
				return true;
	}
	return false;
}

/* Add the notes of runs on one side that no run of the other side has. */
static int note_sentences(struct hp_comparison *comparison, unsigned side)
{
	const struct hp_side *runs = hp_notes_side(comparison, side);
	const struct hp_side *others = hp_notes_side(comparison, !side);
	int failed = 0;

	for (size_t i = 0; i < runs->count; i++) {
		const struct hp_model *model = runs->runs[i].report.model;
		for (size_t j = 0; j < sentence_count(model) && !failed; j++)
			if (!has_sentence(others, model->notes[j]))
				failed = hp_notes_add(comparison, "only in %s: %.200s",
						      hp_notes_name(side), model->notes[j]);
	}
	return failed;
}

static int note_unknown(struct hp_comparison *comparison)
{
	int failed = note_sentences(comparison, 0);

	return failed ? failed : note_sentences(comparison, 1);
}

int hp_note_runs(struct hp_comparison *comparison)
{
	static int (*const kinds[])(struct hp_comparison *) = {
		note_exits, note_twins, note_costs, note_dropped, note_unknown,
	};
	int failed = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !failed; i++)
		failed = kinds[i](comparison);
	return failed;
}
