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
	/** The keys and what they do, for the help; NULL for what is said elsewhere. */
	const char *shown;
	const char *help;
	/** As ncurses has them; the rest is 0. */
	int keys[KEYS_MAX];
};

/** Ends with an action of NULL. */
extern const struct binding bindings[];

#endif
