/* SPDX-License-Identifier: MIT */
/* A compiler is known by its name, whatever stands before and after it. */
#include "cc_compiler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void families(void **state)
{
	static const char *const gcc[] = {
		"gcc",
		"g++",
		"/usr/bin/gcc-12",
		"aarch64-linux-gnu-gcc",
		"x86_64-pc-linux-gnu-g++-12.2",
		"gcc12",
		"c99-gcc",
		"musl-gcc",
	};
	static const char *const clang[] = {
		"clang",
		"clang++",
		"./clang-14",
		"/opt/llvm/bin/clang++-14",
		"aarch64-linux-gnu-clang",
	};
	static const char *const other[] = {
		"cc",	 "c++",	   "tcc",    "mpicc", "/usr/lib/gcc/x",
		"mygcc", "clangd", "gcc-ar", "",      "12",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(gcc) / sizeof(*gcc); i++)
		assert_int_equal(cc_family_of_name(gcc[i]), CC_FAMILY_GCC);
	for (size_t i = 0; i < sizeof(clang) / sizeof(*clang); i++)
		assert_int_equal(cc_family_of_name(clang[i]), CC_FAMILY_CLANG);
	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		assert_int_equal(cc_family_of_name(other[i]), CC_FAMILY_OTHER);
}

static void compilers_of_cxx(void **state)
{
	(void)state;
	assert_true(cc_is_cxx("g++"));
	assert_true(cc_is_cxx("/usr/bin/x86_64-linux-gnu-g++-12"));
	assert_true(cc_is_cxx("clang++-14"));
	assert_true(cc_is_cxx("mpicxx"));
	assert_true(cc_is_cxx("mpiCC"));
	assert_false(cc_is_cxx("gcc"));
	assert_false(cc_is_cxx("/opt/c++/bin/cc"));
}

static void places(void **state)
{
	char *plain[] = { "gcc", "-c", NULL };
	char *launched[] = { "/usr/bin/ccache", "distcc", "gcc", "-c", NULL };
	char *alone[] = { "ccache", NULL };
	char *own_option[] = { "ccache", "--version", NULL };

	(void)state;
	assert_int_equal(cc_compiler_place(plain), 0);
	assert_int_equal(cc_compiler_place(launched), 2);
	assert_int_equal(cc_compiler_place(alone), -1);
	assert_int_equal(cc_compiler_place(own_option), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families),
		cmocka_unit_test(compilers_of_cxx),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
