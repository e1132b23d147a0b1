/* SPDX-License-Identifier: MIT */
/* The shared of a site, and its log: created once, found by the site's id. */
#include "flow.h"

#include "calls/logged.h"
#include "calls/sites.h"
#include "process/clock.h"
#include "process/lanes.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/segment_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct hotpath__recorder_ops *hotpath__flow_other(void)
{
	return hotpath__state() == STATE_HANDED_OVER ? hotpath__recorder->other : NULL;
}

struct hp_stat *hotpath__flow_stat_slow(struct thread *me, uint32_t site)
{
	struct hp_stat *stat = site < HP_SITES_MAX ? hotpath__stat(me, site) : NULL;

	if (!stat)
		add(&me->lane->counters[HP_COUNTER_flows], 1);
	/* An object that was created before a fork has no shared in the child yet. */
	else if (!hotpath__shared(site))
		stat = NULL;
	return stat;
}

static struct hp_shared **page_of(uint32_t site)
{
	struct recorder *recorder = hotpath__recorder;
	struct hp_shared ***page = &recorder->shares[site / INDEX_PAGE % INDEX_PAGES];

	if (!*page)
		/* Pairs with the CONSUME in hotpath__shared_find. */
		store(page, hotpath__private(INDEX_PAGE * sizeof(**page)), RELEASE);
	return *page;
}

/* The extremes of a gauge that was not set yet. */
static void begin(struct hp_shared *shared)
{
	const double least = -__builtin_inf(), most = __builtin_inf();
	uint64_t bits;

	memcpy(&bits, &most, sizeof(bits));
	store(&shared->min, bits, RELAXED);
	memcpy(&bits, &least, sizeof(bits));
	store(&shared->max, bits, RELAXED);
}

static struct hp_shared *make(uint32_t site)
{
	struct hp_header *header = hotpath__header();
	uint64_t at = hotpath__segment_take(sizeof(struct hp_shared));

	if (!at)
		return NULL;
	struct hp_shared *shared = (struct hp_shared *)(void *)(hotpath__recorder->base + at);
	shared->site = site;
	shared->other = hotpath__poll_site(site);
	shared->next = header->shares;
	begin(shared);
	/* Pairs with the reader's ACQUIRE. */
	store(&header->shares, at, RELEASE);
	return shared;
}

struct hp_shared *hotpath__shared_make(uint32_t site)
{
	struct hp_shared *shared = NULL;
	struct guard guard;

	hotpath__lock(&guard);
	struct hp_shared **page = page_of(site);
	if (page && !page[site % INDEX_PAGE])
		/* Pairs with the CONSUME in hotpath__shared_find. */
		store(&page[site % INDEX_PAGE], make(site), RELEASE);
	if (page)
		shared = page[site % INDEX_PAGE];
	hotpath__unlock(&guard);
	if (!shared)
		hotpath__count(HP_COUNTER_flows);
	return shared;
}

struct hp_log *hotpath__log_make(struct hp_shared *shared)
{
	struct guard guard;

	hotpath__lock(&guard);
	if (!shared->log)
		/* Pairs with the ACQUIRE of readers, and of other threads that look for it here. */
		store(&shared->log, hotpath__segment_take(sizeof(struct hp_log)), RELEASE);
	uint64_t at = shared->log;
	hotpath__unlock(&guard);
	return at ? (struct hp_log *)(void *)(hotpath__recorder->base + at) : NULL;
}

/* The log's array of longer texts, allocated when the first is logged; 0 when there is no room. */
static uint64_t long_texts(struct hp_log *log)
{
	/* Pairs with the RELEASE below. */
	uint64_t at = load(&log->long_texts, ACQUIRE);
	struct guard guard;

	if (at)
		return at;
	hotpath__lock(&guard);
	if (!log->long_texts)
		/* Pairs with the ACQUIRE of readers, and of other threads that look for it here. */
		store(&log->long_texts,
		      hotpath__segment_take((uint64_t)HP_LOG * hotpath__header()->long_text_size),
		      RELEASE);
	at = log->long_texts;
	hotpath__unlock(&guard);
	return at;
}

static void put_text(struct hp_log *log, struct hp_logged *item, const char *text)
{
	size_t size = hotpath__header()->long_text_size;

	hotpath__store_text(item->text, HP_MESSAGE_SIZE, text);
	if (!hotpath__has_long_texts(HP_MESSAGE_SIZE) || !size)
		return;
	uint64_t at = long_texts(log);
	if (at)
		hotpath__store_text(hotpath__recorder->base + at +
					    (size_t)(item - log->items) * size,
				    size, text);
}

void hotpath__log_text(struct thread *me, uint32_t site, const struct hp_logged *about)
{
	struct hp_shared *shared = hotpath__shared(site);
	struct hp_log *log = shared ? hotpath__log(shared) : NULL;
	uint64_t number;

	if (!log)
		return;
	struct hp_logged *item = hotpath__log_next(log, &number);
	store(&item->time, about->time, RELAXED);
	store(&item->end, about->end, RELAXED);
	store(&item->bytes, about->bytes, RELAXED);
	store(&item->tid, me->tid, RELAXED);
	store(&item->value_kind, HP_VALUE_STRING, RELAXED);
	put_text(log, item, (const char *)(uintptr_t)about->value);
	hotpath__log_done(item, number);
}

void hotpath__log_put(struct hp_log *log, struct hp_logged *item, struct hotpath_value value)
{
	size_t length = hotpath__text_length(HP_MESSAGE_SIZE);
	char *text = value.kind == HP_VALUE_STRING ? __builtin_alloca(length + 1) : NULL;
	uint32_t kind = (uint32_t)value.kind;

	if (kind == HP_VALUE_STRING &&
	    !hotpath__copy_string(text, length, (const char *)(uintptr_t)value.bits))
		kind = HP_VALUE_POINTER;
	store(&item->value_kind, kind, RELAXED);
	store(&item->value, value.bits, RELAXED);
	if (kind == HP_VALUE_STRING)
		put_text(log, item, text);
}

struct hp_logged hotpath__log_format(char *text, const char *format, va_list arguments)
{
	size_t length = hotpath__text_length(HP_MESSAGE_SIZE);
	int saved_errno = errno;
	int whole = vsnprintf(text, length + 1, format, arguments);

	if (whole < 0)
		text[0] = '\0';
	else if ((size_t)whole > length)
		hotpath__cut_text(text, length);
	errno = saved_errno;
	return (struct hp_logged){ .value = (uintptr_t)text };
}

static void zero_log(struct hp_shared *shared)
{
	struct hp_log *log = shared->log ? hotpath__log(shared) : NULL;

	if (!log)
		return;
	for (unsigned i = 0; i < HP_LOG; i++)
		store(&log->items[i].number, 0, RELAXED);
	store(&log->count, 0, RELAXED);
}

/* Messages stay in the queues; the next send finds the largest number anew. */
static void zero_queues(char *base)
{
	struct hp_queue *queue;
	uint64_t now = hotpath__ticks();

	for (uint64_t at = hotpath__header()->queues; at; at = queue->next) {
		queue = (struct hp_queue *)(void *)(base + at);
		store(&queue->most, 0, RELAXED);
		store(&queue->patience, 0, RELAXED);
		store(&queue->opened, now, RELAXED);
		store(&queue->full_ticks, 0, RELAXED);
	}
}

/* Open instances and the current value of a gauge are kept. */
void hotpath__zero_shares(void)
{
	char *base = hotpath__recorder->base;
	struct hp_shared *shared;

	zero_queues(base);
	for (uint64_t at = hotpath__header()->shares; at; at = shared->next) {
		shared = (struct hp_shared *)(void *)(base + at);
		uint64_t made = load(&shared->instances, RELAXED);
		uint64_t closed = exchange(&shared->closed, 0, RELAXED);
		/* More may have been closed than created: copies of a stream, and objects that a parent process
		   created. */
		fetch_add(&shared->instances, -(closed < made ? closed : made), RELAXED);
		store(&shared->most, 0, RELAXED);
		store(&shared->open_ticks, 0, RELAXED);
		store(&shared->full_ticks, 0, RELAXED);
		begin(shared);
		zero_log(shared);
	}
}
