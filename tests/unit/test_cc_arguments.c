/* SPDX-License-Identifier: MIT */
/* What a command line of a compiler asks for: a table of lines, and what is to be done for each. */
#include "cc_arguments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A decision as a text: "C" and "X" for files of C and C++, then what is linked. */
struct expectation {
	const char *line;
	const char *decision;
};

static const struct cc_rules no_rules;

/* Split at blanks, in place. */
static void split(char *line, char *words[64])
{
	size_t count = 0;
	char *rest = NULL;

	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	words[count] = NULL;
}

static void describe(const struct cc_request *request, char *text, size_t size)
{
	snprintf(text, size, "%.*s%.*s%s%s%s%s%s%s%s", (int)request->c_files, "CCCC",
		 (int)request->cxx_files, "XXXX", request->links ? " link" : "",
		 request->shared ? " shared" : "", request->is_static ? " static" : "",
		 request->only_text ? " text" : "", request->is_late ? " late" : "",
		 request->has_hooks ? " hooks" : "", request->is_intel ? " intel" : "");
}

static void check(const struct expectation *expected, bool cxx, const struct cc_rules *rules)
{
	char line[256], decision[64], *words[64];

	snprintf(line, sizeof(line), "%s", expected->line);
	split(line, words);
	struct cc_request request = cc_request_read(words, cxx, rules);
	describe(&request, decision, sizeof(decision));
	if (strcmp(decision, expected->decision) != 0)
		fail_msg("'%s' is '%s', not '%s'", expected->line, decision, expected->decision);
}

#define CHECK_ALL(table, cxx, rules)                                                               \
	for (size_t i = 0; i < sizeof(table) / sizeof(*(table)); i++)                              \
	check(&(table)[i], cxx, rules)

static void compiling(void **state)
{
	static const struct expectation table[] = {
		{ "-c a.c", "C" },
		{ "-c a.c -o a.o", "C" },
		{ "-S a.c", "C text" },
		{ "--assemble a.c", "C text" },
		{ "-flto -c a.c", "C late" },
		{ "-flto=auto a.o", " link late" },
		{ "-finstrument-functions -c a.c", "C hooks" },
		{ "-finstrument-functions-after-inlining -c a.c", "C hooks" },
		{ "-masm=intel -c a.c", "C intel" },
		{ "-fsyntax-only a.c", "C" },
		{ "a.c", "C link" },
		{ "-o a.c b.o", " link" },
		{ "-c a.c b.c c.cc", "CCX" },
		{ "-c a.i", "C" },
		{ "-c a.ii", "X" },
		{ "-c folder.c/a.cxx", "X" },
		{ "-c a.C -c b.c++", "XX" },
		{ "-c -MD a.c", "C" },
		{ "-MMD -MF a.d -MT a.o -c a.c", "C" },
		{ "-MF a.c -c b.c", "C" },
		{ "-include x.c -c a.c", "C" },
		{ "-I x.c -D y.c -isystem z.c -c a.c", "C" },
		{ "-Xclang a.c -c b.c", "C" },
		{ "-c -v a.c", "C" },
		{ "-c -", "" },
		{ "-x c -c -", "C" },
		{ "-xc++ -c -", "X" },
		{ "-c -- -a.c", "C" },
		{ "stdio.h", "C" },
		{ "-x c++-header all.h -o all.h.gch", "X" },
	};

	(void)state;
	CHECK_ALL(table, false, &no_rules);
}

static void languages(void **state)
{
	static const struct expectation table[] = {
		{ "-x c a.txt -c", "C" },
		{ "-x c++ a.c -c", "X" },
		{ "-x c++ a.c -x none b.c -c", "CX" },
		{ "--language=c a.in -c", "C" },
		{ "--language c++ a.in -c", "X" },
		{ "-x assembler a.c -c", "" },
		{ "-x assembler-with-cpp a.c -c", "" },
		{ "-x objective-c a.c -c", "" },
		{ "-c a.s", "" },
		{ "-c a.S", "" },
		{ "-c a.f90 b.m c.go", "" },
		{ "a.s b.S c.o", " link" },
		{ "a.s b.c", "C link" },
		{ "-x", "" },
	};

	(void)state;
	CHECK_ALL(table, false, &no_rules);
}

static void compilers_of_cxx(void **state)
{
	static const struct expectation table[] = {
		{ "-c a.c", "X" }, { "-x c -c a.c", "C" },
		{ "all.h", "X" },  { "a.c b.i c.cc", "XXX link" },
		{ "-c a.s", "" },
	};

	(void)state;
	CHECK_ALL(table, true, &no_rules);
}

static void no_code(void **state)
{
	static const struct expectation table[] = {
		{ "-E a.c", "" },
		{ "-M a.c", "" },
		{ "-MM -MF a.d a.c", "" },
		{ "--version", "" },
		{ "-v", "" },
		{ "-v -V", "" },
		{ "--help", "" },
		{ "--help=target -c a.c", "" },
		{ "-### a.c", "" },
		{ "-dumpversion", "" },
		{ "-dumpmachine", "" },
		{ "-print-search-dirs", "" },
		{ "--print-file-name=libc.a a.c", "" },
		{ "", "" },
		{ "-c", "" },
		{ "-ffreestanding -c a.c", "" },
		{ "-nostdlib a.c", "" },
		{ "-nodefaultlibs a.c", "" },
		{ "-nolibc a.c -static", " static" },
		{ "-fno-instrument-functions -c a.c", "" },
		{ "-fno-instrument-functions a.c", " link" },
	};

	(void)state;
	CHECK_ALL(table, false, &no_rules);
}

static void linking(void **state)
{
	static const struct expectation table[] = {
		{ "a.o -o a", " link" },
		{ "-lfoo", " link" },
		{ "-l foo.c", " link" },
		{ "a.o -static", " link static" },
		{ "-static-pie a.o", " link static" },
		{ "--static a.o", " link static" },
		{ "-static-libgcc a.o", " link" },
		{ "-static -c a.c", "C static" },
		{ "a.c -static", "C link static" },
		{ "-shared a.o", " link shared" },
		{ "-shared -static a.o", " link shared" },
		{ "-shared-libgcc a.o", " link" },
		{ "-r a.o -o b.o", "" },
		{ "-Wl,-r a.o", "" },
		{ "-nostdlib a.o", "" },
		{ "-shared -nostdlib crti.o a.o -lc", " link shared" },
		{ "-T script.c -Xlinker b.c -u c.c -z d.c a.o", " link" },
		{ "-static", " static" },
	};

	(void)state;
	CHECK_ALL(table, false, &no_rules);
}

static void left_out(void **state)
{
	static struct cc_rule items[] = { { true, "vendor/" } };
	static const struct cc_rules rules = { items, 1, NULL };
	static const struct expectation table[] = {
		{ "-c vendor/a.c", "" },
		{ "-c src/a.c vendor/b.c", "C" },
		{ "vendor/b.c", " link" },
		{ "vendor/all.h", "C" },
	};
	char *words[] = { "-c", "a.c", "vendor/b.c", NULL };

	(void)state;
	CHECK_ALL(table, false, &rules);
	assert_string_equal(cc_request_read(words, false, &rules).left_out, "vendor/b.c");
	assert_null(cc_request_read(words, false, &no_rules).left_out);
}

/* What decides whether functions have sleds, as a text: the number of all files, and what stands against sleds. */
static void check_sleds(const struct expectation *expected)
{
	struct cc_rule vendor = { true, "vendor/" };
	struct cc_rules rules = { .items = &vendor, .count = 1 };
	char line[256], decision[64], *words[64];

	snprintf(line, sizeof(line), "%s", expected->line);
	split(line, words);
	struct cc_request request = cc_request_read(words, false, &rules);
	snprintf(decision, sizeof(decision), "%u%s%s%s%s%s%s%s", request.sources,
		 request.other_machine ? " " : "",
		 request.other_machine ? request.other_machine : "",
		 request.has_hooks ? " hooks" : "", request.is_late ? " late" : "",
		 request.only_text ? " text" : "", request.is_intel ? " intel" : "",
		 request.is_integrated ? " integrated" : "");
	if (strcmp(decision, expected->decision) != 0)
		fail_msg("'%s' is '%s', not '%s'", expected->line, decision, expected->decision);
}

static void sleds(void **state)
{
	static const struct expectation table[] = {
		{ "-c a.c", "1" },
		{ "a.c vendor/b.c c.cc d.s -o a", "3" },
		{ "a.o -o a", "0" },
		{ "-fno-instrument-functions -c a.c", "1" },
		{ "-m32 -c a.c", "1 -m32" },
		{ "-m64 -c a.c", "1" },
		{ "-target arm-linux-gnueabi -c a.c", "1 -target" },
		{ "--target=arm-linux-gnueabi -c a.c", "1 --target=arm-linux-gnueabi" },
		{ "-finstrument-functions -c a.c", "1 hooks" },
		{ "-c a.c -finstrument-functions-after-inlining", "1 hooks" },
		{ "-D -finstrument-functions -c a.c", "1" },
		{ "-flto -c a.c", "1 late" },
		{ "-flto=auto a.o -o a", "0 late" },
		{ "-S a.c", "1 text" },
		{ "-flto -fno-lto -c a.c", "1" },
		{ "-fno-lto -flto=2 -c a.c", "1 late" },
		{ "-masm=intel -c a.c", "1 intel" },
		{ "-masm=intel -masm=att -c a.c", "1" },
		{ "-fintegrated-as -c a.c", "1 integrated" },
		{ "-integrated-as -c a.c", "1 integrated" },
		{ "-fintegrated-as -c a.c -fno-integrated-as", "1" },
		{ "-no-integrated-as -c a.c -integrated-as", "1 integrated" },
		{ "-E -flto -m32 a.c", "0" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check_sleds(&table[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiling),
		cmocka_unit_test(languages),
		cmocka_unit_test(compilers_of_cxx),
		cmocka_unit_test(no_code),
		cmocka_unit_test(linking),
		cmocka_unit_test(left_out),
		cmocka_unit_test(sleds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
