/* SPDX-License-Identifier: MIT */
/* One row of a kind: a channel, a future, an event loop. It is a line of the program's source, or what a probe found,
   over all threads. */
#ifndef HP_ENTRY_H
#define HP_ENTRY_H

#include "points.h"
#include "segment.h"
#include "trend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HP_ENTRY_WORDS = 16,
	HP_ENTRY_TIMES = 4,
	HP_ENTRY_TEXTS = 3,
	HP_ENTRY_TRENDS = 2,
};

/** How long things took: messages from send to receive, futures from beginning to end, turns of a loop. */
struct hp_times {
	/** How many were measured. */
	uint64_t count;
	uint64_t sum_ns;
	/** Both 0 when there was none. */
	uint64_t min_ns;
	uint64_t max_ns;
	struct hp_points points;
};

struct hp_kind;

struct hp_entry {
	const struct hp_kind *kind;
	/** One of the kind's. */
	enum hp_site_kind site_kind;
	/** Its label, key or expression; or what a probe found, such as "uv_fs_write on_written". */
	char *name;
	/** The program gave it its name. */
	bool is_labelled;
	/** NULL when not known. */
	char *file;
	uint32_t line;
	/** Its site in the segment; 0 when there is none. */
	uint32_t id;
	/** Figures; the kind's fields say what each is. */
	uint64_t words[HP_ENTRY_WORDS];
	struct hp_times times[HP_ENTRY_TIMES];
	/** Owned; NULL when not known. */
	char *texts[HP_ENTRY_TEXTS];
	/** Not owned; NULL if nobody watched. By the kind's rates. */
	const struct hp_trend *trends[HP_ENTRY_TRENDS];
};

/** Labelled rows first, then by name, file and line. */
struct hp_entries {
	struct hp_entry *items;
	size_t count;
};

/** Append a row, which is the list's from then on. Returns false when memory ran out; then it is the caller's. */
bool hp_entries_append(struct hp_entries *entries, struct hp_entry entry);

void hp_entries_sort(struct hp_entries *entries);

/** Add those of one process to those of another: rows of the same kind, name, file and line are merged. 0 or -ENOMEM. */
int hp_entries_merge(struct hp_entries *into, const struct hp_entries *from);

/** The row of the same kind, name, file and line in a sorted list, or one of several; NULL if there is none. */
struct hp_entry *hp_entries_find(const struct hp_entries *sorted, const struct hp_entry *entry);

/** Sort the rows of a process, and make one of those that are the same, if their kind says so. 0 or -ENOMEM. */
int hp_entries_join(struct hp_entries *entries);

void hp_entry_clear(struct hp_entry *entry);
void hp_entries_clear(struct hp_entries *entries);

#endif
