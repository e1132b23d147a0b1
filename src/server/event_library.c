/* SPDX-License-Identifier: MIT */
/* Loads libevent. */
#include "event_library.h"

#include "late.h"

struct hp_event_library libevent;

bool hp_event_library_load(void)
{
#define POINTER(name) { #name, &libevent.name },
	static const struct hp_late_symbol symbols[] = { EVENT_SYMBOLS(POINTER) };
#undef POINTER

	return hp_late_load(HP_EVENT_FILE, symbols, sizeof(symbols) / sizeof(*symbols));
}
