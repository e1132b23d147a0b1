/* SPDX-License-Identifier: MIT */
/* Channels, streams, futures, loops and values, made by hand; sorted as a model has them. */
#ifndef SAMPLE_ENTRIES_H
#define SAMPLE_ENTRIES_H

#include "made_entry.h"
#include "model.h"

static struct hp_point sample_delays[] = { { 1000, 60 }, { 5000, 30 }, { 2000000, 10 } };
static struct hp_point sample_turns[] = { { 300, 7 }, { 9000, 1 } };

enum { SAMPLE_ENTRIES = 8 };

static struct hp_entry sample_entries[SAMPLE_ENTRIES];

static inline struct hp_entry sample_labelled(enum hp_site_kind site, char *name, char *file,
					      uint32_t line)
{
	struct hp_entry entry = made_entry(site, name);

	entry.is_labelled = true;
	entry.file = file;
	entry.line = line;
	return entry;
}

static inline struct hp_entry sample_future(void)
{
	struct hp_entry entry = sample_labelled(HP_SITE_FUTURE, "download", "src/net.c", 12);

	PUT(&entry, { "call_count", 10 }, { "ended_count", 8 }, { "cancelled_count", 2 },
	    { "total_polls", 40 }, { "total_poll_duration_ns", 8000 },
	    { "max_poll_duration_ns", 700 }, { "total_poll_alloc_bytes", 4096 },
	    { "total_poll_alloc_count", 16 }, { "total_queue_ns", 1200 },
	    { "total_service_ns", 6000 });
	entry.times[0] = (struct hp_times){ 6, 60000, 900, 30000, { sample_turns, 2 } };
	return entry;
}

static inline struct hp_entry sample_channel(void)
{
	struct hp_entry entry = sample_labelled(HP_SITE_CHANNEL, "jobs", "src/first.c", 7);

	PUT(&entry, { "instances", 3 }, { "closed_instances", 1 }, { "state", MADE_FULL },
	    { "sent_count", 200 }, { "received_count", 136 }, { "sent_bytes", 204800 },
	    { "queue_size", 64 }, { "max_queue_size", 64 }, { "capacity", 64 },
	    { "waited_ns", 5000000 });
	entry.times[0] = (struct hp_times){ 100, 20210000, 990, 2000001, { sample_delays, 3 } };
	return entry;
}

static inline struct hp_entry sample_stream(void)
{
	struct hp_entry entry = sample_labelled(HP_SITE_STREAM, "jobs", "src/first.c", 9);

	PUT(&entry, { "instances", 1 }, { "closed_instances", 1 }, { "state", MADE_CLOSED },
	    { "items_yielded", 50 }, { "yielded_bytes", 5000 });
	return entry;
}

static inline struct hp_entry sample_quiet_channel(void)
{
	struct hp_entry entry = sample_labelled(HP_SITE_CHANNEL, "jobs", "src/second.c", 70);

	PUT(&entry, { "instances", 1 });
	return entry;
}

static inline struct hp_entry sample_expression(void)
{
	struct hp_entry entry = made_entry(HP_SITE_DBG, "a + b");

	entry.file = "src/first.c";
	entry.line = 30;
	PUT(&entry, { "log_count", 4 });
	put_value(&entry, HP_VALUE_INT, (uint64_t)-42);
	return entry;
}

static inline struct hp_entry sample_gauge(void)
{
	struct hp_entry entry = made_entry(HP_SITE_GAUGE, "load");

	PUT(&entry, { "log_count", 9 });
	/* -0.5, as bits. */
	put_value(&entry, HP_VALUE_DOUBLE, UINT64_C(0xbfe0000000000000));
	put_real(&entry, "min", -7.25);
	put_real(&entry, "max", 3);
	return entry;
}

static inline struct hp_entry sample_key(void)
{
	struct hp_entry entry = made_entry(HP_SITE_VAL, "name");

	PUT(&entry, { "log_count", 1 });
	put_value(&entry, HP_VALUE_STRING, 0);
	entry.texts[0] = "caf\xc3\xa9 \"au lait\"";
	return entry;
}

static inline struct hp_entry sample_loop(void)
{
	struct hp_entry entry = made_entry(HP_SITE_LOOP, "uv_run main");

	PUT(&entry, { "idle_ns", 99900 }, { "callback_ns", 10000 }, { "callback_count", 12 },
	    { "slowest_callback_ns", 8800 });
	entry.times[0] = (struct hp_times){ 8, 11100, 300, 9000, { sample_turns, 2 } };
	entry.texts[0] = "on_read";
	return entry;
}

static inline void make_sample_entries(void)
{
	const struct hp_entry all[SAMPLE_ENTRIES] = {
		sample_future(),     sample_channel(), sample_stream(), sample_quiet_channel(),
		sample_expression(), sample_gauge(),   sample_key(),	sample_loop(),
	};

	memcpy(sample_entries, all, sizeof(all));
}

#endif
