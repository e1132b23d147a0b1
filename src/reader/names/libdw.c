/* SPDX-License-Identifier: MIT */
/* Loads libdw, and with it libelf. */
#define HP_LIBDW_ITSELF
#include "libdw.h"

#include "late.h"

struct hp_libdw hp_libdw;

static bool load(void)
{
#define SYMBOL(name) { #name, &hp_libdw.name },
	static const struct hp_late_symbol symbols[] = { HP_LIBDW(SYMBOL) };
#undef SYMBOL

	return hp_late_load("libdw.so.1", symbols, sizeof(symbols) / sizeof(*symbols));
}

bool hp_libdw_load(void)
{
	static bool tried, loaded;

	if (!tried)
		loaded = load();
	tried = true;
	return loaded;
}
