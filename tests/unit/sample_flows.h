/* SPDX-License-Identifier: MIT */
/* Channels, streams, futures, loops and values, made by hand; sorted as a model has them. */
#ifndef SAMPLE_FLOWS_H
#define SAMPLE_FLOWS_H

#include "model.h"

static struct hp_point sample_delays[] = { { 1000, 60 }, { 5000, 30 }, { 2000000, 10 } };
static struct hp_point sample_turns[] = { { 300, 7 }, { 9000, 1 } };

static struct hp_flow sample_flows[] = {
	{ .kind = HP_SITE_FUTURE,
	  .name = (char[]){ "download" },
	  .is_labelled = true,
	  .file = (char[]){ "src/net.c" },
	  .line = 12,
	  .instances = 10,
	  .closed = 8,
	  .times = { 6, 60000, 900, 30000, { sample_turns, 2 } },
	  .cancelled = 2,
	  .polls = { 40, 8000, 700, 4096, 16 },
	  .queued_ns = 1200,
	  .served_ns = 6000 },
	{ .kind = HP_SITE_CHANNEL,
	  .name = (char[]){ "jobs" },
	  .is_labelled = true,
	  .file = (char[]){ "src/first.c" },
	  .line = 7,
	  .instances = 3,
	  .closed = 1,
	  .state = HP_FLOW_FULL,
	  .sent = 200,
	  .received = 136,
	  .bytes = 204800,
	  .queued = 64,
	  .most_queued = 64,
	  .capacity = 64,
	  .waited_ns = 5000000,
	  .times = { 100, 20210000, 990, 2000001, { sample_delays, 3 } } },
	{ .kind = HP_SITE_STREAM,
	  .name = (char[]){ "jobs" },
	  .is_labelled = true,
	  .file = (char[]){ "src/first.c" },
	  .line = 9,
	  .instances = 1,
	  .closed = 1,
	  .state = HP_FLOW_CLOSED,
	  .sent = 50,
	  .bytes = 5000 },
	{ .kind = HP_SITE_CHANNEL,
	  .name = (char[]){ "jobs" },
	  .is_labelled = true,
	  .file = (char[]){ "src/second.c" },
	  .line = 70,
	  .instances = 1 },
	{ .kind = HP_SITE_DBG,
	  .name = (char[]){ "a + b" },
	  .file = (char[]){ "src/first.c" },
	  .line = 30,
	  .updates = 4,
	  .value_kind = HP_VALUE_INT,
	  .value = (uint64_t)-42 },
	{ .kind = HP_SITE_GAUGE,
	  .name = (char[]){ "load" },
	  .updates = 9,
	  .value_kind = HP_VALUE_DOUBLE,
	  /* -0.5, as bits. */
	  .value = UINT64_C(0xbfe0000000000000),
	  .min = -7.25,
	  .max = 3 },
	{ .kind = HP_SITE_VAL,
	  .name = (char[]){ "name" },
	  .updates = 1,
	  .value_kind = HP_VALUE_STRING,
	  .text = (char[]){ "caf\xc3\xa9 \"au lait\"" } },
	{ .kind = HP_SITE_LOOP,
	  .name = (char[]){ "uv_run main" },
	  .instances = 1,
	  .times = { 8, 11100, 300, 9000, { sample_turns, 2 } },
	  .idle_ns = 99900,
	  .callback_ns = 10000,
	  .callbacks = 12,
	  .slowest_ns = 8800,
	  .slowest = (char[]){ "on_read" } },
};

enum { SAMPLE_FLOWS = sizeof(sample_flows) / sizeof(*sample_flows) };

#endif
