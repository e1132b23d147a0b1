/* SPDX-License-Identifier: MIT */
/* A bookkeeper: comes, sorts the sales of the hour, and leaves. */
#include "shop.h"

#include <hotpath.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	SALES = 20000,
	/* Until the ink is dry. */
	DRY_US = 480000,
};

static int by_amount(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	return (a > b) - (a < b);
}

static unsigned sort_sales(unsigned *sales)
{
	HOTPATH_MEASURE();

	qsort(sales, SALES, sizeof(*sales), by_amount);
	HOTPATH_RETURN(sales[SALES / 2]);
}

static void close_books(void)
{
	HOTPATH_MEASURE();
	uint32_t series = 7;
	unsigned *sales = calloc(SALES, sizeof(*sales));
	if (!sales)
		return;

	for (unsigned i = 0; i < SALES; i++)
		sales[i] = next_random(&series, 100000);
	unsigned median = sort_sales(sales);
	HOTPATH_DBG(median / 100.0);
	files_check();
	wait_us(DRY_US);
	free(sales);
}

void *books_run(void *name)
{
	pthread_setname_np(pthread_self(), name);
	close_books();
	free(name);
	return NULL;
}
