/* SPDX-License-Identifier: MIT */
/* Finds the compiler in a command line, and its family. */
#ifndef CC_COMPILER_H
#define CC_COMPILER_H

#include <limits.h>
#include <stdbool.h>

/** Compilers that can instrument functions, by the options they support. */
enum cc_family {
	CC_FAMILY_OTHER,
	CC_FAMILY_GCC,
	CC_FAMILY_CLANG,
};

/**
 * The position of the compiler in a command line: after ccache and the like.
 *
 * @return
 *         Its place, or -1 when there is none, as in "ccache --version".
 */
int cc_compiler_place(char *const *argv);

/** The family by name, ignoring the folder, a target prefix and a version suffix. */
enum cc_family cc_family_of_name(const char *name);

/** Whether it is a compiler of C++ by its name, to which files of C are C++. */
bool cc_is_cxx(const char *name);

/** Whether it compiles for aarch64 by its name, or because this machine is one. */
bool cc_is_for_aarch64(const char *name);

/** Whether it compiles for musl by its name. */
bool cc_is_for_musl(const char *name);

/**
 * The family of a compiler that was found: by its name, by the name that its link points to, or by its --version
 * output.
 */
enum cc_family cc_family_find(const char *name, const char *path);

#endif
