/* SPDX-License-Identifier: MIT */
/* Checks of what the profiler needs on this machine. */
#ifndef CHECKS_H
#define CHECKS_H

enum verdict {
	VERDICT_OK,
	VERDICT_WARN,
	VERDICT_FAIL,
};

/** What a check has found. */
struct finding {
	enum verdict verdict;
	/** One line. */
	char text[512];
	/** What to do about it; empty when there is nothing to do. */
	char advice[256];
};

struct check {
	/** For people and as a key in JSON. */
	const char *name;
	void (*find)(struct finding *finding);
};

/** All of them; the last has a name of NULL. */
extern const struct check checks[];

#endif
