/* SPDX-License-Identifier: MIT */
/* Writes families and their samples, in the text format of Prometheus or in OpenMetrics. */
#ifndef HP_EXPOSITION_H
#define HP_EXPOSITION_H

#include "metrics.h"
#include "points.h"

enum hp_family_type {
	HP_FAMILY_COUNTER,
	HP_FAMILY_GAUGE,
	HP_FAMILY_HISTOGRAM,
	/** Its labels are what it tells; its value is 1. */
	HP_FAMILY_INFO,
};

enum hp_family_unit {
	HP_UNIT_NONE,
	HP_UNIT_SECONDS,
	HP_UNIT_BYTES,
};

enum { HP_FAMILY_NAME_MAX = 128, HP_FAMILY_HELP_MAX = 256 };

struct hp_family {
	/** Without _total and _info; it ends with its unit if it has one. */
	char name[HP_FAMILY_NAME_MAX];
	char help[HP_FAMILY_HELP_MAX];
	enum hp_family_type type;
	enum hp_family_unit unit;
};

/** A value: nanoseconds if the unit is seconds, and a real number in place of a whole one. */
struct hp_sample {
	uint64_t whole;
	bool is_real;
	double real;
};

/** Upper boundaries of the buckets are 250 ns, 1 µs, 4 µs … 67 s. */
enum { HP_CLASSIC_BUCKETS = 15 };

/** Several histograms that are one. */
struct hp_classic {
	/** Everything that was counted, and its sum in nanoseconds. */
	uint64_t count;
	uint64_t sum_ns;
	/** How many took less than each boundary. */
	uint64_t below[HP_CLASSIC_BUCKETS];
};

/** Begins as zeros but for the first two members. */
struct hp_exposition {
	struct hp_text *text;
	enum hp_metrics_format format;
	/** The family whose samples are written. */
	struct hp_family family;
};

/** Set the name, which is given without the unit, and the unit, which is appended to it. */
void hp_family_set_name(struct hp_family *family, const char *prefix, const char *stem,
			enum hp_family_unit unit);

/** Begin a family; nothing happens if it has begun already. All samples of a family are written before the next one begins. */
void hp_exposition_begin(struct hp_exposition *exposition, const struct hp_family *family);

/**
 * Write a sample of the family.
 *
 * @param labels
 *         As hp_label_put has written them, separated by commas; "" for none.
 * @param more
 *         The same, after these; NULL for none.
 */
void hp_exposition_sample(struct hp_exposition *exposition, const char *labels, const char *more,
			  const struct hp_sample *sample);

/** Write the samples of a histogram. */
void hp_exposition_histogram(struct hp_exposition *exposition, const char *labels,
			     const struct hp_classic *histogram);

/** End the text. */
void hp_exposition_end(struct hp_exposition *exposition);

/** Add a histogram to one that begins as zeros. */
void hp_classic_add(struct hp_classic *classic, const struct hp_points *points, uint64_t count,
		    uint64_t sum_ns);

/** Append name="value", with what is special escaped; after a comma, unless the text is empty or ends with a NUL. */
void hp_label_put(struct hp_text *labels, const char *name, const char *value);

#endif
