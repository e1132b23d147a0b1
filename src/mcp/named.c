/* SPDX-License-Identifier: MIT */
/* Functions that agents name, and what is known of one. */
#include "named.h"

#include "function_names.h"
#include "lines_table.h"
#include "names/sampled_lines.h"
#include "relatives.h"
#include "request.h"

#include <json-c/json.h>

#include <errno.h>
#include <string.h>

static const char neighbour_members[] =
	"name,calls,open,total_ns,self_ns,percent_total,samples,inclusive_samples,location";
/* ---- names ---- */

static bool begins_with(const char *name, const char *start, size_t length)
{
	return strncmp(name, start, length) == 0;
}

static const char *find_frame(const struct hp_cpu *cpu, const char *start, size_t length)
{
	for (size_t i = 0; i < cpu->frame_count; i++)
		for (uint32_t level = 0; level < hp_cpu_frame_levels(&cpu->frames[i]); level++)
			if (begins_with(hp_cpu_frame_level(&cpu->frames[i], level), start, length))
				return hp_cpu_frame_level(&cpu->frames[i], level);
	return NULL;
}

/* The first function whose name begins like this. */
static const char *find_start(const struct hp_model *model, const char *start, size_t length)
{
	for (size_t i = 0; i < model->function_count; i++)
		if (begins_with(model->functions[i].name, start, length))
			return model->functions[i].name;
	const char *found = find_frame(&model->cpu, start, length);
	return found ? found : find_frame(&model->allocations, start, length);
}

static const char *uncut(const struct hp_model *model, const char *name)
{
	static const char dots[] = "…";
	size_t length = strlen(name), end = sizeof(dots) - 1;

	if (length <= end || strcmp(name + length - end, dots) != 0)
		return name;
	const char *found = find_start(model, name, length - end);
	return found ? found : name;
}

int hp_mcp_no_function(const struct hp_model *model, const char *name, struct hp_error *error)
{
	const char *nearest = hp_function_nearest(model, name);

	if (nearest)
		return hp_mcp_error(error, -ENOENT,
				    "no function is named '%.80s'; did you mean '%.80s'?", name,
				    nearest);
	return hp_mcp_error(error, -ENOENT,
			    "no function is named '%.80s'; 'top' lists the functions", name);
}

const char *hp_mcp_find_function(const struct hp_mcp_call *call, struct hp_error *error)
{
	const char *given = hp_mcp_text(call, "name");
	const char *name = hp_function_shown(call->model, uncut(call->model, given));
	if (hp_function_is_known(call->model, name))
		return name;

	hp_mcp_no_function(call->model, given, error);
	return NULL;
}

/* ---- callers and callees ---- */

struct json_object *hp_mcp_relatives(const struct hp_model *model, enum hp_direction direction,
				     const char *name)
{
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;

	hp_mcp_options(&options, 0);
	hp_relatives_write(model, direction, name, &options, &text);
	return hp_mcp_take(&text);
}

static const char *key_of(enum hp_direction direction)
{
	return direction == HP_CALLERS ? "callers" : "callees";
}

/* Give each row those of its own function: fewer of them. */
static void add_level(struct json_object *rows, const struct hp_model *model,
		      enum hp_direction direction, int depth)
{
	enum { DEEPER_ROWS = 3 };

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);
		const char *name = hp_mcp_string(row, "name");
		struct json_object *object = name ? hp_mcp_relatives(model, direction, name) : NULL;
		hp_mcp_add(row, key_of(direction),
			   hp_mcp_relative_rows(object, model, direction, DEEPER_ROWS, depth));
		json_object_put(object);
	}
}

struct json_object *hp_mcp_relative_rows(struct json_object *object, const struct hp_model *model,
					 enum hp_direction direction, size_t limit, int depth)
{
	struct json_object *all = hp_mcp_member(object, key_of(direction));
	struct json_object *rows;
	if (!all || !json_object_array_length(all))
		return NULL;

	rows = hp_mcp_pick_rows(all, neighbour_members, limit);
	if (rows && depth > 1)
		add_level(rows, model, direction, depth - 1);
	return rows;
}

/* ---- lines ---- */

struct json_object *hp_mcp_lines(const struct hp_model *model, const char *name)
{
	struct hp_sampled_lines lines;
	struct hp_report_options options;
	struct hp_text text = HP_TEXT_INIT;

	hp_mcp_options(&options, 0);
	text.failed |= !hp_sampled_lines_read(&lines, &model->cpu, name, NULL);
	if (lines.count)
		hp_lines_write(&lines, &model->cpu, name, &options, &text);
	hp_sampled_lines_free(&lines);
	return hp_mcp_take(&text);
}

/* Indentation tells nothing about a single line. */
static void unindent(struct json_object *row)
{
	const char *source = hp_mcp_string(row, "source");

	if (source && *source == ' ')
		hp_mcp_add_text(row, "source", source + strspn(source, " "));
}

struct json_object *hp_mcp_line_rows(struct json_object *object, const char *members, size_t limit)
{
	struct json_object *rows = hp_mcp_pick_rows(hp_mcp_member(object, "lines"), members, limit);

	for (size_t i = 0; rows && i < json_object_array_length(rows); i++)
		unindent(json_object_array_get_idx(rows, i));
	return rows;
}
