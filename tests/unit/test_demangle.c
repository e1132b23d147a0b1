/* SPDX-License-Identifier: MIT */
/* C++ names are shown as short as they can be told by. */
#include "names/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void symbols(void **state)
{
	(void)state;
	char *full = hp_demangle("_ZN2ns3sumIiEET_S1_S1_");
	assert_string_equal(full, "int ns::sum<int>(int, int)");
	free(full);
	full = hp_demangle("_Z3fooi.constprop.0");
	assert_string_equal(full, "foo(int) [clone .constprop.0]");
	free(full);
	assert_null(hp_demangle("main"));
	assert_null(hp_demangle("_Z"));
	assert_null(hp_demangle("_Zzzz"));
	assert_null(hp_demangle(""));
}

static void names(void **state)
{
	static const char *const cases[][2] = {
		{ "f()", "f" },
		{ "int ns::sum<int>(int, int)", "ns::sum<int>" },
		{ "foo(int) [clone .constprop.0]", "foo [clone .constprop.0]" },
		{ "A::get() const", "A::get" },
		{ "A::get() const &&", "A::get" },
		{ "A::operator()(int) const", "A::operator()" },
		{ "A::operator unsigned int() const", "A::operator unsigned int" },
		{ "operator new(unsigned long)", "operator new" },
		{ "bool operator< <int>(A<int> const&, A<int> const&)", "operator< <int>" },
		{ "std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>" },
		{ "(anonymous namespace)::f(int)", "(anonymous namespace)::f" },
		{ "main::{lambda(int, char)#1}::operator()(int, char) const",
		  "main::{lambda(int, char)#1}::operator()" },
		{ "f(int)::Local::g(void (*)(int, char))", "f(int)::Local::g" },
		{ "name[abi:cxx11](int)", "name[abi:cxx11]" },
		{ "std::enable_if<((4)>(2)), int>::type twice<int>(int)", "twice<int>" },
		{ "decltype (((a)->b)+1) f<int>(int)", "f<int>" },
		{ "no_parameters", "no_parameters" },
		{ "()", "()" },
		{ ")", ")" },
		{ "((", "((" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *name = hp_demangled_name(cases[i][0]);
		assert_string_equal(name, cases[i][1]);
		free(name);
	}
}

static void funcs(void **state)
{
	static const struct {
		const char *name;
		const char *func;
		bool same;
	} cases[] = {
		{ "f", "f", true },
		{ "ff", "f", false },
		{ "f", "ff", false },
		{ "f", "", false },
		{ "f.constprop.0", "f", true },
		{ "ns::f", "f", true },
		{ "ns::A<int>::f<char>", "f", true },
		{ "ns::A<ns::f>::g", "f", false },
		{ "A::operator()", "operator()", true },
		{ "f(int)::{lambda(int)#1}::operator()", "operator()", true },
		{ "operator<<", "operator<", false },
		{ "operator< <int>", "operator<", true },
		{ "A::operator unsigned int", "operator unsigned int", true },
		{ "name[abi:cxx11]", "name", true },
		{ "f [clone .part.0]", "f", true },
		{ "f::g", "f", false },
		{ "operators::f", "f", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (hp_is_func(cases[i].name, cases[i].func) != cases[i].same)
			fail_msg("%s and %s", cases[i].name, cases[i].func);
}

/* As gcc and clang write them. */
static void pretty_funcs(void **state)
{
	static const char *const cases[][2] = {
		{ "work", "work" },
		{ "int main()", "main" },
		{ "int main(int, char **)", "main" },
		{ "int ns::A::m(int) const", "m" },
		{ "unsigned long *ptr(unsigned long *)", "ptr" },
		{ "long unsigned int* ptr(long unsigned int*)", "ptr" },
		{ "T ns::A::t(T) [with T = int]", "t" },
		{ "T ns::A::t(T) [T = int]", "t" },
		{ "A &A::operator+=(const A &)", "operator+=" },
		{ "main()::<lambda(int)>", "operator()" },
		{ "auto main()::(anonymous class)::operator()(int) const", "operator()" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *func = hp_func_of_pretty(cases[i][0]);
		assert_string_equal(func, cases[i][1]);
		free(func);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols),
		cmocka_unit_test(names),
		cmocka_unit_test(funcs),
		cmocka_unit_test(pretty_funcs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
