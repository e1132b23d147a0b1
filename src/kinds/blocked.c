/* SPDX-License-Identifier: MIT */
/* What threads wait for now, for how long, and who holds the lock. */
#include "blocked_list.h"

#include "kind.h"
#include "waits.h"

#include <inttypes.h>

#define AT(member) HP_AT(struct hp_blocked_thread, member)

/* ---- cells ---- */

/* "worker 4711" */
static void put_thread(struct hp_text *text, const char *name, uint32_t tid)
{
	hp_text_put_printable(text, name && name[0] ? name : "?");
	hp_text_printf(text, " %" PRIu32, tid);
}

static void put_name(const void *row, struct hp_text *text)
{
	const struct hp_blocked_thread *thread = row;

	put_thread(text, thread->name, thread->tid);
}

/* "worker 4711", or "-"; several threads may hold a lock to read. */
static void put_holder(const void *row, struct hp_text *text)
{
	const struct hp_blocked_thread *thread = row;

	if (!thread->holder) {
		hp_text_putc(text, '-');
		return;
	}
	put_thread(text, thread->holder_name, thread->holder);
	if (thread->holders > 1)
		hp_text_printf(text, " and %" PRIu32 " more", thread->holders - 1);
}

/* ---- fields ---- */

/* clang-format off */
static const struct hp_field fields[] = {
	{ "name", NULL, HP_FIELD_NAME, AT(name), .sort = "thread", .put = put_name },
	{ "tid", NULL, HP_FIELD_COUNT, AT(tid) },
	{ "pid", "PID", HP_FIELD_COUNT, AT(pid), .sort = "pid", .rank = 3, .when = HP_SHOWN_OF_SEVERAL },
	{ "reason", "Waits for", HP_FIELD_WORD, AT(reason), .sort = "reason", .rank = 1, .words = hp_wait_reasons,
	  .word_count = HP_REASONS, .wanted = "what a thread waits for" },
	{ "target", "Target", HP_FIELD_TEXT, AT(target), .rank = 1 },
	{ "waited_ns", "Since", HP_FIELD_TIME, AT(waited_ns), .known = AT(has_waited), .sort = "since", .rank = 2,
	  .when = HP_SHOWN_IF_KNOWN },
	{ "function", "In", HP_FIELD_TEXT, AT(function), .rank = 2 },
	{ "holder", "Held by", HP_FIELD_TEXT, AT(holder_name), .rank = 1, .put = put_holder },
	{ "holder_tid", NULL, HP_FIELD_COUNT, AT(holder), .known = AT(holder) },
	{ "holder_function", "Holder's function", HP_FIELD_TEXT, AT(holder_function), .sort = "holder-function",
	  .rank = 3 },
	{ "holders", NULL, HP_FIELD_COUNT, AT(holders) },
	{ "is_timed", NULL, HP_FIELD_BOOL, AT(is_timed) },
	{ "is_deadlocked", NULL, HP_FIELD_BOOL, AT(is_deadlocked) },
	HP_FIELDS_NONE,
};
/* clang-format on */

/* ---- rows ---- */

/* Deadlocks first, then waits for locks; of these, what has taken longest. */
static int by_urgency(const void *left, const void *right)
{
	const void *const *one = left, *const *other = right;
	const struct hp_blocked_thread *a = *one, *b = *other;
	int order = b->is_deadlocked - a->is_deadlocked;

	if (!order)
		order = (b->reason == HP_REASON_LOCK) - (a->reason == HP_REASON_LOCK);
	if (!order)
		order = (a->waited_ns < b->waited_ns) - (a->waited_ns > b->waited_ns);
	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

static uint64_t identity_of(const void *row)
{
	const struct hp_blocked_thread *thread = row;

	return (uint64_t)thread->pid << 32 | thread->tid;
}

const struct hp_kind hp_kind_blocked = {
	.key = "blocked",
	.noun = "thread that waits",
	.header = "Thread",
	.limit = "rows of the section about what threads wait for now",
	.fields = fields,
	.tables = { { .name = "blocked",
		      .sentence = "What threads wait for now, or did when the program was killed.",
		      .order = 101,
		      .tab = "Threads",
		      .pane = "Blocked",
		      .how = "No thread waits for anything that is recorded.\n\n"
			     "Start the program with 'hotpath run --waits PROGRAM', or link it with\n"
			     "hotpath-waits." } },
	.order = by_urgency,
	.identity = identity_of,
	.is_unfiltered = true,
};
