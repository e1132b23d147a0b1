/* SPDX-License-Identifier: MIT */
/* Records become a row for each process, whichever of them are missing. */
#include "process/register.h"

#include "run_register.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	ROOM = 64 * 1024,
};

static char bytes[ROOM];
static struct hp_register found;
static struct hp_processes list;
static uint64_t now;

static int empty(void **state)
{
	(void)state;
	found = (struct hp_register){ bytes, 0, false };
	hp_processes_clear(&list);
	now = 1000000000;
	return 0;
}

static int clear(void **state)
{
	(void)state;
	hp_processes_clear(&list);
	return 0;
}

static void put(struct hp_record record, const char *executable, const char *words,
		size_t words_size)
{
	const uint64_t mark = HP_RECORD_MARK;
	size_t used = sizeof(record) + strlen(executable) + words_size, padding = -used % 8;
	char *at = bytes + found.size;

	record.magic = HP_RECORD_MAGIC;
	record.size = (uint32_t)(used + padding + sizeof(mark));
	record.executable_size = (uint16_t)strlen(executable);
	record.words_size = (uint16_t)words_size;
	if (!record.unix_ns)
		record.unix_ns = now += 1000000;
	assert_true(found.size + record.size <= ROOM);
	memset(at, 0, record.size);
	memcpy(at, &record, sizeof(record));
	memcpy(at + sizeof(record), executable, strlen(executable));
	memcpy(at + sizeof(record) + strlen(executable), words, words_size);
	memcpy(at + record.size - sizeof(mark), &mark, sizeof(mark));
	found.size += record.size;
}

/* Short forms. Times are in milliseconds. */
static void began(uint32_t pid, uint32_t parent, uint64_t ticks, const char *path)
{
	put((struct hp_record){ .type = HP_RECORD_BEGAN,
				.pid = pid,
				.parent_pid = parent,
				.process_ticks = ticks },
	    path, "word\0-x\0y", 10);
}

static void forked(uint32_t pid, uint32_t parent, uint64_t ticks)
{
	put((struct hp_record){ .type = HP_RECORD_FORKED,
				.pid = pid,
				.parent_pid = parent,
				.process_ticks = ticks },
	    "", "", 0);
}

static void ended(uint32_t pid, uint64_t ticks, uint64_t own_ms, uint64_t children_ms,
		  uint32_t status)
{
	put((struct hp_record){ .type = HP_RECORD_ENDED,
				.pid = pid,
				.process_ticks = ticks,
				.user_ns = own_ms * 1000000,
				.children_user_ns = children_ms * 1000000,
				.peak_rss_bytes = 4096,
				.status = status },
	    "", "", 0);
}

static void reaped(uint32_t pid, uint32_t parent, uint64_t all_ms, uint32_t status)
{
	put((struct hp_record){ .type = HP_RECORD_REAPED,
				.pid = pid,
				.parent_pid = parent,
				.user_ns = all_ms * 1000000,
				.peak_rss_bytes = 8192,
				.status = status },
	    "", "", 0);
}

/* All rows, one in a line. */
static void assert_rows(const char *expected)
{
	static const char *const ends[] = { "unknown", "running", "exit", "killed" };
	char text[4096] = "";
	size_t length = 0;

	hp_processes_clear(&list);
	assert_int_equal(hp_register_processes(&found, &list), 0);
	for (size_t i = 0; i < list.count; i++) {
		const struct hp_process *row = &list.items[i];
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%u of %u: %s(%s) %d ms %s %u\n", row->pid, row->parent,
					   row->program, row->arguments,
					   row->has_times ? (int)(row->user_ns / 1000000) : -1,
					   ends[row->end], row->status);
	}
	assert_string_equal(text, expected);
}

/* What the parent says has also what it took to end the process. */
static void a_shell_and_its_child(void **state)
{
	(void)state;
	began(5, 1, 100, "/bin/sh");
	forked(6, 5, 101);
	began(6, 5, 101, "/bin/sed");
	ended(6, 101, 10, 0, 0);
	reaped(6, 5, 12, 0);
	ended(5, 100, 3, 12, 2);
	reaped(5, 4, 16, 2 << 8);
	assert_rows("5 of 1: sh(-x y) 4 ms exit 2\n"
		    "6 of 5: sed(-x y) 12 ms exit 0\n");
	assert_int_equal(list.items[1].peak_rss_bytes, 4096);
	assert_true(list.items[1].has_elapsed);
	/* From the fork to the record of the end. */
	assert_int_equal(list.items[1].elapsed_ns, 2000000);
	assert_int_equal(list.items[1].start_unix_ns, 1002000000);
}

static void a_forked_child_has_the_name_of_its_parent(void **state)
{
	(void)state;
	began(5, 1, 100, "/bin/server");
	forked(6, 5, 101);
	ended(6, 101, 1, 0, 3);
	assert_rows("5 of 1: server(-x y) -1 ms unknown 0\n"
		    "6 of 5: server(-x y) 1 ms exit 3\n");
}

/* It has not said what its children took: those that it has waited for are known. */
static void killed(void **state)
{
	(void)state;
	began(5, 1, 100, "/bin/make");
	began(6, 5, 101, "/bin/cc");
	ended(6, 101, 7, 0, 0);
	reaped(6, 5, 8, 0);
	reaped(5, 1, 30, SIGKILL);
	assert_rows("5 of 1: make(-x y) 22 ms killed 9\n"
		    "6 of 5: cc(-x y) 8 ms exit 0\n");
	assert_int_equal(list.items[0].peak_rss_bytes, 8192);
}

/* A program that is linked statically: the tool tells when it began, and what its children have used. */
static void the_first_may_tell_nothing(void **state)
{
	struct hp_record first = { .type = HP_RECORD_REAPED,
				   .pid = 5,
				   .parent_pid = 1,
				   .user_ns = 30000000,
				   .children_user_ns = 10000000 };

	(void)state;
	began(5, 1, 100, "/bin/static");
	began(6, 5, 101, "/bin/cc");
	ended(6, 101, 11, 0, 0);
	put(first, "", "", 0);
	assert_rows("5 of 1: static(-x y) 20 ms exit 0\n"
		    "6 of 5: cc(-x y) 11 ms exit 0\n");
	assert_true(list.items[0].has_elapsed);
}

static void numbers_used_again(void **state)
{
	(void)state;
	began(6, 5, 100, "/bin/one");
	/* Nobody has waited for it. */
	ended(6, 100, 1, 0, 0);
	began(6, 5, 200, "/bin/two");
	ended(6, 200, 2, 0, 0);
	reaped(6, 5, 3, 0);
	/* Forked within the same tick as the one before. */
	forked(6, 5, 200);
	reaped(6, 5, 4, 1 << 8);
	assert_rows("6 of 5: one(-x y) 1 ms exit 0\n"
		    "6 of 5: two(-x y) 3 ms exit 0\n"
		    "6 of 5: ?() 4 ms exit 1\n");
}

/* Nobody has waited for the first ones; the others do not tell all when they were started. */
static void numbers_used_again_by_programs(void **state)
{
	(void)state;
	forked(6, 5, 0);
	ended(6, 0, 1, 0, 0);
	began(6, 5, 200, "/bin/two");
	ended(6, 200, 2, 0, 0);
	put((struct hp_record){ .type = HP_RECORD_UNSEEN, .pid = 6, .parent_pid = 5 }, "/bin/three",
	    "", 0);
	reaped(6, 5, 3, 0);
	assert_rows("6 of 5: ?() 1 ms exit 0\n"
		    "6 of 5: two(-x y) 2 ms exit 0\n"
		    "6 of 5: three() 3 ms exit 0\n");
}

static void executes_several_programs(void **state)
{
	(void)state;
	began(5, 1, 100, "/bin/env");
	began(5, 1, 100, "/usr/bin/nice");
	began(5, 1, 100, "/opt/program");
	ended(5, 100, 9, 0, 0);
	assert_rows("5 of 1: program(-x y) 9 ms exit 0\n");
	assert_int_equal(list.items[0].start_unix_ns, 1001000000);
}

static void without_a_path(void **state)
{
	(void)state;
	began(5, 1, 100, "");
	put((struct hp_record){ .type = HP_RECORD_BEGAN, .pid = 6 }, "", "/bin/login", 11);
	put((struct hp_record){ .type = HP_RECORD_BEGAN, .pid = 7 }, "", "", 0);
	assert_rows("5 of 1: word(-x y) -1 ms unknown 0\n"
		    "6 of 0: login() -1 ms unknown 0\n"
		    "7 of 0: ?() -1 ms unknown 0\n");
}

/* A program into which nothing is loaded: by exec, by posix_spawn, and one of which nothing is known. */
static void programs_without_a_recorder(void **state)
{
	struct hp_record unseen = { .type = HP_RECORD_UNSEEN, .detail = 1, .parent_pid = 5 };

	(void)state;
	began(5, 1, 100, "/bin/sh");
	forked(6, 5, 101);
	unseen.pid = 6;
	put(unseen, "/bin/static", "", 0);
	reaped(6, 5, 8, 0);
	unseen.pid = 7;
	put(unseen, "/bin/other", "", 0);
	reaped(7, 5, 9, 0);
	reaped(8, 5, 10, 0);
	assert_rows("5 of 1: sh(-x y) -1 ms unknown 0\n"
		    "8 of 5: ?() 10 ms exit 0\n"
		    "6 of 5: static() 8 ms exit 0\n"
		    "7 of 5: other() 9 ms exit 0\n");
	/* When it started is known from its CPU time alone; but not before its parent. */
	assert_int_equal(list.items[1].start_unix_ns, list.items[0].start_unix_ns);
	assert_false(list.items[1].has_elapsed);
}

/* The file of a process that gave up root privileges is read after that of the others. */
static void several_files(void **state)
{
	(void)state;
	began(5, 1, 100, "/bin/daemon");
	reaped(6, 5, 4, 0);
	now = 1001200000;
	put((struct hp_record){ .type = HP_RECORD_FORKED,
				.pid = 6,
				.parent_pid = 5,
				.process_ticks = 101,
				.unix_ns = 1001200000 },
	    "", "", 0);
	found.is_mixed = true;
	assert_rows("5 of 1: daemon(-x y) -1 ms unknown 0\n"
		    "6 of 5: daemon(-x y) 4 ms exit 0\n");
}

/* The start is within the kernel's tick, before the CPU time that was used so far. */
static void starts(void **state)
{
	static const struct {
		uint64_t process_ns, written_ns, used_ns, start_ns;
	} cases[] = {
		{ 1000000000, 1008000000, 2000000, 1006000000 },
		{ 1000000000, 1300000000, 2000000, 1010000000 },
		{ 1000000000, 1001000000, 2000000, 1000000000 },
		{ 0, 1300000000, 2000000, 1298000000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		found.size = 0;
		hp_processes_clear(&list);
		put((struct hp_record){ .type = HP_RECORD_BEGAN,
					.pid = 5,
					.process_unix_ns = cases[i].process_ns,
					.unix_ns = cases[i].written_ns,
					.system_ns = cases[i].used_ns },
		    "/bin/x", "", 0);
		assert_int_equal(hp_register_processes(&found, &list), 0);
		assert_int_equal(list.items[0].start_unix_ns, cases[i].start_ns);
	}
}

/* A process that runs is asked for by its number and start: this one does not have that start. */
static void nothing_that_is_known_runs(void **state)
{
	(void)state;
	began(1, 0, 1, "/sbin/init");
	assert_rows("1 of 0: init(-x y) -1 ms unknown 0\n");
}

static void ended_bare(uint32_t pid)
{
	put((struct hp_record){ .type = HP_RECORD_ENDED, .pid = pid, .detail = HP_ENDED_BARE }, "",
	    "", 0);
}

/* A process that ended without a segment, and its child. */
static void put_bare(uint32_t pid, uint32_t child)
{
	began(pid, 1, 100, "/bin/make");
	began(child, pid, 101, "/bin/true");
	ended_bare(child);
	reaped(child, pid, 1, 0);
	ended_bare(pid);
	reaped(pid, 1, 1, 0);
}

static void processes_that_left_nothing(void **state)
{
	(void)state;
	assert_false(hp_register_is_bare(&found));
	put_bare(5, 6);
	assert_true(hp_register_is_bare(&found));
	/* The same numbers once more. */
	put_bare(6, 5);
	assert_true(hp_register_is_bare(&found));
	found.is_mixed = true;
	assert_false(hp_register_is_bare(&found));
}

static void one_with_a_segment(void)
{
	began(7, 1, 102, "/bin/ls");
	ended(7, 102, 1, 0, 0);
}

static void one_that_was_killed(void)
{
	began(7, 1, 102, "/bin/ls");
	reaped(7, 1, 1, SIGKILL);
}

static void one_that_runs(void)
{
	forked(7, 5, 102);
}

static void one_that_became_another(void)
{
	forked(7, 5, 102);
	began(7, 5, 102, "/bin/ls");
	ended_bare(7);
}

static void one_that_nobody_knows(void)
{
	reaped(7, 5, 1, 0);
}

static void one_without_a_recorder(void)
{
	put((struct hp_record){ .type = HP_RECORD_UNSEEN, .pid = 7 }, "/bin/static", "", 0);
}

static void one_that_was_cut_off(void)
{
	ended_bare(5);
	found.size -= 8;
}

static void too_many(void)
{
	for (uint32_t pid = 100; pid < 200; pid += 2)
		put_bare(pid, pid + 1);
}

static void processes_that_may_have_left_something(void **state)
{
	static void (*const others[])(void) = { one_with_a_segment,    one_that_was_killed,
						one_that_runs,	       one_that_became_another,
						one_that_nobody_knows, one_without_a_recorder,
						one_that_was_cut_off,  too_many };

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		found.size = 0;
		put_bare(5, 6);
		assert_true(hp_register_is_bare(&found));
		others[i]();
		assert_false(hp_register_is_bare(&found));
	}
}

/* Whatever numbers are in the records, rows can be made of them. */
static void random_changes(void **state)
{
	uint32_t random = 7;

	(void)state;
	for (unsigned round = 0; round < 2000; round++) {
		found.size = 0;
		for (uint32_t pid = 5; pid < 9; pid++) {
			forked(pid, pid - 1, pid);
			began(pid, pid - 1, pid, "/bin/x");
			ended(pid, pid, 5, 1, 0);
			reaped(pid, pid - 1, 7, pid);
		}
		for (unsigned i = 0; i < 1 + round % 32; i++) {
			random = random * 1664525 + 1013904223;
			bytes[(random >> 8) % found.size] = (char)(random >> 4);
		}
		found.is_mixed = round % 2;
		hp_processes_clear(&list);
		assert_int_equal(hp_register_processes(&found, &list), 0);
		for (size_t i = 0; i < list.count; i++)
			assert_true(list.items[i].program && list.items[i].arguments);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_shell_and_its_child, empty, clear),
		cmocka_unit_test_setup_teardown(a_forked_child_has_the_name_of_its_parent, empty,
						clear),
		cmocka_unit_test_setup_teardown(killed, empty, clear),
		cmocka_unit_test_setup_teardown(the_first_may_tell_nothing, empty, clear),
		cmocka_unit_test_setup_teardown(numbers_used_again, empty, clear),
		cmocka_unit_test_setup_teardown(numbers_used_again_by_programs, empty, clear),
		cmocka_unit_test_setup_teardown(executes_several_programs, empty, clear),
		cmocka_unit_test_setup_teardown(programs_without_a_recorder, empty, clear),
		cmocka_unit_test_setup_teardown(without_a_path, empty, clear),
		cmocka_unit_test_setup_teardown(several_files, empty, clear),
		cmocka_unit_test_setup_teardown(starts, empty, clear),
		cmocka_unit_test_setup_teardown(nothing_that_is_known_runs, empty, clear),
		cmocka_unit_test_setup_teardown(processes_that_left_nothing, empty, clear),
		cmocka_unit_test_setup_teardown(processes_that_may_have_left_something, empty,
						clear),
		cmocka_unit_test_setup_teardown(random_changes, empty, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
