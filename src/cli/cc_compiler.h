/* SPDX-License-Identifier: MIT */
/* Which compiler a command line runs, and of what kind it is. */
#ifndef CC_COMPILER_H
#define CC_COMPILER_H

#include <limits.h>
#include <stdbool.h>

/** Compilers that can measure every function, by the options they know. */
enum cc_family {
	CC_FAMILY_OTHER,
	CC_FAMILY_GCC,
	CC_FAMILY_CLANG,
};

/**
 * Where the compiler stands in a command line: after ccache and the like.
 *
 * @return
 *         Its place, or -1 when there is none, as in "ccache --version".
 */
int cc_compiler_place(char *const *argv);

/** The family that a name tells: without folder, target before it and version after it. */
enum cc_family cc_family_of_name(const char *name);

/** Whether it is a compiler of C++ by its name, to which files of C are C++. */
bool cc_is_cxx(const char *name);

/** Whether it compiles for musl by its name. */
bool cc_is_for_musl(const char *name);

/**
 * The family of a compiler that was found: by its name, by the name of what it is a link to, or by
 * what it says of itself.
 */
enum cc_family cc_family_find(const char *name, const char *path);

#endif
