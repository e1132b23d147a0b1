/* SPDX-License-Identifier: MIT */
/* The functions and variables of ncursesw, which is loaded when the console opens the terminal. */
#ifndef CONSOLE_CURSES_LIBRARY_H
#define CONSOLE_CURSES_LIBRARY_H

#include <curses.h>
#include <stdbool.h>

/* clang-format off */
#define CURSES_SYMBOLS(SYMBOL) \
	SYMBOL(cbreak) \
	SYMBOL(clearok) \
	SYMBOL(curs_set) \
	SYMBOL(delscreen) \
	SYMBOL(endwin) \
	SYMBOL(getmouse) \
	SYMBOL(has_colors) \
	SYMBOL(init_pair) \
	SYMBOL(keypad) \
	SYMBOL(mouseinterval) \
	SYMBOL(mousemask) \
	SYMBOL(newterm) \
	SYMBOL(nodelay) \
	SYMBOL(noecho) \
	SYMBOL(nonl) \
	SYMBOL(set_escdelay) \
	SYMBOL(start_color) \
	SYMBOL(use_default_colors) \
	SYMBOL(waddch) \
	SYMBOL(waddnstr) \
	SYMBOL(wattrset) \
	SYMBOL(wclrtoeol) \
	SYMBOL(werase) \
	SYMBOL(wgetch) \
	SYMBOL(wmove) \
	SYMBOL(wrefresh) \
	SYMBOL(stdscr) \
	SYMBOL(curscr) \
	SYMBOL(LINES) \
	SYMBOL(COLS) \
	SYMBOL(COLORS)
/* clang-format on */

/* NOLINTNEXTLINE(bugprone-macro-parentheses): the name is that of a member. */
#define CURSES_POINTER(name) __typeof__(name) *name;
struct curses_library {
	CURSES_SYMBOLS(CURSES_POINTER)
};
#undef CURSES_POINTER

extern struct curses_library curses;

#define CURSES_FILE "libncursesw.so.6"

/** Load the library; false when it is not there. */
bool curses_load(void);

/* From here on, the names mean what the pointers point to. */
#ifndef CURSES_ITSELF
#define cbreak curses.cbreak
#define clearok curses.clearok
#define curs_set curses.curs_set
#define delscreen curses.delscreen
#define endwin curses.endwin
#define getmouse curses.getmouse
#define has_colors curses.has_colors
#define init_pair curses.init_pair
#define keypad curses.keypad
#define mouseinterval curses.mouseinterval
#define mousemask curses.mousemask
#define newterm curses.newterm
#define nodelay curses.nodelay
#define noecho curses.noecho
#define nonl curses.nonl
#define set_escdelay curses.set_escdelay
#define start_color curses.start_color
#define use_default_colors curses.use_default_colors
#define waddch curses.waddch
#define waddnstr curses.waddnstr
#define wattrset curses.wattrset
#define wclrtoeol curses.wclrtoeol
#define werase curses.werase
#define wgetch curses.wgetch
#define wmove curses.wmove
#define wrefresh curses.wrefresh
#define stdscr (*curses.stdscr)
#define curscr (*curses.curscr)
#define LINES (*curses.LINES)
#define COLS (*curses.COLS)
#define COLORS (*curses.COLORS)
#endif

#endif
