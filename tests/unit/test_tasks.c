/* SPDX-License-Identifier: MIT */
/* What the kernel says of this test's own threads becomes part of a model. */
#include "process/proc_tasks.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static struct hp_model model;
static struct hp_task_history history;
static pthread_t other;
static sem_t ready, over;
static uint32_t other_tid;

static void *body(void *unused)
{
	prctl(PR_SET_NAME, ") R (");
	other_tid = (uint32_t)syscall(SYS_gettid);
	sem_post(&ready);
	while (sem_wait(&over))
		;
	return unused;
}

/* It has nothing more to do. */
static bool is_asleep(uint32_t tid)
{
	struct hp_model look = { .pid = (uint32_t)getpid() };
	bool asleep = false;

	hp_tasks_read(&look, NULL);
	for (size_t i = 0; i < look.threads.count; i++)
		if (look.threads.items[i].tid == tid)
			asleep = look.threads.items[i].state == HP_THREAD_SLEEPING;
	hp_threads_clear(&look.threads);
	return asleep;
}

static int begin(void **state)
{
	(void)state;
	model = (struct hp_model){ .pid = (uint32_t)getpid() };
	sem_init(&ready, 0, 0);
	sem_init(&over, 0, 0);
	if (pthread_create(&other, NULL, body, NULL))
		return 1;
	while (sem_wait(&ready))
		;
	while (!is_asleep(other_tid))
		sched_yield();
	return 0;
}

static int end(void **state)
{
	(void)state;
	sem_post(&over);
	pthread_join(other, NULL);
	hp_threads_clear(&model.threads);
	hp_task_history_clear(&history);
	return 0;
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void compute(void)
{
	uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + 60000000;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static struct hp_thread *thread(uint32_t tid)
{
	for (size_t i = 0; i < model.threads.count; i++)
		if (model.threads.items[i].tid == tid)
			return &model.threads.items[i];
	fail_msg("no thread %u", tid);
	return NULL;
}

static void add(uint32_t tid, const char *name, enum hp_thread_state state)
{
	struct hp_thread added = hp_thread_new(model.pid, tid);

	added.name = strdup(name);
	added.state = state;
	added.is_named = true;
	assert_true(hp_threads_append(&model.threads, added));
}

static void threads_that_were_not_recorded(void **state)
{
	(void)state;
	assert_true(hp_tasks_read(&model, NULL));
	assert_int_equal(model.threads.count, 2);
	assert_int_equal(thread(model.pid)->state, HP_THREAD_RUNNING);
	assert_string_equal(thread(other_tid)->name, ") R (");
	assert_int_equal(thread(other_tid)->pid, model.pid);
	assert_true(thread(model.pid)->has_times);
	assert_true(thread(model.pid)->cpu_now < 0);
	assert_true(model.memory.rss_bytes > 0);
	assert_true(model.memory.peak_rss_bytes >= model.memory.rss_bytes);
}

/* The program's own names stay; where there is none, it is the system's. */
static void threads_that_were(void **state)
{
	(void)state;
	add(model.pid, "chosen", HP_THREAD_UNKNOWN);
	add(other_tid, "", HP_THREAD_UNKNOWN);
	hp_threads_sort(&model.threads);
	assert_true(hp_tasks_read(&model, NULL));
	assert_int_equal(model.threads.count, 2);
	assert_string_equal(thread(model.pid)->name, "chosen");
	assert_string_equal(thread(other_tid)->name, ") R (");
	assert_int_equal(thread(model.pid)->state, HP_THREAD_RUNNING);
	/* The system's name of when it was first recorded may be old. */
	thread(other_tid)->name[0] = 'x';
	thread(other_tid)->is_named = false;
	assert_true(hp_tasks_read(&model, NULL));
	assert_string_equal(thread(other_tid)->name, ") R (");
}

/* No thread has the number of init. */
static void ended_without_a_word(void **state)
{
	(void)state;
	add(1, "lost", HP_THREAD_UNKNOWN);
	assert_true(hp_tasks_read(&model, NULL));
	assert_int_equal(model.threads.count, 3);
	assert_int_equal(thread(1)->state, HP_THREAD_ENDED);
}

/* It has said goodbye, and the kernel still has it; or its number has been given to another. */
static void numbers_of_old(void **state)
{
	(void)state;
	add(other_tid, "old", HP_THREAD_ENDED);
	model.threads.items[0].ended_ns = clock_ns(CLOCK_MONOTONIC) + 1000000000;
	assert_true(hp_tasks_read(&model, NULL));
	assert_int_equal(model.threads.count, 2);
	assert_int_equal(thread(other_tid)->state, HP_THREAD_ENDED);
	hp_threads_clear(&model.threads);
	add(other_tid, "old", HP_THREAD_ENDED);
	model.threads.items[0].ended_ns = 1;
	assert_true(hp_tasks_read(&model, NULL));
	assert_int_equal(model.threads.count, 3);
}

static void rest(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
}

static void two_looks(void **state)
{
	(void)state;
	assert_true(hp_task_history_begin(&history, model.pid));
	compute();
	assert_true(hp_tasks_read(&model, &history));
	double now = thread(model.pid)->cpu_now, max = thread(model.pid)->cpu_max;
	assert_true(now > 0 && now <= 100);
	assert_true(max >= now);
	assert_true(thread(other_tid)->cpu_now == 0);
	/* The most it ever was stays. */
	rest();
	assert_true(hp_tasks_read(&model, &history));
	assert_true(thread(model.pid)->cpu_now < now);
	assert_true(thread(model.pid)->cpu_max >= now);
}

/* Who looks again at once sees the same share, and no thread that is suddenly idle. */
static void looks_at_once(void **state)
{
	uint64_t began;
	double now, again;

	(void)state;
	assert_true(hp_task_history_begin(&history, model.pid));
	/* Unless something came between the two. */
	do {
		compute();
		began = clock_ns(CLOCK_MONOTONIC);
		assert_true(hp_tasks_read(&model, &history));
		now = thread(model.pid)->cpu_now;
		assert_true(hp_tasks_read(&model, &history));
		again = thread(model.pid)->cpu_now;
	} while (clock_ns(CLOCK_MONOTONIC) - began > 30000000);
	assert_true(now > 0 && again == now);
	/* The next share is that of all the time since. */
	rest();
	assert_true(hp_tasks_read(&model, &history));
	assert_true(thread(model.pid)->cpu_now < now);
}

/* A thread that slept while it was watched has computed before: at some time it did so for more than its average. */
static void peak_is_not_below_the_average(void **state)
{
	const struct hp_thread *mine;

	(void)state;
	compute();
	assert_true(hp_task_history_begin(&history, model.pid));
	rest();
	assert_true(hp_tasks_read(&model, &history));
	mine = thread(model.pid);
	assert_true(mine->cpu_now >= 0 && mine->cpu_now < mine->cpu_avg);
	assert_true(mine->cpu_max >= mine->cpu_avg);
}

/* What was seen of another process says nothing. */
static void another_process(void **state)
{
	(void)state;
	assert_true(hp_task_history_begin(&history, model.pid));
	history.pid++;
	assert_true(hp_tasks_read(&model, &history));
	assert_true(thread(model.pid)->cpu_now < 0);
	assert_int_equal(history.pid, model.pid);
}

static void nobody_there(void **state)
{
	(void)state;
	model.pid = INT32_MAX;
	add(7, "thread", HP_THREAD_UNKNOWN);
	assert_true(hp_tasks_read(&model, &history));
	assert_int_equal(model.threads.count, 1);
	assert_int_equal(thread(7)->state, HP_THREAD_UNKNOWN);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(threads_that_were_not_recorded),
		TEST(threads_that_were),
		TEST(ended_without_a_word),
		TEST(numbers_of_old),
		TEST(two_looks),
		TEST(looks_at_once),
		TEST(peak_is_not_below_the_average),
		TEST(another_process),
		TEST(nobody_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
