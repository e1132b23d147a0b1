/* SPDX-License-Identifier: MIT */
/* Rows of kinds, made by hand. Only a kind knows where its figures are: tests know them by their keys in JSON. */
#ifndef MADE_ENTRY_H
#define MADE_ENTRY_H

#include "figure.h"
#include "kind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define KIND(name) extern const struct hp_kind hp_kind_##name;
#include "kinds.def"
#undef KIND

static inline struct hp_entry made_entry(enum hp_site_kind site, char *name)
{
	return (struct hp_entry){ .kind = hp_kind_of_site(site), .site_kind = site, .name = name };
}

/* Whether its slot holds the figure itself: it is no mean, and no rate. */
static inline bool is_plain(const struct hp_field *field)
{
	return field->unit <= HP_FIELD_TIME
		       ? !field->over
		       : field->unit == HP_FIELD_DOUBLE || field->unit == HP_FIELD_WORD ||
				 field->unit == HP_FIELD_VALUE_KIND;
}

/* NULL when the kind has no such figure. */
static inline const struct hp_field *find_field(const struct hp_kind *kind, const char *key)
{
	for (const struct hp_field *field = kind->fields; !hp_field_is_end(field); field++)
		if (field->key && strcmp(field->key, key) == 0)
			return field;
	return NULL;
}

static inline unsigned slot_of(const struct hp_kind *kind, const char *key)
{
	const struct hp_field *field = find_field(kind, key);

	if (!field || !is_plain(field))
		fail_msg("%s have no figure '%s'", kind->key, key);
	return field->at;
}

/* ---- figures ---- */

static inline void put_figure(struct hp_entry *entry, const char *key, uint64_t figure)
{
	hp_row_set(entry, slot_of(entry->kind, key), figure);
}

static inline uint64_t figure_of(const struct hp_entry *entry, const char *key)
{
	return hp_row_number(entry, slot_of(entry->kind, key));
}

struct made_figure {
	const char *key;
	uint64_t figure;
};

static inline void put_all(struct hp_entry *entry, const struct made_figure *figures)
{
	for (; figures->key; figures++)
		put_figure(entry, figures->key, figures->figure);
}

/* Several: PUT(&entry, { "sent_count", 3 }, { "received_count", 2 }). */
#define PUT(entry, ...) put_all(entry, (const struct made_figure[]){ __VA_ARGS__, { NULL, 0 } })

static inline void put_real(struct hp_entry *entry, const char *key, double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	put_figure(entry, key, bits);
}

static inline double real_of(const struct hp_entry *entry, const char *key)
{
	return hp_bits_to_double(figure_of(entry, key));
}

/* ---- what is no figure ---- */

/* The state of channels and streams, by number. */
enum { MADE_ACTIVE, MADE_FULL, MADE_CLOSED, MADE_NOTIFIED };

static inline void put_value(struct hp_entry *entry, enum hp_value kind, uint64_t bits)
{
	put_figure(entry, "value_kind", kind);
	hp_row_set(entry, HP_SLOT_NEXT(slot_of(entry->kind, "value_kind")), bits);
}

static inline uint64_t value_bits(const struct hp_entry *entry)
{
	return hp_row_number(entry, HP_SLOT_NEXT(slot_of(entry->kind, "value_kind")));
}

static inline void put_oneshot(struct hp_entry *entry)
{
	assert_true(find_field(entry->kind, "channel_type")->parse(entry, "oneshot"));
}

static inline bool is_oneshot(const struct hp_entry *entry)
{
	struct hp_text text = HP_TEXT_INIT;

	find_field(entry->kind, "channel_type")->put(entry, &text);
	bool is = strcmp(text.bytes, "oneshot") == 0;
	hp_text_free(&text);
	return is;
}

#endif
