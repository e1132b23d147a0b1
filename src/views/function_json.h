/* SPDX-License-Identifier: MIT */
/* JSON members of functions that all sections share. */
#ifndef HP_FUNCTION_JSON_H
#define HP_FUNCTION_JSON_H

#include "json_writer.h"
#include "model.h"
#include "report_options.h"

/**
 * "function", "block", "span" or "main"; "call" for a function that is only known to call malloc; "poll" for a poll
 * of a future.
 */
const char *hp_kind_name(enum hp_site_kind kind);

/** The member "percentiles": which ones are shown. */
void hp_json_percentiles(struct hp_json *json, const struct hp_report_options *options);

/** The key of a percentile: "p95_ns"; with a prefix, unless that is empty: "delay_p95_ns". */
void hp_json_percentile_key(struct hp_json *json, const char *of, double percent, const char *unit);

/**
 * A histogram as [[value, count], …].
 *
 * @param is_coarse
 *         Values of a quarter of an octave are one, the least of them.
 */
void hp_json_points(struct hp_json *json, const char *key, const struct hp_points *points,
		    bool is_coarse);

/** Where something is in the source: file and line, or null. */
void hp_json_place(struct hp_json *json, const char *file, uint32_t line);

/** The members that identify a function: "name" and "kind". */
void hp_json_name(struct hp_json *json, const struct hp_function *function);

/** The member "caller" of the row that is 100 %; of others nothing. */
void hp_json_caller(struct hp_json *json, const struct hp_function *function);

/** The member "location", file and line or null; and where the code is, if it is known by its address. */
void hp_json_location(struct hp_json *json, const struct hp_function *function);

#endif
