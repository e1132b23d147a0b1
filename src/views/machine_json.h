/* SPDX-License-Identifier: MIT */
/* The machine that a program ran on, in JSON. */
#ifndef HP_MACHINE_JSON_H
#define HP_MACHINE_JSON_H

#include "json_writer.h"
#include "model.h"

/** The members "machine" and "meta", if anything is known of them. */
void hp_json_machine(const struct hp_model *model, struct hp_json *json);

#endif
