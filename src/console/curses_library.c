/* SPDX-License-Identifier: MIT */
/* Loads ncursesw. */
#define CURSES_ITSELF
#include "curses_library.h"

#include "late.h"

struct curses_library curses;

bool curses_load(void)
{
#define POINTER(name) { #name, &curses.name },
	static const struct hp_late_symbol symbols[] = { CURSES_SYMBOLS(POINTER) };
#undef POINTER

	return hp_late_load(CURSES_FILE, symbols, sizeof(symbols) / sizeof(*symbols));
}
