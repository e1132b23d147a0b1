/* SPDX-License-Identifier: MIT */
/* The version of libevent, which the server reads requests with. */
#include "event_version.h"

#include "event_library.h"
#include "input_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PACKAGES "/var/lib/dpkg/status"
/* Its name may end with a note on the size of times: "t64". */
#define PACKAGE "\nPackage: libevent-extra-2.1-7"

enum {
	/* A list of some thousand packages has a few megabytes. */
	PACKAGES_MAX = 64 << 20,
};

/* Read the number behind a character that must be there. Returns what follows, or NULL. */
static const char *read_number(const char *text, char before, unsigned long *number)
{
	char *end = NULL;

	*number = 0;
	if (!text || *text != before)
		return NULL;
	*number = strtoul(text + 1, &end, 10);
	return end;
}

/* A security update of Debian: "+deb12u1". */
static bool is_update(const char *version)
{
	const char *mark = strstr(version, "+deb");
	unsigned long release, update;

	read_number(read_number(mark ? strchr(mark, 'b') : NULL, 'b', &release), 'u', &update);
	return release > 0 && update > 0;
}

bool event_version_is_fixed(const char *version)
{
	unsigned long major = strtoul(version, NULL, 10), minor, patch;

	read_number(read_number(strchr(version, '.'), '.', &minor), '.', &patch);
	if (major != 2 || minor != 1)
		return major > 2 || (major == 2 && minor > 1);
	return patch > 12 || (patch == 12 && is_update(version));
}

bool event_version_of_package(const char *list, struct hp_text *version)
{
	static const char field[] = "\nVersion: ";
	const char *package = strstr(list, PACKAGE);
	const char *end = package ? strstr(package, "\n\n") : NULL;
	const char *found = package ? strstr(package, field) : NULL;

	if (!found || (end && found > end))
		return false;
	found += strlen(field);
	hp_text_add(version, found, strcspn(found, "\n"));
	return true;
}

static bool find_package(struct hp_text *version)
{
	struct hp_text list = HP_TEXT_INIT;
	int file = open(PACKAGES, O_RDONLY | O_CLOEXEC);
	bool found = file >= 0 && input_read(file, PACKAGES_MAX, &list) == 0 && list.bytes &&
		     event_version_of_package(list.bytes, version);

	if (file >= 0)
		close(file);
	hp_text_free(&list);
	return found;
}

void event_version_find(struct hp_text *version)
{
	if (hp_event_library_load() && !find_package(version))
		hp_text_puts(version, libevent.event_get_version());
}
