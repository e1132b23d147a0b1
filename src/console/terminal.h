/* SPDX-License-Identifier: MIT */
/*
 * The terminal: taken over at the start, and given back as it was found, however we end: by the user, a
 * signal, or a fault of ours.
 */
#ifndef CONSOLE_TERMINAL_H
#define CONSOLE_TERMINAL_H

#include "reader.h"
#include "table.h"

#include <stdbool.h>

/** How things look, beside the colours of cells. */
enum look {
	LOOK_PLAIN = HP_PAINT_PLAIN,
	LOOK_BOLD = HP_PAINT_BOLD,
	LOOK_TITLE = HP_PAINT_TITLE,
	LOOK_WARM = HP_PAINT_WARM,
	LOOK_HOT = HP_PAINT_HOT,
	LOOK_FINE = HP_PAINT_FINE,
	LOOK_FAINT,
	/** A row, tab or heading that is chosen. */
	LOOK_CHOSEN,
	LOOKS,
};

/**
 * Take over the terminal of standard input and output.
 *
 * @return
 *         0, or a negative errno with one line in error: it is no terminal, or one that cannot do it.
 */
int terminal_open(struct hp_error *error);

/** The attributes of a look, as ncurses has them. */
unsigned long terminal_look(enum look look);

/** Give it back. */
void terminal_close(void);

/**
 * Wait for the user.
 *
 * @return
 *         A key as ncurses has it; ERR when there was none in that time.
 */
int terminal_key(int milliseconds);

/** The signal that asks us to end, or that the terminal is gone: SIGHUP; 0 for none. */
int terminal_ending(void);

/**
 * Write a text into so many columns of a line; what does not fit is left out, and the rest of the columns is
 * blank. Whatever the terminal cannot show is written in ASCII.
 */
void terminal_put(int line, int column, int width, enum look look, const char *text);

/** The same with the text at the right end. */
void terminal_put_right(int line, int column, int width, enum look look, const char *text);

/** Columns that a text takes, as far as it is drawn here. */
int terminal_width(const char *text);

#endif
