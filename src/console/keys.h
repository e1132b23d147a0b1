/* SPDX-License-Identifier: MIT */
/* What keys do: the table of them. */
#ifndef CONSOLE_KEYS_H
#define CONSOLE_KEYS_H

struct console;

enum {
	KEYS_MAX = 4,
};

struct binding {
	void (*action)(struct console *console);
	/** The keys and their help text; NULL if another entry covers it. */
	const char *shown;
	const char *help;
	/** Key codes of ncurses; unused items are 0. */
	int keys[KEYS_MAX];
};

/** Ends with an action of NULL. */
extern const struct binding bindings[];

#endif
