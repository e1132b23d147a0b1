/* SPDX-License-Identifier: MIT */
/* Watches a running program by reading its segment repeatedly. */
#include "watch.h"

#include "arithmetic.h"
#include "atomic.h"
#include "cache.h"
#include "life.h"
#include "mapping.h"
#include "model_trends.h"
#include "names/lines.h"
#include "now.h"
#include "process/proc_tasks.h"
#include "process/register.h"
#include "target.h"
#include "writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Stats per read: with 500 functions on 32 threads, each is read every ten seconds, at two reads a second. */
	QUOTA = 800,
	/* The program may start a new session while its segment is read. */
	TRIES = 3,
};

/* The model is stale if it could not be updated for this long. */
#define STALE_NS UINT64_C(2000000000)
/* Reading stacks, the register of a run, or a complete model, may take at most 1/WHOLE_PART of a processor. */
#define WHOLE_PART 20
/* The first read takes longest, because files are opened; but then trends are waited for. */
#define SECOND_READ_NS UINT64_C(1000000000)
/* Interval for finding the next start of a program, which means reading all segments. */
#define FOLLOW_NS UINT64_C(400000000)
/* Interval for reading the register of a run. */
#define PROCESSES_NS UINT64_C(1000000000)

struct hp_watch {
	/* The target and its mapping, whose file is -1 if there is none. */
	struct hp_target target;
	struct hp_mapping mapping;
	struct hp_writer writer;
	struct hp_cache *cache;
	struct hp_model_trends trends;
	struct hp_task_history tasks;
	size_t quota;
	size_t whole_count;
	/* The rate of the clock, by which times are converted as long as the program runs; and the session it is of. */
	uint64_t rate;
	uint32_t rate_session;
	struct hp_model *model;
	/*
	 * When the model was read; when that was last tried, and the program last seen running; when its next start
	 * was last looked for.
	 */
	uint64_t seen_ns;
	uint64_t tried_ns;
	uint64_t going_ns;
	uint64_t followed_ns;
	/* When to read stacks again. */
	uint64_t stacks_ns;
	/* The last complete model; when the ordinary one of that time was read, and when to read it again. */
	struct hp_model *complete;
	uint64_t complete_seen_ns;
	uint64_t complete_ns;
	unsigned restarts;
	/* The run that the program belongs to, or empty; and when its processes are read again. */
	char run[HP_RUN_MAX];
	uint64_t processes_ns;
	/* The model is the last one of an ended program. */
	bool ended;
};

static const struct hp_exit running = { .running = true, .status = -1 };

static int fail(struct hp_error *error, int why, const char *reason)
{
	snprintf(error->text, sizeof(error->text), "%s", reason);
	return why;
}

/* ---- what is watched ---- */

/*
 * Read the process id; 0 if it is in another PID namespace; and the run that it belongs to. The header was checked when the mapping was opened, but
 * the file may have been truncated since.
 */
static int read_pid(struct hp_mapping *mapping, uint32_t *pid, char run[HP_RUN_MAX],
		    struct hp_error *error)
{
	int failed = hp_mapping_begin(mapping, error);

	if (failed)
		return failed;
	const struct hp_header *header = mapping->bytes;
	*pid = hp_life_knows_pid(header) ? load(&header->pid, RELAXED) : 0;
	memcpy(run, header->run, HP_RUN_MAX);
	run[HP_RUN_MAX - 1] = '\0';
	return hp_mapping_end(mapping, error);
}

static void leave(struct hp_watch *watch)
{
	hp_writer_close(&watch->writer);
	hp_mapping_close(&watch->mapping);
	hp_target_free(&watch->target);
	hp_cache_clear(watch->cache);
	hp_model_trends_clear(&watch->trends);
	hp_model_free(watch->complete);
	watch->complete = NULL;
	watch->stacks_ns = watch->complete_ns = watch->processes_ns = 0;
	watch->rate = 0;
}

/* Switch to another segment; takes ownership of the target. On failure nothing changes. */
static int change(struct hp_watch *watch, struct hp_target *target, struct hp_error *error)
{
	struct hp_mapping mapping;
	uint32_t pid;
	char run[HP_RUN_MAX];
	int failed = hp_mapping_open(&mapping, target->path, target->user, error);

	if (!failed && (failed = read_pid(&mapping, &pid, run, error)))
		hp_mapping_close(&mapping);
	if (failed) {
		hp_target_free(target);
		return failed;
	}
	/* The old model stays until the new segment is read, but without its trends. */
	if (watch->model)
		hp_model_trends_drop(watch->model);
	leave(watch);
	watch->mapping = mapping;
	watch->target = *target;
	memcpy(watch->run, run, sizeof(run));
	hp_writer_open(&watch->writer, pid, mapping.file, watch->target.path);
	watch->going_ns = watch->tried_ns = hp_now_ns();
	watch->ended = false;
	return 0;
}

int hp_watch_choose(struct hp_watch *watch, const struct hp_found *found, struct hp_error *error)
{
	struct hp_target target;

	if (hp_target_take(&target, found))
		return fail(error, -ENOMEM, "out of memory");
	int failed = change(watch, &target, error);
	if (failed)
		return failed;
	hp_model_free(watch->model);
	watch->model = NULL;
	watch->seen_ns = 0;
	watch->restarts = 0;
	return 0;
}

int hp_watch_open(struct hp_watch **watch, const char *target, struct hp_error *error)
{
	struct hp_cache *cache = hp_cache_new();
	struct hp_target found;

	*watch = cache ? calloc(1, sizeof(**watch)) : NULL;
	if (!*watch) {
		hp_cache_free(cache);
		return fail(error, -ENOMEM, "out of memory");
	}
	(*watch)->cache = cache;
	(*watch)->quota = QUOTA;
	(*watch)->mapping.file = (*watch)->writer.handle = -1;
	int failed = target ? hp_target_find(&found, target, error) : 0;
	if (target && !failed)
		failed = change(*watch, &found, error);
	if (failed) {
		hp_watch_free(*watch);
		*watch = NULL;
	}
	return failed;
}

void hp_watch_stay(struct hp_watch *watch)
{
	watch->target.is_file = true;
}

const char *hp_watch_run(const struct hp_watch *watch)
{
	return watch->mapping.file < 0 ? "" : watch->run;
}

const char *hp_watch_path(const struct hp_watch *watch)
{
	return watch->target.path;
}

static void follow(struct hp_watch *watch)
{
	struct hp_error ignored;
	struct hp_target next;
	uint64_t now = hp_now_ns();

	if (now - watch->followed_ns < FOLLOW_NS)
		return;
	watch->followed_ns = now;
	if (hp_target_next(&watch->target, &next) && change(watch, &next, &ignored) == 0)
		watch->restarts++;
}

/* ---- a read ---- */

static ssize_t read_part(void *mapping, void *into, size_t size, uint64_t at)
{
	return hp_mapping_read(mapping, into, size, at);
}

static void rest(void *mapping)
{
	hp_mapping_rest(mapping);
}

/* Whether there can be new data: the program is not stopped, and records. */
static bool goes_on(const struct hp_watch *watch)
{
	const struct hp_header *header = watch->mapping.bytes;

	/* Pairs with the RELEASE of every change of state. */
	return load(&header->state, ACQUIRE) != HP_STATE_STOPPED &&
	       !hp_writer_is_stopped(&watch->writer);
}

/*
 * The rate of the clock when the session was first read. The program corrects it when it stops recording, or ends: sums of times would
 * fall then, which were converted by another one.
 */
static uint64_t first_rate(struct hp_watch *watch)
{
	const struct hp_header *header = watch->mapping.bytes;
	/* Pairs with the RELEASE that began the session. */
	uint32_t session = load(&header->session, ACQUIRE);

	if (!watch->rate || session != watch->rate_session)
		watch->rate = load(&header->ticks_per_second, RELAXED);
	watch->rate_session = session;
	return watch->rate;
}

/* Read the model; between hp_mapping_begin and hp_mapping_end. The last model of a program is read completely. */
static struct hp_model *read_segment(struct hp_watch *watch, const uint32_t *visible, size_t count,
				     bool is_running, struct hp_error *error)
{
	struct hp_glance glance = { .visible = visible,
				    .visible_count = count,
				    .whole_count = hp_min(watch->whole_count, count),
				    .quota = is_running ? watch->quota : 0,
				    .ticks_per_second = is_running ? first_rate(watch) : 0,
				    .read = read_part,
				    .pause = rest,
				    .context = &watch->mapping };

	if (is_running && goes_on(watch))
		watch->going_ns = watch->tried_ns;
	struct hp_model *model = hp_cache_read(watch->cache, watch->mapping.bytes,
					       watch->mapping.size, is_running ? &running : NULL,
					       &glance, error);
	/* What a read of everything has mapped is not what the next one needs. */
	if (!glance.quota)
		rest(&watch->mapping);
	return model;
}

/* Whether all that was read belongs to one session, and to the bytes that were available. */
static bool is_consistent(const struct hp_mapping *mapping, uint32_t session)
{
	const struct hp_header *header = mapping->bytes;

	/* ACQUIRE keeps the reads above before this load. Pairs with the RELEASE that began the session. */
	return load(&header->session, ACQUIRE) == session &&
	       load(&header->used, ACQUIRE) <= mapping->size;
}

/* How a complete model is read: alike is to be compared with an earlier one; and where to put what the kernel knows then, NULL
   if nobody asks. */
struct manner {
	bool is_running;
	bool is_alike;
	struct taken *taken;
};

/* What the kernel knows of a running process, at the moment of its segment. */
struct taken {
	/* 0 if it is not known which process that is. */
	uint32_t pid;
	struct hp_tasks tasks;
	bool failed;
};

static void take(void *taker)
{
	struct taken *taken = taker;

	hp_tasks_clear(&taken->tasks);
	taken->failed = taken->pid && !hp_tasks_take(&taken->tasks, taken->pid);
}

/* Read a complete model in place: a copy would take as much memory as the segment has. */
static struct hp_model *read_whole_once(struct hp_watch *watch, struct manner manner, bool *is_good,
					struct hp_error *error)
{
	struct hp_mapping *mapping = &watch->mapping;

	*is_good = true;
	if (hp_mapping_begin(mapping, error))
		return NULL;
	/* Pairs with the RELEASE that began the session. */
	uint32_t session = load(&((const struct hp_header *)mapping->bytes)->session, ACQUIRE);
	bool keeps_rate = manner.is_running || manner.is_alike;
	const struct hp_mapped_read how = { .pause = rest,
					    .context = mapping,
					    .moment = manner.taken ? take : NULL,
					    .taker = manner.taken,
					    .ticks_per_second = keeps_rate ? first_rate(watch)
									   : 0 };
	struct hp_model *model = hp_model_read_mapped(
		mapping->bytes, mapping->size, manner.is_running ? &running : NULL, &how, error);
	*is_good = is_consistent(mapping, session);
	rest(mapping);
	if (!hp_mapping_end(mapping, error))
		return model;
	hp_model_free(model);
	return NULL;
}

static struct hp_model *read_whole(struct hp_watch *watch, struct manner manner,
				   struct hp_error *error)
{
	for (int i = 1;; i++) {
		bool is_good;
		struct hp_model *model = read_whole_once(watch, manner, &is_good, error);
		if (!model || is_good || i == TRIES)
			return model;
		hp_model_free(model);
	}
}

/* Add what only the kernel knows about a running process. */
static bool add_tasks(struct hp_watch *watch, struct hp_model *model, struct taken *taken)
{
	if (taken->failed)
		return false;
	return !taken->tasks.pid || hp_tasks_apply(model, &taken->tasks, &watch->tasks);
}

/*
 * If no function is measured, CPU time is shown by stacks. Naming all their frames takes time: so it is done now and
 * then, and the last result is used until then. Returns whether it was done.
 */
static bool add_stacks(struct hp_watch *watch, struct hp_model *model, bool is_running)
{
	struct hp_model *from = watch->model, *whole = NULL;
	struct hp_error reason;
	uint64_t now = hp_now_ns(), begin = hp_own_cpu_ns();

	if (model->cpu.source == HP_CPU_NONE || hp_model_has_calls(model))
		return false;
	if (now >= watch->stacks_ns || !is_running) {
		from = whole = read_whole(watch, (struct manner){ .is_running = is_running },
					  &reason);
		uint64_t pause = (hp_own_cpu_ns() - begin) * WHOLE_PART;
		if (!watch->stacks_ns && pause > SECOND_READ_NS)
			pause = SECOND_READ_NS;
		watch->stacks_ns = now + pause;
	}
	if (from) {
		hp_cpu_clear(&model->cpu);
		model->cpu = from->cpu;
		from->cpu = (struct hp_cpu){ .source = HP_CPU_NONE };
	}
	hp_model_free(whole);
	return whole;
}

/*
 * Add the processes of its run, if there are several. Their register is read once a second at most; until then the last rows
 * are used.
 */
static bool add_processes(struct hp_watch *watch, struct hp_model *model)
{
	uint64_t now = hp_now_ns(), begin = hp_own_cpu_ns();

	if (now < watch->processes_ns && watch->model) {
		model->tree = watch->model->tree;
		watch->model->tree = (struct hp_processes){ NULL, 0, 0 };
		return true;
	}
	bool done = !watch->run[0] || hp_register_read(watch->run, &model->tree) == 0;
	if (done && model->tree.count < 2)
		hp_processes_clear(&model->tree);
	done = done && hp_processes_arrange(&model->tree) == 0;
	watch->processes_ns = now + hp_max(PROCESSES_NS, (hp_own_cpu_ns() - begin) * WHOLE_PART);
	return done;
}

/* A new session has no history. */
static bool add_trends(struct hp_watch *watch, struct hp_model *model, bool is_running,
		       bool is_same, bool has_new_stacks)
{
	/* The old model is freed, or kept without its trends, which may become invalid now. */
	if (watch->model)
		hp_model_trends_drop(watch->model);
	if (!is_same) {
		hp_model_trends_drop(model);
		hp_model_trends_clear(&watch->trends);
	}
	/* A program that had ended before has no rates. */
	model->watched = is_running || (watch->model && watch->model->watched);
	return hp_model_trends_see(&watch->trends, model, watch->cache, has_new_stacks,
				   watch->seen_ns);
}

/* Report a failure with the name of the file. */
static int explain(const struct hp_watch *watch, int why, const struct hp_error *reason,
		   struct hp_error *error)
{
	snprintf(error->text, sizeof(error->text), "%.128s: %.120s", watch->target.path,
		 reason->text);
	return why;
}

static int take_picture(struct hp_watch *watch, const uint32_t *visible, size_t count,
			struct hp_error *error)
{
	/* Check this first, so that everything the process wrote before its end is read afterwards. */
	bool is_running = hp_writer_is_there(&watch->writer);
	uint32_t session = hp_cache_session(watch->cache);
	int failed = hp_mapping_begin(&watch->mapping, error);
	if (failed)
		return failed;

	struct taken taken = { .pid = is_running ? watch->writer.pid : 0 };
	take(&taken);
	struct hp_model *model = read_segment(watch, visible, count, is_running, error);
	failed = hp_mapping_end(&watch->mapping, error);
	if (model && !failed) {
		watch->seen_ns = hp_now_ns();
		bool is_same = session == hp_cache_session(watch->cache);
		bool has_new_stacks = add_stacks(watch, model, is_running);
		if (!add_tasks(watch, model, &taken) || !add_processes(watch, model) ||
		    !add_trends(watch, model, is_running, is_same, has_new_stacks))
			failed = fail(error, -ENOMEM, "out of memory");
	}
	hp_tasks_clear(&taken.tasks);
	if (failed)
		hp_cache_clear(watch->cache);
	if (!model || failed) {
		hp_model_free(model);
		return failed ? failed : -EINVAL;
	}
	hp_model_free(watch->model);
	watch->model = model;
	watch->ended = !is_running;
	return 0;
}

int hp_watch_read(struct hp_watch *watch, const uint32_t *visible, size_t count,
		  struct hp_error *error)
{
	struct hp_error reason = { "" };

	if (watch->ended)
		follow(watch);
	if (watch->mapping.file < 0 || watch->ended)
		return 0;
	watch->tried_ns = hp_now_ns();
	int failed = take_picture(watch, visible, count, &reason);
	/* If the segment of an ended program cannot be read, it never will be; its next start may be. */
	watch->ended |= failed && !watch->writer.is_there;
	return failed ? explain(watch, failed, &reason, error) : 0;
}

const struct hp_model *hp_watch_model(const struct hp_watch *watch)
{
	return watch->model;
}

enum hp_watch_state hp_watch_state(const struct hp_watch *watch)
{
	if (!watch->model)
		return HP_WATCH_WAITING;
	if (watch->ended)
		return HP_WATCH_ENDED;
	return watch->tried_ns - watch->going_ns > STALE_NS ? HP_WATCH_STALE : HP_WATCH_LIVE;
}

uint64_t hp_watch_seen_ns(const struct hp_watch *watch)
{
	return watch->seen_ns;
}

unsigned hp_watch_restarts(const struct hp_watch *watch)
{
	return watch->restarts;
}

/* ---- on demand ---- */

static int begin(struct hp_watch *watch, struct hp_error *error)
{
	struct hp_error reason = { "" };

	if (watch->mapping.file < 0)
		return fail(error, -ENOENT, "no segment is open yet");
	int failed = hp_mapping_begin(&watch->mapping, &reason);
	return failed ? explain(watch, failed, &reason, error) : 0;
}

static ssize_t end(struct hp_watch *watch, ssize_t count, struct hp_error *error)
{
	struct hp_error reason = { "" };
	int failed = hp_mapping_end(&watch->mapping, &reason);

	return failed ? explain(watch, failed, &reason, error) : count;
}

ssize_t hp_watch_recent(struct hp_watch *watch, const char *name, struct hp_recent **recent,
			struct hp_error *error)
{
	int failed = begin(watch, error);

	*recent = NULL;
	if (failed)
		return failed;
	ssize_t count = hp_cache_recent(watch->cache, watch->mapping.bytes, watch->mapping.size,
					!watch->ended, name, recent, error);
	count = end(watch, count, error);
	if (count < 0) {
		free(*recent);
		*recent = NULL;
	}
	return count;
}

ssize_t hp_watch_events(struct hp_watch *watch, uint32_t id, struct hp_flow_event **events)
{
	struct hp_error ignored;
	int failed = begin(watch, &ignored);

	*events = NULL;
	if (failed)
		return failed;
	ssize_t count = hp_cache_events(watch->cache, watch->mapping.bytes, watch->mapping.size,
					!watch->ended, id, events);
	count = end(watch, count, &ignored);
	if (count < 0) {
		free(*events);
		*events = NULL;
	}
	return count;
}

ssize_t hp_watch_calling(struct hp_watch *watch, uint32_t id, struct hp_calling **calling,
			 struct hp_error *error)
{
	int failed = begin(watch, error);

	*calling = NULL;
	if (failed)
		return failed;
	ssize_t count = hp_cache_calling(watch->cache, watch->mapping.bytes, watch->mapping.size,
					 !watch->ended, id, calling, error);
	count = end(watch, count, error);
	if (count < 0) {
		free(*calling);
		*calling = NULL;
	}
	return count;
}

static struct hp_model *read_complete(struct hp_watch *watch, bool is_alike, struct hp_error *error)
{
	struct hp_error reason = { "" };

	if (watch->mapping.file < 0) {
		fail(error, -ENOENT, "no segment is open yet");
		return NULL;
	}
	bool is_running = !watch->ended && hp_writer_is_there(&watch->writer);
	struct taken taken = { .pid = is_running ? watch->writer.pid : 0 };
	const struct manner manner = { is_running, is_alike, &taken };
	struct hp_model *model = read_whole(watch, manner, &reason);
	if (!model)
		explain(watch, -EINVAL, &reason, error);
	else
		hp_lines_fill(model);
	if (model && !add_tasks(watch, model, &taken)) {
		hp_model_free(model);
		model = NULL;
		fail(error, -ENOMEM, "out of memory");
	}
	hp_tasks_clear(&taken.tasks);
	return model;
}

struct hp_model *hp_watch_whole(struct hp_watch *watch, struct hp_error *error)
{
	return read_complete(watch, false, error);
}

struct hp_model *hp_watch_whole_alike(struct hp_watch *watch, struct hp_error *error)
{
	return read_complete(watch, true, error);
}

const struct hp_model *hp_watch_complete(struct hp_watch *watch)
{
	uint64_t now = hp_now_ns(), begin = hp_own_cpu_ns();
	struct hp_error ignored;

	if (watch->complete && watch->complete_seen_ns == watch->seen_ns)
		return watch->complete;
	watch->complete_seen_ns = watch->seen_ns;
	/* The last figures of a program that has ended are read at once. */
	if (watch->complete && now < watch->complete_ns && !watch->ended)
		return watch->complete;
	struct hp_model *model = hp_watch_whole(watch, &ignored);
	watch->complete_ns = now + (hp_own_cpu_ns() - begin) * WHOLE_PART;
	if (!model)
		return watch->complete;
	hp_model_free(watch->complete);
	watch->complete = model;
	return model;
}

void hp_watch_set_quota(struct hp_watch *watch, size_t stats)
{
	watch->quota = stats;
}

void hp_watch_set_whole(struct hp_watch *watch, size_t count)
{
	watch->whole_count = count;
}

uint64_t hp_watch_histogram(const struct hp_watch *watch, uint32_t id)
{
	return hp_cache_histogram(watch->cache, id);
}

bool hp_watch_has_newest_calls(const struct hp_watch *watch, uint32_t id)
{
	return hp_cache_has_newest_calls(watch->cache, id);
}

void hp_watch_free(struct hp_watch *watch)
{
	if (!watch)
		return;
	leave(watch);
	hp_task_history_clear(&watch->tasks);
	hp_cache_free(watch->cache);
	hp_model_free(watch->model);
	free(watch);
}
