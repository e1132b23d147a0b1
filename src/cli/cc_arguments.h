/* SPDX-License-Identifier: MIT */
/* Parses the command line of a compiler, as far as it matters for measuring. */
#ifndef CC_ARGUMENTS_H
#define CC_ARGUMENTS_H

#include "cc_rules.h"

#include <stdbool.h>

struct cc_request {
	/** Files of C, and of C++, to compile so that they can be measured. */
	unsigned c_files;
	unsigned cxx_files;
	/** All files of C and C++, also those that are not to be measured. */
	unsigned sources;
	/** A file that the rules leave out, or NULL. */
	const char *left_out;
	/** The compiler is for aarch64. */
	bool is_aarch64;
	/** An option, or a compiler, for code of another machine than hotpath has sleds for; NULL for none. */
	const char *other_machine;
	/** It writes assembly for people (-S), and runs no assembler. */
	bool only_text;
	/** The user's own options let functions call hooks. */
	bool has_hooks;
	/** It writes assembly in the syntax of Intel. */
	bool is_intel;
	/** The user wants clang's own assembler. */
	bool is_integrated;
	/** Code is made when it is linked (-flto). */
	bool is_late;
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
