/* SPDX-License-Identifier: MIT */
/* The version of libevent, which the server reads requests with: old ones have known vulnerabilities. */
#ifndef EVENT_VERSION_H
#define EVENT_VERSION_H

#include "text.h"

#include <stdbool.h>

/** Whether a version has the fixes of 2.1.13, as far as it tells: 2.1.13, or a security update of Debian to an older one. */
bool event_version_is_fixed(const char *version);

/**
 * The version that is installed, by the list of Debian's packages if there is one: the library itself knows nothing of updates.
 *
 * @param version
 *         Empty if it cannot be loaded.
 */
void event_version_find(struct hp_text *version);

/** The version of libevent in a list of packages, as dpkg keeps it; false when there is none. */
bool event_version_of_package(const char *list, struct hp_text *version);

#endif
