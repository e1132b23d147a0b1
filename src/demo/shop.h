/* SPDX-License-Identifier: MIT */
/*
 * A shop that sells over a counter: something to look at, with functions that compute, wait and allocate.
 *
 *	door ──orders──► counter ──► clerk-1, clerk-2, clerk-3 ──receipts──► files
 *	main ──every two seconds──► books-1, books-2, …
 *
 * Customers come in waves. One of some hundred prices is not in the catalogue and has to be fetched, which
 * takes a hundred times as long. It uses less than a third of a core, however slow that is.
 *
 * The counter is a channel, an order a future: it waits for a clerk, who works at it until there is a receipt.
 * Receipts are a stream. Who checks the books locks the files, and clerks wait for that.
 */
#ifndef SHOP_H
#define SHOP_H

#include <hotpath.h>

#include <stddef.h>
#include <stdint.h>

enum {
	CLERKS = 3,
	CATALOGUE_ITEMS = 80000,
	ORDER_SIZE = 128,
};

/** What a customer wants. */
struct order {
	struct hotpath_future future;
	char text[ORDER_SIZE];
};

/** Write the catalogue, before anything is looked up in it. */
void catalogue_write(void);

/** What an item costs; 0 when it is not in the catalogue. */
unsigned look_up_price(const char *name);

/** Before anything is laid on it, or kept in the files. */
void counter_open(void);

/** Lay an order on the counter, which takes it over; when there is no room the customer leaves. */
void counter_put(struct order *order);

/** Take the next order, waiting for it; to be freed. */
struct order *counter_take(void);

/** Keep a receipt, which is taken over; the oldest one is thrown away. */
void files_keep(char *receipt);

/** Read all receipts in the files: how long they are together. */
size_t files_check(void);

/** What a thread does until the program ends. */
void *door_run(void *unused);
void *clerk_run(void *name);

/** What a thread does that is there for a moment. */
void *books_run(void *name);

/** Wait: for a customer, a disk, a wire. */
void wait_us(unsigned microseconds);

/** A pseudo-random number below a limit; the series belongs to the caller, and starts with any seed but 0. */
unsigned next_random(uint32_t *series, unsigned limit);

#endif
