/* SPDX-License-Identifier: MIT */
/*
 * Data kept between repeated reads of one segment, so that a read costs little.
 *
 * Names and stats are looked up once. Functions that are visible are added up in every pass, the others in turns, as
 * many as a quota allows; until its turn, a function has the figures of an earlier pass. The first pass adds up
 * everything, and so does the first pass of a new session.
 *
 * The segment may be modified while it is read, by anyone.
 */
#ifndef HP_CACHE_H
#define HP_CACHE_H

#include "reader.h"

struct hp_cache;

/** What a read is to see. */
struct hp_glance {
	/** Ids of functions that must be up to date. The row that is 100 % always is. */
	const uint32_t *visible;
	size_t visible_count;
	/** The first so many of these have their histograms read in each pass, with the newest calls; others in turns. */
	size_t whole_count;
	/** How many stats of other functions may be added up; 0 for all there are. */
	size_t quota;
	/** The rate of the clock by which times are converted; 0 for that in the segment. */
	uint64_t ticks_per_second;
	/** Reads from the segment's file, like pread; NULL to read everything from the mapping. */
	ssize_t (*read)(void *context, void *into, size_t size, uint64_t at);
	/** Called after every few megabytes of the mapping that were touched; NULL for none. */
	void (*pause)(void *context);
	void *context;
};

/** NULL when memory ran out. */
struct hp_cache *hp_cache_new(void);

void hp_cache_free(struct hp_cache *cache);

/** Drop all cached data, for example before another segment is read. */
void hp_cache_clear(struct hp_cache *cache);

/**
 * Build a model of the segment, which must be the same one as the last time. It has no call tree and no stacks.
 *
 * @param exit
 *         How the process ended, if known from waitpid or /proc; NULL otherwise.
 * @return
 *         NULL with the reason in error.
 */
struct hp_model *hp_cache_read(struct hp_cache *cache, const void *bytes, size_t size,
			       const struct hp_exit *exit, const struct hp_glance *glance,
			       struct hp_error *error);

/** Whether the last pass added up a function. */
bool hp_cache_was_read(const struct hp_cache *cache, uint32_t id);

/** The number of the pass that read the histogram of a function; 0 if none did. */
uint64_t hp_cache_histogram(const struct hp_cache *cache, uint32_t id);

/** Whether the last pass read the histogram of a function with its newest calls, which are not added up yet. */
bool hp_cache_has_newest_calls(const struct hp_cache *cache, uint32_t id);

/** The session number that the last pass saw: it counts how often recording was started. */
uint32_t hp_cache_session(const struct hp_cache *cache);

/**
 * Like hp_recent_calls, for functions that the last pass has seen; while the program runs, ages are relative to now.
 */
ssize_t hp_cache_recent(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			const char *name, struct hp_recent **recent, struct hp_error *error);

/**
 * The newest events of a channel, stream, future or value, by its site; newest first. How long ago is as above.
 *
 * @param events
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or a negative errno: -ENOENT when there is nothing like that.
 */
ssize_t hp_cache_events(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			uint32_t id, struct hp_flow_event **events);

/**
 * Which threads call a function, those with most calls first.
 *
 * @param calling
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or a negative errno with the reason in error.
 */
ssize_t hp_cache_calling(struct hp_cache *cache, const void *bytes, size_t size, bool running,
			 uint32_t id, struct hp_calling **calling, struct hp_error *error);

#endif
