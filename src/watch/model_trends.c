/* SPDX-License-Identifier: MIT */
/* Recent rates of the rows of a model: functions, and channels and the like. */
#include "model_trends.h"

static bool reserve(struct hp_model_trends *trends, const struct hp_model *model)
{
	uint32_t last = 0, last_channel = 0;

	for (size_t i = 0; i < model->function_count; i++)
		last = model->functions[i].id > last ? model->functions[i].id : last;
	for (size_t i = 0; i < model->flows.count; i++) {
		const struct hp_flow *flow = &model->flows.items[i];
		last = flow->id > last ? flow->id : last;
		if (flow->kind == HP_SITE_CHANNEL && flow->id > last_channel)
			last_channel = flow->id;
	}
	return hp_trends_reserve(&trends->trends, last) &&
	       hp_trends_reserve(&trends->received, last_channel);
}

/* The counter that is used as its rate: what was sent, begun or set, or turns. */
static uint64_t events_of(const struct hp_flow *flow)
{
	if (flow->kind == HP_SITE_CHANNEL || flow->kind == HP_SITE_STREAM)
		return flow->sent;
	if (flow->kind == HP_SITE_FUTURE)
		return flow->instances;
	return flow->kind == HP_SITE_LOOP ? flow->times.count : flow->updates;
}

/* Unlike functions, flows are added up at every read. */
static void see_flow(struct hp_model_trends *trends, struct hp_flow *flow, uint64_t now_ns)
{
	hp_trends_see(&trends->trends, flow->id, events_of(flow), now_ns);
	flow->sent_trend = hp_trends_of(&trends->trends, flow->id);
	if (flow->kind != HP_SITE_CHANNEL)
		return;
	hp_trends_see(&trends->received, flow->id, flow->received, now_ns);
	flow->received_trend = hp_trends_of(&trends->received, flow->id);
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
	for (size_t i = 0; i < model->flows.count; i++)
		see_flow(trends, &model->flows.items[i], now_ns);
	return true;
}

void hp_model_trends_drop(struct hp_model *model)
{
	for (size_t i = 0; i < model->function_count; i++)
		model->functions[i].trend = NULL;
	for (size_t i = 0; i < model->flows.count; i++)
		model->flows.items[i].sent_trend = model->flows.items[i].received_trend = NULL;
}

void hp_model_trends_clear(struct hp_model_trends *trends)
{
	hp_trends_clear(&trends->trends);
	hp_trends_clear(&trends->received);
}
