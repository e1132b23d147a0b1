/* SPDX-License-Identifier: MIT */
/* The blocks still allocated that come from one call site. */
#ifndef HP_LIVE_H
#define HP_LIVE_H

#include <stdbool.h>
#include <stdint.h>

/** What is known of them, field by field. */
extern const struct hp_kind hp_kind_live;

struct hp_live {
	/** The measured function, or the one that calls malloc. */
	char *name;
	/**
	 * "src/work.c:33", or "libc.so.6+0x6f5a4 (strdup)" if the line is not known; NULL if there is no location.
	 */
	char *location;
	uint64_t bytes;
	uint64_t blocks;
	/** Peak of the call site; for several merged processes, the sum of their peaks. */
	uint64_t peak_bytes;
	/** The C library allocated these blocks for its own use, so they are no leak of the program. */
	bool of_libc;
	/**
	 * Return address of the call and the file it is in, as long as the source line can still be looked up; NULL
	 * afterwards.
	 */
	char *module;
	uint64_t offset;
};

/** Whether any block is left; a saved report also has call sites that only had a peak. */
bool hp_live_has_blocks(const struct hp_live *live);

void hp_live_clear(struct hp_live *live);

#endif
