/* SPDX-License-Identifier: MIT */
/* The parts of what the probe of waits records, and their names in --waits and HOTPATH_WAITS. */
#ifndef HP_WAITS_MODE_H
#define HP_WAITS_MODE_H

#include <stdbool.h>
#include <string.h>

enum hp_waits {
	HP_WAITS_LOCKS = 1,
	/* How long locks are held. */
	HP_WAITS_HOLDS = 2,
	HP_WAITS_IO = 4,
	/* Everything else that blocks: condition variables, sleeping, poll, children. */
	HP_WAITS_REST = 8,
	HP_WAITS_ALL = 15,
};

#define HP_WAITS_NAMES "all, locks, io or nohold"

/** One word of the list: a part, or that hold times are left out. */
static inline bool hp_waits_word(const char *word, size_t length, unsigned *parts, bool *holds)
{
	if (length == 5 && memcmp(word, "locks", length) == 0)
		*parts |= HP_WAITS_LOCKS | HP_WAITS_HOLDS;
	else if (length == 2 && memcmp(word, "io", length) == 0)
		*parts |= HP_WAITS_IO;
	else if (length == 3 && memcmp(word, "all", length) == 0)
		*parts |= HP_WAITS_ALL;
	else if (length == 6 && memcmp(word, "nohold", length) == 0)
		*holds = false;
	else
		return false;
	return true;
}

/** Parse a list such as "locks,nohold"; false when a word is unknown, and then *waits is as it was. If the list names no
   part, all are meant. */
static inline bool hp_waits_parse(const char *list, unsigned *waits)
{
	unsigned parts = 0;
	bool holds = true;

	for (;; list++) {
		size_t length = strcspn(list, ",");
		if (!hp_waits_word(list, length, &parts, &holds))
			return false;
		list += length;
		if (!*list)
			break;
	}
	*waits = parts ? parts : HP_WAITS_ALL;
	if (!holds)
		*waits &= ~(unsigned)HP_WAITS_HOLDS;
	return true;
}

#endif
