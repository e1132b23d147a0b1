/* SPDX-License-Identifier: MIT */
/* The arguments and results of tools: their schemas, their checks and their values, all from the same tables. */
#include "json_writer.h"
#include "request.h"
#include "tool.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int hp_mcp_error(struct hp_error *error, int number, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return number;
}

/* ---- schemas ---- */

static void put_type(struct hp_json *json, enum hp_mcp_type type)
{
	static const char *const names[] = {
		[HP_MCP_TEXT] = "string",     [HP_MCP_NUMBER] = "integer",
		[HP_MCP_BOOLEAN] = "boolean", [HP_MCP_OBJECT] = "object",
		[HP_MCP_ROWS] = "array",      [HP_MCP_TEXTS] = "array",
	};

	hp_json_member_string(json, "type", names[type]);
	if (type != HP_MCP_ROWS && type != HP_MCP_TEXTS)
		return;
	hp_json_key(json, "items");
	hp_json_begin_object(json);
	hp_json_member_string(json, "type", type == HP_MCP_ROWS ? "object" : "string");
	hp_json_end_object(json);
}

static void put_words(struct hp_json *json, const char *const *words)
{
	hp_json_key(json, "enum");
	hp_json_begin_array(json);
	for (size_t i = 0; words[i]; i++)
		hp_json_string(json, words[i]);
	hp_json_end_array(json);
	hp_json_member_string(json, "default", words[0]);
}

static void put_argument(struct hp_json *json, const struct hp_mcp_argument *argument)
{
	hp_json_key(json, argument->name);
	hp_json_begin_object(json);
	put_type(json, argument->type);
	hp_json_member_string(json, "description", argument->description);
	if (argument->words)
		put_words(json, argument->words);
	if (argument->type == HP_MCP_NUMBER) {
		hp_json_member_u64(json, "minimum", (uint64_t)argument->least);
		hp_json_member_u64(json, "maximum", (uint64_t)argument->most);
		hp_json_member_u64(json, "default", (uint64_t)argument->value_default);
	}
	hp_json_end_object(json);
}

static void put_required(struct hp_json *json, const struct hp_mcp_argument *arguments)
{
	hp_json_key(json, "required");
	hp_json_begin_array(json);
	for (; arguments->name; arguments++)
		if (arguments->is_required)
			hp_json_string(json, arguments->name);
	hp_json_end_array(json);
}

void hp_mcp_put_input_schema(struct hp_json *json, const struct hp_mcp_tool *tool)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "type", "object");
	hp_json_key(json, "properties");
	hp_json_begin_object(json);
	for (const struct hp_mcp_argument *argument = tool->arguments; argument->name; argument++)
		put_argument(json, argument);
	hp_json_end_object(json);
	put_required(json, tool->arguments);
	hp_json_member_bool(json, "additionalProperties", false);
	hp_json_end_object(json);
}

void hp_mcp_put_output_schema(struct hp_json *json, const struct hp_mcp_tool *tool)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "type", "object");
	hp_json_key(json, "properties");
	hp_json_begin_object(json);
	for (const struct hp_mcp_field *field = tool->fields; field->name; field++) {
		hp_json_key(json, field->name);
		hp_json_begin_object(json);
		put_type(json, field->type);
		if (field->description)
			hp_json_member_string(json, "description", field->description);
		hp_json_end_object(json);
	}
	hp_json_end_object(json);
	hp_json_key(json, "required");
	hp_json_begin_array(json);
	hp_json_string(json, "truncated");
	hp_json_end_array(json);
	hp_json_end_object(json);
}

/* ---- checks ---- */

static const struct hp_mcp_argument *find(const struct hp_mcp_tool *tool, const char *name)
{
	const struct hp_mcp_argument *argument = tool->arguments;

	while (argument->name && strcmp(argument->name, name) != 0)
		argument++;
	return argument->name ? argument : NULL;
}

static int check_text(const struct hp_mcp_argument *argument, struct json_object *value,
		      struct hp_error *error)
{
	const char *text = json_object_get_string(value);
	const char *const *word = argument->words;

	if (!json_object_is_type(value, json_type_string))
		return hp_mcp_error(error, -EINVAL, "'%s' must be a string", argument->name);
	if (!*text)
		return hp_mcp_error(error, -EINVAL, "'%s' must not be empty", argument->name);
	while (word && *word && strcmp(*word, text) != 0)
		word++;
	if (!word || *word)
		return 0;
	int used = snprintf(error->text, sizeof(error->text), "'%s' must be one of",
			    argument->name);
	for (word = argument->words; *word && used < (int)sizeof(error->text); word++)
		used += snprintf(error->text + used, sizeof(error->text) - (size_t)used, " %s",
				 *word);
	return -EINVAL;
}

/* 10.0 is an integer as well. */
static int check_number(const struct hp_mcp_argument *argument, struct json_object *value,
			struct hp_error *error)
{
	bool is_number = json_object_is_type(value, json_type_int) ||
			 json_object_is_type(value, json_type_double);
	double number = json_object_get_double(value);

	if (is_number && number >= argument->least && number <= argument->most &&
	    number == (double)(int)number)
		return 0;
	return hp_mcp_error(error, -EINVAL, "'%s' must be an integer from %d to %d", argument->name,
			    argument->least, argument->most);
}

static int check_one(const struct hp_mcp_tool *tool, const char *name, struct json_object *value,
		     struct hp_error *error)
{
	const struct hp_mcp_argument *argument = find(tool, name);

	if (!argument)
		return hp_mcp_error(error, -EINVAL, "%s has no argument '%.60s'", tool->name, name);
	return argument->type == HP_MCP_TEXT ? check_text(argument, value, error)
					     : check_number(argument, value, error);
}

int hp_mcp_check(const struct hp_mcp_tool *tool, struct json_object *arguments,
		 struct hp_error *error)
{
	int problem = 0;

	if (arguments) {
		json_object_object_foreach(arguments, name, value)
		{
			if (!problem)
				problem = check_one(tool, name, value, error);
		}
	}
	for (const struct hp_mcp_argument *argument = tool->arguments; !problem && argument->name;
	     argument++)
		if (argument->is_required && !hp_mcp_member(arguments, argument->name))
			problem = hp_mcp_error(error, -EINVAL, "%s needs the argument '%s'",
					       tool->name, argument->name);
	return problem;
}

/* ---- values ---- */

const char *hp_mcp_text(const struct hp_mcp_call *call, const char *name)
{
	const struct hp_mcp_argument *argument = find(call->tool, name);
	const char *given = hp_mcp_string(call->arguments, name);

	if (given || !argument || !argument->words)
		return given;
	return argument->words[0];
}

int hp_mcp_number(const struct hp_mcp_call *call, const char *name)
{
	const struct hp_mcp_argument *argument = find(call->tool, name);
	struct json_object *given = hp_mcp_member(call->arguments, name);

	if (given)
		return json_object_get_int(given);
	return argument ? argument->value_default : 0;
}
