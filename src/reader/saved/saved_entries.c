/* SPDX-License-Identifier: MIT */
/*
 * Reads the rows of kinds from a saved report: each field by its key, as its kind describes it.
 *
 * Values and histograms come last, since they depend on other fields: the kind of the value, the number of times.
 */
#include "saved_entries.h"

#include "rows.h"
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
		      const struct hp_field *field, void *row)
{
	int word = find_word(value, words, count);

	hp_row_set(row, field->at, word < 0 ? 0 : (uint64_t)word);
	return word >= 0;
}

static bool read_special(struct json_object *value, const struct hp_field *field, void *row)
{
	return json_object_is_type(value, json_type_string) &&
	       field->parse(row, json_object_get_string(value));
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

static bool read_real(struct json_object *value, const struct hp_field *field, void *row)
{
	uint64_t bits;

	if (!read_double(value, &bits))
		return false;
	hp_row_set(row, field->at, bits);
	return true;
}

static bool read_percent(struct json_object *value, const struct hp_field *field, void *row)
{
	double percent;

	return hp_saved_double(value, &percent) && read_real(value, field, row);
}

/* What is there is known. */
static bool read_whole(struct json_object *value, const struct hp_field *field, void *row)
{
	uint64_t number;

	if (!hp_saved_u64(value, &number) || (field->at & HP_SLOT_HALF && number > UINT32_MAX))
		return false;
	hp_row_set(row, field->at, number);
	if (field->known & HP_SLOT_FLAG)
		hp_row_set(row, field->known, true);
	return true;
}

static bool read_flag(struct json_object *value, const struct hp_field *field, void *row)
{
	bool flag;

	if (!hp_saved_type_boolean.read(value, &flag))
		return false;
	hp_row_set(row, field->at, flag);
	return true;
}

static bool is_stored(const struct hp_field *field)
{
	return field->unit <= HP_FIELD_TIME && !field->over && !field->number && !field->percentile;
}

/* ---- fields ---- */

/* Whether the value is what it must be. */
static bool read_field(struct json_object *value, const struct hp_field *field, void *row)
{
	switch (field->unit) {
	case HP_FIELD_NAME:
	case HP_FIELD_TEXT:
		return hp_saved_type_string.read(value, hp_row_text_of(row, field->at));
	case HP_FIELD_BOOL:
		return read_flag(value, field, row);
	case HP_FIELD_WORD:
		return read_word(value, field->words, field->word_count, field, row);
	case HP_FIELD_VALUE_KIND:
		return read_word(value, hp_value_names, HP_VALUE_NAMES, field, row);
	case HP_FIELD_SPECIAL:
		return read_special(value, field, row);
	case HP_FIELD_DOUBLE:
		return read_real(value, field, row);
	case HP_FIELD_PERCENT:
		return read_percent(value, field, row);
	default:
		return !is_stored(field) || read_whole(value, field, row);
	}
}

/* What a number must be, for people. */
static const char *wanted_number(const struct hp_field *field)
{
	if (field->wanted)
		return field->wanted;
	return field->at & HP_SLOT_HALF ? hp_saved_type_u32.what : hp_saved_type_u64.what;
}

/* What a field must be. */
static const char *wanted_of(const struct hp_field *field)
{
	switch (field->unit) {
	case HP_FIELD_NAME:
	case HP_FIELD_TEXT:
		return hp_saved_type_string.what;
	case HP_FIELD_BOOL:
		return hp_saved_type_boolean.what;
	case HP_FIELD_VALUE_KIND:
		return "a kind of value";
	case HP_FIELD_DOUBLE:
	case HP_FIELD_PERCENT:
		return hp_saved_type_number.what;
	default:
		return wanted_number(field);
	}
}

/* A double that JSON has no number for is null. */
static void set_missing(const struct hp_field *field, struct hp_entry *entry)
{
	double none = NAN;
	uint64_t bits;

	memcpy(&bits, &none, sizeof(bits));
	if (field->unit == HP_FIELD_DOUBLE && field->only == entry->site_kind)
		hp_row_set(entry, field->at, bits);
}

static int read_fields(struct json_object *object, const struct hp_kind *kind, union hp_row *row,
		       struct hp_error *error)
{
	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++) {
		struct json_object *value = field->key ? hp_saved_member(object, field->key) : NULL;
		if (!value)
			set_missing(field, &row->entry);
		else if (!read_field(value, field, row))
			return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not %s",
					     field->key, wanted_of(field));
	}
	return 0;
}

int hp_saved_figures(struct json_object *object, const struct hp_field *fields, void *row,
		     struct hp_error *error)
{
	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++) {
		bool has_key = field->key && (is_stored(field) || field->unit == HP_FIELD_WORD);
		struct json_object *value = has_key ? hp_saved_member(object, field->key) : NULL;
		if (value && !read_field(value, field, row))
			return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not %s",
					     field->key, wanted_of(field));
	}
	return 0;
}

int hp_saved_histograms(struct json_object *object, const struct hp_field *fields, void *row,
			bool *complete, struct hp_error *error)
{
	int failed = 0;

	*complete = true;
	for (const struct hp_field *field = fields; !hp_field_is_end(field) && !failed; field++) {
		bool found = true;
		if (field->unit == HP_FIELD_POINTS)
			failed = hp_saved_points(object, field->key,
						 hp_row_points_of(row, field->at), &found, error);
		*complete &= found;
	}
	return failed;
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

/* Whether a value is of its kind. */
static bool read_bits(struct json_object *value, uint64_t kind, uint64_t *bits, char **string)
{
	static bool (*const readers[])(struct json_object *, uint64_t *) = {
		[HP_VALUE_INT] = read_int,	   [HP_VALUE_UINT] = read_uint,
		[HP_VALUE_DOUBLE] = read_double,   [HP_VALUE_BOOL] = read_truth,
		[HP_VALUE_POINTER] = read_pointer,
	};

	if (kind == HP_VALUE_STRING)
		return hp_saved_type_string.read(value, string);
	return kind != HP_VALUE_NONE && readers[kind](value, bits);
}

static int read_value(struct json_object *row, const struct hp_field *field, struct hp_entry *entry,
		      struct hp_error *error)
{
	struct json_object *value = hp_saved_member(row, field->key);
	uint64_t kind = hp_row_number(entry, field->at), bits = 0;

	if (!value)
		set_none(&kind, &bits);
	else if (!read_bits(value, kind, &bits, &entry->texts[0]))
		return hp_saved_fail(error, -EINVAL, "damaged report: '%s' is not of its kind",
				     field->key);
	hp_row_set(entry, field->at, kind);
	hp_row_set(entry, HP_SLOT_NEXT(field->at), bits);
	return 0;
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

static int read_all(struct json_object *object, const struct hp_kind *kind, struct hp_saved *saved,
		    union hp_row *row, struct hp_error *error)
{
	int failed = read_fields(object, kind, row, error);

	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field) && !failed;
	     field++)
		failed = read_rest(object, field, &row->entry, error);
	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field) && !failed;
	     field++)
		if (field->unit == HP_FIELD_PERCENTILE)
			failed = read_percentiles(object, saved, field, &row->entry, error);
	return failed;
}

/* "a row of 'streams' has no name", "a thread has no name". */
static int fail_row(const struct hp_kind *kind, const char *wrong, struct hp_error *error)
{
	if (hp_kind_has_sites(kind))
		return hp_saved_fail(error, -EINVAL, "damaged report: a row of '%s' %s", kind->key,
				     wrong);
	return hp_saved_fail(error, -EINVAL, "damaged report: a %s has no name", kind->noun);
}

static int read_row(struct json_object *object, const struct hp_kind *kind, struct hp_saved *saved,
		    struct hp_error *error)
{
	union hp_row row = hp_model_row_new(saved->model, kind);

	if (!json_object_is_type(object, json_type_object))
		return fail_row(kind, "is not an object", error);
	int failed = read_all(object, kind, saved, &row, error);
	if (!failed && !hp_kind_name_of(kind, &row))
		failed = fail_row(kind, "has no name", error);
	if (!failed && !hp_model_row_append(saved->model, kind, &row))
		failed = hp_saved_fail(error, -ENOMEM, "out of memory");
	if (failed)
		hp_model_row_clear(kind, &row);
	return failed;
}

/* What has no row. */
static int read_sum(struct json_object *section, const struct hp_kind *kind, struct hp_saved *saved,
		    struct hp_error *error)
{
	struct json_object *sum = kind->rest ? hp_saved_member(section, kind->rest) : NULL;
	union hp_row row;

	if (!sum)
		return 0;
	memset(&row, 0, sizeof(row));
	if (!json_object_is_type(sum, json_type_object) ||
	    hp_saved_member(sum, hp_kind_name_field(kind)->key))
		return hp_saved_fail(error, -EINVAL,
				     "damaged report: '%s' is not an object with sums", kind->rest);
	int failed = read_fields(sum, kind, &row, error);
	if (!failed)
		hp_model_row_append(saved->model, kind, &row);
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
	if (!failed)
		failed = read_sum(object, kind, saved, error);
	hp_model_rows_sort(saved->model, kind);
	return failed;
}

int hp_saved_entries(struct json_object *report, struct hp_saved *saved, struct hp_error *error)
{
	int failed = 0;

	for (size_t i = 0; hp_kinds[i] && !failed; i++)
		if (!hp_kinds[i]->is_of_functions)
			failed = read_section(report, hp_kinds[i], saved, error);
	return failed;
}
