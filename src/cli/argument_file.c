/* SPDX-License-Identifier: MIT */
/* Expands argument files, @file, as compilers do. */
#include "argument_file.h"

#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	/* Bounds files that name themselves; compilers have a limit too. */
	FILES_MAX = 2000,
};

/** What is being taken apart. */
struct expansion {
	struct word_list *list;
	unsigned files;
};

static int add_words(struct expansion *expansion, const char *text);

static int add_plain(struct word_list *list, const char *word)
{
	char **items = reallocarray(list->items, list->count + 2, sizeof(*items));
	if (!items)
		return -ENOMEM;

	list->items = items;
	items[list->count] = strdup(word);
	if (!items[list->count])
		return -ENOMEM;
	items[++list->count] = NULL;
	return 0;
}

static bool is_file(FILE *file)
{
	struct stat status;

	return fstat(fileno(file), &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Read a whole file. Not inlined, because files are read recursively and its buffer must not stay on the stack. */
__attribute__((noinline)) static bool read_text(const char *path, struct hp_text *text)
{
	char block[4096];
	size_t length;
	FILE *file = fopen(path, "re");
	if (!file)
		return false;

	bool readable = is_file(file);
	while (readable && (length = fread(block, 1, sizeof(block), file)) > 0)
		hp_text_add(text, block, length);
	readable &= !ferror(file);
	fclose(file);
	return readable;
}

static int add_word(struct expansion *expansion, const char *word)
{
	struct hp_text text = HP_TEXT_INIT;
	int error;

	if (word[0] == '@' && expansion->files < FILES_MAX && read_text(word + 1, &text)) {
		expansion->files++;
		error = text.failed ? -ENOMEM : add_words(expansion, text.bytes ? text.bytes : "");
	} else {
		error = add_plain(expansion->list, word);
	}
	hp_text_free(&text);
	return error;
}

/* Copy the word that a text begins with, without its quotes; where it ends. */
static const char *read_word(const char *text, char *word)
{
	char quote = '\0';

	for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
		if (*text == '\\' && text[1])
			*word++ = *++text;
		else if (quote && *text == quote)
			quote = '\0';
		else if (!quote && (*text == '\'' || *text == '"'))
			quote = *text;
		else
			*word++ = *text;
	}
	*word = '\0';
	return text;
}

static int add_words(struct expansion *expansion, const char *text)
{
	char *word = malloc(strlen(text) + 1);
	int error = word ? 0 : -ENOMEM;

	while (!error) {
		while (isspace((unsigned char)*text))
			text++;
		if (!*text)
			break;
		text = read_word(text, word);
		error = add_word(expansion, word);
	}
	free(word);
	return error;
}

int word_list_expand(char *const *argv, struct word_list *list)
{
	struct expansion expansion = { list, 0 };
	int error = 0;

	*list = (struct word_list){ calloc(1, sizeof(char *)), 0 };
	if (!list->items)
		return -ENOMEM;
	for (; !error && *argv; argv++)
		error = add_word(&expansion, *argv);
	return error;
}

void word_list_free(struct word_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct word_list){ NULL, 0 };
}
