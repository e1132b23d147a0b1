/* SPDX-License-Identifier: MIT */
/* Records of a register are found, and whatever else is in the file is passed over. */
#include "run_register.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char bytes[16 * HP_RECORD_MAX];
static size_t size;

/* Append a record as a recorder does. */
static void put(uint32_t pid, const char *executable, const char *words, size_t words_size)
{
	const uint64_t mark = HP_RECORD_MARK;
	size_t used = sizeof(struct hp_record) + strlen(executable) + words_size;
	size_t padding = -used % 8;
	struct hp_record record = { .magic = HP_RECORD_MAGIC,
				    .size = (uint32_t)(used + padding + sizeof(mark)),
				    .type = HP_RECORD_BEGAN,
				    .pid = pid,
				    .executable_size = (uint16_t)strlen(executable),
				    .words_size = (uint16_t)words_size };
	char *at = bytes + size;

	assert_true(size + record.size <= sizeof(bytes));
	memset(at, 0, record.size);
	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), executable, strlen(executable));
	memcpy(at + sizeof(record) + strlen(executable), words, words_size);
	memcpy(at + record.size - sizeof(mark), &mark, sizeof(mark));
	size += record.size;
}

static int empty(void **state)
{
	(void)state;
	size = 0;
	return 0;
}

/* The process ids of all records, as digits. */
static void assert_pids(const char *expected)
{
	char pids[64] = "";
	struct hp_record record;
	size_t at = 0, count = 0;

	while (hp_register_next(bytes, size, &at, &record)) {
		assert_true(count < sizeof(pids) - 1 && record.pid < 10);
		pids[count++] = (char)('0' + record.pid);
	}
	assert_int_equal(at, size);
	assert_string_equal(pids, expected);
}

static void whole_records(void **state)
{
	struct hp_record record;
	size_t at = 0;

	(void)state;
	put(1, "/bin/sed", "sed\0-e\0p", 9);
	put(2, "", "", 0);
	const char *texts = hp_register_next(bytes, size, &at, &record);
	assert_non_null(texts);
	assert_int_equal(record.executable_size, 8);
	assert_memory_equal(texts, "/bin/sed", 8);
	assert_int_equal(record.words_size, 9);
	assert_memory_equal(texts + 8, "sed\0-e\0p", 9);
	assert_pids("12");
}

static void nothing(void **state)
{
	(void)state;
	assert_pids("");
	memset(bytes, 'x', 300);
	size = 300;
	assert_pids("");
}

/* A full disk cuts a record off at any byte; the next one is whole. */
static void torn_records(void **state)
{
	(void)state;
	put(1, "/bin/true", "true", 5);
	put(2, "/bin/false", "false\0x", 8);
	size_t first = size;
	put(3, "/bin/sh", "sh", 3);
	size_t last = size - first;
	for (size_t left = first - 1; left > sizeof(struct hp_record) + 32; left--) {
		memmove(bytes + left, bytes + left + 1, last);
		size = left + last;
		assert_pids("13");
	}
}

/* The last one is being written, or was cut off. */
static void torn_ends(void **state)
{
	(void)state;
	put(1, "/bin/true", "true", 5);
	size_t first = size;
	put(2, "/bin/false", "false", 6);
	while (--size >= first)
		assert_pids("1");
}

/* Each changes one field of the first of two records. */
static void wrong_fields(void **state)
{
	static const struct {
		size_t offset;
		uint32_t value;
		const char *expected;
	} wrong[] = {
		{ offsetof(struct hp_record, magic), 0, "2" },
		{ offsetof(struct hp_record, size), 0, "2" },
		{ offsetof(struct hp_record, size), 8, "2" },
		{ offsetof(struct hp_record, size), 137, "2" },
		{ offsetof(struct hp_record, size), 144, "2" },
		{ offsetof(struct hp_record, size), HP_RECORD_MAX + 8, "2" },
		{ offsetof(struct hp_record, size), UINT32_MAX - 7, "2" },
		/* Both sizes of texts. */
		{ offsetof(struct hp_record, executable_size), UINT32_MAX, "2" },
		{ offsetof(struct hp_record, executable_size), 0xffff, "2" },
		{ offsetof(struct hp_record, executable_size), 0xffffU << 16, "2" },
		/* Of a type that is not known: the caller passes it over. */
		{ offsetof(struct hp_record, type), 0xffff, "12" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		size = 0;
		put(1, "/bin/true", "true", 5);
		put(2, "/bin/false", "false", 6);
		memcpy(bytes + wrong[i].offset, &wrong[i].value, sizeof(wrong[i].value));
		assert_pids(wrong[i].expected);
	}
}

/* Texts of a record may have anything in them, also what looks like a record. */
static void records_in_texts(void **state)
{
	char inner[256];

	(void)state;
	put(7, "/bin/true", "true", 5);
	size_t length = size;
	memcpy(inner, bytes, length);
	size = 0;
	put(1, "/bin/sh", inner, length);
	put(2, "", "", 0);
	assert_pids("12");
}

/* Whatever is changed: all that is returned lies inside the bytes, which have no room to spare. */
static void random_changes(void **state)
{
	uint32_t random = 1;

	(void)state;
	for (unsigned round = 0; round < 20000; round++) {
		size = 0;
		for (uint32_t pid = 1; pid < 6; pid++)
			put(pid, "/usr/bin/env", "env\0A=B\0true", 13);
		for (unsigned i = 0; i < 1 + round % 8; i++) {
			random = random * 1664525 + 1013904223;
			bytes[(random >> 8) % size] = (char)(random >> 4);
		}
		size -= (random >> 10) % 64;
		char *exact = malloc(size);
		assert_non_null(exact);
		memcpy(exact, bytes, size);
		struct hp_record record;
		size_t at = 0, before = 0;
		for (const char *texts; (texts = hp_register_next(exact, size, &at, &record));) {
			assert_true(at > before && at <= size);
			assert_true(texts + record.executable_size + record.words_size <=
				    exact + at);
			before = at;
		}
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(whole_records, empty),
		cmocka_unit_test_setup(nothing, empty),
		cmocka_unit_test_setup(torn_records, empty),
		cmocka_unit_test_setup(torn_ends, empty),
		cmocka_unit_test_setup(wrong_fields, empty),
		cmocka_unit_test_setup(records_in_texts, empty),
		cmocka_unit_test_setup(random_changes, empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
