/* SPDX-License-Identifier: MIT */
/* Expands argument files, @file, as compilers do. */
#ifndef ARGUMENT_FILE_H
#define ARGUMENT_FILE_H

#include <stddef.h>

/** The words of a command line, each allocated separately; NULL-terminated. */
struct word_list {
	char **items;
	size_t count;
};

/**
 * Copy a command line with every @file replaced by the words in it, recursively.
 *
 * Words are separated by white space. Both kinds of quotes group, and a backslash escapes the next character, also
 * inside quotes. A file that cannot be read is kept as a plain word.
 *
 * @param argv
 *         Ends with NULL.
 * @return
 *         0, or -ENOMEM; the list is to be freed in both cases.
 */
int word_list_expand(char *const *argv, struct word_list *list);

void word_list_free(struct word_list *list);

#endif
