/* SPDX-License-Identifier: MIT */
/* Tries of locks that failed, by function; and whether a function does little else. */
#include "refused.h"

#include "cpu/sampled.h"
#include "kind.h"
#include "lock_waits.h"

#include <string.h>

enum {
	/* Fewer tries are no loop. */
	TRIES = 1000,
	/* CPU time from one try to the next, in ns. A try itself takes a tenth of that. */
	BETWEEN = 1000,
	/* Percent of the CPU time of all threads that is worth a sentence. */
	NOTABLE = 10,
};

/* ---- rows ---- */

uint64_t hp_refused_count(const struct hp_entry *entry)
{
	return strcmp(entry->kind->key, "lock_waits") == 0 ? entry->words[HP_LOCK_WAIT_REFUSED] : 0;
}

static const char *text_of(const struct hp_entry *entry, unsigned number)
{
	const char *text = entry->texts[number];

	return text && strcmp(text, "<unknown>") != 0 ? text : NULL;
}

static bool is_same(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

/* Add up the rows of a function and a lock: one for each holder. */
static struct hp_refused sum_of(const struct hp_model *model, const struct hp_entry *of)
{
	const char *lock = text_of(of, HP_LOCK_WAIT_LOCK);
	struct hp_refused sum = { .function = of->name, .lock = lock };

	for (size_t i = 0; i < model->entries.count; i++) {
		const struct hp_entry *entry = &model->entries.items[i];
		uint64_t count = hp_refused_count(entry);
		if (!count || strcmp(entry->name, of->name) != 0 ||
		    !is_same(text_of(entry, HP_LOCK_WAIT_LOCK), lock))
			continue;
		sum.count += count;
		if (count <= sum.held_count)
			continue;
		sum.held_count = count;
		sum.holder = text_of(entry, HP_LOCK_WAIT_HOLDER);
	}
	return sum;
}

/* Nobody has a thousand holders: a row with less than that part of the largest sum so far is not added up. */
struct hp_refused hp_refused_most(const struct hp_model *model, const char *function)
{
	struct hp_refused most = { .count = 0 };

	for (size_t i = 0; i < model->entries.count; i++) {
		const struct hp_entry *entry = &model->entries.items[i];
		if (hp_refused_count(entry) <= most.count / 1000 ||
		    (function && strcmp(entry->name, function) != 0))
			continue;
		struct hp_refused sum = sum_of(model, entry);
		if (sum.count > most.count)
			most = sum;
	}
	return most;
}

bool hp_refused_spins(const struct hp_refused *refused, uint64_t cpu_ns)
{
	return refused->count >= TRIES && cpu_ns / BETWEEN <= refused->count;
}

/* ---- a program without measured functions ---- */

/* The CPU time of all threads: by the kernel's times or, if it has none of some, by samples. */
static uint64_t cpu_of_all(const struct hp_model *model)
{
	const struct hp_threads *threads = &model->threads;

	for (size_t i = 0; i < threads->count; i++)
		if (!threads->items[i].has_times)
			return model->cpu.total_samples * model->cpu.period_ns;
	return hp_threads_cpu_ns(threads);
}

/* The CPU time of a function with all that it calls; 0 if it is in no stack. */
static uint64_t cpu_of(const struct hp_model *model, const char *function)
{
	struct hp_sampled sampled = { .samples = 0 };
	struct hp_native native;

	if (!model->cpu.stack_count)
		return 0;
	if (hp_native_read(&native, &model->cpu) &&
	    hp_sampled_read(&sampled, &model->cpu, &native, function, NULL) != 0)
		sampled.samples = 0;
	uint64_t samples = sampled.samples;
	hp_sampled_free(&sampled);
	hp_native_free(&native);
	return samples * model->cpu.period_ns;
}

bool hp_refused_find(const struct hp_model *model, struct hp_refused *refused, uint64_t *cpu_ns)
{
	uint64_t all = cpu_of_all(model);

	*refused = hp_refused_most(model, NULL);
	if (!all || !hp_refused_spins(refused, 0))
		return false;
	uint64_t own = cpu_of(model, refused->function);
	*cpu_ns = own ? own : all;
	return hp_refused_spins(refused, *cpu_ns) && *cpu_ns >= all / 100 * NOTABLE;
}
