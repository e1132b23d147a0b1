/* SPDX-License-Identifier: MIT */
/* Processes of a run become a tree, in which short ones of one program are one row. */
#include "kind.h"
#include "process_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A second is short in any case. */
#define UNIT_NS UINT64_C(10000000000)

static void add(struct hp_processes *list, uint32_t pid, uint32_t parent, const char *program,
		uint64_t start, uint64_t elapsed)
{
	struct hp_process process = { .program = strdup(program),
				      .arguments = strdup(""),
				      .pid = pid,
				      .parent = parent,
				      .count = 1,
				      .start_unix_ns = start,
				      .elapsed_ns = elapsed * UNIT_NS,
				      .has_elapsed = true,
				      .user_ns = 10,
				      .has_times = true,
				      .peak_rss_bytes = pid,
				      .end = HP_PROCESS_EXITED };

	assert_true(hp_processes_append(list, process));
}

/* "make(gcc×2(cc1×2))": a tree in one line. */
static void draw(const struct hp_processes *list, char *text, size_t size)
{
	FILE *stream = fmemopen(text, size, "w");
	uint32_t depth = 0;

	assert_non_null(stream);
	for (size_t i = 0; i < list->count; i++) {
		const struct hp_process *process = &list->items[i];
		for (; depth > process->depth; depth--)
			fputc(')', stream);
		if (process->depth > depth)
			fputc('(', stream);
		else if (i)
			fputc(' ', stream);
		depth = process->depth;
		fputs(process->program, stream);
		if (process->count > 1)
			fprintf(stream, "×%d", (int)process->count);
	}
	for (; depth > 0; depth--)
		fputc(')', stream);
	fclose(stream);
}

static void becomes(struct hp_processes *list, const char *wanted)
{
	char text[256] = "";

	assert_int_equal(hp_processes_arrange(list), 0);
	draw(list, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void short_siblings_are_one(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 5, 4, "cc1", 50, 20);
	add(&list, 1, 0, "make", 10, 1000);
	add(&list, 2, 1, "gcc", 20, 50);
	add(&list, 3, 2, "cc1", 30, 20);
	add(&list, 4, 1, "gcc", 40, 50);
	becomes(&list, "make(gcc×2(cc1×2))");
	assert_int_equal(list.items[2].user_ns, 20);
	assert_int_equal(list.items[2].elapsed_ns, 40 * UNIT_NS);
	assert_int_equal(list.items[2].peak_rss_bytes, 5);
	hp_processes_clear(&list);
}

static void long_ones_and_those_that_run_stay(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 0, "postgres", 10, 1000);
	add(&list, 2, 1, "postgres", 20, 900);
	add(&list, 3, 1, "postgres", 30, 900);
	add(&list, 4, 1, "psql", 40, 5);
	add(&list, 5, 1, "psql", 50, 5);
	list.items[4].end = HP_PROCESS_RUNNING;
	becomes(&list, "postgres(postgres postgres psql psql)");
	hp_processes_clear(&list);
}

/* Children of vfork that executed nothing told nothing of themselves: their parent knows their CPU time. */
static void those_without_a_length_are_short_by_their_cpu_time(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 0, "sh", 10, 1000);
	for (uint32_t pid = 2; pid <= 6; pid++)
		add(&list, pid, 1, "?", pid * 10, 0);
	for (size_t i = 1; i <= 4; i++)
		list.items[i].has_elapsed = false;
	list.items[4].user_ns = 900 * UNIT_NS;
	becomes(&list, "sh(?×3 ? ?)");
	assert_int_equal(list.items[1].user_ns, 30);
	assert_false(list.items[1].has_elapsed);
	hp_processes_clear(&list);
}

static void the_worst_end_is_kept(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 0, "sh", 10, 1000);
	add(&list, 2, 1, "test", 20, 5);
	add(&list, 3, 1, "test", 30, 5);
	add(&list, 4, 1, "test", 40, 5);
	list.items[1].status = 1;
	list.items[2].end = HP_PROCESS_KILLED;
	list.items[2].status = 9;
	becomes(&list, "sh(test×3)");
	assert_int_equal(list.items[1].end, HP_PROCESS_KILLED);
	assert_int_equal(list.items[1].status, 9);
	hp_processes_clear(&list);
}

/* A shell is no sibling of its own subshells, and ends as itself. */
static void children_are_not_siblings(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 0, "sh", 10, 0);
	add(&list, 2, 1, "sh", 20, 0);
	add(&list, 3, 1, "sh", 30, 0);
	add(&list, 4, 3, "sh", 40, 0);
	list.items[2].status = 3;
	becomes(&list, "sh(sh×2(sh))");
	assert_int_equal(list.items[0].status, 0);
	assert_int_equal(list.items[1].status, 3);
	hp_processes_clear(&list);
}

/* The kernel uses numbers again; a parent has started before its children. */
static void numbers_may_be_used_again(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 0, "sh", 10, 1000);
	add(&list, 2, 1, "first", 20, 200);
	add(&list, 3, 2, "child", 30, 5);
	add(&list, 2, 1, "second", 500000000, 200);
	add(&list, 4, 2, "child", 500000010, 5);
	becomes(&list, "sh(first(child) second(child))");
	hp_processes_clear(&list);
}

static void a_number_has_one_process_at_a_time(void **state)
{
	const uint64_t unit = 10000000;
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 2, 1, "first", 100 * unit, 200);
	add(&list, 3, 1, "other", 110 * unit, 200);
	add(&list, 2, 1, "second", 200 * unit, 200);
	assert_string_equal(hp_processes_at(&list, 2, 100 * unit)->program, "first");
	assert_string_equal(hp_processes_at(&list, 2, 150 * unit)->program, "first");
	assert_string_equal(hp_processes_at(&list, 2, 200 * unit)->program, "second");
	assert_string_equal(hp_processes_at(&list, 2, 900 * unit)->program, "second");
	/* The kernel tells starts in units, so what a process did may seem to be before it started. */
	assert_string_equal(hp_processes_at(&list, 2, 200 * unit - 1)->program, "second");
	assert_string_equal(hp_processes_at(&list, 2, 5 * unit)->program, "first");
	assert_null(hp_processes_at(&list, 4, 150 * unit));
	hp_processes_clear(&list);
}

/* The kernel's unit is 10 ms: a child may seem to be older than its parent. */
static void children_may_seem_older(void **state)
{
	const uint64_t unit = 10000000;
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 3, 2, "grandchild", 10 * unit, 5);
	add(&list, 2, 1, "child", 10 * unit + 7, 500);
	add(&list, 1, 0, "sh", 10 * unit + 9, 1000);
	becomes(&list, "sh(child(grandchild))");
	hp_processes_clear(&list);
}

/* Also a circle, which only a damaged register can have. */
static void orphans_are_roots(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 77, "sh", 10, 1000);
	add(&list, 2, 78, "daemon", 20, 5);
	add(&list, 3, 78, "daemon", 30, 5);
	add(&list, 8, 9, "a", 40, 500);
	add(&list, 9, 8, "b", 40, 500);
	becomes(&list, "sh daemon×2 a(b)");
	hp_processes_clear(&list);
}

/* "make(cc1)": the rows that a table of so many has. */
static void shows(const struct hp_processes *list, size_t limit, const char *wanted)
{
	struct hp_processes some = { calloc(list->count, sizeof(*some.items)), 0, 0 };
	const void *rows[16];
	bool chosen[16] = { false };
	char text[256] = "";

	for (size_t i = 0; i < list->count; i++)
		rows[i] = &list->items[i];
	hp_kind_processes.choose(rows, list->count, limit, chosen);
	for (size_t i = 0; i < list->count; i++)
		if (chosen[i])
			some.items[some.count++] = list->items[i];
	draw(&some, text, sizeof(text));
	assert_string_equal(text, wanted);
	assert_int_equal(some.count, limit);
	free(some.items);
}

/* A parent of one that is shown is shown as well, however little it did. */
static void the_busiest_are_shown(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	add(&list, 1, 0, "make", 10, 1000);
	add(&list, 2, 1, "first", 20, 500);
	add(&list, 3, 1, "gcc", 30, 500);
	add(&list, 4, 3, "cc1", 40, 500);
	add(&list, 5, 3, "as", 50, 500);
	add(&list, 6, 1, "ar", 60, 500);
	list.items[3].user_ns = 1000;
	list.items[5].system_ns = 100;
	becomes(&list, "make(first gcc(cc1 as) ar)");
	shows(&list, 4, "make(gcc(cc1) ar)");
	shows(&list, 3, "make(gcc(cc1))");
	shows(&list, 5, "make(first gcc(cc1) ar)");
	/* There is no room for the busiest with its parents. */
	shows(&list, 2, "make(first)");
	shows(&list, 1, "make");
	hp_processes_clear(&list);
}

/* A register of somebody else may have a chain of any length. */
static void a_tree_has_a_depth(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };
	uint32_t deepest = 0;

	(void)state;
	for (uint32_t pid = 1; pid <= 3000; pid++)
		add(&list, pid, pid - 1, "sh", pid, 1000);
	assert_int_equal(hp_processes_arrange(&list), 0);
	assert_int_equal(hp_processes_total(&list), 3000);
	for (size_t i = 0; i < list.count; i++)
		deepest = list.items[i].depth > deepest ? list.items[i].depth : deepest;
	assert_int_equal(deepest, 1000);
	hp_processes_clear(&list);
}

static void an_empty_list_stays_empty(void **state)
{
	struct hp_processes list = { NULL, 0, 0 };

	(void)state;
	becomes(&list, "");
	assert_int_equal(hp_processes_total(&list), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_siblings_are_one),
		cmocka_unit_test(long_ones_and_those_that_run_stay),
		cmocka_unit_test(those_without_a_length_are_short_by_their_cpu_time),
		cmocka_unit_test(the_worst_end_is_kept),
		cmocka_unit_test(children_are_not_siblings),
		cmocka_unit_test(numbers_may_be_used_again),
		cmocka_unit_test(a_number_has_one_process_at_a_time),
		cmocka_unit_test(children_may_seem_older),
		cmocka_unit_test(orphans_are_roots),
		cmocka_unit_test(the_busiest_are_shown),
		cmocka_unit_test(a_tree_has_a_depth),
		cmocka_unit_test(an_empty_list_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
