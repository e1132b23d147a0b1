/* SPDX-License-Identifier: MIT */
/*
 * Watches a running program by reading its segment repeatedly.
 *
 * The segment is read in place, without a copy, and only as far as necessary: visible functions at every read, the
 * others in turns. The program does not notice.
 *
 * One thread at a time may use a watch.
 */
#ifndef HP_WATCH_H
#define HP_WATCH_H

#include "reader.h"
#include "trend.h"

enum hp_watch_state {
	/** There is no segment yet. */
	HP_WATCH_WAITING,
	HP_WATCH_LIVE,
	/** The model is old: the program is stopped, does not record, or could not be read. */
	HP_WATCH_STALE,
	/** The process is gone, or no longer writes to the segment. The model is its last one. */
	HP_WATCH_ENDED,
};

struct hp_watch;

/**
 * Watch what the user named.
 *
 * @param target
 *         A process id; the name of a program that runs, as in `hotpath list`, or its path; a segment file; NULL
 *         for nothing yet.
 * @return
 *         0, or a negative errno with one line in error: -ESRCH when nothing by that name runs, or it is not
 *         measured; -EACCES; -EINVAL for a file that is no segment, -ENOTSUP for one of another version.
 */
int hp_watch_open(struct hp_watch **watch, const char *target, struct hp_error *error);

/** Watch another segment, found by hp_find_segments. Returns what hp_watch_open would. */
int hp_watch_choose(struct hp_watch *watch, const struct hp_found *found, struct hp_error *error);

/** Do not go on with the next start of the program. */
void hp_watch_stay(struct hp_watch *watch);

/** The run that the program belongs to, or "". */
const char *hp_watch_run(const struct hp_watch *watch);

/** The segment's file, as the user named it or as it was found; NULL if there is none yet. */
const char *hp_watch_path(const struct hp_watch *watch);

/**
 * Read again.
 *
 * Finds out whether the program has ended, and follows it to its next start: the newest running segment of the same
 * program, unless a segment file was named.
 *
 * @param visible
 *         Ids of functions that must be up to date, as is the row that is 100 %. Others may be some reads old.
 * @return
 *         0, or a negative errno with the reason in error; the last model stays.
 */
int hp_watch_read(struct hp_watch *watch, const uint32_t *visible, size_t count,
		  struct hp_error *error);

/** The last model, without a call tree and stacks; NULL before the first. It is valid until the next read. */
const struct hp_model *hp_watch_model(const struct hp_watch *watch);

enum hp_watch_state hp_watch_state(const struct hp_watch *watch);

/** When the last model was read, by CLOCK_MONOTONIC; 0 before the first. */
uint64_t hp_watch_seen_ns(const struct hp_watch *watch);

/** How often the program was started again since it was chosen. */
unsigned hp_watch_restarts(const struct hp_watch *watch);

/** The newest calls of a function, like hp_recent_calls; while the program runs, ages are relative to now. */
ssize_t hp_watch_recent(struct hp_watch *watch, const char *name, struct hp_recent **recent,
			struct hp_error *error);

/**
 * The newest events of a channel, stream, future or value that the last read has seen, newest first.
 *
 * @param events
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or a negative errno: -ENOENT when there is nothing like that.
 */
ssize_t hp_watch_events(struct hp_watch *watch, uint32_t id, struct hp_flow_event **events);

/**
 * A complete model of this moment, with the call tree, stacks and source lines.
 *
 * @return
 *         To be freed with hp_model_free; NULL with the reason in error.
 */
struct hp_model *hp_watch_whole(struct hp_watch *watch, struct hp_error *error);

/** The same to be compared with an earlier one: times are converted by the same rate, also if the program has ended meanwhile. */
struct hp_model *hp_watch_whole_alike(struct hp_watch *watch, struct hp_error *error);

/**
 * The same, at most once for each read, and only if that does not take more than a small part of the time; or else the last
 * one. For views that need what the ordinary model does not have.
 *
 * @return
 *         NULL when there is none. It is valid until this is called after another read.
 */
const struct hp_model *hp_watch_complete(struct hp_watch *watch);

/**
 * Which threads call a function, those with most calls first.
 *
 * @param calling
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or a negative errno with the reason in error.
 */
ssize_t hp_watch_calling(struct hp_watch *watch, uint32_t id, struct hp_calling **calling,
			 struct hp_error *error);

/** How many stats (a function on a thread) of functions that are not visible a read covers, in turns; 0 for all. */
void hp_watch_set_quota(struct hp_watch *watch, size_t stats);

/** How many of the visible functions, from the first on, have their histograms read at every read, with the newest calls. */
void hp_watch_set_whole(struct hp_watch *watch, size_t count);

/** A number that changes when the histogram of a function was read again; 0 if it never was. */
uint64_t hp_watch_histogram(const struct hp_watch *watch, uint32_t id);

/** Whether the last read has read it, with the newest calls; otherwise it has no calls since an earlier one. */
bool hp_watch_has_newest_calls(const struct hp_watch *watch, uint32_t id);

/** NULL does nothing. */
void hp_watch_free(struct hp_watch *watch);

#endif
