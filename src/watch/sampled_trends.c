/* SPDX-License-Identifier: MIT */
/* Recent CPU time of functions that are not measured, but sampled. */
#include "sampled_trends.h"

#include "array.h"

#include <stdlib.h>

static uint64_t add_text(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = hp_hash(hash, (unsigned char)*text);
	return hp_hash(hash, 0);
}

static bool is_key(const void *keys, uint32_t number, const void *key)
{
	return ((const uint64_t *)keys)[number] == *(const uint64_t *)key;
}

/* A new function had no samples until the last look. Its time begins with that of the others, so that rates are comparable. */
static void begin(struct hp_trends *trends, uint32_t number, uint64_t first_ns, uint64_t seen_ns)
{
	if (!first_ns)
		return;
	hp_trends_see(trends, number, 0, first_ns);
	hp_trends_see(trends, number, 0, seen_ns);
}

static bool find_number(struct hp_sampled_trends *trends, const struct hp_function *function,
			uint32_t *number)
{
	uint64_t key = add_text(add_text(0, function->name), function->module);
	uint32_t next = trends->count;

	trends->known.is_same = is_key;
	if (!hp_array_reserve(&trends->keys, next, &trends->room, sizeof(*trends->keys)) ||
	    !hp_trends_reserve(&trends->samples, next) ||
	    !hp_trends_reserve(&trends->inclusive, next) ||
	    !hp_intern(&trends->known, key, trends->keys, &key, next, number))
		return false;
	if (*number == next) {
		trends->keys[trends->count++] = key;
		begin(&trends->samples, next, trends->first_ns, trends->seen_ns);
		begin(&trends->inclusive, next, trends->first_ns, trends->seen_ns);
	}
	return true;
}

static bool see(struct hp_sampled_trends *trends, const struct hp_function *function,
		uint64_t now_ns)
{
	uint32_t number;

	if (!find_number(trends, function, &number))
		return false;
	hp_trends_see(&trends->samples, number, function->cpu.samples, now_ns);
	hp_trends_see(&trends->inclusive, number, function->cpu.inclusive_samples, now_ns);
	return true;
}

/* Attach the trends of a function that was seen. They are not moved before the next look. */
static bool attach(struct hp_sampled_trends *trends, struct hp_function *function)
{
	uint32_t number;

	if (!find_number(trends, function, &number))
		return false;
	function->cpu_trend = hp_trends_of(&trends->samples, number);
	function->cpu_inclusive_trend = hp_trends_of(&trends->inclusive, number);
	return true;
}

bool hp_sampled_trends_see(struct hp_sampled_trends *trends, struct hp_cpu *cpu, uint64_t now_ns)
{
	struct hp_native *native = &trends->native;

	hp_native_free(native);
	bool done = hp_native_read(native, cpu);
	for (size_t i = 0; done && i < native->count; i++)
		done = see(trends, &native->functions[i], now_ns);
	for (size_t i = 0; done && i < native->rest_count; i++)
		done = see(trends, &native->rests[i], now_ns);
	for (size_t i = 0; done && i < native->count; i++)
		done = attach(trends, &native->functions[i]);
	for (size_t i = 0; done && i < native->rest_count; i++)
		done = attach(trends, &native->rests[i]);
	trends->seen_ns = now_ns;
	trends->first_ns = trends->first_ns ? trends->first_ns : now_ns;
	cpu->native = done ? native : NULL;
	return done;
}

void hp_sampled_trends_clear(struct hp_sampled_trends *trends)
{
	hp_native_free(&trends->native);
	hp_intern_free(&trends->known);
	free(trends->keys);
	hp_trends_clear(&trends->samples);
	hp_trends_clear(&trends->inclusive);
	*trends = (struct hp_sampled_trends){ .count = 0 };
}
