/* SPDX-License-Identifier: MIT */
/* A histogram that is added up, with memory for those octaves only that have calls. */
#include "octaves.h"

#include "atomic.h"

#include <stdlib.h>

/* Two counters, which are loaded at once. */
typedef uint64_t pair __attribute__((may_alias));

static uint64_t *octave_of(struct hp_octaves *octaves, unsigned octave)
{
	uint64_t **counts = &octaves->counts[octave];

	if (!*counts)
		*counts = calloc(HP_OCTAVE_BUCKETS, sizeof(**counts));
	octaves->is_incomplete |= !*counts;
	return *counts;
}

void hp_octave_copy(struct hp_octave *copy, const uint32_t *counts)
{
	const pair *from = (const pair *)(const void *)counts;
	pair *to = (pair *)(void *)copy->counts;

	for (unsigned i = 0; i < HP_OCTAVE_BUCKETS / 2; i++)
		to[i] = load(&from[i], RELAXED);
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

void hp_octaves_add(struct hp_octaves *octaves, unsigned octave, const uint32_t *counts)
{
	struct hp_octave copy;

	hp_octave_copy(&copy, counts);
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
