/* SPDX-License-Identifier: MIT */
/* A run that is watched, or a part of its processes: their sum, with recent rates of its rows. */
#include "watched_run.h"

#include "now.h"
#include "process/found_run.h"
#include "task_stat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The model is stale if it could not be updated for this long. */
#define STALE_NS UINT64_C(2000000000)
/* The second read is not put off, however long the first took: rates are waited for. */
#define SECOND_READ_NS UINT64_C(100000000)

static int fail(struct hp_error *error, int why, const char *reason)
{
	snprintf(error->text, sizeof(error->text), "%s", reason);
	return why;
}

static void forget_shown(struct hp_watched_run *run)
{
	if (run->shown && run->shown != run->sum.model)
		hp_model_free(run->shown);
	run->shown = NULL;
}

void hp_watched_run_clear(struct hp_watched_run *run)
{
	forget_shown(run);
	hp_run_watch_forget(&run->sum);
	free(run->part);
	hp_row_ids_clear(&run->ids);
	hp_model_trends_clear(&run->trends);
	*run = (struct hp_watched_run){ .part = NULL };
}

/* ---- reading ---- */

static void found(struct hp_watched_run *run, const struct hp_found_list *list,
		  const struct hp_found *found, uint64_t begin_cpu_ns)
{
	hp_run_watch_found(&run->sum, list, found);
	run->look_ns = hp_use_until(hp_now_ns(), hp_own_cpu_ns() - begin_cpu_ns);
}

void hp_watched_run_begin(struct hp_watched_run *run, const struct hp_run_reader *reader,
			  const struct hp_found_list *list, const struct hp_found *segment)
{
	hp_watched_run_clear(run);
	run->sum.reader = reader;
	memcpy(run->sum.run, segment->run, sizeof(run->sum.run));
	run->going_ns = hp_now_ns();
	found(run, list, segment, hp_own_cpu_ns());
}

/* If all segments of a run are gone, it has ended. */
static void look_again(struct hp_watched_run *run)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	uint64_t begin = hp_own_cpu_ns();

	if (hp_now_ns() < run->look_ns || hp_find_segments(&list, &ignored))
		return;
	const struct hp_found *segment = hp_found_run(&list, run->sum.run);
	if (segment)
		found(run, &list, segment, begin);
	else
		run->sum.is_live = run->sum.reader->goes_on(run->sum.run);
	hp_found_list_free(&list);
}

static bool is_stopped(uint32_t pid)
{
	struct hp_task_stat process;

	return hp_task_stat_process(pid, &process) &&
	       (process.state == 'T' || process.state == 't');
}

/* Whether there can be new data: not all processes that run are stopped. */
static bool goes_on(const struct hp_model *model)
{
	size_t running = 0, stopped = 0;

	for (size_t i = 0; i < model->member_count; i++) {
		if (!model->members[i]->exit.running)
			continue;
		running++;
		stopped += is_stopped(model->members[i]->pid);
	}
	return !running || stopped < running;
}

/* Rates are counted from read to read. Stacks are added up where functions are not measured. */
static bool add_trends(struct hp_watched_run *run, bool was_watched)
{
	run->shown->watched = run->sum.is_live || was_watched;
	return hp_row_ids_set(&run->ids, run->shown) &&
	       hp_model_trends_see(&run->trends, run->shown, NULL, !hp_model_has_calls(run->shown),
				   run->seen_ns);
}

static int show(struct hp_watched_run *run, struct hp_model *model, bool was_watched,
		struct hp_error *error)
{
	forget_shown(run);
	run->shown = model;
	run->seen_ns = run->sum.read_ns;
	return add_trends(run, was_watched) ? 0 : fail(error, -ENOMEM, "out of memory");
}

/* The present sum, or the part of it that is wanted: copies, as the reader goes on with its own. NULL with the reason in error. */
static struct hp_model *wanted_of(const struct hp_watched_run *run, const char *part,
				  struct hp_error *error)
{
	return part ? run->sum.reader->choose(run->sum.model, part, error) : run->sum.model;
}

static uint64_t due_ns(const struct hp_watched_run *run)
{
	return run->reads == 1 ? run->sum.read_ns + SECOND_READ_NS : run->sum.until_ns;
}

/* A model of the reader is freed by its next read; ours stays until there is another. */
static void begin_read(struct hp_watched_run *run)
{
	look_again(run);
	run->tried_ns = hp_now_ns();
	if (run->shown == run->sum.model)
		run->shown = NULL;
}

static int take_read(struct hp_watched_run *run, bool was_watched, struct hp_error *error)
{
	run->reads++;
	if (*run->sum.error.text)
		return fail(error, -EINVAL, run->sum.error.text);
	struct hp_model *model = wanted_of(run, run->part, error);
	return model ? show(run, model, was_watched, error) : -ESRCH;
}

int hp_watched_run_read(struct hp_watched_run *run, struct hp_error *error)
{
	bool was_watched = run->shown && run->shown->watched;
	uint64_t read_ns = run->sum.read_ns;

	begin_read(run);
	struct hp_model *model = hp_run_watch_read(&run->sum, due_ns(run), error);
	if (!model)
		return -EINVAL;
	if (!run->shown && !run->part)
		run->shown = model;
	if (goes_on(model) && !*run->sum.error.text)
		run->going_ns = run->tried_ns;
	return run->sum.read_ns == read_ns ? 0 : take_read(run, was_watched, error);
}

/* Rows of another part have counted otherwise: rates begin anew. */
int hp_watched_run_choose(struct hp_watched_run *run, const char *wanted, struct hp_error *error)
{
	char *part = wanted ? strdup(wanted) : NULL;

	if (wanted && !part)
		return fail(error, -ENOMEM, "out of memory");
	struct hp_model *model = run->sum.model ? wanted_of(run, part, error) : NULL;
	if (run->sum.model && !model) {
		free(part);
		return -ESRCH;
	}
	free(run->part);
	run->part = part;
	hp_model_trends_clear(&run->trends);
	run->reads = run->reads ? 1 : 0;
	return model ? show(run, model, false, error) : 0;
}

enum hp_watch_state hp_watched_run_state(const struct hp_watched_run *run)
{
	if (!run->shown)
		return HP_WATCH_WAITING;
	if (!run->sum.is_live)
		return HP_WATCH_ENDED;
	return run->tried_ns - run->going_ns > STALE_NS ? HP_WATCH_STALE : HP_WATCH_LIVE;
}

/* ---- the processes that call a function ---- */

static const struct hp_function *find_id(const struct hp_model *model, uint32_t id)
{
	for (size_t i = 0; id && i < model->function_count; i++)
		if (model->functions[i].id == id)
			return &model->functions[i];
	return NULL;
}

static const struct hp_function *find_key(const struct hp_model *model, uint64_t key)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (hp_row_key(&model->functions[i]) == key)
			return &model->functions[i];
	return NULL;
}

static int by_calls(const void *left, const void *right)
{
	const struct hp_calling *a = left, *b = right;

	if (a->calls != b->calls)
		return (a->calls < b->calls) - (a->calls > b->calls);
	return (a->tid > b->tid) - (a->tid < b->tid);
}

static void note_calling(struct hp_calling *calling, const struct hp_model *process,
			 const struct hp_function *function)
{
	*calling = (struct hp_calling){ .tid = process->pid,
					.calls = function->calls,
					.open = function->open,
					.total_ns = function->total_ns };
	snprintf(calling->name, sizeof(calling->name), "%s", process->program);
}

ssize_t hp_watched_run_calling(const struct hp_watched_run *run, uint32_t id,
			       struct hp_calling **calling)
{
	const struct hp_model *model = run->shown;
	const struct hp_function *wanted = model ? find_id(model, id) : NULL;
	size_t count = 0;

	*calling = NULL;
	if (!wanted || !model->member_count)
		return 0;
	*calling = calloc(model->member_count, sizeof(**calling));
	if (!*calling)
		return -ENOMEM;
	for (size_t i = 0; i < model->member_count; i++) {
		const struct hp_function *function = find_key(model->members[i],
							      hp_row_key(wanted));
		if (function && hp_function_was_called(function))
			note_calling(&(*calling)[count++], model->members[i], function);
	}
	qsort(*calling, count, sizeof(**calling), by_calls);
	return (ssize_t)count;
}
