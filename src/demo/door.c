/* SPDX-License-Identifier: MIT */
/* The door: customers come in waves, and no more of them than the shop may serve. */
#include "shop.h"

#include <hotpath.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	/* Period of the waves; and the time between customers when most and when fewest come. */
	WAVE_MS = 20000,
	GAP_MIN_US = 1000,
	GAP_MAX_US = 6000,
	/* CPU budget in percent of one core, and the window it applies to. */
	BUDGET_PERCENT = 28,
	WINDOW_MS = 1000,
	/* What may be used at once at the start of a window. */
	ADVANCE_MS = 50,
	ITEMS_MAX = 4,
};

static uint64_t now_us(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* Rises and falls evenly. */
static unsigned gap_us(void)
{
	unsigned at = (unsigned)(now_us(CLOCK_MONOTONIC) / 1000 % WAVE_MS);
	unsigned height = at < WAVE_MS / 2 ? at : WAVE_MS - at;

	return GAP_MAX_US - (GAP_MAX_US - GAP_MIN_US) * height / (WAVE_MS / 2);
}

static bool is_over_budget(void)
{
	static uint64_t begin_us, begin_cpu_us;
	uint64_t now = now_us(CLOCK_MONOTONIC), cpu = now_us(CLOCK_PROCESS_CPUTIME_ID);

	if (now - begin_us > WINDOW_MS * UINT64_C(1000)) {
		begin_us = now;
		begin_cpu_us = cpu;
	}
	return cpu - begin_cpu_us >
	       (now - begin_us + ADVANCE_MS * UINT64_C(1000)) * BUDGET_PERCENT / 100;
}

static void wait_for_customer(void)
{
	HOTPATH_MEASURE();

	do {
		unsigned gap = gap_us(), rate = 1000000 / gap;
		HOTPATH_GAUGE_SET("customers a second", rate);
		wait_us(gap);
	} while (is_over_budget());
}

/* "17:3 item-00042,1 item-07311" */
static void accept_order(uint32_t *series)
{
	HOTPATH_MEASURE();
	unsigned items = 1 + next_random(series, ITEMS_MAX);
	struct order *order = malloc(sizeof(*order));
	if (!order)
		return;

	HOTPATH_FUTURE_NEW(&order->future, "order");
	int used = snprintf(order->text, ORDER_SIZE, "%u:", next_random(series, 1000));
	for (unsigned i = 0; i < items; i++)
		used += snprintf(order->text + used, ORDER_SIZE - (size_t)used, "%s%u item-%05u",
				 i ? "," : "", 1 + next_random(series, 9),
				 next_random(series, CATALOGUE_ITEMS));
	counter_put(order);
}

void *door_run(void *unused)
{
	uint32_t series = 1;

	pthread_setname_np(pthread_self(), "door");
	for (;;) {
		wait_for_customer();
		accept_order(&series);
	}
	return unused;
}
