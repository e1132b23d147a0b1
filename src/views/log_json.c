/* SPDX-License-Identifier: MIT */
/* The recent calls of a function, or the log of a channel and its like, in JSON. */
#include "log_json.h"

#include "events_grid.h"
#include "value_text.h"

static void put_call(struct hp_json *json, const struct hp_recent *call)
{
	hp_json_begin_object(json);
	hp_json_member_u64(json, "duration_ns", call->duration_ns);
	hp_json_member_u64(json, "ago_ns", call->ago_ns);
	hp_json_member_known(json, "tid", call->tid, call->tid != 0);
	hp_json_key(json, "returned");
	hp_value_json(json, call->value_kind, call->value, call->text);
	hp_json_end_object(json);
}

/* What both begin with. */
static void begin(struct hp_json *json, const char *type, const char *name)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "type", type);
	hp_json_member_u64(json, "schema", 1);
	hp_json_member_string(json, "name", name);
}

void hp_calls_json(struct hp_json *json, const char *name, const struct hp_recent *calls,
		   size_t count)
{
	begin(json, "hotpath_calls", name);
	hp_json_key(json, "calls");
	hp_json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		put_call(json, &calls[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
}

void hp_events_json(struct hp_json *json, const char *name, enum hp_site_kind site_kind,
		    const struct hp_flow_event *events, size_t count)
{
	const struct hp_kind *kind = hp_kind_of_site(site_kind);

	begin(json, "hotpath_events", name);
	hp_json_member_string(json, "kind", kind->events[site_kind - kind->first_site]);
	hp_json_key(json, "events");
	hp_json_begin_array(json);
	for (size_t i = 0; i < count; i++)
		hp_event_json(json, kind, &events[i]);
	hp_json_end_array(json);
	hp_json_end_object(json);
}
