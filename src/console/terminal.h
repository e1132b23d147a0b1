/* SPDX-License-Identifier: MIT */
/* Takes over the terminal at the start, and restores it however we end: by the user, a signal, or a crash. */
#ifndef CONSOLE_TERMINAL_H
#define CONSOLE_TERMINAL_H

#include "reader.h"
#include "table.h"

#include <stdbool.h>

/** Styles, besides the colours of cells. */
enum style {
	STYLE_PLAIN = HP_PAINT_PLAIN,
	STYLE_BOLD = HP_PAINT_BOLD,
	STYLE_TITLE = HP_PAINT_TITLE,
	STYLE_WARM = HP_PAINT_WARM,
	STYLE_HOT = HP_PAINT_HOT,
	STYLE_FINE = HP_PAINT_FINE,
	STYLE_FAINT,
	/** A row, tab or heading that is chosen. */
	STYLE_CHOSEN,
	STYLES,
};

/**
 * Take over the terminal of standard input and output.
 *
 * @return
 *         0, or a negative errno with one line in error: it is no terminal, or one that cannot do it.
 */
int terminal_open(struct hp_error *error);

/** The ncurses attributes of a style. */
unsigned long terminal_style(enum style style);

/** Give it back. */
void terminal_close(void);

/**
 * Wait for the user.
 *
 * @return
 *         A key as ncurses has it; ERR when there was none in that time.
 */
int terminal_key(int milliseconds);

/** The signal that asks us to end; SIGHUP if the terminal is gone; 0 for none. */
int terminal_ending(void);

/**
 * Write a text into a number of columns of a line: clipped, and padded with blanks. Characters that the terminal
 * cannot show are replaced by ASCII.
 */
void terminal_put(int line, int column, int width, enum style style, const char *text);

/** The same, aligned to the right. */
void terminal_put_right(int line, int column, int width, enum style style, const char *text);

/** The number of columns that a text takes when drawn. */
int terminal_width(const char *text);

#endif
