/* SPDX-License-Identifier: MIT */
/* What a model knows of threads. */
#include "thread_list.h"

#include "arithmetic.h"
#include "array.h"
#include "kind.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hp_thread hp_thread_new(uint32_t pid, uint32_t tid)
{
	return (struct hp_thread){ .tid = tid,
				   .pid = pid,
				   .threads = 1,
				   .cpu_now = HP_CPU_PERCENT_UNKNOWN,
				   .cpu_avg = HP_CPU_PERCENT_UNKNOWN,
				   .cpu_max = HP_CPU_PERCENT_UNKNOWN };
}

uint64_t hp_thread_cpu_ns(const struct hp_thread *thread)
{
	return thread->user_ns + thread->system_ns;
}

double hp_cpu_percent(uint64_t cpu_ns, uint64_t elapsed_ns)
{
	return cpu_ns < elapsed_ns ? (double)cpu_ns * 100 / (double)elapsed_ns : 100;
}

void hp_thread_set_times(struct hp_thread *thread, uint64_t user_ns, uint64_t system_ns,
			 uint64_t queue_ns)
{
	thread->has_times = true;
	thread->user_ns = user_ns;
	thread->system_ns = system_ns;
	thread->queue_ns = queue_ns;
	uint64_t cpu = hp_thread_cpu_ns(thread);
	if (thread->recorded_ns && cpu >= thread->before_ns)
		thread->cpu_avg = hp_cpu_percent(cpu - thread->before_ns, thread->recorded_ns);
}

void hp_threads_lasted(struct hp_threads *threads, uint32_t pid, uint64_t elapsed_ns)
{
	for (size_t i = 0; i < threads->count; i++) {
		struct hp_thread *thread = &threads->items[i];
		if (thread->pid != pid || thread->tid != pid || thread->ended_ns ||
		    thread->recorded_ns >= elapsed_ns)
			continue;
		thread->recorded_ns = elapsed_ns;
		if (thread->has_times)
			hp_thread_set_times(thread, thread->user_ns, thread->system_ns,
					    thread->queue_ns);
	}
}

uint64_t hp_threads_cpu_ns(const struct hp_threads *threads)
{
	uint64_t sum = threads->rest.has_times ? hp_thread_cpu_ns(&threads->rest) : 0;

	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i].has_times)
			sum += hp_thread_cpu_ns(&threads->items[i]);
	return sum;
}

uint64_t hp_threads_recorded_ns(const struct hp_threads *threads)
{
	uint64_t before = 0, all = hp_threads_cpu_ns(threads);

	for (size_t i = 0; i < threads->count; i++)
		if (threads->items[i].has_times)
			before += threads->items[i].before_ns;
	return hp_minus(all, before);
}

void hp_thread_add(struct hp_thread *sum, const struct hp_thread *thread)
{
	hp_row_add(hp_kind_threads.fields, sum, thread);
}

bool hp_threads_append(struct hp_threads *threads, struct hp_thread thread)
{
	if (!hp_array_reserve(&threads->items, threads->count, &threads->room, sizeof(thread)))
		return false;
	threads->items[threads->count++] = thread;
	return true;
}

uint64_t hp_threads_total(const struct hp_threads *threads)
{
	uint64_t total = threads->rest.threads;

	for (size_t i = 0; i < threads->count; i++)
		total += threads->items[i].threads;
	return total;
}

static int by_number(const void *left, const void *right)
{
	const struct hp_thread *a = left, *b = right;
	int order = (a->pid > b->pid) - (a->pid < b->pid);

	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

void hp_threads_sort(struct hp_threads *threads)
{
	if (threads->count)
		qsort(threads->items, threads->count, sizeof(*threads->items), by_number);
}

int hp_threads_merge(struct hp_threads *into, const struct hp_threads *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct hp_thread copy = from->items[i];
		copy.name = strdup(copy.name);
		if (!copy.name || !hp_threads_append(into, copy)) {
			free(copy.name);
			return -ENOMEM;
		}
	}
	hp_thread_add(&into->rest, &from->rest);
	hp_threads_sort(into);
	return 0;
}

void hp_threads_collapse(struct hp_threads *threads)
{
	struct hp_thread sum = threads->rest;

	for (size_t i = 0; i < threads->count; i++)
		hp_thread_add(&sum, &threads->items[i]);
	threads->rest = (struct hp_thread){ 0 };
	hp_threads_clear(threads);
	threads->rest = sum;
}

void hp_threads_clear(struct hp_threads *threads)
{
	for (size_t i = 0; i < threads->count; i++)
		free(threads->items[i].name);
	free(threads->items);
	*threads = (struct hp_threads){ 0 };
}
