/* SPDX-License-Identifier: MIT */
/* The command line of the assembler: what is for us, what for the real one, and which that is. */
#include "command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A decision as a text: "plain" if there may be sleds, the file, "->" the object, and the rules. */
struct expectation {
	const char *line;
	const char *decision;
};

static void split(char *line, char *words[32])
{
	size_t count = 0;
	char *rest = NULL;

	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[count++] = word;
	words[count] = NULL;
}

static void describe(const struct command *command, char *text, size_t size)
{
	snprintf(text, size, "%s%s%s%s%s%s", command->is_plain ? "plain " : "",
		 command->input ? command->words[command->input] : "-",
		 command->output ? " -> " : "", command->output ? command->output : "",
		 command->selection.length ? " | " : "",
		 command->selection.length ? command->selection.bytes : "");
}

static void check(const struct expectation *expected)
{
	char line[256], decision[256], *words[32];
	struct command command;

	snprintf(line, sizeof(line), "%s", expected->line);
	split(line, words);
	assert_int_equal(hp_command_read(&command, words), 0);
	describe(&command, decision, sizeof(decision));
	if (strcmp(decision, expected->decision) != 0)
		fail_msg("'%s' is '%s', not '%s'", expected->line, decision, expected->decision);
	hp_command_free(&command);
}

static void options(void **state)
{
	static const struct expectation table[] = {
		{ "as", "plain -" },
		{ "as --64 -o a.o a.s", "plain a.s -> a.o" },
		{ "as --64 -o a.o", "plain - -> a.o" },
		{ "as -o a.o -", "plain - -> a.o" },
		{ "as -I dir -Iother --defsym A=1 -o a.o a.s", "plain a.s -> a.o" },
		{ "as --debug-prefix-map /a=/b --gdwarf-5 -o a.o a.s", "plain a.s -> a.o" },
		{ "as --MD a.d -o a.o a.s", "plain a.s -> a.o" },
		{ "as -o a.o a.s b.s", "b.s -> a.o" },
		{ "as --version", "-" },
		{ "as --help -o a.o a.s", "a.s -> a.o" },
		{ "as @words", "@words" },
		{ "as -mlfence-before-ret=shl -o a.o a.s", "a.s -> a.o" },
		{ "as -o", "plain -" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&table[i]);
}

/* A processor that the GNU assembler does not know: it takes all instructions, and clang's own is told as the compiler was. */
static void processors(void **state)
{
	static char *words[] = { "as", "-EL", "-mcpu=native", "-march=armv8.2-a", "a.s", NULL };
	struct command command;

	(void)state;
	assert_int_equal(hp_command_read(&command, words), 0);
	assert_string_equal(command.words[2], "-mcpu=all");
	assert_string_equal(command.words[3], "-march=armv8.2-a");
	assert_string_equal(command.processor[0], "-march=armv8.2-a");
	assert_string_equal(command.processor[1], "-mcpu=native");
	hp_command_free(&command);
}

static void rules(void **state)
{
	static const struct expectation table[] = {
		{ "as --hotpath-selection=only%20f%0A -o a.o a.s", "plain a.s -> a.o | only f\n" },
		{ "as -o a.o --hotpath-selection=skip%20a%2Cb%25 a.s",
		  "plain a.s -> a.o | skip a,b%" },
		{ "as --hotpath-selection=100%+%2+%zz%2c a.s", "plain a.s | 100%+%2+%zz%2c" },
		{ "as --hotpath-selection= a.s", "plain a.s" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&table[i]);
}

/* The option comes before the environment, in which nothing is encoded. */
static void rules_of_the_environment(void **state)
{
	static const struct expectation table[] = {
		{ "as -o a.o a.s", "plain a.s -> a.o | only 100%25\n" },
		{ "as --hotpath-selection=skip%20f -o a.o a.s", "plain a.s -> a.o | skip f" },
	};

	(void)state;
	setenv("HOTPATH_SELECTION", "only 100%25\n", 1);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		check(&table[i]);
	unsetenv("HOTPATH_SELECTION");
}

/* All others are passed on in their order, with room behind them. */
static void words_are_kept(void **state)
{
	char *words[] = { "as", "--64", "--hotpath-selection=x", "-o", "a.o", "a.s", NULL };
	const char *const kept[] = { "as", "--64", "-o", "a.o", "a.s" };
	struct command command;

	(void)state;
	assert_int_equal(hp_command_read(&command, words), 0);
	assert_int_equal(command.count, 5);
	for (int i = 0; i < command.count; i++)
		assert_string_equal(command.words[i], kept[i]);
	for (int i = 0; i < 4; i++)
		assert_null(command.words[command.count + i]);
	hp_command_free(&command);
}

static void put_program(const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/as", folder);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fclose(file);
	assert_int_equal(chmod(path, 0700), 0);
}

static void remove_program(const char *folder)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/as", folder);
	unlink(path);
	rmdir(folder);
}

/* The first in PATH that is not this program, unless another one is named. */
static void the_real_one(void **state)
{
	char first[] = "/tmp/hotpath-test-XXXXXX", second[] = "/tmp/hotpath-test-XXXXXX";
	char found[PATH_MAX], expected[PATH_MAX] = "", path[PATH_MAX + 16];

	(void)state;
	assert_non_null(mkdtemp(first));
	assert_non_null(mkdtemp(second));
	snprintf(path, sizeof(path), "%s/as", first);
	assert_true(readlink("/proc/self/exe", expected, sizeof(expected) - 1) > 0);
	assert_int_equal(symlink(expected, path), 0);
	put_program(second);

	snprintf(path, sizeof(path), "/nowhere:%s:%s", first, second);
	setenv("PATH", path, 1);
	unsetenv("HOTPATH_ASSEMBLER");
	assert_true(hp_real_assembler(found));
	snprintf(expected, sizeof(expected), "%s/as", second);
	assert_string_equal(found, expected);

	setenv("PATH", first, 1);
	assert_false(hp_real_assembler(found));
	setenv("HOTPATH_ASSEMBLER", "/usr/bin/other-as", 1);
	assert_true(hp_real_assembler(found));
	assert_string_equal(found, "/usr/bin/other-as");
	remove_program(first);
	remove_program(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options),	  cmocka_unit_test(processors),
		cmocka_unit_test(rules),	  cmocka_unit_test(rules_of_the_environment),
		cmocka_unit_test(words_are_kept), cmocka_unit_test(the_real_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
