/* SPDX-License-Identifier: MIT */
/* The programs that agents may ask about. Each is read anew for each question. */
#include "mcp_host.h"

#include "command.h"
#include "file_name.h"
#include "output.h"
#include "process/found_run.h"
#include "source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ID_BYTES = 16 };

/* ---- finding ---- */

static bool has_id(const struct hp_found *found, const char *name)
{
	char id[ID_BYTES];

	snprintf(id, sizeof(id), "%" PRIu32, found->pid);
	return strcmp(name, id) == 0;
}

/*
 * The newest segment of a process or a program, or one by its name; of a run, that of the process that it began with. NULL if there
 * is none. An id may have been used several times, or be that of another namespace.
 */
static const struct hp_found *find(const struct hp_found_list *list, const char *name)
{
	const struct hp_found *run = hp_found_run(list, name);

	if (run)
		return hp_found_root(list, run);
	for (size_t i = 0; i < list->count; i++) {
		const struct hp_found *found = &list->items[i];
		struct hp_process_name process = hp_found_name(found);
		if (has_id(found, name) || hp_process_is(&process, name) ||
		    strcmp(hp_file_name(found->path), name) == 0)
			return found;
	}
	return NULL;
}

static bool is_named(const struct mcp_programs *programs, const char *name)
{
	for (size_t i = 0; programs->names[i]; i++)
		if (strcmp(programs->names[i], name) == 0)
			return true;
	return false;
}

/* Whether what was found is of a run that was named, by itself or by the process that it began with. */
static bool is_of_named_run(const struct mcp_programs *programs, const struct hp_found_list *list,
			    const struct hp_found *found)
{
	for (size_t i = 0; found && programs->names[i]; i++) {
		const struct hp_found *named = find(list, programs->names[i]);
		if (named && hp_found_is_root(list, named) && hp_found_same_run(named, found))
			return true;
	}
	return false;
}

/* A pipe would hold up all other questions. */
static bool is_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* ---- the list ---- */

static void visit_found(const struct hp_found *found, const char *id, hp_mcp_visit *visit, void *to)
{
	struct hp_process_name process = hp_found_name(found);
	struct hp_text name = HP_TEXT_INIT;

	hp_process_put(&name, &process, 0);
	visit(to, &(struct hp_mcp_program){ .id = id,
					    .name = name.bytes ? name.bytes : "",
					    .state = found->live ? "running" : "ended" });
	hp_text_free(&name);
}

/* By its process id, or the name of its segment if that id means another one. */
static void visit_any(const struct hp_found_list *list, const struct hp_found *found,
		      hp_mcp_visit *visit, void *to)
{
	char pid[ID_BYTES];

	snprintf(pid, sizeof(pid), "%" PRIu32, found->pid);
	visit_found(found, find(list, pid) == found ? pid : hp_file_name(found->path), visit, to);
}

static void visit_named(const struct mcp_programs *programs, const struct hp_found_list *list,
			hp_mcp_visit *visit, void *to)
{
	for (size_t i = 0; programs->names[i]; i++) {
		const char *name = programs->names[i];
		const struct hp_found *found = find(list, name);
		if (found)
			visit_found(found, name, visit, to);
		else if (is_file(name))
			visit(to, &(struct hp_mcp_program){
					  .id = name, .name = name, .state = "saved" });
	}
}

static int list_programs(void *context, hp_mcp_visit *visit, void *to, struct hp_error *error)
{
	const struct mcp_programs *programs = context;
	struct hp_found_list list = { NULL, 0 };
	int failed = hp_find_segments(&list, error);
	if (failed)
		return failed;

	visit_named(programs, &list, visit, to);
	for (size_t i = 0; programs->all && i < list.count; i++)
		if (hp_found_newest(&list, i) == i)
			visit_any(&list, hp_found_root(&list, &list.items[i]), visit, to);
	hp_found_list_free(&list);
	return 0;
}

/* ---- reading ---- */

/* Targets that were named when the server was started, and processes of such runs. */
static bool may_ask(const struct mcp_programs *programs, const struct hp_found_list *list,
		    const struct hp_found *found, const char *name)
{
	return !name || programs->all || is_named(programs, name) ||
	       is_of_named_run(programs, list, found);
}

static bool may_be_file(const struct mcp_programs *programs, const char *name)
{
	return (!programs->no_files || is_named(programs, name)) && is_file(name);
}

/* Open what was found, or a file. What is wrong is in error. */
static int open_kept(struct source *source, const struct hp_found_list *list,
		     const struct hp_found *found, const char *name, struct hp_error *error)
{
	complaints_keep(error);
	int status = found ? source_open_found(source, list, found) : source_open(source, name);
	complaints_keep(NULL);
	if (status == STATUS_OK)
		return 0;
	source_free(source);
	return -ENOENT;
}

/* Read by process id, by the name of a program, or as a file. */
static int open_named(const struct mcp_programs *programs, struct source *source, const char *name,
		      struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	int failed = -ENOENT;

	if (name && hp_find_segments(&list, error))
		hp_found_list_free(&list);
	const struct hp_found *found = name ? find(&list, name) : NULL;
	if (!may_ask(programs, &list, found, name))
		snprintf(error->text, sizeof(error->text),
			 "'%.80s' is none of the programs that may be asked about; 'overview' "
			 "lists these",
			 name);
	else if (!name || found || hp_is_process_id(name) || may_be_file(programs, name))
		failed = open_kept(source, &list, found, name, error);
	else
		snprintf(error->text, sizeof(error->text),
			 "no program or report is named '%.80s'; 'overview' lists programs", name);
	hp_found_list_free(&list);
	return failed;
}

static int read_now(const struct mcp_programs *programs, const char *name,
		    struct hp_mcp_reading *reading, struct hp_error *error)
{
	struct source source = { 0 };
	int failed = open_named(programs, &source, name, error);
	if (failed)
		return failed;
	if (reading->since && source_read_alike(&source, &reading->since->image, error)) {
		source_free(&source);
		return -EINVAL;
	}

	reading->report = source.saved;
	/* A segment has complete data. */
	if (!source.saved.model)
		reading->report = (struct hp_saved){ .model = source.model, .complete = true };
	reading->image = source.image;
	return 0;
}

/* Two readings, and what happened between them. */
static int read_window(const struct mcp_programs *programs, const char *name, unsigned seconds,
		       struct hp_mcp_reading *reading, struct hp_error *error)
{
	struct hp_mcp_reading before = { 0 };
	int failed = read_now(programs, name, &before, error);
	if (failed)
		return failed;

	failed = -EINVAL;
	reading->since = &before;
	if (hp_mcp_goes_on(&before, error) && !programs->wait(seconds))
		snprintf(error->text, sizeof(error->text), "the server was asked to end");
	else if (before.report.model->exit.running)
		failed = read_now(programs, name, reading, error);
	if (!failed)
		failed = hp_mcp_window(reading, &before, error);
	reading->since = NULL;
	hp_mcp_reading_free(&before);
	return failed;
}

static int read_program(void *context, const char *program, unsigned window,
			struct hp_mcp_reading *reading, struct hp_error *error)
{
	const struct mcp_programs *programs = context;
	const char *name = program ? program : programs->names[0];

	return window ? read_window(programs, name, window, reading, error)
		      : read_now(programs, name, reading, error);
}

struct hp_mcp_host mcp_host(struct mcp_programs *programs)
{
	return (struct hp_mcp_host){ .context = programs,
				     .list = list_programs,
				     .read = read_program };
}

/* ---- arguments ---- */

static bool is_path(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

int mcp_programs_check(const struct mcp_programs *programs)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error error = { "" };
	int status = STATUS_OK;

	if (hp_find_segments(&list, &error))
		return complain("%s", error.text);
	for (size_t i = 0; programs->names[i] && status == STATUS_OK; i++) {
		const char *name = programs->names[i];
		if (hp_is_process_id(name) && !find(&list, name))
			status = complain(
				"mcp: no segment of process %s; 'hotpath list' shows all segments",
				name);
		else if (is_path(name) && access(name, R_OK) < 0)
			status = complain("mcp: %s: %s", name, strerror(errno));
	}
	hp_found_list_free(&list);
	return status;
}
