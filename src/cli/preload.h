/* SPDX-License-Identifier: MIT */
/* The recorder for programs that do not bring it themselves. */
#ifndef PRELOAD_H
#define PRELOAD_H

/**
 * Have the dynamic linker load libhotpath.so before anything else into a program, and those it starts.
 *
 * Functions that were compiled with -finstrument-functions are measured by it. Where it cannot be
 * loaded, the program runs without; when that is not the program's doing, one line says so.
 *
 * @param program
 *         As on the command line.
 */
void preload_recorder(const char *program);

#endif
