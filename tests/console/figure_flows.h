/* SPDX-License-Identifier: MIT */
/* Channels, streams, futures, a loop and values whose figures are the same everywhere; for one program alone. */
#ifndef FIGURE_FLOWS_H
#define FIGURE_FLOWS_H

enum { LOGGED = 12 };

/* A site of such a kind with its stat in the first lane: so many calls of about a usual duration. */
static struct hp_stat *make_flow(enum hp_site_kind kind, const char *name, uint64_t usual,
				 unsigned calls, struct hp_shared **shared)
{
	uint32_t id = made_flow(&made, kind, name, shared);
	struct hp_stat *stat = made_take(&made, sizeof(*stat));

	made.sites[id].file = made_string(&made, "src/queue.c");
	*stat = (struct hp_stat){ .next = lanes[0]->stats, .site = id };
	for (unsigned i = 0; i < 16 && i < calls; i++)
		count(stat, duration_of(usual, i), calls / 16 + (i < calls % 16));
	make_ring(stat, usual, END - 3000 * UINT64_C(1000000));
	lanes[0]->stats = made_offset(&made, stat);
	return stat;
}

/* One each second, the last one second before the end. */
static struct hp_logged *make_log(struct hp_shared *shared, unsigned nth, enum hp_value kind)
{
	struct hp_log *log = shared->log ? (void *)(made.bytes + shared->log) : NULL;

	if (!log)
		log = made_log(&made, shared, LOGGED, kind);
	struct hp_logged *item = &log->items[nth];
	item->time = END - (LOGGED - nth) * UINT64_C(1000000000);
	item->tid = 4242 + nth % 2;
	item->value_kind = kind;
	return item;
}

/* All but the last message were received. */
static void make_messages(struct hp_stat *stat, struct hp_shared *shared)
{
	for (unsigned i = 0; i < LOGGED; i++) {
		struct hp_logged *item = make_log(shared, i, HP_VALUE_NONE);
		item->bytes = 512 + i;
		snprintf(item->text, sizeof(item->text), "parse page %u of words.xml", i + 1);
		uint64_t place = (stat->calls - LOGGED + i) % HP_RING;
		uint64_t took = i + 1 < LOGGED ? duration_of(2 * MS, i) : 7;
		stat->ring[place].duration = took;
		stat->ring[place].end = (i + 1 < LOGGED ? item->time : BEGIN) + took;
	}
}

static void make_channels(void)
{
	struct hp_shared *shared;
	struct hp_stat *stat = make_flow(HP_SITE_CHANNEL, "pages", 2 * MS, 3000, &shared);

	memcpy(stat->flow, (uint64_t[]){ 3064, 3000, 1568768, 0 }, sizeof(stat->flow));
	shared->instances = 2;
	shared->closed = 1;
	shared->capacity = 64;
	shared->most = 64;
	made_queue(&made, stat->site, 64, 3064, 3000);
	make_messages(stat, shared);
	stat = make_flow(HP_SITE_CHANNEL, "words", 15 * US, 90000, &shared);
	memcpy(stat->flow, (uint64_t[]){ 90000, 90000, 720000, 0 }, sizeof(stat->flow));
	shared->instances = shared->closed = 1;
	shared->most = 310;
}

static void make_streams(void)
{
	struct hp_shared *shared;
	struct hp_stat *stat = make_flow(HP_SITE_STREAM, "lines", 0, 0, &shared);

	stat->flow[HP_STREAM_ITEMS] = 48000;
	stat->flow[HP_STREAM_BYTES] = 3840000;
	shared->instances = 1;
	for (unsigned i = 0; i < LOGGED; i++) {
		struct hp_logged *item = make_log(shared, i, HP_VALUE_NONE);
		item->bytes = 80;
		snprintf(item->text, sizeof(item->text), "line %u", i + 1);
	}
}

static void make_futures(void)
{
	struct hp_shared *shared;
	struct hp_stat *polls = make_flow(HP_SITE_POLL, "fetch", 300 * US, 500, NULL);
	struct hp_stat *stat = make_flow(HP_SITE_FUTURE, "fetch", 80 * MS, 118, &shared);

	memcpy(stat->flow, (uint64_t[]){ 125, 5, 236 * MS, 708 * MS }, sizeof(stat->flow));
	shared->other = polls->site;
	for (unsigned i = 0; i < LOGGED; i++) {
		bool ready = i < 10;
		struct hp_logged *item = make_log(shared, i, ready ? HP_VALUE_INT : HP_VALUE_NONE);
		item->state = ready	? HP_FUTURE_READY
			      : i == 10 ? HP_FUTURE_DROPPED
					: HP_FUTURE_SUSPENDED;
		item->polls = 4;
		item->value = 200;
		item->end = i < 11 ? item->time + duration_of(80 * MS, i) : 0;
	}
}

static void make_loop(void)
{
	struct hp_shared *shared;
	struct hp_stat *stat = make_flow(HP_SITE_LOOP, "uv_run", 700 * US, 40000, &shared);

	memcpy(stat->flow,
	       (uint64_t[]){ 252 * UINT64_C(1000000000), 26 * UINT64_C(1000000000), 60000, 0 },
	       sizeof(stat->flow));
	shared->other = LOOK_UP;
	shared->most = 1300 * US;
}

static void make_shown_values(void)
{
	static const double load = 0.5, low = -1.25, high = 12;
	struct hp_shared *shared;

	make_flow(HP_SITE_GAUGE, "load", 0, 0, &shared)->flow[HP_VALUE_UPDATES] = 9000;
	memcpy(&shared->current, &load, sizeof(load));
	memcpy(&shared->min, &low, sizeof(low));
	memcpy(&shared->max, &high, sizeof(high));
	make_flow(HP_SITE_DBG, "depth * 2", 0, 0, &shared)->flow[HP_VALUE_UPDATES] = LOGGED;
	for (unsigned i = 0; i < LOGGED; i++)
		make_log(shared, i, HP_VALUE_INT)->value = (uint64_t)(int64_t)(2 * (int)i - 6);
}

static void make_flows(void)
{
	make_channels();
	make_streams();
	make_futures();
	make_loop();
	make_shown_values();
}

#endif
