/* SPDX-License-Identifier: MIT */
/* What a user watches: a process, or a run of several processes as one thing. */
#include "watched.h"

#include "now.h"
#include "process/found_run.h"
#include "process/register.h"
#include "target.h"
#include "watched_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Interval for looking whether a run has several processes by now, or was started again. */
#define LOOK_NS UINT64_C(500000000)

struct hp_watched {
	const struct hp_run_reader *reader;
	struct hp_watch *watch;
	struct hp_watched_run run;
	/* The run is shown, not the process. */
	bool shows_run;
	/* The run is to be shown as soon as it has several processes. */
	bool wants_run;
	/* A process was chosen out of its run. */
	bool is_part;
	/* What the shown run began with, to find its next start. */
	struct hp_target root;
	/* The run was named: no other one is followed. */
	bool stays;
	uint64_t looked_ns;
	unsigned restarts;
	/* The last complete model of a process. */
	struct hp_model *whole;
};

static int fail(struct hp_error *error, int why, const char *reason)
{
	snprintf(error->text, sizeof(error->text), "%s", reason);
	return why;
}

/* ---- what is watched ---- */

static void leave_run(struct hp_watched *watched)
{
	hp_watched_run_clear(&watched->run);
	hp_target_free(&watched->root);
	watched->shows_run = false;
}

static void begin_run(struct hp_watched *watched, const struct hp_found_list *list,
		      const struct hp_found *found)
{
	hp_target_free(&watched->root);
	if (hp_target_take(&watched->root, hp_found_root(list, found)))
		watched->root = (struct hp_target){ .is_file = true };
	hp_watched_run_begin(&watched->run, watched->reader, list, found);
	watched->shows_run = watched->wants_run = true;
	watched->is_part = false;
}

static int begin_process(struct hp_watched *watched, const struct hp_found *found,
			 struct hp_error *error)
{
	int failed = hp_watch_choose(watched->watch, found, error);

	if (!failed)
		leave_run(watched);
	return failed;
}

/* Segments say to which run they belong, and may lie: a run is not called as a process. */
static bool has_several(const struct hp_found_list *list, const struct hp_found *found)
{
	return found->run[0] && !hp_is_process_id(found->run) &&
	       hp_found_processes(list, found) > 1;
}

/* On failure nothing changes. */
static int begin_alone(struct hp_watched *watched, const struct hp_found *found,
		       struct hp_error *error)
{
	int failed = begin_process(watched, found, error);

	if (failed)
		return failed;
	watched->wants_run = true;
	watched->is_part = false;
	return 0;
}

int hp_watched_choose(struct hp_watched *watched, const struct hp_found_list *list,
		      const struct hp_found *found, struct hp_error *error)
{
	int failed = 0;

	if (has_several(list, found))
		begin_run(watched, list, found);
	else
		failed = begin_alone(watched, found, error);
	if (failed)
		return failed;
	watched->restarts = 0;
	watched->stays = false;
	return 0;
}

/*
 * A segment that is still being created is not valid yet. A run goes on between two of its processes, too: its newest segment stands for
 * it, so that a run with thousands of them is looked at once.
 */
bool hp_watched_can_choose(const struct hp_watched *watched, const struct hp_found_list *list,
			   const struct hp_found *found)
{
	size_t at = (size_t)(found - list->items);

	if (found->live)
		return found->state != HP_STATE_NEW;
	return found->run[0] && hp_found_newest(list, at) == at &&
	       !hp_found_run_is_live(list, found) && watched->reader->goes_on(found->run) &&
	       has_several(list, found);
}

int hp_watched_newest(struct hp_watched *watched, struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	int failed = hp_find_segments(&list, error);
	size_t at = 0;

	while (at < list.count && !hp_watched_can_choose(watched, &list, &list.items[at]))
		at++;
	if (!failed)
		failed = at < list.count ? hp_watched_choose(watched, &list, &list.items[at], error)
					 : -ENOENT;
	hp_found_list_free(&list);
	return failed;
}

static const struct hp_found *find_path(const struct hp_found_list *list, const char *path)
{
	for (size_t i = 0; path && i < list->count; i++)
		if (strcmp(list->items[i].path, path) == 0)
			return &list->items[i];
	return NULL;
}

/* Whether a process is the one that its run began with. That is known by the register, also if others have no segments. */
static bool began_run(const struct hp_found_list *list, const struct hp_found *found)
{
	struct hp_processes processes = { NULL, 0, 0 };
	bool is_known = hp_register_read(found->run, &processes) == 0 && processes.count;
	bool did = is_known ? processes.items[0].pid == found->pid : hp_found_is_root(list, found);

	hp_processes_clear(&processes);
	return did;
}

/* A process stands for its run if that began with it. */
static void find_run(struct hp_watched *watched, const struct hp_found_list *list)
{
	const struct hp_found *found = find_path(list, hp_watch_path(watched->watch));

	watched->wants_run = found && found->run[0] && began_run(list, found);
	if (watched->wants_run && has_several(list, found))
		begin_run(watched, list, found);
}

static int open_process(struct hp_watched *watched, const char *target, struct hp_error *error)
{
	hp_watch_free(watched->watch);
	return hp_watch_open(&watched->watch, target, error);
}

/* A segment file is what it is, also if it is of a run. No run is called as a file that is there. */
static int open_target(struct hp_watched *watched, const char *target, struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored = { "" };
	const struct hp_found *run = NULL;

	if (hp_find_segments(&list, &ignored) == 0 && access(target, F_OK) != 0)
		run = hp_found_run(&list, target);
	int failed = run ? hp_watched_choose(watched, &list, run, error)
			 : open_process(watched, target, error);
	if (!run && !failed && strcmp(target, hp_watch_path(watched->watch)) != 0)
		find_run(watched, &list);
	if (run && !failed)
		hp_watch_stay(watched->watch);
	watched->stays = run != NULL;
	hp_found_list_free(&list);
	return failed;
}

int hp_watched_open(struct hp_watched **watched, const char *target,
		    const struct hp_run_reader *reader, struct hp_error *error)
{
	*watched = calloc(1, sizeof(**watched));
	if (!*watched)
		return fail(error, -ENOMEM, "out of memory");
	(*watched)->reader = reader;
	int failed = hp_watch_open(&(*watched)->watch, NULL, error);
	if (!failed && target)
		failed = open_target(*watched, target, error);
	if (failed) {
		hp_watched_free(*watched);
		*watched = NULL;
	}
	return failed;
}

/* ---- parts of a run ---- */

static const char *name_of_run(const struct hp_watched *watched)
{
	return watched->shows_run ? watched->run.sum.run : hp_watch_run(watched->watch);
}

/* Watch one process by its own segment, which is cheaper and has more. Returns false if it has none any more. */
static bool choose_segment(struct hp_watched *watched, uint32_t pid)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	bool chosen = false;

	if (hp_find_segments(&list, &ignored))
		return false;
	for (size_t i = 0; !chosen && i < list.count; i++)
		if (list.items[i].pid == pid &&
		    strcmp(list.items[i].run, name_of_run(watched)) == 0)
			chosen = begin_process(watched, &list.items[i], &ignored) == 0;
	hp_found_list_free(&list);
	if (!chosen)
		return false;
	hp_watch_stay(watched->watch);
	watched->wants_run = false;
	watched->is_part = true;
	return true;
}

/* The only process of a run must be the one that is wanted. */
static int check_only(struct hp_watched *watched, const char *wanted, struct hp_error *error)
{
	const struct hp_model *model = hp_watch_model(watched->watch);
	struct hp_model *copy = model ? watched->reader->choose(model, wanted, error) : NULL;
	bool is_wanted = copy;

	hp_model_free(copy);
	if (!is_wanted)
		return -ESRCH;
	watched->wants_run = false;
	return 0;
}

static int find_part(struct hp_watched *watched, const char *wanted, uint32_t *pid,
		     struct hp_error *error)
{
	int failed = watched->run.sum.model ? 0 : hp_watched_run_read(&watched->run, error);
	struct hp_model *part =
		failed ? NULL : watched->reader->choose(watched->run.sum.model, wanted, error);

	*pid = part && part->processes == 1 ? part->pid : 0;
	hp_model_free(part);
	return part ? 0 : -ESRCH;
}

/* By a word that means the same processes when there are others. */
static int choose_lasting(struct hp_watched *watched, const char *wanted, struct hp_error *error)
{
	char *word = watched->reader->lasting(watched->run.sum.model, wanted);
	int failed = word ? hp_watched_run_choose(&watched->run, word, error)
			  : fail(error, -ENOMEM, "out of memory");

	free(word);
	return failed;
}

/* Out of a run that is shown. */
static int choose_of_run(struct hp_watched *watched, const char *wanted, struct hp_error *error)
{
	uint32_t pid = 0;
	int failed = find_part(watched, wanted, &pid, error);

	if (failed || (pid && choose_segment(watched, pid)))
		return failed;
	failed = choose_lasting(watched, wanted, error);
	watched->is_part |= !failed;
	return failed;
}

/* If there is no such process, the one that was shown before is still open. */
int hp_watched_choose_part(struct hp_watched *watched, const char *wanted, struct hp_error *error)
{
	bool showed_run = watched->shows_run, was_part = watched->is_part;

	if (!showed_run && hp_watched_choose_all(watched, error))
		return check_only(watched, wanted, error);
	int failed = choose_of_run(watched, wanted, error);
	if (!failed || showed_run)
		return failed;
	leave_run(watched);
	watched->is_part = was_part;
	watched->wants_run = false;
	return failed;
}

int hp_watched_choose_all(struct hp_watched *watched, struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	int failed = 0;

	if (watched->shows_run) {
		watched->is_part = false;
		return hp_watched_run_choose(&watched->run, NULL, error);
	}
	if (hp_find_segments(&list, error))
		return -EINVAL;
	const struct hp_found *found = hp_found_run(&list, name_of_run(watched));
	if (found && has_several(&list, found))
		begin_run(watched, &list, found);
	else
		failed = fail(error, -ENOENT, "It is the only process of its run.");
	hp_found_list_free(&list);
	return failed;
}

bool hp_watched_is_run(const struct hp_watched *watched)
{
	return watched->shows_run;
}

bool hp_watched_is_part(const struct hp_watched *watched)
{
	return watched->is_part;
}

/* ---- reading ---- */

static bool is_due(struct hp_watched *watched)
{
	uint64_t now = hp_now_ns();

	if (now - watched->looked_ns < LOOK_NS)
		return false;
	watched->looked_ns = now;
	return true;
}

/* A run begins with one process: when there are others, it becomes a sum. */
static void look_for_others(struct hp_watched *watched)
{
	struct hp_error ignored;

	if (watched->wants_run && *hp_watch_run(watched->watch) && is_due(watched))
		hp_watched_choose_all(watched, &ignored);
}

static bool has_ended(const struct hp_watched *watched)
{
	return hp_watched_run_state(&watched->run) == HP_WATCH_ENDED;
}

/* When a run has ended, go on with the next one that began with the same program. */
static void follow(struct hp_watched *watched)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_target next;
	struct hp_error ignored;
	unsigned restarts = watched->restarts;

	if (!has_ended(watched) || watched->is_part || watched->stays || watched->root.is_file ||
	    !is_due(watched) || !hp_target_next(&watched->root, &next))
		return;
	if (hp_find_segments(&list, &ignored) == 0) {
		const struct hp_found *found = find_path(&list, next.path);
		if (found && hp_watched_choose(watched, &list, found, &ignored) == 0)
			watched->restarts = restarts + 1;
	}
	hp_found_list_free(&list);
	hp_target_free(&next);
}

int hp_watched_read(struct hp_watched *watched, const uint32_t *visible, size_t count,
		    struct hp_error *error)
{
	hp_model_free(watched->whole);
	watched->whole = NULL;
	if (watched->shows_run)
		follow(watched);
	else
		look_for_others(watched);
	return watched->shows_run ? hp_watched_run_read(&watched->run, error)
				  : hp_watch_read(watched->watch, visible, count, error);
}

const struct hp_model *hp_watched_model(const struct hp_watched *watched)
{
	return watched->shows_run ? watched->run.shown : hp_watch_model(watched->watch);
}

enum hp_watch_state hp_watched_state(const struct hp_watched *watched)
{
	return watched->shows_run ? hp_watched_run_state(&watched->run)
				  : hp_watch_state(watched->watch);
}

bool hp_watched_is_left(const struct hp_watched *watched)
{
	const struct hp_model *model = hp_watched_model(watched);

	return hp_watched_state(watched) == HP_WATCH_ENDED && model && model->is_attached &&
	       model->exit.running;
}

uint64_t hp_watched_seen_ns(const struct hp_watched *watched)
{
	return watched->shows_run ? watched->run.seen_ns : hp_watch_seen_ns(watched->watch);
}

unsigned hp_watched_restarts(const struct hp_watched *watched)
{
	return watched->restarts + hp_watch_restarts(watched->watch);
}

void hp_watched_set_quota(struct hp_watched *watched, size_t stats)
{
	hp_watch_set_quota(watched->watch, stats);
}

const struct hp_model *hp_watched_complete(struct hp_watched *watched)
{
	return watched->shows_run ? watched->run.shown : hp_watch_complete(watched->watch);
}

ssize_t hp_watched_recent(struct hp_watched *watched, const char *name, struct hp_recent **recent,
			  struct hp_error *error)
{
	*recent = NULL;
	return watched->shows_run ? 0 : hp_watch_recent(watched->watch, name, recent, error);
}

ssize_t hp_watched_events(struct hp_watched *watched, uint32_t id, struct hp_flow_event **events)
{
	*events = NULL;
	return watched->shows_run ? 0 : hp_watch_events(watched->watch, id, events);
}

ssize_t hp_watched_calling(struct hp_watched *watched, uint32_t id, struct hp_calling **calling,
			   struct hp_error *error)
{
	return watched->shows_run ? hp_watched_run_calling(&watched->run, id, calling)
				  : hp_watch_calling(watched->watch, id, calling, error);
}

struct hp_model *hp_watched_whole(struct hp_watched *watched, struct hp_error *error)
{
	if (watched->shows_run && !watched->run.shown)
		fail(error, -ENOENT, "no segment is open yet");
	if (watched->shows_run)
		return watched->run.shown;
	hp_model_free(watched->whole);
	watched->whole = hp_watch_whole(watched->watch, error);
	return watched->whole;
}

void hp_watched_free(struct hp_watched *watched)
{
	if (!watched)
		return;
	leave_run(watched);
	hp_model_free(watched->whole);
	hp_watch_free(watched->watch);
	free(watched);
}
