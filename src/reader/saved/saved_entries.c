/* SPDX-License-Identifier: MIT */
/*
 * Reads the rows of kinds from a saved report: each field by its key, as its kind describes it.
 *
 * Values and histograms come last, since they depend on other fields: the kind of the value, the number of times.
 */
#include "saved_entries.h"

#include "kind.h"
#include "saved_points.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

/* Find a word; -1 if it is none of them. */
static int find_word(struct json_object *value, const char *const *words, unsigned count)
{
	const char *word = json_object_get_string(value);

	for (unsigned i = 0; i < count; i++)
		if (words[i] && strcmp(words[i], word) == 0)
			return (int)i;
	return -1;
}

static bool read_word(struct json_object *value, const char *const *words, unsigned count,
		      uint64_t *into)
{
	int word = find_word(value, words, count);

	*into = word < 0 ? 0 : (uint64_t)word;
	return word >= 0;
}

static bool read_special(struct json_object *value, const struct hp_field *field,
			 struct hp_entry *entry)
{
	return json_object_is_type(value, json_type_string) &&
	       field->parse(entry, json_object_get_string(value));
}

/* ---- numbers ---- */

/* A gauge may be below 0. */
static bool read_double(struct json_object *value, uint64_t *into)
{
	double number = json_object_get_double(value);

	memcpy(into, &number, sizeof(number));
	return (json_object_is_type(value, json_type_double) ||
		json_object_is_type(value, json_type_int)) &&
	       isfinite(number);
}

static bool is_stored(const struct hp_field *field)
{
	return field->unit <= HP_FIELD_TIME && !field->over;
}

/* ---- fields ---- */

/* Whether the value is what it must be. */
static bool read_field(struct json_object *value, const struct hp_field *field,
		       struct hp_entry *entry)
{
	switch (field->unit) {
	case HP_FIELD_NAME:
		return hp_saved_type_string.read(value, &entry->name);
	case HP_FIELD_LABELLED:
		return hp_saved_type_boolean.read(value, &entry->is_labelled);
	case HP_FIELD_TEXT:
		return hp_saved_type_string.read(value, &entry->texts[field->at]);
	case HP_FIELD_WORD:
		return read_word(value, field->words, field->word_count,
				 &entry->words[field->at - 1]);
	case HP_FIELD_VALUE_KIND:
		return read_word(value, hp_value_names, HP_VALUE_NAMES,
				 &entry->words[field->at - 1]);
	case HP_FIELD_SPECIAL:
		return read_special(value, field, entry);
	case HP_FIELD_DOUBLE:
		return read_double(value, &entry->words[field->at - 1]);
	default:
		return !is_stored(field) || hp_saved_u64(value, hp_entry_slot(entry, field->at));
	}
}

/* What a field must be, for people. */
static const char *wanted_of(const struct hp_field *field)
{
	switch (field->unit) {
	case HP_FIELD_NAME:
	case HP_FIELD_TEXT:
		return hp_saved_type_string.what;
	case HP_FIELD_LABELLED:
		return hp_saved_type_boolean.what;
	case HP_FIELD_VALUE_KIND:
		return "a kind of value";
	case HP_FIELD_DOUBLE:
		return "a number";
	default:
		return field->wanted ? field->wanted : hp_saved_type_u64.what;
	}
}

/* A double that JSON has no number for is null. */
static void set_missing(const struct hp_field *field, struct hp_entry *entry)
{
	double none = NAN;

	if (field->unit == HP_FIELD_DOUBLE && field->only == entry->site_kind)
		memcpy(&entry->words[field->at - 1], &none, sizeof(none));
}

static int read_fields(struct json_object *row, struct hp_entry *entry, struct hp_error *error)
{
	for (const struct hp_field *field = entry->kind->fields; !hp_field_is_end(field); field++) {
		struct json_object *value = field->key ? hp_saved_member(row, field->key) : NULL;
		if (!value)
			set_missing(field, entry);
		else if (!read_field(value, field, entry))
			return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not %s",
					     field->key, wanted_of(field));
	}
	return 0;
}

static int read_place(struct json_object *row, const struct hp_field *field, struct hp_entry *entry,
		      struct hp_error *error)
{
	static const struct hp_saved_field place_fields[] = {
		{ "file", &hp_saved_type_string, offsetof(struct hp_entry, file) },
		{ "line", &hp_saved_type_u32, offsetof(struct hp_entry, line) },
		{ NULL, NULL, 0 },
	};

	return hp_saved_member_fields(row, field->key, place_fields, entry, error);
}

/* ---- histograms ---- */

static int read_percentiles(struct json_object *row, struct hp_saved *saved,
			    const struct hp_field *field, struct hp_entry *entry,
			    struct hp_error *error)
{
	struct hp_times *times = hp_entry_times_of(entry, field->at);
	char of[32];

	/* A histogram tells more, even an empty one. */
	if (times->points.items)
		return 0;
	saved->complete = false;
	snprintf(of, sizeof(of), "%s_", field->key);
	return hp_saved_percentiles(row, &saved->known, of, "ns", times->count, times->max_ns,
				    &times->points, error);
}

/* ---- values ---- */

static bool read_int(struct json_object *value, uint64_t *bits)
{
	*bits = (uint64_t)json_object_get_int64(value);
	return json_object_is_type(value, json_type_int);
}

static bool read_uint(struct json_object *value, uint64_t *bits)
{
	return hp_saved_u64(value, bits);
}

static bool read_truth(struct json_object *value, uint64_t *bits)
{
	*bits = json_object_get_boolean(value) != 0;
	return json_object_is_type(value, json_type_boolean);
}

static bool read_pointer(struct json_object *value, uint64_t *bits)
{
	const char *text = json_object_get_string(value);
	char *end;

	if (!json_object_is_type(value, json_type_string) || strncmp(text, "0x", 2) != 0)
		return false;
	errno = 0;
	*bits = strtoull(text + 2, &end, 16);
	return end > text + 2 && !*end && !errno;
}

/* There is no value: a double that JSON has no number for is null, and no string is not an empty one. */
static void set_none(uint64_t *kind, uint64_t *bits)
{
	double none = NAN;

	if (*kind == HP_VALUE_DOUBLE)
		memcpy(bits, &none, sizeof(none));
	if (*kind == HP_VALUE_STRING)
		*kind = HP_VALUE_NONE;
}

static int read_value(struct json_object *row, const struct hp_field *field, struct hp_entry *entry,
		      struct hp_error *error)
{
	static bool (*const readers[])(struct json_object *, uint64_t *) = {
		[HP_VALUE_INT] = read_int,	   [HP_VALUE_UINT] = read_uint,
		[HP_VALUE_DOUBLE] = read_double,   [HP_VALUE_BOOL] = read_truth,
		[HP_VALUE_POINTER] = read_pointer,
	};
	struct json_object *value = hp_saved_member(row, field->key);
	uint64_t *kind = &entry->words[field->at - 1], *bits = kind + 1;
	bool is_right = *kind != HP_VALUE_NONE;

	if (!value) {
		set_none(kind, bits);
		return 0;
	}
	if (is_right)
		is_right = *kind == HP_VALUE_STRING
				   ? hp_saved_type_string.read(value, &entry->texts[0])
				   : readers[*kind](value, bits);
	return is_right ? 0
			: hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not of its kind",
					field->key);
}

/* ---- rows ---- */

/* Fields that depend on others. Histograms come after their percentiles, but replace them. */
static int read_rest(struct json_object *row, const struct hp_field *field, struct hp_entry *entry,
		     struct hp_error *error)
{
	bool found;

	switch (field->unit) {
	case HP_FIELD_PLACE:
		return read_place(row, field, entry, error);
	case HP_FIELD_HISTOGRAM:
		return hp_saved_points(row, field->key,
				       &hp_entry_times_of(entry, field->at)->points, &found, error);
	case HP_FIELD_VALUE:
		return read_value(row, field, entry, error);
	default:
		return 0;
	}
}

static int read_all(struct json_object *row, struct hp_saved *saved, struct hp_entry *entry,
		    struct hp_error *error)
{
	const struct hp_field *fields = entry->kind->fields;
	int failed = read_fields(row, entry, error);

	if (!failed && !entry->name)
		failed = hp_saved_fail(error, -EINVAL, "damaged report: a row of '%s' has no name",
				       entry->kind->key);
	for (const struct hp_field *field = fields; !hp_field_is_end(field) && !failed; field++)
		failed = read_rest(row, field, entry, error);
	for (const struct hp_field *field = fields; !hp_field_is_end(field) && !failed; field++)
		if (field->unit == HP_FIELD_PERCENTILE)
			failed = read_percentiles(row, saved, field, entry, error);
	return failed;
}

static int read_row(struct json_object *row, const struct hp_kind *kind, struct hp_saved *saved,
		    struct hp_error *error)
{
	struct hp_entry entry = { .kind = kind, .site_kind = kind->first_site };

	if (!json_object_is_type(row, json_type_object))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: a row of '%s' is not an object", kind->key);
	int failed = read_all(row, saved, &entry, error);
	if (!failed && !hp_entries_append(&saved->model->entries, entry))
		failed = hp_saved_fail(error, -ENOMEM, "out of memory");
	if (failed)
		hp_entry_clear(&entry);
	return failed;
}

/* Functions have the percentiles that all have; if there are no functions, the first section says which. */
static int read_section(struct json_object *report, const struct hp_kind *kind,
			struct hp_saved *saved, struct hp_error *error)
{
	struct json_object *object = hp_saved_member(report, kind->key), *rows;
	size_t count;

	if (!object)
		return 0;
	if (!json_object_is_type(object, json_type_object))
		return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not an object",
				     kind->key);
	int failed = hp_saved_array(object, "data", &rows, &count, error);
	if (!failed && !saved->known.count)
		failed = hp_saved_known(object, &saved->known, error);
	for (size_t i = 0; i < count && !failed; i++)
		failed = read_row(json_object_array_get_idx(rows, i), kind, saved, error);
	return failed;
}

int hp_saved_entries(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	int failed = 0;

	for (size_t i = 0; hp_kinds[i] && !failed; i++)
		failed = read_section(report, hp_kinds[i], saved, error);
	if (!failed)
		hp_entries_sort(&saved->model->entries);
	return failed;
}
