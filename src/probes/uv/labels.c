/* SPDX-License-Identifier: MIT */
/* Names that the program has given to loops and handles, kept in the table of flights. */
#include "observe.h"

#include "atomic.h"

#include <string.h>

static uint32_t count;

/* The key of a name in the table: no object has an odd address. */
static uintptr_t key_of(const void *object)
{
	return (uintptr_t)object | 1;
}

uint32_t label_count(void)
{
	return load(&count, RELAXED);
}

uint32_t label_site(uint32_t kind, const void *object)
{
	char label[sizeof(((struct flight *)0)->label)] = "";
	bool is_held;

	if (!label_count())
		return 0;
	struct flight *flight = flight_hold(key_of(object), &is_held);
	if (flight)
		memcpy(label, flight->label, sizeof(label));
	flight_release(key_of(object), is_held);
	return label[0] ? hotpath__labelled_site(kind, label) : 0;
}

void label_forget(const void *object)
{
	struct flight *flight = label_count() ? flight_take(key_of(object)) : NULL;

	if (flight)
		flight_free(flight);
}

/* Flights keep the name that they began with; except an async, which has no future until it is sent. */
static void rename_async(const void *object)
{
	uint32_t site = 0;
	bool is_held;
	struct flight *flight = flight_find((uintptr_t)object);

	if (flight && flight->is_sent_for)
		site = label_site(HP_SITE_FUTURE, object);
	if (!site)
		return;
	flight = flight_hold((uintptr_t)object, &is_held);
	if (flight)
		flight->site = site;
	flight_release((uintptr_t)object, is_held);
}

static void set(const void *object, const char *label)
{
	struct flight *flight = object && label ? flight_new(key_of(object)) : NULL;

	if (!flight)
		return;
	memset(flight->label, 0, sizeof(flight->label));
	strncpy(flight->label, label, sizeof(flight->label) - 1);
	struct flight *before = flight_put(flight);
	if (before)
		flight_free(before);
	fetch_add(&count, 1, RELAXED);
	rename_async(object);
}

__attribute__((constructor)) static void listen_to_names(void)
{
	hotpath__when_labelled(set);
}
