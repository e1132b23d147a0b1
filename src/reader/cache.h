/* SPDX-License-Identifier: MIT */
/*
 * What is kept from one look at a segment to the next, so that a look costs little.
 *
 * Names are found once. Stats are found once. Of functions, those are added up that somebody wants to see, and of the
 * others as many as a quota allows, in turns; the rest have the figures of an earlier look. The first look adds up
 * all of them, and so does the first after the program began to record anew.
 *
 * The segment may be written to meanwhile, by anybody.
 */
#ifndef HP_CACHE_H
#define HP_CACHE_H

#include "reader.h"

struct hp_cache;

/** What a look is to see. */
struct hp_glance {
	/** Ids of functions that are to be as of now. The row that is 100 % is in any case. */
	const uint32_t *visible;
	size_t visible_count;
	/** How many stats of other functions may be added up; 0 for all there are. */
	size_t quota;
	/** Reads from the segment's file, as pread; NULL to read all of it where it is. */
	ssize_t (*read)(void *context, void *into, size_t size, uint64_t at);
	/** Called whenever some megabytes of the segment may have been touched where it is; NULL for nobody. */
	void (*pause)(void *context);
	void *context;
};

/** NULL when memory ran out. */
struct hp_cache *hp_cache_new(void);

void hp_cache_free(struct hp_cache *cache);

/** Forget everything, as for another segment. */
void hp_cache_clear(struct hp_cache *cache);

/**
 * Make a model of a segment, which is the same as the last time. There is no call tree in it, and no stacks.
 *
 * @param exit
 *         What is known of the process from elsewhere; NULL for nothing.
 * @return
 *         NULL with the reason in error.
 */
struct hp_model *hp_cache_read(struct hp_cache *cache, const void *bytes, size_t size,
			       const struct hp_exit *exit, const struct hp_glance *glance,
			       struct hp_error *error);

/** Whether the last look has added up a function. */
bool hp_cache_was_read(const struct hp_cache *cache, uint32_t id);

/** How often recording has begun at zero, as the last look saw it. */
uint32_t hp_cache_session(const struct hp_cache *cache);

/** As hp_recent_calls, of functions that the last look has seen; how long ago is before now if the program runs. */
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
