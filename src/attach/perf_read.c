/* SPDX-License-Identifier: MIT */
/* Reads the records of performance events from their rings. */
#include "arithmetic.h"
#include "atomic.h"
#include "lower_bound.h"
#include "perf_events.h"
#include "perf_ring.h"

#include <string.h>

/* The words of a record that are left. */
struct words {
	const uint64_t *at;
	size_t left;
};

static uint64_t next(struct words *words)
{
	if (!words->left)
		return 0;
	words->left--;
	return *words->at++;
}

/* Two numbers of 32 bits. */
static void next_pair(struct words *words, uint32_t *first, uint32_t *second)
{
	uint64_t word = next(words);

	memcpy(first, &word, sizeof(*first));
	memcpy(second, (const char *)&word + sizeof(*first), sizeof(*second));
}

static struct words words_of(const struct perf_event_header *record)
{
	return (struct words){ (const uint64_t *)(const void *)(record + 1),
			       (record->size - sizeof(*record)) / sizeof(uint64_t) };
}

/* ---- samples ---- */

static bool has_lower_id(const void *event, const void *id)
{
	return ((const struct hp_perf_event *)event)->id < *(const uint64_t *)id;
}

static uint32_t thread_of(const struct hp_perf_events *events, uint64_t id)
{
	size_t at = hp_lower_bound(&id, events->events, events->event_count,
				   sizeof(*events->events), has_lower_id);

	return at < events->event_count && events->events[at].id == id ? events->events[at].tid : 0;
}

/* The kernel marks the parts of a stack; only that of the program is asked for. */
static void take_stack(struct hp_perf_sample *sample, struct words *words)
{
	uint64_t count = hp_min(next(words), words->left);

	sample->addresses = words->at;
	sample->count = count;
	words->at += count;
	words->left -= count;
	for (uint64_t i = 0; i < count; i++)
		if (sample->addresses[i] == (uint64_t)PERF_CONTEXT_USER) {
			sample->addresses += i + 1;
			sample->count = count - i - 1;
			return;
		}
	sample->count = 0;
}

/* The kind of registers and, unless there are none, those that were asked for. Those of 32-bit programs have no rules. */
static bool take_registers(struct hp_registers *registers, struct words *words)
{
	uint64_t kind = next(words);

	*registers = (struct hp_registers){ .pc = 0 };
	if (kind == PERF_SAMPLE_REGS_ABI_NONE)
		return false;
#if defined(__x86_64__)
	registers->rbx = next(words);
#endif
	registers->fp = next(words);
#if defined(__aarch64__)
	registers->link = next(words) & HP_ADDRESS_BITS;
#endif
	registers->sp = next(words);
	registers->pc = next(words);
	return kind == PERF_SAMPLE_REGS_ABI_64;
}

/* The size of the copy of the stack, the copy, and how much of it is valid. */
static void take_copy(struct hp_perf_sample *sample, struct words *words)
{
	bool is_known = take_registers(&sample->registers, words);
	uint64_t size = next(words), count = size / sizeof(uint64_t);

	/* One word more follows. */
	if (!is_known || !count || count >= words->left)
		return;
	sample->stack = (const unsigned char *)words->at;
	sample->stack_size = hp_min(size, words->at[count]);
}

static void read_sample(const struct hp_perf_events *events, const struct perf_event_header *record,
			const struct hp_perf_listener *listener)
{
	struct words words = words_of(record);
	struct hp_perf_sample sample = { .event = thread_of(events, next(&words)) };

	/* The address, which the stack has as well. */
	next(&words);
	next_pair(&words, &sample.pid, &sample.tid);
	sample.time_ns = next(&words);
	sample.in_kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			   PERF_RECORD_MISC_KERNEL;
	take_stack(&sample, &words);
	if (events->stack_bytes)
		take_copy(&sample, &words);
	if (sample.pid == events->pid && sample.event)
		listener->sample(listener->context, &sample);
}

/* ---- other records ---- */

/* When a record that is no sample was written. */
static uint64_t time_of(const struct perf_event_header *record)
{
	struct words words = words_of(record);

	return words.left >= 3 ? words.at[words.left - 2] : 0;
}

/* pid, tid; address, size, offset; device and inode, or a build id; protection; path. */
static void read_mapping(const struct hp_perf_events *events,
			 const struct perf_event_header *record,
			 const struct hp_perf_listener *listener)
{
	enum { WORDS = 8 };
	struct words words = words_of(record);
	uint32_t pid, tid;

	if (words.left <= WORDS + 3)
		return;
	const char *path = (const char *)(words.at + WORDS);
	next_pair(&words, &pid, &tid);
	uint64_t start = next(&words), size = next(&words), offset = next(&words);
	if (pid == events->pid && memchr(path, '\0', (words.left - 4) * sizeof(uint64_t)))
		listener->mapped(listener->context, start, size, offset, path);
}

static void read_name(const struct hp_perf_events *events, const struct perf_event_header *record,
		      const struct hp_perf_listener *listener)
{
	struct words words = words_of(record);
	char name[32] = "";
	uint32_t pid, tid;

	next_pair(&words, &pid, &tid);
	if (pid != events->pid || words.left < 4)
		return;
	memcpy(name, words.at, hp_min(sizeof(name) - 1, (words.left - 3) * sizeof(uint64_t)));
	if (record->misc & PERF_RECORD_MISC_COMM_EXEC)
		listener->executed(listener->context, time_of(record));
	else
		listener->named(listener->context, tid, name);
}

/* pid and parent's pid; tid and parent's tid; time. */
static void read_task(const struct hp_perf_events *events, const struct perf_event_header *record,
		      const struct hp_perf_listener *listener)
{
	struct words words = words_of(record);
	uint32_t pid, parent_pid, tid, parent_tid;

	next_pair(&words, &pid, &parent_pid);
	next_pair(&words, &tid, &parent_tid);
	if (pid != events->pid)
		return;
	if (record->type == PERF_RECORD_FORK)
		listener->began(listener->context, tid, parent_tid, next(&words));
	else
		listener->ended(listener->context, tid, next(&words));
}

static void read_other(struct hp_perf_events *events, const struct perf_event_header *record,
		       const struct hp_perf_listener *listener)
{
	struct words words = words_of(record);

	switch (record->type) {
	case PERF_RECORD_MMAP2:
		read_mapping(events, record, listener);
		break;
	case PERF_RECORD_COMM:
		read_name(events, record, listener);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		read_task(events, record, listener);
		break;
	case PERF_RECORD_LOST:
		next(&words);
		events->lost += next(&words);
		break;
	default:
		break;
	}
}

/* ---- rings ---- */

/* A record, which may be in two parts in its ring. */
static const struct perf_event_header *record_at(const struct hp_perf_events *events,
						 const struct hp_perf_ring *ring, uint64_t at)
{
	uint64_t place = at & (ring->size - 1);
	const struct perf_event_header *record = (const void *)(ring->bytes + place);
	/* Records are multiples of 8 bytes, so their headers are whole. */
	uint64_t size = record->size, first = ring->size - place;

	if (size <= first)
		return record;
	memcpy(events->copy, ring->bytes + place, first);
	memcpy(events->copy + first, ring->bytes, size - first);
	return (const void *)events->copy;
}

static void read_ring(struct hp_perf_events *events, const struct hp_perf_ring *ring, bool samples,
		      const struct hp_perf_listener *listener)
{
	for (uint64_t at = ring->page->data_tail; at < ring->head;) {
		const struct perf_event_header *record = record_at(events, ring, at);
		if (record->size < sizeof(*record))
			break;
		at += record->size;
		bool is_sample = record->type == PERF_RECORD_SAMPLE;
		if (is_sample && samples)
			read_sample(events, record, listener);
		else if (!is_sample && !samples)
			read_other(events, record, listener);
	}
}

void hp_perf_read(struct hp_perf_events *events, const struct hp_perf_listener *listener)
{
	for (size_t i = 0; i < events->ring_count; i++) {
		/* Pairs with the kernel's release: the records before it are written. */
		events->rings[i].head = load(&events->rings[i].page->data_head, ACQUIRE);
		read_ring(events, &events->rings[i], false, listener);
	}
	for (size_t i = 0; i < events->ring_count; i++) {
		read_ring(events, &events->rings[i], true, listener);
		/* Pairs with the kernel's acquire: the room can be written to again. */
		store(&events->rings[i].page->data_tail, events->rings[i].head, RELEASE);
	}
}
