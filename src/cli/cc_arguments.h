/* SPDX-License-Identifier: MIT */
/* Parses the command line of a compiler, as far as it matters for measuring. */
#ifndef CC_ARGUMENTS_H
#define CC_ARGUMENTS_H

#include "cc_rules.h"

#include <stdbool.h>

struct cc_request {
	/** Files of C, and of C++, to compile with hooks. */
	unsigned c_files;
	unsigned cxx_files;
	/** A file that the rules leave out, or NULL. */
	const char *left_out;
	/** It links a program or a shared library. */
	bool links;
	/** It is a shared library. */
	bool shared;
	/** The program is static, and so contains its own C library. */
	bool is_static;
};

/**
 * Read the arguments of gcc or clang.
 *
 * Freestanding code has no C library with hooks, so it cannot be measured; nor is there anything to do if the
 * compiler only prints or preprocesses.
 *
 * @param words
 *         The arguments of the compiler, with argument files expanded; NULL-terminated.
 * @param cxx
 *         The compiler is one of C++: files of C are C++ to it.
 */
struct cc_request cc_request_read(char *const *words, bool cxx, const struct cc_rules *rules);

#endif
