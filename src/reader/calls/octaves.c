/* SPDX-License-Identifier: MIT */
/* A histogram that is added up, with memory for those octaves only that have calls. */
#include "octaves.h"

#include "atomic.h"

#include <stdlib.h>
#include <string.h>

/* Several counters, which are loaded at once. */
typedef uint64_t word __attribute__((may_alias));

static uint64_t *octave_of(struct hp_octaves *octaves, unsigned octave)
{
	uint64_t **counts = &octaves->counts[octave];

	if (!*counts)
		*counts = calloc(HP_OCTAVE_BUCKETS, sizeof(**counts));
	octaves->is_incomplete |= !*counts;
	return *counts;
}

static void widen_16(uint64_t *into, const uint16_t *counts)
{
	for (unsigned i = 0; i < HP_OCTAVE_BUCKETS; i++)
		into[i] = counts[i];
}

static void widen_32(uint64_t *into, const uint32_t *counts)
{
	for (unsigned i = 0; i < HP_OCTAVE_BUCKETS; i++)
		into[i] = counts[i];
}

void hp_octave_copy(struct hp_octave *copy, struct hp_counters counters)
{
	const word *from = counters.counts;
	union {
		word words[HP_OCTAVE_BUCKETS];
		uint16_t small[HP_OCTAVE_BUCKETS];
		uint32_t large[HP_OCTAVE_BUCKETS];
	} loaded;

	for (size_t i = 0; i < hp_counters_size(counters.counter) / sizeof(word); i++)
		loaded.words[i] = load(&from[i], RELAXED);
	if (counters.counter == HP_COUNTER_16)
		widen_16(copy->counts, loaded.small);
	else if (counters.counter == HP_COUNTER_32)
		widen_32(copy->counts, loaded.large);
	else
		memcpy(copy->counts, loaded.words, sizeof(copy->counts));
}

uint64_t hp_octave_calls(const struct hp_octave *copy)
{
	uint64_t calls = 0;

	for (unsigned i = 0; i < HP_OCTAVE_BUCKETS; i++)
		calls += copy->counts[i];
	return calls;
}

void hp_octaves_add_copy(struct hp_octaves *octaves, unsigned octave, const struct hp_octave *copy)
{
	uint64_t *into = octave_of(octaves, octave);

	/* A loop of a fixed length adds several at once. */
	if (!into)
		return;
	for (unsigned i = 0; i < HP_OCTAVE_BUCKETS; i++)
		into[i] += copy->counts[i];
}

void hp_octaves_add(struct hp_octaves *octaves, unsigned octave, struct hp_counters counters)
{
	struct hp_octave copy;

	hp_octave_copy(&copy, counters);
	hp_octaves_add_copy(octaves, octave, &copy);
}

void hp_octaves_count(struct hp_octaves *octaves, unsigned bucket, uint64_t calls)
{
	uint64_t *into = octave_of(octaves, bucket / HP_OCTAVE_BUCKETS);

	if (into)
		into[bucket % HP_OCTAVE_BUCKETS] += calls;
}

void hp_octaves_clear(struct hp_octaves *octaves)
{
	/* Most have none, and no call is made for them. */
	for (unsigned i = 0; i < HP_OCTAVES; i++)
		if (octaves->counts[i])
			free(octaves->counts[i]);
	*octaves = (struct hp_octaves){ .is_incomplete = false };
}
