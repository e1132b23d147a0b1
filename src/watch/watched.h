/* SPDX-License-Identifier: MIT */
/*
 * What a user watches: a process, or a run of several processes as one thing.
 *
 *	watched ──┬── watch          one process: read in place, as far as necessary
 *	          └── watched_run    the sum of a run's processes, or of some of them
 *
 * A process that a run began with stands for the run: as soon as that has several processes, their sum is shown. One process can
 * be chosen out of a run, and left for the whole again.
 *
 * One thread at a time may use it. What it returns is valid until the next read or choice.
 */
#ifndef HP_WATCHED_H
#define HP_WATCHED_H

#include "run_reader.h"
#include "watch.h"

struct hp_watched;

/**
 * @param target
 *         As for hp_watch_open; or a run by its name, which may have ended.
 * @return
 *         As hp_watch_open.
 */
int hp_watched_open(struct hp_watched **watched, const char *target,
		    const struct hp_run_reader *reader, struct hp_error *error);

/**
 * Watch the newest program that runs, with its run.
 *
 * @return
 *         0; -ENOENT when none runs, without a reason; or another negative errno with the reason in error.
 */
int hp_watched_newest(struct hp_watched *watched, struct hp_error *error);

/** Whether a segment of a list can be watched: its process runs; or its run goes on, of which it is the newest. */
bool hp_watched_can_choose(const struct hp_watched *watched, const struct hp_found_list *list,
			   const struct hp_found *found);

/** Watch a segment of a list, with its run. Returns 0, or a negative errno with the reason in error. */
int hp_watched_choose(struct hp_watched *watched, const struct hp_found_list *list,
		      const struct hp_found *found, struct hp_error *error);

/**
 * Choose out of the run: the process of this number, those of a program, or the nth of the tree. Needs a first read.
 *
 * @return
 *         0, or a negative errno with the reason in error: -ESRCH when there is none, or it has recorded nothing.
 */
int hp_watched_choose_part(struct hp_watched *watched, const char *wanted, struct hp_error *error);

/** Choose all processes of the run again. Returns 0, or a negative errno with the reason in error: -ENOENT if there is one only. */
int hp_watched_choose_all(struct hp_watched *watched, struct hp_error *error);

/** Whether the sum of several processes is shown. */
bool hp_watched_is_run(const struct hp_watched *watched);

/** Whether a part of a run was chosen. */
bool hp_watched_is_part(const struct hp_watched *watched);

/** As those of one process, see watch.h. */
int hp_watched_read(struct hp_watched *watched, const uint32_t *visible, size_t count,
		    struct hp_error *error);
const struct hp_model *hp_watched_model(const struct hp_watched *watched);
enum hp_watch_state hp_watched_state(const struct hp_watched *watched);

/** Whether it has ended because `hotpath attach` has left the program, which went on. */
bool hp_watched_is_left(const struct hp_watched *watched);

uint64_t hp_watched_seen_ns(const struct hp_watched *watched);
unsigned hp_watched_restarts(const struct hp_watched *watched);
void hp_watched_set_quota(struct hp_watched *watched, size_t stats);
const struct hp_model *hp_watched_complete(struct hp_watched *watched);

/** Recent calls and events are those of one process: a run has none. */
ssize_t hp_watched_recent(struct hp_watched *watched, const char *name, struct hp_recent **recent,
			  struct hp_error *error);
ssize_t hp_watched_events(struct hp_watched *watched, uint32_t id, struct hp_flow_event **events);

/** Which threads call a function; of a run, which processes: then a tid is the number of a process. */
ssize_t hp_watched_calling(struct hp_watched *watched, uint32_t id, struct hp_calling **calling,
			   struct hp_error *error);

/**
 * A complete model of this moment; of a run, the last one that was read.
 *
 * @return
 *         NULL with the reason in error. It may be changed, and is freed by the next call or read.
 */
struct hp_model *hp_watched_whole(struct hp_watched *watched, struct hp_error *error);

/** NULL does nothing. */
void hp_watched_free(struct hp_watched *watched);

#endif
