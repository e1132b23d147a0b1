/* SPDX-License-Identifier: MIT */
/* hotpath list: lists segments, and removes old ones. */
#include "command.h"
#include "format.h"
#include "json_writer.h"
#include "listing.h"
#include "output.h"
#include "place.h"
#include "process/found_run.h"
#include "reader.h"
#include "runs_prune.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The state of a process, from what it last recorded and whether it is running. */
static const char *state_name(const struct hp_found *found)
{
	static const char *const names[][2] = {
		[HP_STATE_NEW] = { "unknown", "starting" },
		[HP_STATE_RUNNING] = { "ended", "running" },
		[HP_STATE_STOPPED] = { "ended", "stopped" },
		[HP_STATE_EXITED] = { "exited", "exited" },
	};

	if (found->is_other_version)
		return found->live ? "running" : "unknown";
	/* `hotpath attach` has left it, and does not know what became of it. */
	if (found->is_attached && !found->live && found->state == HP_STATE_STOPPED)
		return "left";
	return found->state < sizeof(names) / sizeof(*names) ? names[found->state][found->live]
							     : "unknown";
}

/* ---- runs ---- */

struct place {
	const struct hp_found *found;
	size_t run;
};

/* The run with the newest segment first; in a run, the process that started first. */
static int by_run(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	const struct hp_found *one = a->found, *other = b->found;

	if (a->run != b->run)
		return a->run < b->run ? -1 : 1;
	int order = (one->process_unix_ns > other->process_unix_ns) -
		    (one->process_unix_ns < other->process_unix_ns);
	return order ? order : (one > other) - (one < other);
}

/* All segments, those of a run together; NULL when memory ran out. */
static struct place *group(const struct hp_found_list *list)
{
	struct place *places = calloc(list->count + 1, sizeof(*places));

	for (size_t i = 0; places && i < list->count; i++)
		places[i] = (struct place){ &list->items[i], hp_found_newest(list, i) };
	if (places && list->count)
		qsort(places, list->count, sizeof(*places), by_run);
	return places;
}

/* ---- the table ---- */

static void add_name(struct listing *listing, const struct hp_found *found, bool is_first)
{
	struct hp_process_name process = hp_found_name(found);
	struct hp_text name = HP_TEXT_INIT;

	if (!is_first)
		hp_text_puts(&name, "  ");
	if (*found->program)
		hp_process_put(&name, &process, 0);
	else if (found->is_other_version)
		hp_text_puts(&name, "(of another version of hotpath)");
	else
		hp_text_puts(&name, "(cannot be read)");
	listing_add(listing, "%s", name.bytes ? name.bytes : "");
	hp_text_free(&name);
}

static void write_listing(const struct place *places, size_t count, struct hp_text *text)
{
	static const char *const headings[] = {
		">PID", "STATE", "STARTED", ">SIZE", "PROGRAM", NULL
	};
	struct listing listing;

	listing_init(&listing, headings);
	for (size_t i = 0; i < count; i++) {
		const struct hp_found *found = places[i].found;
		listing_add(&listing, "%" PRIu32, found->pid);
		listing_add(&listing, "%s", state_name(found));
		listing_add(&listing, "%s", hp_format_moment(found->process_unix_ns).text);
		listing_add(&listing, "%s", hp_format_bytes(found->bytes).text);
		add_name(&listing, found, i == 0 || places[i].run != places[i - 1].run);
	}
	listing_write(&listing, text);
	listing_free(&listing);
}

static void write_number(struct hp_json *json, const char *key, uint64_t value)
{
	hp_json_key(json, key);
	hp_json_u64(json, value);
}

static void write_string(struct hp_json *json, const char *key, const char *value)
{
	hp_json_key(json, key);
	hp_json_string(json, value);
}

static void write_found(struct hp_json *json, const struct hp_found *found)
{
	struct hp_process_name process = hp_found_name(found);

	hp_json_begin_object(json);
	write_number(json, "pid", found->pid);
	write_number(json, "parent_pid", found->parent_pid);
	write_string(json, "state", state_name(found));
	hp_json_key(json, "live");
	hp_json_bool(json, found->live);
	write_number(json, "start_unix_ns", found->process_unix_ns);
	write_number(json, "bytes", found->bytes);
	write_string(json, "program", found->program);
	write_string(json, "arguments", found->arguments);
	if (hp_process_has_title(&process))
		write_string(json, "title", process.title);
	write_string(json, "path", found->path);
	if (found->run[0])
		write_string(json, "run", found->run);
	hp_json_end_object(json);
}

static void write_json(const struct place *places, size_t count, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, false);

	hp_json_begin_array(&json);
	for (size_t i = 0; i < count; i++)
		write_found(&json, places[i].found);
	hp_json_end_array(&json);
	hp_text_putc(text, '\n');
}

static int show(const struct hp_found_list *list, bool json, struct hp_text *text)
{
	struct place *places = group(list);
	char folder[HP_PATH_MAX];

	if (!places)
		return complain("out of memory");
	if (json)
		write_json(places, list->count, text);
	else if (list->count)
		write_listing(places, list->count, text);
	free(places);
	if (list->count)
		return STATUS_OK;
	complain("no segments in %s", hp_place_folder(0, folder) ? folder : "any folder");
	return STATUS_NOTHING;
}

static int clean(struct hp_found_list *list, bool json, struct hp_text *text)
{
	uint64_t removed = 0, bytes = 0;
	int status = STATUS_OK;

	for (size_t i = 0; i < list->count; i++) {
		struct hp_found *found = &list->items[i];
		if (found->live)
			continue;
		int why = hp_found_remove(found);
		if (why == 0) {
			removed++;
			bytes += found->bytes;
			found->run[0] = '\0';
		} else if (why != -ENOENT) {
			status = complain("cannot remove %s: %s", found->path, strerror(-why));
		}
	}
	runs_prune(list);
	if (json)
		hp_text_printf(text, "{\"removed\":%" PRIu64 ",\"bytes\":%" PRIu64 "}\n", removed,
			       bytes);
	else
		hp_text_printf(text, "removed %" PRIu64 " segment%s, %s\n", removed,
			       removed == 1 ? "" : "s", hp_format_bytes(bytes).text);
	return status;
}

static int list_segments(struct input *input)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error error = { "" };

	if (hp_find_segments(&list, &error))
		return complain("%s", error.text);

	struct hp_text text = HP_TEXT_INIT;
	bool json = input_option(input, "json");
	int status = input_option(input, "clean") ? clean(&list, json, &text)
						  : show(&list, json, &text);
	int written = output_write(&text, NULL, STDOUT_FILENO);
	hp_text_free(&text);
	hp_found_list_free(&list);
	return written ? written : status;
}

static const struct option options[] = {
	{ .name = "json", .help = "print JSON: an array of objects, or what --clean removed" },
	{ .name = "clean", .help = "remove the segments of processes that no longer run" },
	{ .name = NULL },
};

const struct command command_list = {
	.name = "list",
	.help = "List the segments of running and ended programs.",
	.details =
		"List the segments in this user's folder, newest first. Those of one run are "
		"together: the process that it began with, then the others. In the state 'ended' "
		"the process was killed, crashed or did not call exit(); what it measured is "
		"still there.",
	.options = options,
	.run = list_segments,
};
