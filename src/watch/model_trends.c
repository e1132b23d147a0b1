/* SPDX-License-Identifier: MIT */
/* Recent rates of the rows of a model: functions, and rows of kinds. */
#include "model_trends.h"

#include "kind.h"

static bool reserve(struct hp_model_trends *trends, const struct hp_model *model)
{
	uint32_t last = 0, last_second = 0;

	for (size_t i = 0; i < model->function_count; i++)
		last = model->functions[i].id > last ? model->functions[i].id : last;
	for (size_t i = 0; i < model->entries.count; i++) {
		const struct hp_entry *entry = &model->entries.items[i];
		last = entry->id > last ? entry->id : last;
		if (entry->kind->rates[1] && entry->id > last_second)
			last_second = entry->id;
	}
	uint32_t sampled = model->cpu.source == HP_CPU_NONE ? 0 : last;
	return hp_trends_reserve(&trends->trends, last) &&
	       hp_trends_reserve(&trends->second, last_second) &&
	       hp_trends_reserve(&trends->samples, sampled) &&
	       hp_trends_reserve(&trends->inclusive, sampled) &&
	       hp_trends_reserve(&trends->other_samples, HP_CPU_TRENDS);
}

static const struct hp_trend *see_rate(struct hp_trends *trends, const struct hp_entry *entry,
				       unsigned rate, uint64_t now_ns)
{
	hp_trends_see(trends, entry->id, hp_row_number(entry, entry->kind->rates[rate]), now_ns);
	return hp_trends_of(trends, entry->id);
}

/* Unlike functions, entries are added up at every read. */
static void see_entry(struct hp_model_trends *trends, struct hp_entry *entry, uint64_t now_ns)
{
	entry->trends[0] = see_rate(&trends->trends, entry, 0, now_ns);
	if (entry->kind->rates[1])
		entry->trends[1] = see_rate(&trends->second, entry, 1, now_ns);
}

static void see_function(struct hp_model_trends *trends, struct hp_function *function,
			 bool is_sampled, uint64_t now_ns)
{
	hp_trends_see(&trends->trends, function->id, function->calls, now_ns);
	if (!is_sampled)
		return;
	hp_trends_see(&trends->samples, function->id, function->cpu.samples, now_ns);
	hp_trends_see(&trends->inclusive, function->id, function->cpu.inclusive_samples, now_ns);
}

static void attach(const struct hp_model_trends *trends, struct hp_function *function,
		   bool is_sampled)
{
	function->trend = hp_trends_of(&trends->trends, function->id);
	if (!is_sampled)
		return;
	function->cpu_trend = hp_trends_of(&trends->samples, function->id);
	function->cpu_inclusive_trend = hp_trends_of(&trends->inclusive, function->id);
}

static void see_other_samples(struct hp_model_trends *trends, const struct hp_cpu *cpu,
			      uint64_t now_ns)
{
	const uint64_t samples[HP_CPU_TRENDS] = { [HP_CPU_TREND_TOTAL] = cpu->total_samples,
						  [HP_CPU_TREND_OUTSIDE] = hp_cpu_outside(cpu),
						  [HP_CPU_TREND_OWN] = cpu->own_samples };

	for (uint32_t i = 0; i < HP_CPU_TRENDS; i++)
		hp_trends_see(&trends->other_samples, i, samples[i], now_ns);
}

/* If no function is measured, samples are as old as the stacks. */
static bool see_samples(struct hp_model_trends *trends, struct hp_model *model, bool has_new_stacks,
			uint64_t now_ns)
{
	struct hp_cpu *cpu = &model->cpu;

	if (cpu->source == HP_CPU_NONE)
		return true;
	if (has_new_stacks && !hp_sampled_trends_see(&trends->sampled, cpu, now_ns))
		return false;
	if (has_new_stacks || hp_model_has_calls(model))
		see_other_samples(trends, cpu, now_ns);
	for (uint32_t i = 0; i < HP_CPU_TRENDS; i++)
		cpu->trends[i] = hp_trends_of(&trends->other_samples, i);
	return true;
}

bool hp_model_trends_see(struct hp_model_trends *trends, struct hp_model *model,
			 const struct hp_cache *cache, bool has_new_stacks, uint64_t now_ns)
{
	bool is_sampled = model->cpu.source != HP_CPU_NONE;

	if (!reserve(trends, model) || !see_samples(trends, model, has_new_stacks, now_ns))
		return false;
	for (size_t i = 0; i < model->function_count; i++) {
		struct hp_function *function = &model->functions[i];
		if (!cache || hp_cache_was_read(cache, function->id))
			see_function(trends, function, is_sampled, now_ns);
		if (function->id)
			attach(trends, function, is_sampled);
	}
	for (size_t i = 0; i < model->entries.count; i++)
		see_entry(trends, &model->entries.items[i], now_ns);
	return true;
}

void hp_model_trends_drop(struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++) {
		struct hp_function *function = &model->functions[i];
		function->trend = function->cpu_trend = function->cpu_inclusive_trend = NULL;
	}
	for (unsigned i = 0; i < HP_CPU_TRENDS; i++)
		model->cpu.trends[i] = NULL;
	model->cpu.native = NULL;
	for (size_t i = 0; i < model->entries.count; i++)
		for (unsigned j = 0; j < HP_ENTRY_TRENDS; j++)
			model->entries.items[i].trends[j] = NULL;
}

void hp_model_trends_clear(struct hp_model_trends *trends)
{
	hp_trends_clear(&trends->trends);
	hp_trends_clear(&trends->second);
	hp_trends_clear(&trends->samples);
	hp_trends_clear(&trends->inclusive);
	hp_trends_clear(&trends->other_samples);
	hp_sampled_trends_clear(&trends->sampled);
}
