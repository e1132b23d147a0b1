/* SPDX-License-Identifier: MIT */
/*
 * Metrics: the figures of programs, as Prometheus scrapes them.
 *
 * A family is a figure of a kind of measurement: hotpath_mutex_wait_seconds. Which there are follows from the fields of the
 * kinds, so a new kind has its families without further ado. Names are those of hotpath for Rust where that has the figure.
 *
 *	hotpath_function_calls_total{program="server",pid="4711",function="parse",source="parse.c:12"} 42
 *
 * All counters begin when the program was started, or recording began anew.
 */
#ifndef HP_METRICS_H
#define HP_METRICS_H

#include "model.h"
#include "text.h"

enum hp_metrics_format {
	/** The text format of Prometheus, version 0.0.4. */
	HP_METRICS_TEXT,
	/** OpenMetrics 1.0. */
	HP_METRICS_OPEN,
	/** Protocol buffers, with native histograms beside those of the other formats. */
	HP_METRICS_PROTOBUF,
};

struct hp_metrics_program {
	const struct hp_model *model;
	/** The name of a saved report, which is a label then; NULL for a process. */
	const char *report;
};

struct hp_metrics_options {
	enum hp_metrics_format format;
	/**
	 * How many functions of a program have series of their own: those with the most time. The others are one, "other". The
	 * same holds for locks, channels and all other rows. 0 for no limit.
	 */
	size_t limit;
};

enum { HP_METRICS_LIMIT = 100 };

/** The text format, and HP_METRICS_LIMIT. */
void hp_metrics_options_init(struct hp_metrics_options *options);

/** The format that a client prefers, by its header Accept; NULL if it has sent none. */
enum hp_metrics_format hp_metrics_accepted(const char *accept);

/** The value of the header Content-Type. */
const char *hp_metrics_content_type(enum hp_metrics_format format);

/**
 * Write the metrics of some programs.
 *
 * The same models make the same text. If two programs have the same name, process id and report, only the first is
 * written, since series must be unique. When memory ran out, the text has failed.
 */
void hp_metrics_write(const struct hp_metrics_program *programs, size_t count,
		      const struct hp_metrics_options *options, struct hp_text *text);

#endif
