/* SPDX-License-Identifier: MIT */
/* The list of programs in JSON. */
#ifndef HP_PROGRAMS_JSON_H
#define HP_PROGRAMS_JSON_H

#include "programs.h"
#include "text.h"

/** The word for a state. */
const char *hp_program_state_name(enum hp_program_state state);

/** Write {"version":…,"host":…,"programs":[…]}. */
void hp_programs_put_json(const struct hp_programs *programs, struct hp_text *text);

#endif
