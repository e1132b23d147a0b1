/* SPDX-License-Identifier: MIT */
/*
 * Which call ends when a function says that it is being left: for every place on the stack where that may be said of a
 * function that the compiler left whole, or split into a beginning and a rest, and after longjmp.
 *
 * The recorder is told of functions, stack pointers and return addresses as its hooks would tell it.
 */
#include "hotpath.h"

#include "calls/entry_points.h"
#include "process/thread_state.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* On the stack of this thread, far below what it uses; or on another one. */
static uintptr_t top;
static char other_stack[65536];

static void outer(void)
{
	puts("outer");
}

static void split(void)
{
	puts("split");
}

static void inner(void)
{
	puts("inner");
}

/* Enter a function so many bytes below the top; always from the same place in it. */
static void enter(void (*function)(void), uintptr_t below)
{
	uintptr_t address = (uintptr_t)function;

	hotpath__function_enter(address, NULL, top - below, address + 10);
}

/* A hook that was reached by a jump returns to where the function itself does. */
static void leave(void (*function)(void), uintptr_t below, bool by_jump)
{
	uintptr_t address = (uintptr_t)function, caller = (uintptr_t)outer + 20;

	hotpath__function_exit(address, caller, top - below, by_jump ? caller : address + 30);
}

static const struct frame *innermost(void)
{
	return hotpath__me->top;
}

/* The innermost open call is of this function, and was entered there. */
static void assert_innermost(void (*function)(void), uintptr_t below)
{
	assert_int_equal(innermost()->key & ~(KEY_SLOW | KEY_TALLIED), (uintptr_t)function);
	assert_int_equal(innermost()->height + hotpath__me->stack_low, top - below);
}

static uint64_t abandoned(void)
{
	return hotpath__me->lane->counters[HP_COUNTER_abandoned];
}

/* Each is entered inside outer, calls inner, and is left. */
struct row {
	uintptr_t entered;
	uintptr_t called;
	uintptr_t left;
	bool by_jump;
};

static const struct row rows[] = {
	/* Whole. */
	{ 164, 300, 164, false },
	{ 164, 700, 464, false },
	{ 164, 300, 100, true },
	/* Its beginning is inlined in outer, and the rest is called. */
	{ 100, 300, 156, false },
	{ 100, 300, 100, true },
	/* It jumps to its rest, which takes more room on the stack, as much, or less. */
	{ 164, 300, 204, false },
	{ 164, 300, 164, false },
	{ 164, 300, 124, false },
};

static void leave_each(void)
{
	uint64_t before = abandoned();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enter(split, rows[i].entered);
		enter(inner, rows[i].called);
		leave(inner, rows[i].called, false);
		assert_innermost(split, rows[i].entered);
		leave(split, rows[i].left, rows[i].by_jump);
		assert_innermost(outer, 100);
		enter(inner, 300);
		leave(inner, 300, false);
	}
	assert_int_equal(abandoned(), before);
}

static void left_once(void **state)
{
	(void)state;
	enter(outer, 100);
	/* The first time all of them are unknown. */
	leave_each();
	leave_each();
	leave(outer, 100, false);
	assert_ptr_equal(innermost(), hotpath__me->frames);
}

/* Of a recursive function it is the innermost call, whichever of its places it is left from. */
static void left_in_recursion(void **state)
{
	uint64_t before = abandoned();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enter(outer, 100);
		enter(split, 164);
		enter(outer, 1100);
		enter(split, rows[i].entered + 1000);
		leave(split, rows[i].left + 1000, rows[i].by_jump);
		assert_innermost(outer, 1100);
		leave(outer, 1100, false);
		assert_innermost(split, 164);
		leave(split, 124, false);
		leave(outer, 100, false);
		assert_ptr_equal(innermost(), hotpath__me->frames);
	}
	assert_int_equal(abandoned(), before);
}

/* What longjmp left is abandoned, and the call it came back to ends. */
static void left_after_a_jump(void **state)
{
	uint64_t before = abandoned();

	(void)state;
	enter(outer, 100);
	enter(split, 164);
	enter(inner, 300);
	enter(split, 400);
	enter(inner, 500);
	leave(split, 164, false);
	assert_innermost(outer, 100);
	assert_int_equal(abandoned(), before + 3);
	enter(split, 164);
	enter(inner, 300);
	leave(split, 124, false);
	assert_innermost(outer, 100);
	assert_int_equal(abandoned(), before + 4);
	enter(split, 100);
	enter(inner, 300);
	leave(split, 100, true);
	assert_innermost(outer, 100);
	assert_int_equal(abandoned(), before + 5);
	leave(outer, 100, false);
}

/* The same for calls that are no frames. */
static void left_on_another_stack(void **state)
{
	uintptr_t own = top;
	uint64_t before = abandoned();

	(void)state;
	top = (uintptr_t)other_stack + sizeof(other_stack);
	enter(outer, 100);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		enter(split, rows[i].entered);
		assert_int_equal(hotpath__me->function_strays, 2);
		leave(split, rows[i].left, rows[i].by_jump);
		assert_int_equal(hotpath__me->function_strays, 1);
	}
	/* Of two, that which cannot be another. */
	enter(split, 100);
	enter(split, 300);
	leave(split, 100, true);
	enter(split, 300);
	assert_int_equal(hotpath__me->function_strays, 3);
	leave(split, 300, false);
	leave(split, 100, true);
	leave(outer, 100, false);
	assert_int_equal(hotpath__me->function_strays, 0);
	assert_int_equal(abandoned(), before);
	top = own;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(left_once),
		cmocka_unit_test(left_in_recursion),
		cmocka_unit_test(left_after_a_jump),
		cmocka_unit_test(left_on_another_stack),
	};
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	char folder[] = "/tmp/test_leaving-XXXXXX";

	if (!mkdtemp(folder) || setenv("HOTPATH_DIR", folder, 1))
		return 1;
	options.format = HOTPATH_FORMAT_NONE;
	top = ((uintptr_t)__builtin_frame_address(0) - 65536) & ~(uintptr_t)15;
	int failed = hotpath_start(&options) || cmocka_run_group_tests(tests, NULL, NULL);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return failed;
}
