/* SPDX-License-Identifier: MIT */
/* Checks records of a register. */
#include "run_register.h"

#include <string.h>

/* The first place from an offset on that has the magic; NULL when there is none. */
static const char *find_magic(const char *bytes, size_t size, size_t at)
{
	static const uint64_t magic = HP_RECORD_MAGIC;

	return at < size ? memmem(bytes + at, size - at, &magic, sizeof(magic)) : NULL;
}

/* Whether a record is whole. There are so many bytes from its beginning on. */
static bool is_whole(const char *from, size_t size, struct hp_record *record)
{
	uint64_t mark;

	if (size < sizeof(*record) + sizeof(mark))
		return false;
	memcpy(record, from, sizeof(*record));
	size_t texts = (size_t)record->executable_size + record->words_size;
	if (record->size > size || record->size > HP_RECORD_MAX || record->size % 8 != 0 ||
	    record->size < sizeof(*record) + texts + sizeof(mark))
		return false;
	memcpy(&mark, from + record->size - sizeof(mark), sizeof(mark));
	return mark == HP_RECORD_MARK;
}

const char *hp_register_next(const char *bytes, size_t size, size_t *at, struct hp_record *record)
{
	const char *from;

	while ((from = find_magic(bytes, size, *at))) {
		size_t start = (size_t)(from - bytes);
		bool whole = is_whole(from, size - start, record);
		*at = start + (whole ? record->size : 1);
		if (whole)
			return from + sizeof(*record);
	}
	*at = size;
	return NULL;
}
