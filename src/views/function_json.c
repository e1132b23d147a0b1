/* SPDX-License-Identifier: MIT */
/* What every section says of a function in JSON in the same way. */
#include "function_json.h"

const char *hp_kind_name(enum hp_site_kind kind)
{
	static const char *const names[] = {
		[HP_SITE_FUNCTION] = "function",
		[HP_SITE_BLOCK] = "block",
		[HP_SITE_SPAN] = "span",
		[HP_SITE_MAIN] = "main",
	};

	return kind >= HP_SITE_FUNCTION && kind <= HP_SITE_MAIN ? names[kind] : "function";
}

static void put_source(struct hp_json *json, const struct hp_function *function)
{
	hp_json_begin_object(json);
	hp_json_key(json, "file");
	hp_json_string(json, function->file);
	hp_json_key(json, "line");
	hp_json_u64(json, function->line);
	hp_json_end_object(json);
}

void hp_json_location(struct hp_json *json, const struct hp_function *function)
{
	hp_json_key(json, "location");
	if (function->file)
		put_source(json, function);
	else
		hp_json_null(json);
	if (!function->module)
		return;
	hp_json_key(json, "module");
	hp_json_string(json, function->module);
	hp_json_key(json, "offset");
	hp_json_u64(json, function->offset);
}
