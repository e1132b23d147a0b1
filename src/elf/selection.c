/* SPDX-License-Identifier: MIT */
/* Which functions of a program are to be measured. */
#include "selection.h"

#include "note.h"

#include <string.h>

/* A pattern that is being read. */
struct pattern {
	const char *at;
	const char *end;
};

/* Take the next character of the pattern, and whether it was escaped. */
static char take(struct pattern *pattern, bool *plain)
{
	char c = *pattern->at++;

	*plain = c == '\\' && pattern->at < pattern->end;
	if (*plain)
		c = *pattern->at++;
	return c;
}

/* Whether the rest of a set, "a-z]", contains a character; *closed tells if the bracket is closed. */
static bool set_has(struct pattern *pattern, char c, bool *closed)
{
	bool has = false, plain;

	for (bool first = true; pattern->at < pattern->end; first = false) {
		char low = take(pattern, &plain), high = low;
		if (low == ']' && !plain && !first) {
			*closed = true;
			return has;
		}
		if (pattern->end - pattern->at > 1 && pattern->at[0] == '-' &&
		    pattern->at[1] != ']') {
			pattern->at++;
			high = take(pattern, &plain);
		}
		has |= (unsigned char)low <= (unsigned char)c &&
		       (unsigned char)c <= (unsigned char)high;
	}
	*closed = false;
	return false;
}

/* Whether the next pattern element, which is not a star, matches a character; advances if so. */
static bool matches_one(struct pattern *pattern, char c)
{
	struct pattern rest = *pattern;
	bool plain, closed = false;
	char wanted = take(&rest, &plain);

	if (wanted == '[' && !plain) {
		struct pattern set = rest;
		bool inverted = set.at < set.end && *set.at == '!';
		set.at += inverted;
		bool has = set_has(&set, c, &closed);
		if (closed && has == inverted)
			return false;
		if (closed)
			rest = set;
	}
	/* An unclosed bracket is a literal bracket. */
	if (!closed && wanted != c && (wanted != '?' || plain))
		return false;
	*pattern = rest;
	return true;
}

/*
 * On a mismatch, backtrack to the last star only, and let it match one more character. Earlier stars need not be
 * tried again: whatever they could match, the last one can.
 */
bool hp_selection_matches(const char *text, size_t length, const char *name)
{
	struct pattern pattern = { text, text + length }, behind_star = { NULL, NULL };
	const char *taken = name;

	while (*name) {
		if (pattern.at < pattern.end && *pattern.at == '*') {
			pattern.at++;
			behind_star = pattern;
			taken = name;
		} else if (pattern.at < pattern.end && matches_one(&pattern, *name)) {
			name++;
		} else if (behind_star.at) {
			pattern = behind_star;
			name = ++taken;
		} else {
			return false;
		}
	}
	while (pattern.at < pattern.end && *pattern.at == '*')
		pattern.at++;
	return pattern.at == pattern.end;
}

static uint64_t number(const char *text, size_t length)
{
	uint64_t value = 0;

	for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(text[i] - '0'), &value))
			return UINT64_MAX;
	return value;
}

static bool read_line(const char *text, size_t length, struct hp_selection_line *line)
{
	static const char words[][10] = {
		[HP_SELECTION_ONLY] = "only ",
		[HP_SELECTION_SKIP] = "skip ",
		[HP_SELECTION_MIN_SIZE] = "min-size ",
	};

	for (unsigned kind = 0; kind < sizeof(words) / sizeof(*words); kind++) {
		size_t word = strlen(words[kind]);
		if (length < word || memcmp(text, words[kind], word) != 0)
			continue;
		*line = (struct hp_selection_line){ (enum hp_selection_kind)kind, text + word,
						    length - word,
						    number(text + word, length - word) };
		return true;
	}
	return false;
}

bool hp_selection_next(const char **text, struct hp_selection_line *line)
{
	while (**text) {
		const char *begin = *text;
		size_t length = strcspn(begin, "\n");

		*text = begin + length + (begin[length] == '\n');
		if (read_line(begin, length, line))
			return true;
	}
	return false;
}

bool hp_selection_has(const char *text, const char *name, uint64_t size)
{
	bool limited = false, chosen = false;
	struct hp_selection_line line;

	while (hp_selection_next(&text, &line)) {
		if (line.kind == HP_SELECTION_MIN_SIZE) {
			if (size && size < line.size)
				return false;
			continue;
		}
		bool matches = hp_selection_matches(line.pattern, line.length, name);
		if (line.kind == HP_SELECTION_SKIP && matches)
			return false;
		limited |= line.kind == HP_SELECTION_ONLY;
		chosen |= line.kind == HP_SELECTION_ONLY && matches;
	}
	return chosen || !limited;
}

const char *hp_selection_note(const void *notes, size_t size, size_t *length)
{
	const char *text = hp_note_find(notes, size, HP_NOTE_OWNER, HP_NOTE_SELECTION, length);
	const char *end = text ? memchr(text, '\0', *length) : NULL;

	if (!end)
		return NULL;
	*length = (size_t)(end - text);
	return text;
}
