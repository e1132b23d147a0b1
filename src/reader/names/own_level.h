/* SPDX-License-Identifier: MIT */
/*
 * Which of the functions of an address is the program's own.
 *
 *	__gthread_mutex_lock    of the C++ library, which is inlined for the most part
 *	std::mutex::lock        the same
 *	deposit                 the program's own
 *	serve
 *
 * All locks of a C++ program are acquired by the same few functions of the library, and a fortified read is inlined from a header
 * of the C library: the reader wants to know who called them.
 */
#ifndef HP_OWN_LEVEL_H
#define HP_OWN_LEVEL_H

#include "names.h"

/** A place in the source. The file belongs to the name; it is NULL if the place is not known. */
struct hp_name_place {
	const char *file;
	uint32_t line;
};

/**
 * The innermost function of an address that is declared in no header of the system, numbered as those of a frame are; the outermost,
 * which has the code, if there is none.
 */
uint32_t hp_name_own_level(const struct hp_name *name);

/** The source line of an address in one of its functions. */
struct hp_name_place hp_name_place(const struct hp_name *name, uint32_t level);

#endif
