/* SPDX-License-Identifier: MIT */
/* What the command line of a compiler asks for, as far as it matters to measuring. */
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
	/** The program is static: it brings its own C library. */
	bool is_static;
};

/**
 * Read the arguments of gcc or clang.
 *
 * Freestanding code has no C library with hooks to call, so there is nothing to measure in it; nor
 * is there when the compiler only prints or preprocesses.
 *
 * @param words
 *         What follows the name of the compiler, argument files taken apart; ends with NULL.
 * @param cxx
 *         The compiler is one of C++: files of C are C++ to it.
 */
struct cc_request cc_request_read(char *const *words, bool cxx, const struct cc_rules *rules);

#endif
