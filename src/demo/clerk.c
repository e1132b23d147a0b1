/* SPDX-License-Identifier: MIT */
/* A clerk: takes an order from the counter, adds up what it costs, and hands out a receipt. */
#include "shop.h"

#include <hotpath.h>

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ITEMS_MAX = 4,
	LINE_SIZE = 64,
	/* One price in FETCH_ONE_OF has to be fetched, which takes this long, up to twice that. */
	FETCH_ONE_OF = 150,
	FETCH_US = 12000,
	SEND_US = 300,
};

struct sale {
	unsigned customer;
	unsigned count;
	struct {
		char *name;
		unsigned quantity;
		unsigned price;
	} items[ITEMS_MAX];
};

static struct sale *parse_order(const char *order)
{
	HOTPATH_MEASURE();
	struct sale *sale = calloc(1, sizeof(*sale));
	char *rest = NULL;
	if (!sale)
		return NULL;

	sale->customer = (unsigned)strtoul(order, &rest, 10);
	while (*rest && sale->count < ITEMS_MAX) {
		sale->items[sale->count].quantity = (unsigned)strtoul(rest + 1, &rest, 10);
		size_t length = strcspn(rest, ",");
		char *name = strndup(rest + 1, length - 1);
		if (!name)
			break;
		sale->items[sale->count++].name = name;
		rest += length;
	}
	return sale;
}

static void free_sale(struct sale *sale)
{
	for (unsigned i = 0; i < sale->count; i++)
		free(sale->items[i].name);
	free(sale);
}

static unsigned fetch_price(uint32_t *series)
{
	HOTPATH_MEASURE();
	unsigned price = 1 + next_random(series, 5000);

	wait_us(FETCH_US + next_random(series, FETCH_US));
	HOTPATH_RETURN(price);
}

static unsigned price_sale(struct sale *sale, uint32_t *series)
{
	HOTPATH_MEASURE();
	unsigned total = 0;

	for (unsigned i = 0; i < sale->count; i++) {
		bool missing = next_random(series, FETCH_ONE_OF) == 0;
		sale->items[i].price = missing ? fetch_price(series)
					       : look_up_price(sale->items[i].name);
		total += sale->items[i].quantity * sale->items[i].price;
	}
	HOTPATH_RETURN(total);
}

/* Grows the block for every line. */
static char *render_receipt(const struct sale *sale, unsigned total)
{
	HOTPATH_MEASURE();
	char *text = malloc(LINE_SIZE);
	int used = text ? snprintf(text, LINE_SIZE, "customer %u\n", sale->customer) : 0;

	for (unsigned i = 0; text && i <= sale->count; i++) {
		char *larger = realloc(text, (size_t)used + LINE_SIZE);
		if (!larger)
			break;
		text = larger;
		if (i < sale->count)
			used += snprintf(text + used, LINE_SIZE, "%3u %-12.12s %8u\n",
					 sale->items[i].quantity, sale->items[i].name,
					 sale->items[i].price);
		else
			used += snprintf(text + used, LINE_SIZE, "total %u\n", total);
	}
	return text;
}

static void send_receipt(char *receipt, uint32_t *series)
{
	HOTPATH_MEASURE();

	wait_us(SEND_US + next_random(series, SEND_US));
	files_keep(receipt);
}

static unsigned serve_customer(const struct order *order, uint32_t *series)
{
	HOTPATH_MEASURE();
	struct sale *sale = parse_order(order->text);

	if (!sale)
		HOTPATH_RETURN(0);
	unsigned total = price_sale(sale, series);
	send_receipt(render_receipt(sale, total), series);
	free_sale(sale);
	HOTPATH_RETURN(total);
}

/* The future is polled from here on; on the counter it was pending. */
static void handle_order(struct order *order, uint32_t *series)
{
	HOTPATH_FUTURE_POLL(&order->future);

	HOTPATH_GAUGE_ADD("clerks at work", 1);
	unsigned total = serve_customer(order, series);
	HOTPATH_GAUGE_ADD("clerks at work", -1);
	HOTPATH_VAL("last total", total);
	HOTPATH_FUTURE_READY_LOG(&order->future, total);
}

void *clerk_run(void *name)
{
	uint32_t series = (uint32_t)(uintptr_t)name | 1;

	pthread_setname_np(pthread_self(), name);
	for (;;) {
		struct order *order = counter_take();
		handle_order(order, &series);
		free(order);
	}
	return NULL;
}
