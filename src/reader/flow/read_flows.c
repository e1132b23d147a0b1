/* SPDX-License-Identifier: MIT */
/*
 * From a segment to rows of channels, streams, futures, loops and values.
 *
 * What threads did is in the stats of a site, one for each lane; what belongs to no thread in its shared; and the
 * messages that are in channels now in queues, one for each that is open.
 */
#include "read_flows.h"

#include "atomic.h"
#include "flow_log.h"

#include <stdlib.h>
#include <string.h>

/* Of a site. */
struct known {
	/* Where its shared is; and the number of its row plus one. */
	uint64_t shared;
	size_t row;
};

struct reading {
	struct hp_build *build;
	struct hp_flows *flows;
	/* By id. */
	struct known *sites;
};

enum {
	WORDS = sizeof(((struct hp_stat *)0)->flow) / sizeof(uint64_t),
};

/* Where the words of stats go, by the kind of their site. */
static const struct {
	uint8_t kind;
	uint8_t word;
	bool is_ticks;
	uint16_t field;
} words[] = {
	{ HP_SITE_CHANNEL, HP_CHANNEL_SENT, false, offsetof(struct hp_flow, sent) },
	{ HP_SITE_CHANNEL, HP_CHANNEL_RECEIVED, false, offsetof(struct hp_flow, received) },
	{ HP_SITE_CHANNEL, HP_CHANNEL_BYTES, false, offsetof(struct hp_flow, bytes) },
	{ HP_SITE_CHANNEL, HP_CHANNEL_WAITED, true, offsetof(struct hp_flow, waited_ns) },
	{ HP_SITE_STREAM, HP_STREAM_ITEMS, false, offsetof(struct hp_flow, sent) },
	{ HP_SITE_STREAM, HP_STREAM_BYTES, false, offsetof(struct hp_flow, bytes) },
	{ HP_SITE_FUTURE, HP_FUTURE_MADE, false, offsetof(struct hp_flow, instances) },
	{ HP_SITE_FUTURE, HP_FUTURE_CANCELLED, false, offsetof(struct hp_flow, cancelled) },
	{ HP_SITE_FUTURE, HP_FUTURE_QUEUED, true, offsetof(struct hp_flow, queued_ns) },
	{ HP_SITE_FUTURE, HP_FUTURE_SERVED, true, offsetof(struct hp_flow, served_ns) },
	{ HP_SITE_DBG, HP_VALUE_UPDATES, false, offsetof(struct hp_flow, updates) },
	{ HP_SITE_VAL, HP_VALUE_UPDATES, false, offsetof(struct hp_flow, updates) },
	{ HP_SITE_GAUGE, HP_VALUE_UPDATES, false, offsetof(struct hp_flow, updates) },
	{ HP_SITE_LOOP, HP_LOOP_IDLE, true, offsetof(struct hp_flow, idle_ns) },
	{ HP_SITE_LOOP, HP_LOOP_CALLBACK, true, offsetof(struct hp_flow, callback_ns) },
	{ HP_SITE_LOOP, HP_LOOP_CALLBACKS, false, offsetof(struct hp_flow, callbacks) },
};

/* ---- what threads did ---- */

/* Returns whether there is anything. */
static bool add_stats(struct hp_build *build, uint32_t id, uint64_t sums[WORDS])
{
	uint64_t any = 0;

	hp_stat_sum_begin(&build->sum);
	for (uint32_t at = hp_stat_index_site(build->index, id).first; at;) {
		const struct hp_stat_entry *entry = &build->index->entries[at - 1];
		const struct hp_lane *lane;
		const struct hp_stat *stat = hp_stat_index_stat(build->index, build->snapshot,
								entry, &lane);
		at = entry->next;
		if (!stat)
			continue;
		hp_stat_sum_add(&build->sum, build->snapshot, lane, stat, false);
		for (unsigned i = 0; i < WORDS; i++)
			any |= sums[i] += load(&stat->flow[i], RELAXED);
		/* Itself, and its histogram. */
		hp_stat_index_touch(build->index, 2 * HP_TOUCH_ALONE);
	}
	return any || hp_stat_sum_has_any(&build->sum);
}

static void set_words(const struct hp_snapshot *snapshot, const uint64_t sums[WORDS],
		      struct hp_flow *flow)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		uint64_t sum = sums[words[i].word];
		if (words[i].kind == flow->kind)
			*(uint64_t *)(void *)((char *)flow + words[i].field) =
				words[i].is_ticks ? hp_snapshot_ns(snapshot, sum) : sum;
	}
}

/* They are calls to whoever adds them up. */
static bool take_times(struct hp_build *build, struct hp_flow_times *times)
{
	struct hp_function calls = { .name = NULL };
	bool done = hp_stat_sum_take(&build->sum, build->snapshot, &calls);

	*times = (struct hp_flow_times){ calls.calls, calls.sum_ns, calls.min_ns, calls.max_ns,
					 calls.times };
	calls.times = (struct hp_points){ NULL, 0 };
	hp_function_clear(&calls);
	return done;
}

/* ---- what belongs to no thread ---- */

static void take_polls(const struct hp_build *build, uint32_t site, struct hp_flow_polls *polls)
{
	uint32_t row = site <= build->snapshot->site_count ? build->rows[site] : 0;
	const struct hp_function *calls = row ? &build->model->functions[row - 1] : NULL;

	if (calls && calls->kind == HP_SITE_POLL)
		*polls = (struct hp_flow_polls){ calls->calls, calls->total_ns, calls->max_ns,
						 calls->alloc.inclusive_bytes,
						 calls->alloc.inclusive_count };
}

static bool take_slowest(const struct hp_build *build, const struct hp_shared *shared,
			 struct hp_flow *flow)
{
	uint32_t site = load(&shared->other, RELAXED);

	flow->slowest_ns = hp_snapshot_ns(build->snapshot, load(&shared->most, RELAXED));
	if (!hp_check_site(build->snapshot->bytes, site))
		return true;
	flow->slowest = hp_names_label(build->names, build->snapshot, site);
	return flow->slowest != NULL;
}

static double number(const uint64_t *bits)
{
	uint64_t loaded = load(bits, RELAXED);
	double value;

	memcpy(&value, &loaded, sizeof(value));
	return value;
}

static void take_gauge(const struct hp_shared *shared, struct hp_flow *flow)
{
	if (!flow->updates)
		return;
	flow->value_kind = HP_VALUE_DOUBLE;
	flow->value = load(&shared->current, RELAXED);
	flow->min = number(&shared->min);
	flow->max = number(&shared->max);
}

/* The last that is complete. */
static bool take_value(const struct hp_build *build, const struct hp_shared *shared,
		       struct hp_flow *flow)
{
	const struct hp_log *log = hp_check_log(build->snapshot->bytes, shared);
	char text[HP_LONG_TEXT_MAX];
	struct hp_logged item;
	bool found = false;

	for (uint64_t i = 0; log && i < HP_LOG && !found; i++)
		found = hp_flow_logged(build->snapshot->bytes, log, i, &item, text);
	if (!found || item.value_kind > HP_VALUE_STRING)
		return true;
	flow->value_kind = item.value_kind;
	flow->value = item.value;
	if (item.value_kind == HP_VALUE_STRING)
		flow->text = strdup(text);
	return flow->text || item.value_kind != HP_VALUE_STRING;
}

static bool take_shared(const struct hp_build *build, const struct hp_shared *shared,
			struct hp_flow *flow)
{
	if (flow->kind == HP_SITE_FUTURE)
		take_polls(build, load(&shared->other, RELAXED), &flow->polls);
	if (flow->kind == HP_SITE_LOOP)
		return take_slowest(build, shared, flow);
	if (flow->kind == HP_SITE_GAUGE)
		take_gauge(shared, flow);
	if (flow->kind == HP_SITE_DBG || flow->kind == HP_SITE_VAL)
		return take_value(build, shared, flow);
	if (flow->kind == HP_SITE_CHANNEL || flow->kind == HP_SITE_STREAM) {
		flow->instances = load(&shared->instances, RELAXED);
		flow->closed = load(&shared->closed, RELAXED);
		flow->capacity = load(&shared->capacity, RELAXED);
		flow->most_queued = load(&shared->most, RELAXED);
		flow->is_oneshot = load(&shared->channel_kind, RELAXED) == HP_CHANNEL_ONESHOT;
	}
	return true;
}

/* ---- rows ---- */

static bool describe(const struct hp_build *build, const struct hp_site *site, struct hp_flow *flow)
{
	flow->name = hp_names_label(build->names, build->snapshot, flow->id);
	flow->is_labelled = load(&site->module, RELAXED) == 0;
	flow->file = hp_snapshot_string(build->snapshot, site->file);
	flow->line = site->line;
	return flow->name != NULL;
}

static bool fill_row(const struct reading *reading, const struct hp_site *site,
		     const uint64_t sums[WORDS], struct hp_flow *flow)
{
	struct hp_build *build = reading->build;
	const struct hp_shared *shared = hp_check_shared(build->snapshot->bytes,
							 reading->sites[flow->id].shared);

	set_words(build->snapshot, sums, flow);
	if (!take_times(build, &flow->times) || !describe(build, site, flow))
		return false;
	if (flow->kind == HP_SITE_FUTURE)
		flow->closed = flow->times.count + flow->cancelled;
	return !shared || take_shared(build, shared, flow);
}

static bool add_row(struct reading *reading, uint32_t id, const struct hp_site *site,
		    enum hp_site_kind kind)
{
	struct hp_flow flow = { .kind = kind, .id = id };
	uint64_t sums[WORDS] = { 0 };
	bool any = add_stats(reading->build, id, sums);
	bool done = fill_row(reading, site, sums, &flow);

	/* Of a session before there may be nothing left. */
	bool is_empty = done && !any && !flow.instances && !flow.polls.count;
	if (done && !is_empty && hp_flows_append(reading->flows, flow)) {
		reading->sites[id].row = reading->flows->count;
		return true;
	}
	hp_flow_clear(&flow);
	return is_empty;
}

static bool add_rows(struct reading *reading)
{
	const struct hp_build *build = reading->build;

	for (uint32_t id = 1; id <= build->snapshot->site_count; id++) {
		if (!reading->sites[id].shared && !hp_stat_index_site(build->index, id).first)
			continue;
		const struct hp_site *site = hp_check_site(build->snapshot->bytes, id);
		/* Once: in a damaged segment it may be another the next time. */
		enum hp_site_kind kind = site ? (enum hp_site_kind)load(&site->kind, RELAXED) : 0;
		if (site && hp_flow_is_kind(kind) && !add_row(reading, id, site, kind))
			return false;
	}
	return true;
}

static void find_shares(const struct reading *reading)
{
	const struct hp_snapshot *snapshot = reading->build->snapshot;
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_shared));
	/* Pairs with the RELEASE that published the shared. */
	uint64_t at = load(&snapshot->header->shares, ACQUIRE);
	const struct hp_shared *shared;

	for (; left && (shared = hp_check_shared(snapshot->bytes, at)); left--) {
		uint32_t id = load(&shared->site, RELAXED);
		if (id <= snapshot->site_count && !reading->sites[id].shared)
			reading->sites[id].shared = at;
		at = load(&shared->next, RELAXED);
		hp_stat_index_touch(reading->build->index, HP_TOUCH_NEXT);
	}
}

/* ---- what is in channels ---- */

static void add_queue(const struct reading *reading, const struct hp_queue *queue)
{
	/* Pairs with the RELEASE that put it to this use. */
	uint32_t id = load(&queue->site, ACQUIRE);
	size_t row = id <= reading->build->snapshot->site_count ? reading->sites[id].row : 0;
	struct hp_flow *flow = row ? &reading->flows->items[row - 1] : NULL;
	if (!flow || flow->kind != HP_SITE_CHANNEL)
		return;

	uint64_t queued = load(&queue->sent, RELAXED) - load(&queue->received, RELAXED);
	uint64_t most = load(&queue->most, RELAXED), capacity = load(&queue->capacity, RELAXED);
	if ((int64_t)queued < 0)
		queued = 0;
	/* Who sends does not look each time. */
	if (most < queued)
		most = queued;
	flow->queued += queued;
	if (flow->most_queued < most)
		flow->most_queued = most;
	if (capacity && queued >= capacity)
		flow->state = HP_FLOW_FULL;
}

static void add_queues(const struct reading *reading)
{
	const struct hp_snapshot *snapshot = reading->build->snapshot;
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_queue));
	/* Pairs with the RELEASE that published the queue. */
	uint64_t at = load(&snapshot->header->queues, ACQUIRE);
	const struct hp_queue *queue;

	for (; left && (queue = hp_check_queue(snapshot->bytes, at)); left--) {
		add_queue(reading, queue);
		at = load(&queue->next, RELAXED);
		hp_stat_index_touch(reading->build->index, HP_TOUCH_NEXT);
	}
}

static void set_states(struct hp_flows *flows)
{
	for (size_t i = 0; i < flows->count; i++) {
		struct hp_flow *flow = &flows->items[i];
		if (flow->is_oneshot)
			flow->state = hp_flow_oneshot_state(flow);
		else if (flow->instances && flow->closed >= flow->instances)
			flow->state = HP_FLOW_CLOSED;
	}
}

bool hp_flows_read(struct hp_build *build)
{
	struct reading reading = { build, &build->model->flows, NULL };

	/* Whatever is followed has one. */
	if (!load(&build->snapshot->header->shares, RELAXED))
		return true;
	reading.sites = calloc((size_t)build->snapshot->site_count + 1, sizeof(*reading.sites));
	if (!reading.sites)
		return false;
	find_shares(&reading);
	bool done = add_rows(&reading);
	add_queues(&reading);
	set_states(reading.flows);
	hp_flows_sort(reading.flows);
	free(reading.sites);
	return done;
}
