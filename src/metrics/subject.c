/* SPDX-License-Identifier: MIT */
/* What families there are: which rows have labels in common, and what each figure of theirs is called. */
#include "subject.h"

#include "function.h"
#include "segment.h"
#include "thread_list.h"

#include <stdio.h>
#include <string.h>

/* ---- subjects ---- */

#define KIND(name) extern const struct hp_kind hp_kind_##name;
#include "kinds.def"
#undef KIND

#define KINDS(...) ((const struct hp_kind *const[]){ __VA_ARGS__, NULL })

static const char *const lock_operations[] = { "read", "write" };
static const char *const value_types[] = { "dbg", "val", "gauge" };

const struct hp_metrics_subject hp_metrics_subjects[] = {
	{ "function", "function", KINDS(&hp_kind_timing, &hp_kind_alloc, &hp_kind_cpu) },
	{ "thread", "name", KINDS(&hp_kind_threads) },
	{ "channel", "label", KINDS(&hp_kind_channels) },
	{ "stream", "label", KINDS(&hp_kind_streams) },
	{ "future", "label", KINDS(&hp_kind_futures) },
	{ "loop", "label", KINDS(&hp_kind_loops) },
	{ "mutex", "label", KINDS(&hp_kind_locks), HP_SITE_MUTEX, HP_SITE_MUTEX },
	{ "rwlock", "label", KINDS(&hp_kind_locks), HP_SITE_READ_LOCK, HP_SITE_WRITE_LOCK, "op",
	  lock_operations },
	{ "spinlock", "label", KINDS(&hp_kind_locks), HP_SITE_SPIN_LOCK, HP_SITE_SPIN_LOCK },
	{ "own_lock", "label", KINDS(&hp_kind_locks), HP_SITE_OWN_LOCK, HP_SITE_OWN_LOCK },
	{ "lock_wait", "function", KINDS(&hp_kind_lock_waits) },
	{ "wait", "function", KINDS(&hp_kind_waits) },
	{ "io", "function", KINDS(&hp_kind_io) },
	{ "value", "label", KINDS(&hp_kind_values), HP_SITE_DBG, HP_SITE_GAUGE, "type",
	  value_types },
	{ .kinds = NULL },
};

bool hp_metrics_subject_of(const struct hp_kind *const *kind, struct hp_metrics_subject *subject)
{
	for (const struct hp_metrics_subject *known = hp_metrics_subjects; known->kinds; known++)
		if (known->kinds[0] == *kind)
			return false;
	*subject = (struct hp_metrics_subject){ .label = "label", .kinds = kind };
	return hp_kind_has_sites(*kind);
}

/* ---- names ---- */

/* Of a figure that has no family. */
#define NO_NAME NULL

struct naming {
	const char *kind;
	const char *key;
	const char *name;
	const char *help;
	const char *more;
	bool is_samples;
	bool is_counter;
	uint64_t (*number)(const void *row);
};

/* Also those that were only counted. */
static uint64_t all_calls(const void *row)
{
	const struct hp_function *function = row;

	return function->calls + function->counted;
}

/* clang-format off */
static const struct naming namings[] = {
#define NAMING(...) { __VA_ARGS__ },
#include "namings.def"
#undef NAMING
};
/* clang-format on */

static const struct naming *naming_of(const struct hp_kind *kind, const struct hp_field *field)
{
	for (size_t i = 0; i < sizeof(namings) / sizeof(*namings); i++)
		if (strcmp(namings[i].kind, kind->key) == 0 &&
		    strcmp(namings[i].key, field->key) == 0)
			return &namings[i];
	return NULL;
}

/* "total_queue_ns" is "queue", "bytes" nothing: the unit is written after it. */
static void put_stem(char *stem, size_t size, const char *key)
{
	static const char *const ends[] = { "_ns", "_bytes", "_count", "_histogram" };
	size_t length;

	if (strncmp(key, "total_", 6) == 0)
		key += 6;
	snprintf(stem, size, "%s", strcmp(key, "bytes") == 0 ? "" : key);
	length = strlen(stem);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t end = strlen(ends[i]);
		if (length > end && strcmp(stem + length - end, ends[i]) == 0) {
			stem[length - end] = '\0';
			return;
		}
	}
}

/* Functions have a prefix for each of their kinds; of others, the noun is one: "event loop". */
static void put_prefix(char *prefix, size_t size, const struct hp_metrics_subject *subject,
		       const struct hp_kind *kind)
{
	const char *part = kind == &hp_kind_alloc ? "_alloc" : kind == &hp_kind_cpu ? "_cpu" : "";

	snprintf(prefix, size, "%s%s", subject->prefix ? subject->prefix : kind->noun, part);
	for (char *c = prefix; *c; c++)
		if (*c == ' ')
			*c = '_';
}

/* ---- families ---- */

static bool is_whole(const struct hp_field *field)
{
	return field->unit <= HP_FIELD_TIME && !field->over;
}

static bool is_real(const struct hp_field *field)
{
	return field->unit == HP_FIELD_DOUBLE || field->unit == HP_FIELD_PERCENT ||
	       field->unit == HP_FIELD_VALUE;
}

/* Returns false if a figure follows from others, or is no number. */
static bool find_type(const struct hp_field *field, const struct naming *naming,
		      enum hp_family_type *type)
{
	bool is_histogram = field->unit == HP_FIELD_HISTOGRAM ||
			    (field->unit == HP_FIELD_POINTS && naming);
	bool is_count = is_whole(field) && field->merge == HP_MERGE_SUM;

	*type = HP_FAMILY_GAUGE;
	if (is_histogram)
		*type = HP_FAMILY_HISTOGRAM;
	else if (is_count && (!field->is_level || (naming && naming->is_counter)))
		*type = HP_FAMILY_COUNTER;
	return is_histogram || is_count || is_real(field) ||
	       (is_whole(field) && field->merge == HP_MERGE_MOST);
}

static enum hp_family_unit unit_of(const struct hp_field *field, const struct naming *naming)
{
	bool is_time = field->unit == HP_FIELD_TIME || field->unit == HP_FIELD_HISTOGRAM ||
		       field->unit == HP_FIELD_POINTS || (naming && naming->is_samples);

	if (is_time)
		return HP_UNIT_SECONDS;
	return field->unit == HP_FIELD_BYTES ? HP_UNIT_BYTES : HP_UNIT_NONE;
}

static void describe(struct hp_family *family, const struct hp_kind *kind,
		     const struct hp_field *field, const struct naming *naming)
{
	if (naming)
		snprintf(family->help, sizeof(family->help), "%s", naming->help);
	else
		snprintf(family->help, sizeof(family->help),
			 "%s of each %s, as in the report in JSON.", field->key, kind->noun);
}

bool hp_metric_field(const struct hp_metrics_subject *subject, const struct hp_kind *kind,
		     const struct hp_field *field, struct hp_metric_field *metric)
{
	char prefix[HP_FAMILY_NAME_MAX / 2], stem[HP_FAMILY_NAME_MAX / 2];
	const struct naming *naming = field->key ? naming_of(kind, field) : NULL;

	*metric = (struct hp_metric_field){ .field = field };
	if (!field->key || (naming && !naming->name) ||
	    !find_type(field, naming, &metric->family.type))
		return false;
	put_prefix(prefix, sizeof(prefix), subject, kind);
	put_stem(stem, sizeof(stem), field->key);
	hp_family_set_name(&metric->family, prefix, naming ? naming->name : stem,
			   unit_of(field, naming));
	describe(&metric->family, kind, field, naming);
	if (naming) {
		metric->more = naming->more;
		metric->is_samples = naming->is_samples;
		metric->number = naming->number;
	}
	return true;
}

/* ---- labels ---- */

const char *hp_metric_label(const struct hp_field *field)
{
	/* Those of hotpath for Rust; and types that the name of the family, or another label, tells. */
	static const struct {
		const char *key;
		const char *label;
	} labels[] = { { "operation", "op" },
		       { "channel_type", "type" },
		       { "lock_type", NULL },
		       { "entry_type", NULL } };

	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++)
		if (field->key && strcmp(field->key, labels[i].key) == 0)
			return labels[i].label;
	bool is_text = field->unit == HP_FIELD_TEXT || field->unit == HP_FIELD_SPECIAL;
	/* A text that goes with the largest number changes with that. */
	return is_text && field->merge == HP_MERGE_NONE ? field->key : NULL;
}
