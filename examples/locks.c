/* SPDX-License-Identifier: MIT */
/*
 * A lock that everybody needs, and one function that keeps it too long: nothing here knows of hotpath.
 *
 *	hotpath run --waits build/examples/locks
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum {
	THREADS = 4,
	ORDERS = 500,
	CUSTOMERS = 20000,
	ACCOUNTS = 8,
};

struct account {
	pthread_mutex_t lock;
	long balance;
};

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t prices_lock = PTHREAD_RWLOCK_INITIALIZER;
static long customers[CUSTOMERS], orders, prices[16];
static struct account *accounts[ACCOUNTS];

static struct account *open_account(void)
{
	struct account *account = calloc(1, sizeof(*account));

	if (account)
		pthread_mutex_init(&account->lock, NULL);
	return account;
}

static void update_stats(void)
{
	pthread_mutex_lock(&stats_lock);
	orders++;
	pthread_mutex_unlock(&stats_lock);
}

/* The mistake: it looks at all customers while it has a lock that is for something small. */
static long find_customer(long number)
{
	long found = -1;

	pthread_mutex_lock(&stats_lock);
	for (int round = 0; round < 20; round++)
		for (int i = 0; i < CUSTOMERS; i++)
			if (customers[i] == number)
				found = i;
	pthread_mutex_unlock(&stats_lock);
	return found;
}

static long price_of(long what)
{
	pthread_rwlock_rdlock(&prices_lock);
	long price = prices[what % 16];
	pthread_rwlock_unlock(&prices_lock);
	return price;
}

static void change_price(long what, long price)
{
	pthread_rwlock_wrlock(&prices_lock);
	prices[what % 16] = price;
	pthread_rwlock_unlock(&prices_lock);
}

static void pay(long customer, long price)
{
	struct account *account = accounts[customer % ACCOUNTS];

	pthread_mutex_lock(&account->lock);
	account->balance += price;
	pthread_mutex_unlock(&account->lock);
}

static void *take_orders(void *unused)
{
	const struct timespec pause = { 0, 20000 };

	for (long i = 0; i < ORDERS; i++) {
		long customer = i % 5 ? i : find_customer(i);
		pay(customer, price_of(i));
		update_stats();
		if (i % 50 == 0)
			change_price(i, i);
		nanosleep(&pause, NULL);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (long i = 0; i < CUSTOMERS; i++)
		customers[i] = i;
	for (int i = 0; i < ACCOUNTS; i++)
		if (!(accounts[i] = open_account()))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, take_orders, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld orders\n", orders);
	return 0;
}
