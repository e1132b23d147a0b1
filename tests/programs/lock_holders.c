/* SPDX-License-Identifier: MIT */
/*
 * Who waits for whom: one thread holds a lock until another one waits for it. Each function is known to the test.
 *
 * usage: lock_holders mutex|write|read|spin|measured|heap|label|array|many
 */
#include "truth.h"

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t shard_locks[8];
static pthread_rwlock_t shared_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t busy_lock;

struct account {
	pthread_mutex_t lock;
	long balance;
};

static sem_t held;

#define NOINLINE __attribute__((noinline))

/* The thread that is about to wait, when it is: its number, and its clock. */
static atomic_int coming;
static clockid_t coming_clock;

/* Wait until the lock is held. What follows is the wait for it. */
static void come(void)
{
	sem_wait(&held);
	pthread_getcpuclockid(pthread_self(), &coming_clock);
	atomic_store(&coming, gettid());
}

/* The state of a thread as the kernel tells it: S if it sleeps. */
static char state_of(int thread)
{
	char path[64], line[256] = "";
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = read(file, line, sizeof(line) - 1);
	const char *name_end = length > 0 ? strrchr(line, ')') : NULL;

	close(file);
	return name_end ? name_end[2] : '?';
}

static uint64_t time_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Hold the lock until the other thread waits for it: it sleeps, or has spun for a while. */
static void hold_it(void)
{
	sem_post(&held);
	while (!atomic_load(&coming))
		spend(100000);
	uint64_t begun = time_of(coming_clock);
	while (state_of(atomic_load(&coming)) != 'S' && time_of(coming_clock) - begun < 5000000)
		spend(100000);
	spend(1000000);
}

static NOINLINE void keep_mutex(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	hold_it();
	pthread_mutex_unlock(mutex);
}

static NOINLINE void *wait_mutex(void *mutex)
{
	come();
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

static NOINLINE void measured_keeper(pthread_mutex_t *mutex)
{
	HOTPATH_MEASURE();
	keep_mutex(mutex);
}

static NOINLINE void *measured_waiter(void *mutex)
{
	HOTPATH_MEASURE();
	wait_mutex(mutex);
	return NULL;
}

static NOINLINE void keep_write(void)
{
	pthread_rwlock_wrlock(&shared_lock);
	hold_it();
	pthread_rwlock_unlock(&shared_lock);
}

static NOINLINE void *wait_read(void *unused)
{
	come();
	pthread_rwlock_rdlock(&shared_lock);
	pthread_rwlock_unlock(&shared_lock);
	return unused;
}

static NOINLINE void keep_read(void)
{
	pthread_rwlock_rdlock(&shared_lock);
	hold_it();
	pthread_rwlock_unlock(&shared_lock);
}

static NOINLINE void *wait_write(void *unused)
{
	come();
	pthread_rwlock_wrlock(&shared_lock);
	pthread_rwlock_unlock(&shared_lock);
	return unused;
}

static NOINLINE void keep_spin(void)
{
	pthread_spin_lock(&busy_lock);
	hold_it();
	pthread_spin_unlock(&busy_lock);
}

static NOINLINE void *wait_spin(void *unused)
{
	come();
	pthread_spin_lock(&busy_lock);
	pthread_spin_unlock(&busy_lock);
	return unused;
}

static NOINLINE struct account *open_account(void)
{
	struct account *account = malloc(sizeof(*account));

	pthread_mutex_init(&account->lock, NULL); /* the line of the heap */
	return account;
}

static void close_account(struct account *account)
{
	pthread_mutex_destroy(&account->lock);
	free(account);
}

static void use_heap(pthread_t *thread)
{
	struct account *account = open_account();

	for (int i = 0; i < 9; i++)
		close_account(open_account());
	pthread_create(thread, NULL, wait_mutex, &account->lock);
	keep_mutex(&account->lock);
	pthread_join(*thread, NULL);
	close_account(account);
	for (int i = 0; i < 9; i++) {
		account = open_account();
		pthread_mutex_lock(&account->lock);
		pthread_mutex_unlock(&account->lock);
		close_account(account);
	}
}

static void use_array(void)
{
	for (int i = 0; i < 80; i++) {
		pthread_mutex_lock(&shard_locks[i % 8]);
		pthread_mutex_unlock(&shard_locks[i % 8]);
	}
}

/* More than can be followed at once. */
static int use_many(void)
{
	enum { MANY = 70000 };
	struct account *accounts = calloc(MANY, sizeof(*accounts));

	for (int i = 0; accounts && i < MANY; i++) {
		pthread_mutex_init(&accounts[i].lock, NULL);
		pthread_mutex_lock(&accounts[i].lock);
		pthread_mutex_unlock(&accounts[i].lock);
	}
	free(accounts);
	return !accounts;
}

static void with_mutex(void *(*waiter)(void *), void (*keeper)(pthread_mutex_t *))
{
	pthread_t thread;

	pthread_create(&thread, NULL, waiter, &table_lock);
	keeper(&table_lock);
	pthread_join(thread, NULL);
}

static void with_other(void *(*waiter)(void *), void (*keeper)(void))
{
	pthread_t thread;

	pthread_create(&thread, NULL, waiter, NULL);
	keeper();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "mutex";
	pthread_t thread;

	sem_init(&held, 0, 0);
	pthread_spin_init(&busy_lock, PTHREAD_PROCESS_PRIVATE);
	if (strcmp(what, "mutex") == 0)
		with_mutex(wait_mutex, keep_mutex);
	else if (strcmp(what, "measured") == 0)
		with_mutex(measured_waiter, measured_keeper);
	else if (strcmp(what, "write") == 0)
		with_other(wait_read, keep_write);
	else if (strcmp(what, "read") == 0)
		with_other(wait_write, keep_read);
	else if (strcmp(what, "spin") == 0)
		with_other(wait_spin, keep_spin);
	else if (strcmp(what, "heap") == 0)
		use_heap(&thread);
	else if (strcmp(what, "array") == 0)
		use_array();
	else if (strcmp(what, "many") == 0)
		return use_many();
	else if (strcmp(what, "label") == 0) {
		hotpath_label(&table_lock, "table of customers");
		with_mutex(wait_mutex, keep_mutex);
	} else if (strcmp(what, "long label") == 0) {
		hotpath_label(&table_lock, "table of customers, their orders and their addresses");
		with_mutex(wait_mutex, keep_mutex);
	}
	return 0;
}
