/* SPDX-License-Identifier: MIT */
/* What a segment that is made by hand knows of async work and data flow. */
#ifndef MADE_FLOWS_H
#define MADE_FLOWS_H

#include "made_segment.h"

/* A site of what is no function, and its shared, which polls do not have. Returns its id. */
static inline uint32_t made_flow(struct made_segment *made, enum hp_site_kind kind,
				 const char *name, struct hp_shared **shared)
{
	struct hp_header *header = made_header(made);
	uint32_t id = ++header->site_count;

	made->sites[id] = (struct hp_site){ .kind = kind, .line = 20 + id };
	made->sites[id].name = made_string(made, name);
	if (shared) {
		*shared = made_take(made, sizeof(**shared));
		**shared = (struct hp_shared){ .next = header->shares, .site = id };
		header->shares = made_offset(made, *shared);
	}
	header->used = made->size;
	return id;
}

/* What a lane did with it: calls that began at the moment 10000 and each tick behind it, and all wait in the ring. */
static inline struct hp_stat *made_flow_stat(struct made_segment *made, unsigned lane, uint32_t id,
					     uint64_t calls, uint64_t duration)
{
	struct hp_stat *stat = made_take(made, sizeof(*stat));

	*stat = (struct hp_stat){
		.next = made->lanes[lane]->stats, .site = id, .calls = calls, .min = UINT64_MAX
	};
	for (unsigned i = 0; i < calls; i++) {
		stat->ring[i].end = 10000 + i + duration;
		stat->ring[i].duration = duration;
	}
	made->lanes[lane]->stats = made_offset(made, stat);
	made_header(made)->used = made->size;
	return stat;
}

/* So many were logged, one at the moment 10000 and one each tick behind it. */
static inline struct hp_log *made_log(struct made_segment *made, struct hp_shared *shared,
				      uint64_t count, enum hp_value kind)
{
	struct hp_log *log = made_take(made, sizeof(*log));

	log->count = count;
	for (uint64_t number = count > HP_LOG ? count - HP_LOG + 1 : 1; number <= count; number++) {
		struct hp_logged *item = &log->items[(number - 1) % HP_LOG];
		*item = (struct hp_logged){ .number = number,
					    .time = 10000 + number - 1,
					    .tid = 100,
					    .value_kind = kind,
					    .value = number,
					    .bytes = 100 };
		snprintf(item->text, sizeof(item->text), "text %u", (unsigned)number);
	}
	shared->log = made_offset(made, log);
	made_header(made)->used = made->size;
	return log;
}

static inline struct hp_queue *made_queue(struct made_segment *made, uint32_t id, uint64_t capacity,
					  uint64_t sent, uint64_t received)
{
	struct hp_header *header = made_header(made);
	struct hp_queue *queue = made_take(made, sizeof(*queue));

	*queue = (struct hp_queue){ .next = header->queues,
				    .site = id,
				    .generation = 1,
				    .capacity = capacity,
				    .sent = sent,
				    .most = sent - received,
				    .received = received };
	header->queues = made_offset(made, queue);
	header->used = made->size;
	return queue;
}

/* Ten messages of 100 bytes, sent in one lane; seven of them received in the other, after 1050 ticks. */
static inline void made_channel(struct made_segment *made)
{
	uint32_t id = made_flow(made, HP_SITE_CHANNEL, "jobs", &made->shares[0]);
	struct hp_stat *sender = made_flow_stat(made, 0, id, 0, 0);
	struct hp_stat *receiver = made_flow_stat(made, 1, id, 7, 1050);

	sender->flow[HP_CHANNEL_SENT] = 10;
	sender->flow[HP_CHANNEL_BYTES] = 1000;
	receiver->flow[HP_CHANNEL_RECEIVED] = 7;
	receiver->flow[HP_CHANNEL_WAITED] = 2100;
	made->shares[0]->instances = 3;
	made->shares[0]->closed = 1;
	made->shares[0]->capacity = 4;
	made->shares[0]->most = 2;
	made->logs[0] = made_log(made, made->shares[0], 10, HP_VALUE_NONE);
	made->queues[0] = made_queue(made, id, 4, 8, 5);
	made->queues[1] = made_queue(made, id, 4, 2, 3);
}

/* Six, of which four are ready after 2100 ticks and one was cancelled; each ran three times. */
static inline void made_futures(struct made_segment *made)
{
	uint32_t id = made_flow(made, HP_SITE_FUTURE, "fetch", &made->shares[2]);
	uint32_t polls = made_flow(made, HP_SITE_POLL, "fetch", NULL);
	struct hp_stat *stat = made_flow_stat(made, 0, id, 4, 2100);

	stat->flow[HP_FUTURE_MADE] = 6;
	stat->flow[HP_FUTURE_CANCELLED] = 1;
	stat->flow[HP_FUTURE_QUEUED] = 1050;
	stat->flow[HP_FUTURE_SERVED] = 4200;
	made_flow_stat(made, 0, polls, 12, 105);
	made_flow_stat(made, 1, polls, 6, 210);
	made->shares[2]->other = polls;
	made->logs[1] = made_log(made, made->shares[2], 6, HP_VALUE_INT);
	for (unsigned i = 0; i < 6; i++) {
		made->logs[1]->items[i].state = i ? HP_FUTURE_READY : HP_FUTURE_SUSPENDED;
		made->logs[1]->items[i].polls = 3;
		made->logs[1]->items[i].end = i ? 10000 + i + 2100 : 0;
	}
}

static inline uint64_t made_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static inline void made_values(struct made_segment *made)
{
	uint32_t dbg = made_flow(made, HP_SITE_DBG, "1 + 1", &made->shares[3]);
	uint32_t val = made_flow(made, HP_SITE_VAL, "key", &made->shares[4]);
	uint32_t gauge = made_flow(made, HP_SITE_GAUGE, "depth", &made->shares[5]);

	made_flow_stat(made, 0, dbg, 0, 0)->flow[HP_VALUE_UPDATES] = 1;
	made_flow_stat(made, 0, val, 0, 0)->flow[HP_VALUE_UPDATES] = 30;
	made_flow_stat(made, 1, val, 0, 0)->flow[HP_VALUE_UPDATES] = 40;
	made_flow_stat(made, 0, gauge, 0, 0)->flow[HP_VALUE_UPDATES] = 5;
	made->logs[2] = made_log(made, made->shares[4], 70, HP_VALUE_STRING);
	made->shares[5]->current = made_double(1.5);
	made->shares[5]->min = made_double(-2);
	made->shares[5]->max = made_double(3);
}

/* One of each kind. */
static inline void made_flows(struct made_segment *made)
{
	struct hp_stat *stat;

	made_channel(made);
	stat = made_flow_stat(made, 1, made_flow(made, HP_SITE_STREAM, "lines", &made->shares[1]),
			      0, 0);
	stat->flow[HP_STREAM_ITEMS] = 20;
	stat->flow[HP_STREAM_BYTES] = 200;
	made->shares[1]->instances = made->shares[1]->closed = 2;
	made_futures(made);
	made_values(made);
	stat = made_flow_stat(made, 0, made_flow(made, HP_SITE_LOOP, "loop", &made->shares[6]), 9,
			      10500);
	stat->flow[HP_LOOP_IDLE] = 1050;
	stat->flow[HP_LOOP_CALLBACK] = 2100;
	stat->flow[HP_LOOP_CALLBACKS] = 30;
	made->shares[6]->most = 525;
	made->shares[6]->other = 2;
}

#endif
