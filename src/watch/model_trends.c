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
	return hp_trends_reserve(&trends->trends, last) &&
	       hp_trends_reserve(&trends->second, last_second);
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

bool hp_model_trends_see(struct hp_model_trends *trends, struct hp_model *model,
			 const struct hp_cache *cache, uint64_t now_ns)
{
	if (!reserve(trends, model))
		return false;
	for (size_t i = 0; i < model->function_count; i++) {
		struct hp_function *function = &model->functions[i];
		if (hp_cache_was_read(cache, function->id))
			hp_trends_see(&trends->trends, function->id, function->calls, now_ns);
		if (function->id)
			function->trend = hp_trends_of(&trends->trends, function->id);
	}
	for (size_t i = 0; i < model->entries.count; i++)
		see_entry(trends, &model->entries.items[i], now_ns);
	return true;
}

void hp_model_trends_drop(struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		model->functions[i].trend = NULL;
	for (size_t i = 0; i < model->entries.count; i++)
		for (unsigned j = 0; j < HP_ENTRY_TRENDS; j++)
			model->entries.items[i].trends[j] = NULL;
}

void hp_model_trends_clear(struct hp_model_trends *trends)
{
	hp_trends_clear(&trends->trends);
	hp_trends_clear(&trends->second);
}
