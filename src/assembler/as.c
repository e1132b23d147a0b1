/* SPDX-License-Identifier: MIT */
/*
 * An assembler that stands in front of the real one: compilers find it by `-B`. It puts sleds into what a compiler wrote,
 * and lets the real assembler do the rest. What people wrote is passed on as it is.
 *
 * usage: [HOTPATH_SELECTION=RULES] as [--hotpath-selection=RULES] [OPTION OF THE ASSEMBLER]... [FILE]
 */
#include "command.h"
#include "file_name.h"
#include "origin.h"
#include "run.h"
#include "selected.h"
#include "sleds.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { READ_STEP = 64 * 1024 };

static int read_all(int from, struct hp_text *text)
{
	static char bytes[READ_STEP];
	ssize_t got;

	while ((got = read(from, bytes, sizeof(bytes))) > 0)
		hp_text_add(text, bytes, (size_t)got);
	if (got < 0)
		return -errno;
	return text->failed ? -ENOMEM : 0;
}

static int read_input(const char *path, struct hp_text *text)
{
	int from = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
	if (from < 0)
		return -errno;

	int error = read_all(from, text);
	if (path)
		close(from);
	return error;
}

/* The machine that the real assembler is for, by its name; NULL if there are no sleds for it. 32-bit code of x86 has none. */
static const struct machine *machine_of(const struct command *command, const char *assembler)
{
	const char *name = hp_file_name(assembler);

	for (int i = 1; i < command->count; i++)
		if (strcmp(command->words[i], "--32") == 0 ||
		    strcmp(command->words[i], "--x32") == 0)
			return NULL;
	if (strncmp(name, "aarch64-", 8) == 0)
		return &hp_machine_aarch64;
	if (strncmp(name, "x86_64-", 7) == 0)
		return &hp_machine_x86_64;
	if (strcmp(name, "as") != 0)
		return NULL;
#if defined(__x86_64__)
	return &hp_machine_x86_64;
#elif defined(__aarch64__)
	return &hp_machine_aarch64;
#else
	return NULL;
#endif
}

static int pass_on(const struct command *command, const char *assembler)
{
	execv(assembler, command->words);
	return hp_fail("start", assembler, errno);
}

static char *input_of(const struct command *command)
{
	return command->input ? command->words[command->input] : NULL;
}

/* The standard input stands in for the file, or the file for it. */
static void set_input(struct command *command, char *input)
{
	if (command->input)
		command->words[command->input] = input;
}

static void repeat(int messages)
{
	struct hp_text text = HP_TEXT_INIT;

	if (lseek(messages, 0, SEEK_SET) == 0 && read_all(messages, &text) == 0 && text.length)
		fputs(text.bytes, stderr);
	hp_text_free(&text);
}

/* Run an assembler, without a word from it if it fails. */
static bool try(const char *assembler, char *const *words, const struct hp_text *text)
{
	int messages = memfd_create("messages", MFD_CLOEXEC);
	if (messages < 0)
		return false;

	bool done = hp_assemble(assembler, words, text, STDOUT_FILENO, messages) == 0;
	if (done)
		repeat(messages);
	close(messages);
	return done;
}

static bool assemble_sleds(struct command *command, const char *assembler,
			   const struct hp_text *text)
{
	static char standard_input[] = "-";
	char *input = input_of(command);

	set_input(command, standard_input);
	bool done = try(assembler, command->words, text);
	set_input(command, input);
	return done;
}

/* clang has an assembler of its own, which it would have used without us, and which understands more of what clang writes. */
static int assemble_by_clang(const struct command *command, const char *clang, const char *input)
{
	const char *words[10] = { clang, "-c", "-x", "assembler", "-o", command->output, input };
	size_t count = 7;

	for (size_t i = 0; i < 2; i++)
		if (command->processor[i])
			words[count++] = command->processor[i];
	return hp_assemble(clang, (char *const *)words, NULL, STDOUT_FILENO, STDERR_FILENO);
}

/* Assemble the text that the compiler wrote, without sleds. If it is in a file, messages name that file. */
static int assemble_plain(const struct command *command, const char *assembler,
			  const struct hp_text *text)
{
	const char *clang = getenv("HOTPATH_CLANG"), *input = input_of(command);

	if (clang && *clang && input && command->output) {
		if (try(assembler, command->words, NULL))
			return 0;
		return assemble_by_clang(command, clang, input);
	}
	return hp_assemble(assembler, command->words, input ? NULL : text, STDOUT_FILENO,
			   STDERR_FILENO);
}

/* Sleds make functions longer, which is too much for some branches; then the code is as the compiler wrote it. */
static int assemble(struct command *command, const char *assembler, const struct hp_text *plain,
		    const struct hp_text *with_sleds)
{
	if (with_sleds->length && !with_sleds->failed &&
	    assemble_sleds(command, assembler, with_sleds))
		return 0;

	int status = assemble_plain(command, assembler, plain);
	if (status == 0 && with_sleds->length)
		fprintf(stderr,
			"hotpath: cc: functions of '%s' are not measured: the assembler refuses their "
			"sleds\n",
			command->output ? command->output : "a.out");
	return status;
}

static void write_sleds(struct command *command, const char *assembler,
			const struct machine *machine, const struct hp_text *before,
			struct hp_text *after)
{
	static char standard_input[] = "-";
	struct selected selected = { .selection = command->selection.bytes };
	char *input = input_of(command);

	set_input(command, standard_input);
	hp_selected_measure(&selected, assembler, command->words, before);
	set_input(command, input);
	hp_sleds_write(after, (struct piece){ before->bytes, before->length }, machine,
		       (struct sled_choice){ hp_selected_has, &selected });
	hp_selected_free(&selected);
}

static int add_sleds(struct command *command, const char *assembler, const struct machine *machine)
{
	struct hp_text before = HP_TEXT_INIT, after = HP_TEXT_INIT;
	const char *path = input_of(command);
	int error = read_input(path, &before);
	if (error)
		return hp_fail("read", path ? path : "the standard input", -error);

	if (hp_is_compiled((struct piece){ before.bytes, before.length }))
		write_sleds(command, assembler, machine, &before, &after);
	int status = assemble(command, assembler, &before, &after);
	hp_text_free(&before);
	hp_text_free(&after);
	return status;
}

int main(int argc, char **argv)
{
	struct command command;
	char assembler[PATH_MAX];
	(void)argc;

	int error = hp_command_read(&command, argv);
	if (error)
		return hp_fail("read", "its arguments", -error);
	if (!hp_real_assembler(assembler))
		return hp_fail("find", "as", ENOENT);
	const struct machine *machine = machine_of(&command, assembler);
	int status = command.is_plain && machine ? add_sleds(&command, assembler, machine)
						 : pass_on(&command, assembler);
	hp_command_free(&command);
	return status;
}
