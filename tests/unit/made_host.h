/* SPDX-License-Identifier: MIT */
/* A host of the Model Context Protocol whose programs are saved reports in memory; and questions to it. */
#ifndef MADE_HOST_H
#define MADE_HOST_H

#include "json_writer.h"
#include "mcp.h"

#include <json-c/json.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Two programs: "a.json" is the one that is meant when none is named. */
static struct hp_text made_reports[2];

static inline int made_list(void *context, hp_mcp_visit *visit, void *to, struct hp_error *error)
{
	(void)context, (void)error;
	visit(to, &(struct hp_mcp_program){ .id = "a.json", .name = "a", .state = "saved" });
	visit(to, &(struct hp_mcp_program){ .id = "b.json", .name = "b", .state = "saved" });
	return 0;
}

static inline int made_read(void *context, const char *program, unsigned window,
			    struct hp_mcp_reading *reading, struct hp_error *error)
{
	const struct hp_text *text = &made_reports[program && strcmp(program, "b.json") == 0];

	(void)context;
	if ((program && !strstr(program, ".json")) || window) {
		snprintf(error->text, sizeof(error->text), "no program \033 '%.80s'; %u s", program,
			 window);
		return -ENOENT;
	}
	return hp_saved_read(text->bytes, text->length, &reading->report, error);
}

static const struct hp_mcp_host made_host = { .list = made_list, .read = made_read };

/* ---- reports ---- */

/* Write a section with rows of some names, each with these members, which begin with a comma. */
static inline void made_section(struct hp_text *text, const char *key, const char *name_key,
				const char *const *names, size_t count, const char *members)
{
	struct hp_json json;

	hp_text_printf(text, ",\"%s\":{\"percentiles\":[95],\"data\":[", key);
	for (size_t i = 0; i < count; i++) {
		hp_text_printf(text, "%s{\"%s\":", i ? "," : "", name_key);
		json = hp_json_start(text, false);
		hp_json_string(&json, names[i]);
		hp_text_printf(text, "%s}", members);
	}
	hp_text_puts(text, "]}");
}

/* ---- questions ---- */

/* The answer to a request, parsed; NULL if there is none. */
static inline struct json_object *ask(const char *request, const struct hp_mcp_headers *headers,
				      int status)
{
	struct hp_text answer = HP_TEXT_INIT;
	struct json_object *object = NULL;

	assert_int_equal(hp_mcp_answer(&made_host, request, strlen(request), headers, &answer),
			 status);
	if (answer.length) {
		assert_null(strchr(answer.bytes, '\n'));
		object = json_tokener_parse(answer.bytes);
		assert_non_null(object);
	}
	hp_text_free(&answer);
	return object;
}

/* A value by its path: "result.tools.0.name"; keys may have no dots. */
static inline struct json_object *at(struct json_object *value, const char *path)
{
	char key[64];

	while (*path) {
		size_t length = strcspn(path, ".");
		snprintf(key, sizeof(key), "%.*s", (int)length, path);
		if (json_object_is_type(value, json_type_array))
			value = json_object_array_get_idx(value, (size_t)strtoul(key, NULL, 10));
		else if (!json_object_object_get_ex(value, key, &value))
			return NULL;
		path += length + (path[length] == '.');
	}
	return value;
}

static inline const char *text_at(struct json_object *value, const char *path)
{
	struct json_object *text = at(value, path);

	if (!json_object_is_type(text, json_type_string))
		fail_msg("no text at %s of %s", path, json_object_to_json_string(value));
	return json_object_get_string(text);
}

static inline int64_t number_at(struct json_object *value, const char *path)
{
	struct json_object *number = at(value, path);

	if (!json_object_is_type(number, json_type_int))
		fail_msg("no number at %s of %s", path, json_object_to_json_string(value));
	return json_object_get_int64(number);
}

#endif
