/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char selection_option[] = "--hotpath-selection=";

/* Options of the GNU assembler whose value is the next word. */
static bool takes_value(const char *word)
{
	static const char *const options[] = { "-o",
					       "-I",
					       "-MD",
					       "--MD",
					       "--defsym",
					       "-defsym",
					       "--debug-prefix-map",
					       "-debug-prefix-map" };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(word, options[i]) == 0)
			return true;
	return false;
}

/* Whether an option keeps us from adding sleds: the assembler only prints something, reads words from a file, or changes returns
   itself. */
static bool is_special(const char *word)
{
	static const char *const words[] = { "--version", "--help", "--target-help", "-version" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(word, words[i]) == 0)
			return true;
	return word[0] == '@' || strncmp(word, "-mlfence-", 9) == 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Bytes that would mean something on the way here are written as %2C. */
static void decode(struct hp_text *text, const char *from)
{
	for (; *from; from++) {
		if (*from == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
			hp_text_putc(text, (char)(digit(from[1]) * 16 + digit(from[2])));
			from += 2;
		} else {
			hp_text_putc(text, *from);
		}
	}
}

static void read_input(struct command *command, const char *word, int *inputs)
{
	if (word[0] == '-' && word[1])
		return;
	command->input = word[0] == '-' ? 0 : command->count;
	++*inputs;
}

/* Note an option that names a processor. Returns the word for the GNU assembler: clang says "native" where that does not know it,
   and any instruction that the compiler has chosen will do. */
static char *read_processor(struct command *command, char *word)
{
	static struct {
		char any[12];
		size_t length;
	} options[] = { { "-march=all", 7 }, { "-mcpu=all", 6 } };

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		size_t length = options[i].length;
		if (strncmp(word, options[i].any, length) != 0)
			continue;
		command->processor[i] = word;
		return strcmp(word + length, "native") == 0 ? options[i].any : word;
	}
	return word;
}

/* Without the option, which gcc would keep in an object for link-time optimisation, the environment has the rules as they are. */
static void read_environment(struct command *command)
{
	const char *rules = getenv("HOTPATH_SELECTION");

	if (!command->selection.length && rules)
		hp_text_puts(&command->selection, rules);
}

int hp_command_read(struct command *command, char **argv)
{
	int words = 0, inputs = 0;
	while (argv[words])
		words++;
	*command = (struct command){ .words = calloc((size_t)words + 5, sizeof(char *)),
				     .is_plain = true };
	if (!command->words)
		return -ENOMEM;

	for (int i = 0; i < words; i++) {
		if (strncmp(argv[i], selection_option, sizeof(selection_option) - 1) == 0) {
			decode(&command->selection, argv[i] + sizeof(selection_option) - 1);
			continue;
		}
		if (i)
			read_input(command, argv[i], &inputs);
		command->is_plain &= !is_special(argv[i]);
		command->words[command->count++] = read_processor(command, argv[i]);
		if (strcmp(argv[i], "-o") == 0)
			command->output = argv[i + 1];
		if (takes_value(argv[i]) && argv[i + 1])
			command->words[command->count++] = argv[++i];
	}
	command->is_plain &= inputs <= 1;
	read_environment(command);
	return command->selection.failed ? -ENOMEM : 0;
}

void hp_command_free(struct command *command)
{
	hp_text_free(&command->selection);
	free(command->words);
}

static bool is_this_program(const char *path)
{
	struct stat own, other;

	return stat("/proc/self/exe", &own) == 0 && stat(path, &other) == 0 &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

bool hp_real_assembler(char path[PATH_MAX])
{
	const char *named = getenv("HOTPATH_ASSEMBLER"), *folders = getenv("PATH");

	if (named && *named)
		return snprintf(path, PATH_MAX, "%s", named) < PATH_MAX;
	for (const char *at = folders ? folders : "/usr/bin:/bin"; *at;) {
		int length = (int)strcspn(at, ":");
		if (snprintf(path, PATH_MAX, "%.*s/as", length, at) < PATH_MAX &&
		    access(path, X_OK) == 0 && !is_this_program(path))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}
