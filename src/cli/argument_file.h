/* SPDX-License-Identifier: MIT */
/* Arguments that stand in files: @file, as compilers understand it. */
#ifndef ARGUMENT_FILE_H
#define ARGUMENT_FILE_H

#include <stddef.h>

/** Words of a command line, each on its own in memory; the last one is followed by NULL. */
struct word_list {
	char **items;
	size_t count;
};

/**
 * Copy a command line, with every @file replaced by the words in it, as often as they name others.
 *
 * White space parts the words. Quotes of both kinds hold them together, and a backslash takes away
 * the meaning of what follows it, in quotes too. A file that cannot be read is a word like others.
 *
 * @param argv
 *         Ends with NULL.
 * @return
 *         0, or -ENOMEM; the list is to be freed in both cases.
 */
int word_list_expand(char *const *argv, struct word_list *list);

void word_list_free(struct word_list *list);

#endif
