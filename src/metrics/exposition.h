/* SPDX-License-Identifier: MIT */
/* Families and their samples, in one of several formats. */
#ifndef HP_EXPOSITION_H
#define HP_EXPOSITION_H

#include "buckets.h"
#include "metrics.h"

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

struct hp_exposition;

/** A format of metrics, which ends the file that writes it. */
struct hp_exposition_format {
	/** The value of the header Content-Type. */
	const char *content_type;
	/** Whether histograms have exponential buckets, too. */
	bool has_exponential;
	/** A family begins: that of the exposition. */
	void (*begin)(struct hp_exposition *exposition);
	void (*sample)(struct hp_exposition *exposition, const char *labels, const char *more,
		       const struct hp_sample *sample);
	void (*histogram)(struct hp_exposition *exposition, const char *labels,
			  const struct hp_histogram *histogram);
	void (*end)(struct hp_exposition *exposition);
};

extern const struct hp_exposition_format hp_exposition_text;
extern const struct hp_exposition_format hp_exposition_open;
extern const struct hp_exposition_format hp_exposition_protobuf;

const struct hp_exposition_format *hp_exposition_format(enum hp_metrics_format format);

enum { HP_EXPOSITION_MESSAGES = 6 };

/** Begins as zeros but for the first two members. */
struct hp_exposition {
	struct hp_text *text;
	const struct hp_exposition_format *format;
	/** The family whose samples are written. */
	struct hp_family family;
	/** The buckets of the histogram that is added up. */
	struct hp_exponential exponential;
	/** What a format with messages inside of messages has not written yet. */
	struct hp_text messages[HP_EXPOSITION_MESSAGES];
};

/** Set the name, which is given without the unit, and the unit, which is appended to it. */
void hp_family_set_name(struct hp_family *family, const char *prefix, const char *stem,
			enum hp_family_unit unit);

/** The word of a unit, which may be ""; and what the names of samples have after that of their family. */
const char *hp_family_unit_word(enum hp_family_unit unit);
const char *hp_family_suffix(enum hp_family_type type);

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
static inline void hp_exposition_sample(struct hp_exposition *exposition, const char *labels,
					const char *more, const struct hp_sample *sample)
{
	exposition->format->sample(exposition, labels, more, sample);
}

/** A histogram of zeros, with the buckets that the format has. There is one at a time. */
struct hp_histogram hp_exposition_begin_histogram(struct hp_exposition *exposition);

/** Write the samples of a histogram. */
static inline void hp_exposition_histogram(struct hp_exposition *exposition, const char *labels,
					   const struct hp_histogram *histogram)
{
	exposition->format->histogram(exposition, labels, histogram);
}

/** End the text. */
static inline void hp_exposition_end(struct hp_exposition *exposition)
{
	exposition->format->end(exposition);
}

/** Append name="value", with what is special escaped; after a comma, unless the text is empty or ends with a NUL. */
void hp_label_put(struct hp_text *labels, const char *name, const char *value);

/**
 * Append the name and the value of the first of some labels that hp_label_put has written, of which there is one.
 *
 * @return
 *         The others; "" if it was the last.
 */
const char *hp_label_read(const char *labels, struct hp_text *name, struct hp_text *value);

#endif
