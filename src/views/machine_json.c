/* SPDX-License-Identifier: MIT */
/* The machine that a program ran on, and its provenance, in JSON. */
#include "machine_json.h"

#include <string.h>

/* null where it is not known. */
static void put_word(struct hp_json *json, const char *key, const char *word)
{
	hp_json_member_string(json, key, *word ? word : NULL);
}

static void put_machine(const struct hp_machine *machine, struct hp_json *json)
{
	if (!*machine->arch && !*machine->cpu && !*machine->kernel && !machine->cores)
		return;
	hp_json_key(json, "machine");
	hp_json_begin_object(json);
	put_word(json, "arch", machine->arch);
	put_word(json, "cpu", machine->cpu);
	put_word(json, "kernel", machine->kernel);
	hp_json_member_known(json, "cores", machine->cores, machine->cores);
	hp_json_end_object(json);
}

/* Write one of the objects, if anything in it is known; "pull_request" is inside "ci". */
static void put_object(const struct hp_provenance *provenance, const char *object,
		       struct hp_json *json)
{
	bool is_open = false;

	for (const struct hp_provenance_field *field = hp_provenance_fields; field->key; field++) {
		const char *word = (const char *)provenance + field->offset;
		if (strcmp(field->object, object) != 0 || !*word)
			continue;
		if (!is_open) {
			hp_json_key(json, object);
			hp_json_begin_object(json);
			is_open = true;
		}
		hp_json_member_string(json, field->key, word);
	}
	if (is_open && strcmp(object, "ci") == 0)
		put_object(provenance, "pull_request", json);
	if (is_open)
		hp_json_end_object(json);
}

static void put_provenance(const struct hp_provenance *provenance, struct hp_json *json)
{
	if (!*provenance->git_sha && !*provenance->ci_provider)
		return;
	hp_json_key(json, "meta");
	hp_json_begin_object(json);
	put_object(provenance, "git", json);
	put_object(provenance, "ci", json);
	hp_json_end_object(json);
}

void hp_json_machine(const struct hp_model *model, struct hp_json *json)
{
	put_machine(&model->machine, json);
	put_provenance(&model->provenance, json);
}
