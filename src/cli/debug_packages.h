/* SPDX-License-Identifier: MIT */
/* Finds the Debian package that has the debug symbols of a file. */
#ifndef DEBUG_PACKAGES_H
#define DEBUG_PACKAGES_H

/** Let notes about files without symbols name the package. */
void debug_packages_use(void);

#endif
