/* SPDX-License-Identifier: MIT */
/* Which of the functions of an address is the program's own. */
#include "names/own_level.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static char header[] = "/usr/include/c++/12/bits/std_mutex.h";
static char own[] = "/home/me/bank/account.cc";

static struct hp_between betweens[2];
static struct hp_name name;

/* lock, inlined in guard, inlined in deposit, inlined in serve. */
static int set_up(void **state)
{
	(void)state;
	betweens[0] = (struct hp_between){ .name = (char *)"guard (in serve)",
					   .file = header,
					   .location = (char *)"std_mutex.h:229" };
	betweens[1] = (struct hp_between){ .name = (char *)"deposit (in serve)",
					   .file = own,
					   .location = (char *)"/home/me/bank/account.cc:33" };
	name = (struct hp_name){ .text = (char *)"serve",
				 .detail = { .inlined = (char *)"lock (in serve)",
					     .file = header,
					     .line = 100,
					     .place_file = header,
					     .place_line = 101,
					     .between = { betweens, 2 },
					     .outer_file = own,
					     .outer_line = 44 } };
	return 0;
}

static void assert_level(uint32_t level, const char *function, const char *file, uint32_t line)
{
	struct hp_name_place place = hp_name_place(&name, level);

	assert_int_equal(hp_name_own_level(&name), level);
	assert_string_equal(hp_name_level(&name, level), function);
	assert_ptr_equal(place.file, file);
	assert_int_equal(place.line, line);
}

static void headers_are_skipped(void **state)
{
	static char *const headers[] = { (char *)"/usr/include/x86_64-linux-gnu/bits/unistd.h",
					 (char *)"/usr/lib/gcc/x86_64-linux-gnu/12/include/x.h",
					 (char *)"/usr/lib/llvm-19/lib/clang/19/include/x.h",
					 (char *)"/opt/gcc/include/c++/14/mutex" };

	(void)state;
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers); i++) {
		name.detail.file = headers[i];
		assert_level(2, "deposit (in serve)", own, 33);
	}
	name.detail.file = own;
	assert_level(0, "lock (in serve)", header, 101);
}

/* If debug information does not have the file of a function, its name tells. */
static void by_name(void **state)
{
	(void)state;
	name.detail.file = betweens[0].file = NULL;
	assert_level(0, "lock (in serve)", header, 101);
	name.detail.inlined = (char *)"std::mutex::lock (in serve)";
	assert_level(1, "guard (in serve)", NULL, 229);
	betweens[0].name = (char *)"std::lock_guard<std::mutex>::lock_guard (in serve)";
	assert_level(2, "deposit (in serve)", own, 33);
}

static void the_outermost(void **state)
{
	(void)state;
	betweens[1].file = header;
	assert_level(3, "serve", own, 44);
	name.detail.between.count = 0;
	assert_level(1, "serve", own, 44);
	/* It is the only one. */
	name.detail.inlined = NULL;
	assert_level(0, "serve", header, 101);
	name.detail.place_line = 0;
	assert_level(0, "serve", NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(headers_are_skipped, set_up),
		cmocka_unit_test_setup(by_name, set_up),
		cmocka_unit_test_setup(the_outermost, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
