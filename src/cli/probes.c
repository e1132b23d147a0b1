/* SPDX-License-Identifier: MIT */
/* The table of probes for --probes. The allocation probe has an option of its own. */
#include "probes.h"

#include "output.h"

#include <stdio.h>
#include <string.h>

const struct probe probes[] = {
	{ "uv", "libhotpath-uv.so", "calls to libuv", "hotpath-uv" },
	{ "glib", "libhotpath-glib.so", "calls to GLib", "hotpath-glib" },
	{ NULL, NULL, NULL, NULL },
};

/* The place of a name in the table; -1 when it is in none. */
static int find(const char *name, size_t length)
{
	for (int i = 0; probes[i].name; i++)
		if (strlen(probes[i].name) == length && memcmp(probes[i].name, name, length) == 0)
			return i;
	return -1;
}

static void complain_of(const char *command, const char *name, size_t length)
{
	char known[128] = "";

	for (int i = 0; probes[i].name; i++) {
		size_t used = strlen(known);
		snprintf(known + used, sizeof(known) - used, "%s%s", i ? ", " : "", probes[i].name);
	}
	complain("%s: --probes: unknown probe '%.*s'; choose from %s", command, (int)length, name,
		 known);
}

bool probes_parse(const char *command, const char *list, unsigned *wanted)
{
	*wanted = 0;
	for (const char *name = list; name; name = strchr(name, ',')) {
		name += name != list;
		size_t length = strcspn(name, ",");
		int at = find(name, length);
		if (at < 0) {
			complain_of(command, name, length);
			return false;
		}
		*wanted |= 1U << at;
	}
	return true;
}
