/* SPDX-License-Identifier: MIT */
/*
 * What was logged of a channel, stream, future or value.
 *
 * Whether a message was received is not in the log of those that were sent: receiving it is a call of the channel, in
 * the ring of whoever received it, which began when the message was sent. Rings keep the newest calls alone, and in a
 * long queue not every message has its time taken: then a message that was sent before another which was received is
 * not taken to be in the channel any more.
 */
#include "flow_log.h"

#include "atomic.h"
#include "kind.h"
#include "names/names.h"
#include "reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hp_shared *find_shared(const struct hp_snapshot *snapshot, uint32_t id)
{
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_shared));
	/* Pairs with the RELEASE that published the shared. */
	uint64_t at = load(&snapshot->header->shares, ACQUIRE);
	const struct hp_shared *shared;

	for (; left && (shared = hp_check_shared(snapshot->bytes, at)); left--) {
		if (load(&shared->site, RELAXED) == id)
			return shared;
		at = load(&shared->next, RELAXED);
	}
	return NULL;
}

/* An item is copied as words, so that none of them is read twice. */
typedef uint64_t __attribute__((may_alias)) word;

/* The text of an item: the one of greater length, if there is any. */
static void copy_text(struct hp_bytes bytes, const struct hp_log *log, uint64_t place, char *text)
{
	uint32_t size;
	const char *texts = hp_check_long_texts(bytes, &log->long_texts, HP_LOG, &size);

	text[0] = '\0';
	if (texts)
		hp_check_copy_text(text, texts + place * size, size);
	if (!text[0])
		hp_check_copy_text(text, log->items[place].text, HP_MESSAGE_SIZE);
}

bool hp_flow_logged(struct hp_bytes bytes, const struct hp_log *log, uint64_t before,
		    struct hp_logged *item, char text[HP_LONG_TEXT_MAX])
{
	uint64_t number = load(&log->count, RELAXED) - before;
	const struct hp_logged *logged = &log->items[(number - 1) % HP_LOG];
	const word *from = (const word *)(const void *)logged;
	word *to = (word *)(void *)item;

	/* Pairs with the RELEASE that completed the item. */
	if (!number || load(&logged->number, ACQUIRE) != number)
		return false;
	for (size_t i = 0; i < sizeof(*item) / sizeof(*to); i++)
		to[i] = load(&from[i], RELAXED);
	copy_text(bytes, log, (number - 1) % HP_LOG, text);
	/* What was copied is read before the number is again. */
	fence(ACQUIRE);
	return load(&logged->number, RELAXED) == number;
}

/* ---- the events of one row ---- */

struct events {
	const struct hp_snapshot *snapshot;
	uint64_t now;
	/* Of the messages that were received, when the newest was sent. */
	uint64_t received;
	size_t count;
	/* When each was sent or begun, and until when it went on, or 0. */
	uint64_t times[HP_LOG];
	uint64_t ends[HP_LOG];
	struct hp_flow_event *items;
};

static void add_event(struct events *events, const struct hp_logged *item, const char *text)
{
	/* A program that did not say goodbye was there when it logged this. */
	if (events->snapshot->is_silent && item->time > events->now)
		events->now = item->time;
	events->times[events->count] = item->time;
	events->ends[events->count] = item->end;
	struct hp_flow_event *event = &events->items[events->count++];
	event->number = item->number;
	event->tid = item->tid;
	event->state = item->state;
	event->polls = item->polls;
	event->bytes = item->bytes;
	event->value_kind = item->value_kind <= HP_VALUE_STRING ? item->value_kind : HP_VALUE_NONE;
	event->value = item->value;
	strcpy(event->text, text);
}

/* A message that was received: the oldest of those that were sent at that moment, if there are several. */
static void receive(struct events *events, uint64_t end, uint64_t duration)
{
	uint64_t time = (end - duration) & HP_CALL_DURATION;

	if (end - duration > events->received)
		events->received = end - duration;
	for (size_t i = events->count; i-- > 0;) {
		if (events->ends[i] || (events->times[i] & HP_CALL_DURATION) != time)
			continue;
		events->ends[i] = events->times[i] + duration;
		return;
	}
}

static void find_received(struct events *events, const struct hp_stat_index *index, uint32_t id)
{
	for (uint32_t at = hp_stat_index_site(index, id).first; at;) {
		const struct hp_stat_entry *entry = &index->entries[at - 1];
		const struct hp_lane *lane;
		const struct hp_stat *stat = hp_stat_index_stat(index, events->snapshot, entry,
								&lane);
		uint64_t calls = stat ? load(&stat->calls, ACQUIRE) : 0;

		for (uint64_t i = calls > HP_RING ? calls - HP_RING : 0; i < calls; i++)
			receive(events, load(&stat->ring[i % HP_RING].end, RELAXED),
				load(&stat->ring[i % HP_RING].duration, RELAXED) &
					HP_CALL_DURATION);
		at = entry->next;
	}
}

static bool has_queued(const struct hp_snapshot *snapshot, uint32_t id)
{
	uint64_t left = hp_check_most(snapshot->bytes, sizeof(struct hp_queue));
	/* Pairs with the RELEASE that published the queue. */
	uint64_t at = load(&snapshot->header->queues, ACQUIRE);
	const struct hp_queue *queue;

	for (; left && (queue = hp_check_queue(snapshot->bytes, at)); left--) {
		uint64_t sent = load(&queue->sent, RELAXED);
		/* ACQUIRE pairs with the RELEASE that put it to this use. */
		if (load(&queue->site, ACQUIRE) == id &&
		    (int64_t)(sent - load(&queue->received, RELAXED)) > 0)
			return true;
		at = load(&queue->next, RELAXED);
	}
	return false;
}

static void find_queued(struct events *events, uint32_t id)
{
	bool any = has_queued(events->snapshot, id);

	for (size_t i = 0; i < events->count; i++)
		events->items[i].is_queued = any && !events->ends[i] &&
					     events->times[i] >= events->received;
}

static void set_times(struct events *events)
{
	for (size_t i = 0; i < events->count; i++) {
		struct hp_flow_event *event = &events->items[i];
		uint64_t time = events->times[i], end = events->ends[i];

		event->ago_ns = hp_snapshot_ns(events->snapshot,
					       events->now > time ? events->now - time : 0);
		event->has_ended = end != 0;
		event->took_ns = hp_snapshot_ns(events->snapshot, end > time ? end - time : 0);
	}
}

static enum hp_site_kind kind_of(const struct hp_snapshot *snapshot, uint32_t id)
{
	const struct hp_site *site = hp_check_site(snapshot->bytes, id);

	return site ? (enum hp_site_kind)load(&site->kind, RELAXED) : 0;
}

/* Those that are complete, and no more than are to be shown. */
static void collect(struct events *events, const struct hp_log *log)
{
	uint32_t limit = load(&events->snapshot->header->logs_limit, RELAXED);
	char text[HP_LONG_TEXT_MAX];
	struct hp_logged item;

	for (uint64_t i = 0; i < HP_LOG && events->count < limit; i++)
		if (hp_flow_logged(events->snapshot->bytes, log, i, &item, text))
			add_event(events, &item, text);
}

ssize_t hp_flow_events_of(const struct hp_snapshot *snapshot, const struct hp_stat_index *index,
			  uint32_t id, struct hp_flow_event **events)
{
	enum hp_site_kind kind = kind_of(snapshot, id);
	const struct hp_shared *shared = hp_kind_of_site(kind) ? find_shared(snapshot, id) : NULL;
	const struct hp_log *log = shared ? hp_check_log(snapshot->bytes, shared) : NULL;
	struct events found = { .snapshot = snapshot, .now = snapshot->now };

	*events = NULL;
	if (!shared)
		return -ENOENT;
	if (!log)
		return 0;
	found.items = calloc(HP_LOG, sizeof(*found.items));
	if (!found.items)
		return -ENOMEM;
	collect(&found, log);
	if (kind == HP_SITE_CHANNEL) {
		find_received(&found, index, id);
		find_queued(&found, id);
	}
	set_times(&found);
	if (found.count)
		*events = found.items;
	else
		free(found.items);
	return (ssize_t)found.count;
}

/* ---- those of all rows with a name ---- */

static bool has_name(const struct hp_snapshot *snapshot, const struct hp_names *names, uint32_t id,
		     const char *name)
{
	char *label = hp_names_label(names, snapshot, id);
	bool same = label && strcmp(label, name) == 0;

	free(label);
	return same;
}

/* Rows of one name may be of several kinds: what the first is decides. */
static bool is_asked_for(const struct hp_snapshot *snapshot, const struct hp_names *names,
			 uint32_t id, const char *name, enum hp_site_kind *kind)
{
	enum hp_site_kind its_kind = kind_of(snapshot, id);

	if (!hp_kind_of_site(its_kind) || (*kind && its_kind != *kind) ||
	    !has_name(snapshot, names, id, name))
		return false;
	*kind = its_kind;
	return true;
}

/* Takes over what is added. */
static bool join(struct hp_flow_event **all, size_t *count, struct hp_flow_event *more,
		 size_t more_count)
{
	struct hp_flow_event *items = reallocarray(*all, *count + more_count + 1, sizeof(*items));

	if (items) {
		*all = items;
		if (more_count)
			memcpy(items + *count, more, more_count * sizeof(*items));
		*count += more_count;
	}
	free(more);
	return items != NULL;
}

static int newest_first(const void *left, const void *right)
{
	const struct hp_flow_event *a = left, *b = right;

	if (a->ago_ns != b->ago_ns)
		return a->ago_ns < b->ago_ns ? -1 : 1;
	return (a->number < b->number) - (a->number > b->number);
}

static ssize_t find_by_name(const struct hp_snapshot *snapshot, const struct hp_names *names,
			    const struct hp_stat_index *index, const char *name,
			    enum hp_site_kind *kind, struct hp_flow_event **events)
{
	size_t count = 0, limit = load(&snapshot->header->logs_limit, RELAXED);
	unsigned rows = 0;

	for (uint32_t id = 1; id <= snapshot->site_count; id++) {
		struct hp_flow_event *more;
		if (!is_asked_for(snapshot, names, id, name, kind))
			continue;
		ssize_t found = hp_flow_events_of(snapshot, index, id, &more);
		if (found == -ENOMEM || (found >= 0 && !join(events, &count, more, (size_t)found)))
			return -ENOMEM;
		rows += found >= 0;
	}
	if (rows > 1)
		qsort(*events, count, sizeof(**events), newest_first);
	if (!rows)
		return -ENOENT;
	return (ssize_t)(count < limit ? count : limit);
}

ssize_t hp_flow_events(const void *bytes, size_t size, const char *name, enum hp_site_kind *kind,
		       struct hp_flow_event **events, struct hp_error *error)
{
	struct hp_stat_index index = { .sites = NULL };
	struct hp_names names = { .items = NULL };
	struct hp_snapshot snapshot;
	const char *problem = hp_snapshot_open(&snapshot, bytes, size, false);
	ssize_t count = problem ? -EINVAL : -ENOMEM;

	*events = NULL;
	*kind = 0;
	if (!problem && hp_names_read(&names, &snapshot, NULL) &&
	    hp_stat_index_update(&index, &snapshot)) {
		hp_stat_index_hear(&index, &snapshot);
		count = find_by_name(&snapshot, &names, &index, name, kind, events);
	}
	hp_names_free(&names);
	hp_stat_index_free(&index);
	if (count == -ENOENT)
		snprintf(error->text, sizeof(error->text),
			 "no channel, stream, future or value is named '%s'", name);
	else if (count < 0)
		snprintf(error->text, sizeof(error->text), "%s",
			 problem ? problem : "out of memory");
	if (count <= 0) {
		free(*events);
		*events = NULL;
	}
	return count;
}
