/* SPDX-License-Identifier: MIT */
/* Streams: items that come one after the other. The duration of an item is the time since the one before. */
#include "flow.h"

#include "process/clock.h"
#include "process/handover.h"

#include <stdarg.h>

static inline bool is_open(const struct hotpath_stream *stream)
{
	return hotpath__is_token(load(&stream->token, RELAXED), stream->site, 0);
}

static inline void yield(struct thread *me, struct hotpath_stream *stream, uint64_t bytes,
			 uint64_t now)
{
	bool open = is_open(stream);
	struct hp_stat *stat = likely(open) ? hotpath__flow_stat(me, stream->site) : NULL;

	if (likely(stat != NULL)) {
		add(&stat->flow[HP_STREAM_ITEMS], 1);
		add(&stat->flow[HP_STREAM_BYTES], bytes);
		hotpath__flow_took(me, stat, now, hotpath__less(now, load(&stream->last, RELAXED)));
		store(&stream->last, now, RELAXED);
	} else if (!open) {
		add(&me->lane->counters[HP_COUNTER_not_open], 1);
	}
}

SELDOM static void yield_elsewhere(struct hotpath_stream *stream, uint64_t bytes,
				   const struct hp_logged *about)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other)
		other->stream_yield(stream, bytes, about);
}

void hotpath_stream_yield(struct hotpath_stream *stream, uint64_t bytes)
{
	uintptr_t sp = hotpath__stack_pointer();
	struct thread *me = hotpath__flow_enter(sp);

	if (unlikely(!me)) {
		yield_elsewhere(stream, bytes, NULL);
		return;
	}
	yield(me, stream, bytes, hotpath__ticks());
	hotpath__leave_busy(me);
}

SELDOM void hotpath__stream_yield(struct hotpath_stream *stream, uint64_t bytes,
				  const struct hp_logged *about)
{
	struct thread *me = about ? hotpath__flow_enter(hotpath__stack_pointer()) : NULL;

	if (about && !me) {
		yield_elsewhere(stream, bytes, about);
		return;
	}
	if (me) {
		struct hp_logged item = *about;
		item.time = hotpath__ticks();
		item.bytes = bytes;
		if (is_open(stream))
			hotpath__log_text(me, stream->site, &item);
		hotpath__leave_busy(me);
	}
	hotpath_stream_yield(stream, bytes);
}

SELDOM void hotpath_stream_yield_log(struct hotpath_stream *stream, uint64_t bytes,
				     const char *format, ...)
{
	va_list arguments;

	if (hotpath__is_idle())
		return;
	va_start(arguments, format);
	struct hp_logged about = hotpath__log_format(LOG_ROOM(), format, arguments);
	va_end(arguments);
	hotpath__stream_yield(stream, bytes, &about);
}

static void make(struct hotpath_stream *stream, struct hotpath_site *site)
{
	uint32_t id = hotpath__flow_site_id(site);
	struct hp_shared *shared = id ? hotpath__shared(id) : NULL;

	if (!shared)
		return;
	fetch_add(&shared->instances, 1, RELAXED);
	stream->site = id;
	stream->last = hotpath__ticks();
	store(&stream->token, hotpath__flow_token(id, 0, 0), RELAXED);
}

SELDOM void hotpath_stream_new(struct hotpath_stream *stream, struct hotpath_site *site)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	*stream = (struct hotpath_stream){ .token = 0 };
	if (me) {
		make(stream, site);
		hotpath__leave_busy(me);
	} else if (other) {
		other->stream_new(stream, site);
	}
}

static bool end(struct hotpath_stream *stream)
{
	struct hp_shared *shared = hotpath__shared_find(stream->site);

	if (!is_open(stream) || !exchange(&stream->token, 0, RELAXED))
		return false;
	if (shared)
		fetch_add(&shared->closed, 1, RELAXED);
	return true;
}

SELDOM void hotpath_stream_end(struct hotpath_stream *stream)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	const struct hotpath__recorder_ops *other = me ? NULL : hotpath__flow_other();

	if (other)
		other->stream_end(stream);
	else if (hotpath__has_segment() && !end(stream) && me)
		add(&me->lane->counters[HP_COUNTER_ended_twice], 1);
	if (me)
		hotpath__leave_busy(me);
}
