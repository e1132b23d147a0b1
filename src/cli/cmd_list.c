/* SPDX-License-Identifier: MIT */
/* hotpath list: lists segments, and removes old ones. */
#include "command.h"
#include "format.h"
#include "json_writer.h"
#include "listing.h"
#include "output.h"
#include "place.h"
#include "reader.h"

#include <errno.h>
#include <inttypes.h>
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

	return found->state < sizeof(names) / sizeof(*names) ? names[found->state][found->live]
							     : "unknown";
}

static void add_name(struct listing *listing, const struct hp_found *found)
{
	struct hp_process_name process = hp_found_name(found);
	struct hp_text name = HP_TEXT_INIT;

	if (*found->program)
		hp_process_put(&name, &process, 0);
	listing_add(listing, "%s", name.bytes ? name.bytes : "(cannot be read)");
	hp_text_free(&name);
}

static void write_listing(const struct hp_found_list *list, struct hp_text *text)
{
	static const char *const headings[] = {
		">PID", "STATE", "STARTED", ">SIZE", "PROGRAM", NULL
	};
	struct listing listing;

	listing_init(&listing, headings);
	for (size_t i = 0; i < list->count; i++) {
		const struct hp_found *found = &list->items[i];
		listing_add(&listing, "%" PRIu32, found->pid);
		listing_add(&listing, "%s", state_name(found));
		listing_add(&listing, "%s", hp_format_moment(found->process_unix_ns).text);
		listing_add(&listing, "%s", hp_format_bytes(found->bytes).text);
		add_name(&listing, found);
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
	hp_json_end_object(json);
}

static void write_json(const struct hp_found_list *list, struct hp_text *text)
{
	struct hp_json json = hp_json_start(text, false);

	hp_json_begin_array(&json);
	for (size_t i = 0; i < list->count; i++)
		write_found(&json, &list->items[i]);
	hp_json_end_array(&json);
	hp_text_putc(text, '\n');
}

static int show(const struct hp_found_list *list, bool json, struct hp_text *text)
{
	char folder[HP_PATH_MAX];

	if (json)
		write_json(list, text);
	else if (list->count)
		write_listing(list, text);
	if (list->count)
		return STATUS_OK;
	complain("no segments in %s", hp_place_folder(0, folder) ? folder : "any folder");
	return STATUS_NOTHING;
}

static int clean(const struct hp_found_list *list, bool json, struct hp_text *text)
{
	uint64_t removed = 0, bytes = 0;
	int status = STATUS_OK;

	for (size_t i = 0; i < list->count; i++) {
		const struct hp_found *found = &list->items[i];
		if (found->live)
			continue;
		int why = hp_found_remove(found);
		if (why == 0) {
			removed++;
			bytes += found->bytes;
		} else if (why != -ENOENT) {
			status = complain("cannot remove %s: %s", found->path, strerror(-why));
		}
	}
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
	.details = "List the segments in this user's folder, newest first. In the state 'ended' "
		   "the process was killed, crashed or did not call exit(); what it measured is "
		   "still there.",
	.options = options,
	.run = list_segments,
};
