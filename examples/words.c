/* SPDX-License-Identifier: MIT */
/* Counts the words of a text. It knows nothing of hotpath, which can measure it as it is, or rebuilt. */
#include <ctype.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORD_SIZE = 64,
	SHOWN = 5,
};

/* Hash buckets. 256 are too few for a long text, as a report shows; -DBUCKETS=65536 are enough. */
#ifndef BUCKETS
#define BUCKETS 256
#endif

struct word {
	struct word *next;
	char *text;
	unsigned long count;
};

static struct word *table[BUCKETS];
static size_t word_count;

static void *checked(void *block)
{
	if (!block)
		err(1, "no memory");
	return block;
}

static size_t hash(const char *text)
{
	size_t sum = 5381;

	while (*text)
		sum = sum * 33 + (unsigned char)*text++;
	return sum % BUCKETS;
}

static struct word *find(const char *text, size_t bucket)
{
	struct word *word = table[bucket];

	while (word && strcmp(word->text, text) != 0)
		word = word->next;
	return word;
}

static struct word *add(const char *text, size_t bucket)
{
	struct word *word = checked(malloc(sizeof(*word)));

	*word = (struct word){ .next = table[bucket], .text = checked(strdup(text)) };
	table[bucket] = word;
	word_count++;
	return word;
}

static void count_word(const char *text)
{
	size_t bucket = hash(text);
	struct word *word = find(text, bucket);

	if (!word)
		word = add(text, bucket);
	word->count++;
}

/* The next word in lower case, or 0 at the end of the file. */
static size_t read_word(FILE *file, char *text)
{
	size_t length = 0;
	int letter;

	while ((letter = getc(file)) != EOF && (isalnum(letter) || length == 0))
		if (isalnum(letter) && length < WORD_SIZE - 1)
			text[length++] = (char)tolower(letter);
	text[length] = '\0';
	return length;
}

static int by_count(const void *left, const void *right)
{
	const struct word *a = *(struct word *const *)left, *b = *(struct word *const *)right;

	return (a->count < b->count) - (a->count > b->count);
}

static struct word **sort_words(void)
{
	struct word **words = checked(calloc(word_count + 1, sizeof(*words)));
	size_t count = 0;

	for (size_t bucket = 0; bucket < BUCKETS; bucket++)
		for (struct word *word = table[bucket]; word; word = word->next)
			words[count++] = word;
	qsort(words, count, sizeof(*words), by_count);
	return words;
}

static void show(struct word **words)
{
	for (size_t i = 0; i < word_count && i < SHOWN; i++)
		printf("%8lu %s\n", words[i]->count, words[i]->text);
}

int main(int argc, char *argv[])
{
	FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
	char text[WORD_SIZE];

	if (!file)
		err(1, "%s", argv[1]);
	while (read_word(file, text))
		count_word(text);
	struct word **words = sort_words();
	show(words);
	free(words);
	return 0;
}
