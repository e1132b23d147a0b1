/* SPDX-License-Identifier: MIT */
/*
 * The hotpath command, and a map of the sources.
 *
 *	include/        what programs include: hotpath.h, and the functions its macros call
 *	src/
 *	├── segment/    the contract: the layout of the shared file, its limits, its folder
 *	├── elf/        programs and libraries as files: their symbols, their build ids
 *	├── recorder/   inside the measured program: writes the segment
 *	├── assembler/  what compilers run for `hotpath cc`: puts sleds into functions
 *	├── next/       the function behind one that we wrap
 *	├── probes/     libraries that wrap malloc, locks, GLib and libuv, and tell the recorder of calls
 *	├── reader/     a segment, or a saved report, becomes a model
 *	├── watch/      a running program, looked at again and again
 *	├── views/      a model becomes a table or JSON
 *	├── console/    a program that runs, in the terminal
 *	├── server/     programs that run, have run or are saved, over HTTP
 *	├── export/     samples become files for the viewers that people use
 *	├── page/       reports and comparisons as a page for a browser
 *	├── attach/     a program that already runs, sampled from outside: writes a segment, too
 *	├── compare/    two versions of a program: what became slower, and what cannot be told
 *	├── metrics/    figures of many programs, as Prometheus scrapes them
 *	├── mcp/        answers to agents, by the Model Context Protocol
 *	├── shared/     small types of the tool side
 *	├── library/    libhotpath: the recorder, and a program's report on itself
 *	├── demo/       the program that `hotpath demo` shows
 *	└── cli/        this tool
 *	    ├── main.c      the table of commands
 *	    ├── options.c   tables of options give the parser and --help
 *	    ├── output.c    where the words go: files, pipes, terminals
 *	    ├── listing.c   plain columns
 *	    ├── source.c    what a report is made of: a run, a process, a segment, saved files
 *	    ├── run_model.c a run of many processes as one model (with run_segments.c, run_images.c, run_report.c,
 *	    │               run_again.c for servers, and fold.c, register_child.c and runs_prune.c for what is kept of it)
 *	    ├── measured.c  a program run to its end, and what it has left (with run_child.c,
 *	    │               start_child.c, not_started.c, preload.c, obstacle.c, missing.c and unseen.c)
 *	    ├── debug_packages.c  which package has the names that are missing
 *	    ├── debuginfod.c  names from servers (with debuginfod_line.c)
 *	    ├── hints.c     the last line of a run: what else could be asked for
 *	    ├── progress.c  how far something long has come
 *	    ├── interrupt.c whether somebody wants us to end meanwhile
 *	    ├── bus_net.c   files that are cut short while they are read
 *	    ├── refresh.c   how often a running program is looked at
 *	    ├── named_functions.c  which functions of a process a pattern means
 *	    ├── unmatched.c a pattern that matches nothing
 *	    ├── library_path.c  where libhotpath, the demo and the assembler lie: beside the tool
 *	    ├── program_path.c  where the program lies that is to run
 *	    └── cmd_*.c     one command each: run, attach, cc (with cc_*.c and argument_file.c), arm and
 *	                    disarm, report (with calls.c), compare (with compare_*.c and run_folder.c), console,
 *	                    top (with top_block.c), export, mcp (with mcp_host.c), serve, list,
 *	                    doctor (with checks.c and event_version.c), demo (with demo_child.c)
 *
 * A program writes its segment while it runs; everything else, this tool included, reads that file.
 */
#include "bus_net.h"
#include "command.h"
#include "debug_packages.h"
#include "debuginfod.h"
#include "names/inlined.h"
#include "names/module_file.h"
#include "nearest.h"
#include "output.h"

#include "hotpath/version.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct command command_help;

static const struct command *const commands[] = {
	&command_run,	 &command_attach, &command_cc,	    &command_arm,
	&command_disarm, &command_report, &command_compare, &command_console,
	&command_top,	 &command_export, &command_serve,   &command_mcp,
	&command_list,	 &command_doctor, &command_demo,    &command_help,
};

enum {
	COMMANDS = sizeof(commands) / sizeof(*commands),
};

/* Print and free a text. */
static int print(struct hp_text *text)
{
	int status = output_write(text, NULL, STDOUT_FILENO);

	hp_text_free(text);
	return status;
}

static int print_overview(void)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_text_puts(&text, "usage: hotpath COMMAND [options] [arguments]\n\nFind out why a C "
			    "program is slow.\n\ncommands:\n");
	for (int i = 0; i < COMMANDS; i++)
		hp_text_printf(&text, "  %-10s%s\n", commands[i]->name, commands[i]->help);
	hp_text_puts(
		&text,
		"\noptions:\n  -h, --help     Show this help; 'hotpath COMMAND --help' shows that "
		"of a command.\n  -V, --version  Show the version.\n");
	return print(&text);
}

static int print_version(void)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_text_puts(&text, "hotpath " HOTPATH_VERSION "\n");
	return print(&text);
}

static int print_help(const struct command *command)
{
	struct hp_text text = HP_TEXT_INIT;

	options_help(command, &text);
	return print(&text);
}

/* Find a command by name; NULL after a message with a suggestion. */
static const struct command *find_command(const char *name)
{
	struct hp_nearest nearest = { NULL, 0 };

	for (int i = 0; i < COMMANDS; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
		hp_nearest_try(&nearest, name, commands[i]->name);
	}
	if (nearest.name)
		complain("unknown command '%s'; did you mean '%s'?", name, nearest.name);
	else
		complain("unknown command '%s'; 'hotpath help' lists all commands", name);
	return NULL;
}

static int help(struct input *input)
{
	if (input->argument_count == 0)
		return print_overview();

	const struct command *command = find_command(input->arguments[0]);
	return command ? print_help(command) : STATUS_ERROR;
}

static const struct command command_help = {
	.name = "help",
	.arguments = "[COMMAND]",
	.arguments_max = 1,
	.help = "List the commands, or show the help of one.",
	.details = "List the commands, or show the help of one.",
	.run = help,
};

static int run_command(const char *name, char **argv)
{
	static struct input input;
	const struct command *command = find_command(name);

	if (!command || options_parse(command, argv, &input) < 0)
		return STATUS_ERROR;
	return input_option(&input, "help") ? print_help(command) : command->run(&input);
}

/*
 * Keep closed standard descriptors occupied, so that a file opened later does not get their numbers. The placeholders
 * cannot be written to, so writing fails as it would have, and are not inherited by programs we start.
 */
static void hold_standard_descriptors(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int descriptor = 0; descriptor < 3; descriptor++)
		if (fcntl(descriptor, F_GETFD) < 0)
			(void)!open("/dev/null", modes[descriptor] | O_CLOEXEC);
}

int main(int argc, char **argv)
{
	hold_standard_descriptors();
	bus_net_spread();
	hp_inlined_use();
	hp_module_files_keep();
	debug_packages_use();
	debuginfod_use();

	const char *first = argc > 1 ? argv[1] : "--help";
	if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0)
		return print_overview();
	if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
		return print_version();
	if (first[0] == '-')
		return complain("unknown option '%s'; see 'hotpath help'", first);
	return run_command(first, argv + 2);
}
