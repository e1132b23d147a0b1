/* SPDX-License-Identifier: MIT */
/* The machine that a program ran on, in JSON. Programs that report on themselves leave it out, and it out of them. */
#include "machine_json.h"

/* null where it is not known. */
static void put_word(struct hp_json *json, const char *key, const char *word)
{
	hp_json_member_string(json, key, *word ? word : NULL);
}

void hp_json_machine(const struct hp_model *model, struct hp_json *json)
{
	const struct hp_machine *machine = &model->machine;

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
