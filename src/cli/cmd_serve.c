/* SPDX-License-Identifier: MIT */
/* hotpath serve: what programs measure, over HTTP. */
#include "command.h"
#include "format.h"
#include "input_file.h"
#include "mcp_host.h"
#include "metrics.h"
#include "output.h"
#include "run_again.h"
#include "server.h"
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PORT_DEFAULT = 6770,
	PORT_MAX = 65535,
	/* Bytes of a file with a token. */
	TOKEN_FILE_MAX = 4096,
};

/* ---- options ---- */

static int read_token_file(const char *path, char token[HP_TOKEN_SIZE])
{
	struct hp_text text = HP_TEXT_INIT;
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int failed = file < 0 ? -errno : input_read(file, TOKEN_FILE_MAX, &text);

	if (file >= 0)
		close(file);
	if (text.bytes)
		text.bytes[strcspn(text.bytes, "\r\n")] = '\0';
	bool is_token = !failed && text.bytes && hp_access_is_token(text.bytes);
	if (is_token)
		strcpy(token, text.bytes);
	hp_text_free(&text);
	if (failed)
		return complain("serve: --token-file: %s: %s", path, strerror(-failed));
	return is_token ? STATUS_OK
			: complain("serve: --token-file: the first line of %s is not 16 to 128 "
				   "letters, digits and characters of '-._~'",
				   path);
}

static int choose_token(const struct input *input, char token[HP_TOKEN_SIZE])
{
	const char *path = input_option(input, "token-file");
	bool none = input_option(input, "no-token");

	if (path && none)
		return complain("serve: --token-file and --no-token exclude each other");
	if (path)
		return read_token_file(path, token);
	int failed = none ? 0 : hp_access_make_token(token);
	return failed ? complain("serve: cannot make a token: %s", strerror(-failed)) : STATUS_OK;
}

static int choose_port(const struct input *input, uint16_t *port)
{
	const char *given = input_option(input, "port");
	int number = PORT_DEFAULT;

	if (given && (!hp_parse_count(given, &number) || number > PORT_MAX))
		return complain("serve: --port: '%s' is not a number from 0 to %d", given,
				PORT_MAX);
	*port = (uint16_t)number;
	return STATUS_OK;
}

/* "[::1]" may be written with or without brackets. */
static int choose_address(const struct input *input, struct hp_access *access)
{
	const char *given = input_option(input, "listen");
	const char *address = given ? given : "127.0.0.1";
	size_t length = strlen(address);
	size_t bracket = length > 1 && address[0] == '[' && address[length - 1] == ']';

	if (length == 0 || length >= sizeof(access->address))
		return complain("serve: --listen: '%.40s' is no address", address);
	snprintf(access->address, sizeof(access->address), "%.*s", (int)(length - bracket * 2),
		 address + bracket);
	gethostname(access->machine, sizeof(access->machine) - 1);
	return STATUS_OK;
}

static int choose_socket(const struct input *input, struct hp_server_options *options)
{
	options->socket = input_option(input, "unix");
	if (options->socket && (input_option(input, "port") || input_option(input, "listen")))
		return complain("serve: --unix excludes --port and --listen");
	if (options->socket)
		return STATUS_OK;
	int status = choose_port(input, &options->access.port);
	return status ? status : choose_address(input, &options->access);
}

static int choose_limit(const struct input *input, unsigned *limit)
{
	const char *given = input_option(input, "metrics-limit");
	int number = HP_METRICS_LIMIT;

	if (given && !hp_parse_count(given, &number))
		return complain("serve: --metrics-limit: '%s' is not a number", given);
	*limit = (unsigned)number;
	return STATUS_OK;
}

/* ---- what is served ---- */

/* Saved reports are told from segments and programs by how they begin, or by their name. */
static bool may_be_saved(const char *name)
{
	int file = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char first = '\0';
	bool is_json = file >= 0 && read(file, &first, 1) == 1 && first == '{';

	if (file >= 0)
		close(file);
	size_t length = strlen(name);
	return is_json || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

static int add_watched(struct hp_programs *programs, const char *name)
{
	struct hp_error error = { "" };

	return hp_programs_add(programs, name, &error) ? complain("serve: %s", error.text)
						       : STATUS_OK;
}

/* A segment may have the name of a saved report. */
static int add_file(struct hp_programs *programs, const char *name)
{
	struct source source;
	int status = source_open(&source, name);
	bool is_segment = status == STATUS_OK && !source.saved.model;

	if (status == STATUS_OK && !is_segment) {
		if (hp_programs_add_saved(programs, name, &source.saved))
			source.model = NULL;
		else
			status = complain("out of memory");
	}
	source_free(&source);
	return is_segment ? add_watched(programs, name) : status;
}

static int add_program(struct hp_programs *programs, const char *name)
{
	return !hp_is_process_id(name) && may_be_saved(name) ? add_file(programs, name)
							     : add_watched(programs, name);
}

static int add_programs(struct hp_programs *programs, const struct input *input)
{
	bool all = input_option(input, "all") || input->argument_count == 0;
	struct hp_error error = { "" };
	int status = STATUS_OK;

	if (all && hp_programs_add_all(programs, &error))
		status = complain("serve: %s", error.text);
	for (int i = 0; i < input->argument_count && status == STATUS_OK; i++)
		status = add_program(programs, input->arguments[i]);
	return status;
}

/* ---- the server ---- */

/* The line is written at once: who started us may wait for it. */
static void say_started(const struct hp_access *access, const char *socket)
{
	bool has_colon = strchr(access->address, ':');
	struct hp_text text = HP_TEXT_INIT;

	if (socket)
		hp_text_printf(&text, "serving on unix:%s", socket);
	else
		hp_text_printf(&text, "serving on http://%s%s%s:%u/", has_colon ? "[" : "",
			       access->address, has_colon ? "]" : "", access->port);
	if (*access->token)
		hp_text_printf(&text, "?token=%s", access->token);
	hp_text_putc(&text, '\n');
	output_write(&text, NULL, STDOUT_FILENO);
	hp_text_free(&text);
}

static void log_line(const char *line)
{
	complain("serve: %s", line);
}

static int serve_programs(const struct hp_server_options *options, const struct input *input)
{
	struct hp_programs *programs = hp_programs_new(&run_reader);
	struct hp_error error = { "" };
	int status = programs ? add_programs(programs, input) : complain("out of memory");

	if (status == STATUS_OK && hp_server_run(options, programs, &error))
		status = complain("serve: %s", error.text);
	hp_programs_free(programs);
	return status;
}

/* A window of time does not hold up others: the server waits. */
static bool never_wait(unsigned seconds)
{
	(void)seconds;
	return false;
}

static int serve(struct input *input)
{
	struct mcp_programs agents = { .names = input->arguments,
				       .all = input_option(input, "all") || !input->argument_count,
				       .no_files = true,
				       .wait = never_wait };
	struct hp_mcp_host host = mcp_host(&agents);
	struct hp_server_options options = { .mcp = &host,
					     .started = say_started,
					     .log = log_line };
	int status = choose_socket(input, &options);

	source_read_once();
	if (status == STATUS_OK)
		status = choose_limit(input, &options.metrics_limit);
	if (status == STATUS_OK)
		status = choose_token(input, options.access.token);
	return status ? status : serve_programs(&options, input);
}

static const struct option options[] = {
	{ .name = "port",
	  .value = "N",
	  .help = "the port, 6770 by default; 0 for any that is free" },
	{ .name = "listen",
	  .value = "ADDRESS",
	  .help = "the address to listen on, 127.0.0.1 by default; others can reach the server if it "
		  "is not a loopback address" },
	{ .name = "unix",
	  .value = "FILE",
	  .help = "listen on a Unix socket instead, which only you can use" },
	{ .name = "token-file",
	  .value = "FILE",
	  .help = "read the token from the first line of FILE; without it, one is made" },
	{ .name = "no-token",
	  .help = "answer without a token; only on a loopback address or a Unix socket" },
	{ .name = "metrics-limit",
	  .value = "N",
	  .help = "functions of a program, and rows of other kinds, that have metrics of their own; 100 "
		  "by default, 0 for all" },
	{ .name = "all",
	  .help = "serve all measured programs of this machine, also besides those that are named" },
	{ .name = NULL },
};

const struct command command_serve = {
	.name = "serve",
	.arguments = "[PID | NAME | RUN | SEGMENT | FILE …]",
	.arguments_max = -1,
	.help = "Answer questions about running and ended programs over HTTP.",
	.details =
		"Serve what programs measure over HTTP, until Ctrl-C: the process PID, all processes of "
		"the program NAME, a run by its name, a segment file, or a report saved to FILE; later starts "
		"of a program, too. A process that a run began with stands for the whole run. Without an "
		"argument, serve all measured programs of this machine that you may read. The address with its token is printed. Programs do not notice.",
	.options = options,
	.run = serve,
};
