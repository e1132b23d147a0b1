/* SPDX-License-Identifier: MIT */
/* What families there are: which rows have labels in common, and what each figure of theirs is called. */
#ifndef HP_METRICS_SUBJECT_H
#define HP_METRICS_SUBJECT_H

#include "exposition.h"
#include "kind.h"

/** Rows that have the same labels, and the kinds that tell about them. */
struct hp_metrics_subject {
	/** Begins the names of families: "mutex". NULL for the noun of the kind. */
	const char *prefix;
	/** The label that has the name of a row. */
	const char *label;
	/** Those of functions have several, each with a prefix of its own; ends with NULL. */
	const struct hp_kind *const *kinds;
	/** Only these sites, if the kind has any: an enum hp_site_kind. */
	uint8_t first_site;
	uint8_t last_site;
	/** A label that tells them apart, and its values, from the first site on; NULL if nothing need be told. */
	const char *site_label;
	const char *const *site_values;
};

/** A figure of a kind as a family. */
struct hp_metric_field {
	const struct hp_field *field;
	struct hp_family family;
	/** A label that all its samples have: mode="user"; NULL for none. */
	const char *more;
	/** The number is one of samples, each of which stands for a time. */
	bool is_samples;
	/** Computes the number, if that is not the field's; NULL otherwise. */
	uint64_t (*number)(const void *row);
};

/** The subjects that are known by name: functions, threads, and those of hotpath for Rust; ends without kinds. */
extern const struct hp_metrics_subject hp_metrics_subjects[];

/** The subject of a kind with sites that has no line in the table. Returns false if the table has one. */
bool hp_metrics_subject_of(const struct hp_kind *const *kind, struct hp_metrics_subject *subject);

/** Make a family of a field. Returns false if it has none: it follows from others, or is no number. */
bool hp_metric_field(const struct hp_metrics_subject *subject, const struct hp_kind *kind,
		     const struct hp_field *field, struct hp_metric_field *metric);

/** The label that a text of a row becomes; NULL if it becomes none. */
const char *hp_metric_label(const struct hp_field *field);

#endif
