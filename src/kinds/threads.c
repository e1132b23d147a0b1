/* SPDX-License-Identifier: MIT */
/* Threads: their CPU time, and what they allocated and freed. */
#include "thread_list.h"

#include "kind.h"

#include <inttypes.h>
#include <string.h>

#define AT(member) HP_AT(struct hp_thread, member)

/* Names of states, by the letter that the kernel has for each. */
static const char *const states[] = {
	[HP_THREAD_RUNNING] = "running", [HP_THREAD_SLEEPING] = "sleeping",
	[HP_THREAD_BLOCKED] = "blocked", [HP_THREAD_STOPPED] = "stopped",
	[HP_THREAD_IDLE] = "idle",	 [HP_THREAD_ZOMBIE] = "zombie",
	[HP_THREAD_ENDED] = "ended",
};

enum { STATES = sizeof(states) / sizeof(*states) };

/* ---- cells and figures ---- */

/* Only the sum of ended threads has no name. */
static void put_name(const void *row, struct hp_text *text)
{
	const struct hp_thread *thread = row;

	if (!thread->name) {
		hp_text_printf(text, "<ended: %" PRIu64 ">", thread->threads);
		return;
	}
	hp_text_puts(text, thread->name[0] ? thread->name : "?");
	if (thread->threads > 1)
		hp_text_printf(text, " (%" PRIu64 " threads)", thread->threads);
}

/* "Running"; "-" when nobody knows. */
static void put_state(const void *row, struct hp_text *text)
{
	const struct hp_thread *thread = row;
	const char *name = (unsigned)thread->state < STATES ? states[thread->state] : NULL;

	if (name)
		hp_text_printf(text, "%c%s", name[0] - 'a' + 'A', name + 1);
	else
		hp_text_putc(text, '-');
}

static uint64_t cpu_of(const void *row)
{
	return hp_thread_cpu_ns(row);
}

static uint64_t difference_of(const void *row)
{
	const struct hp_thread *thread = row;

	return thread->allocated_bytes - thread->freed_bytes;
}

/* Whether a thread queued for more than a hundredth of its time. */
static bool has_queued(const void *row)
{
	const struct hp_thread *thread = row;

	return thread->queue_ns > thread->recorded_ns / 100;
}

/* ---- fields ---- */

/* clang-format off */
static const struct hp_field fields[] = {
	{ "name", NULL, HP_FIELD_NAME, AT(name), .sort = "thread", .put = put_name },
	{ "tid", "TID", HP_FIELD_COUNT, AT(tid), .known = AT(tid), .sort = "tid", .rank = 2 },
	{ "pid", "PID", HP_FIELD_COUNT, AT(pid), .known = AT(pid), .sort = "pid", .rank = 3,
	  .when = HP_SHOWN_OF_SEVERAL },
	{ "state", "State", HP_FIELD_WORD, AT(state), .sort = "state", .rank = 1, .words = states, .word_count = STATES,
	  .put = put_state, .wanted = "the state of a thread" },
	{ "threads", NULL, HP_FIELD_COUNT, AT(threads), .merge = HP_MERGE_SUM, .is_level = true,
	  .compare = { "threads", "Threads", .nth = 0, .rank = 1 } },
	/* A sum of threads has no share of the CPU. */
	{ "cpu_percent", "CPU", HP_FIELD_PERCENT, AT(cpu_now), .known = AT(name), .sort = "cpu", .rank = 1,
	  .when = HP_SHOWN_IF_KNOWN },
	{ "cpu_percent_avg", "Avg CPU", HP_FIELD_PERCENT, AT(cpu_avg), .known = AT(name), .sort = "cpu-avg", .rank = 3,
	  .when = HP_SHOWN_IF_KNOWN },
	{ "cpu_percent_max", "Max CPU", HP_FIELD_PERCENT, AT(cpu_max), .known = AT(name), .sort = "cpu-max", .rank = 4,
	  .when = HP_SHOWN_IF_KNOWN },
	{ "recorded_ns", NULL, HP_FIELD_TIME, AT(recorded_ns), .known = AT(recorded_ns) },
	{ "before_ns", NULL, HP_FIELD_TIME, AT(before_ns), .known = AT(recorded_ns) },
	{ NULL, NULL, HP_FIELD_TIME, .number = cpu_of, .known = AT(has_times),
	  .compare = { "thread_cpu", "CPU", HP_COMPARED_TIME, .nth = 1, .decides = true, .per = HP_PER_SECOND } },
	{ "user_ns", "User", HP_FIELD_TIME, AT(user_ns), .known = AT(has_times), .sort = "user", .rank = 2,
	  .merge = HP_MERGE_SUM,
	  .compare = { "thread_user", .kind = HP_COMPARED_TIME, .nth = 2, .rank = 3, .per = HP_PER_SECOND } },
	{ "system_ns", "System", HP_FIELD_TIME, AT(system_ns), .known = AT(has_times), .sort = "system", .rank = 2,
	  .merge = HP_MERGE_SUM,
	  .compare = { "thread_system", .kind = HP_COMPARED_TIME, .nth = 3, .rank = 3, .per = HP_PER_SECOND } },
	{ "queue_ns", "Queue", HP_FIELD_TIME, AT(queue_ns), .known = AT(has_times), .sort = "queue", .rank = 3,
	  .merge = HP_MERGE_SUM, .when = HP_SHOWN_IF_ANY, .is_worth = has_queued },
	{ "allocated_bytes", "Allocated", HP_FIELD_BYTES, AT(allocated_bytes), .sort = "allocated", .rank = 3,
	  .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_MEMORY,
	  .compare = { "thread_alloc_bytes", .nth = 4, .rank = 2, .is_alloc = true, .per = HP_PER_SECOND } },
	{ "freed_bytes", "Freed", HP_FIELD_BYTES, AT(freed_bytes), .sort = "freed", .rank = 4,
	  .merge = HP_MERGE_SUM, .when = HP_KNOWN_WITH_FREED },
	{ "difference_bytes", "Difference", HP_FIELD_DIFFERENCE, .number = difference_of, .sort = "difference", .rank = 3,
	  .when = HP_KNOWN_WITH_FREED },
	HP_FIELDS_NONE,
};
/* clang-format on */

/* ---- rows ---- */

static bool has_ended(const void *row)
{
	const struct hp_thread *thread = row;

	return thread->state == HP_THREAD_ENDED || !thread->tid;
}

/* Running threads first; then by CPU time, or by allocated bytes. */
static int by_work(const void *left, const void *right)
{
	const void *const *one = left, *const *other = right;
	const struct hp_thread *a = *one, *b = *other;
	uint64_t ours = hp_thread_cpu_ns(a), theirs = hp_thread_cpu_ns(b);
	int order = has_ended(a) - has_ended(b);

	if (!order)
		order = (ours < theirs) - (ours > theirs);
	if (!order)
		order = (a->allocated_bytes < b->allocated_bytes) -
			(a->allocated_bytes > b->allocated_bytes);
	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

/* The start tells threads apart, because the kernel may reuse a tid, and the sums of a name have none. */
static uint64_t identity_of(const void *row)
{
	const struct hp_thread *thread = row;

	return ((uint64_t)thread->pid << 32 | thread->tid) ^ thread->since << 1;
}

static bool is_main(const struct hp_thread *thread)
{
	return thread->tid == thread->pid;
}

/* Threads of one name; the main thread is by itself. */
static bool join(void *group, const void *row)
{
	struct hp_thread *sum = group;
	const struct hp_thread *thread = row;

	if (!sum->threads) {
		*sum = *thread;
		return true;
	}
	if (is_main(sum) || is_main(thread) || sum->pid != thread->pid ||
	    strcmp(sum->name, thread->name) != 0)
		return false;
	hp_thread_add(sum, thread);
	sum->tid = 0;
	sum->recorded_ns += thread->recorded_ns;
	sum->before_ns += thread->before_ns;
	if (sum->has_times)
		hp_thread_set_times(sum, sum->user_ns, sum->system_ns, sum->queue_ns);
	return true;
}

const struct hp_kind hp_kind_threads = {
	.key = "threads",
	.noun = "thread",
	.header = "Thread",
	.limit = "rows of the section about threads",
	.default_limit = 5,
	.fields = fields,
	.tables = { { .name = "threads",
		      .sentence = "CPU time and memory of threads.",
		      .order = 100,
		      .tab = "Threads",
		      .how = "No thread has been seen yet." } },
	.order = by_work,
	.identity = identity_of,
	.is_limited = has_ended,
	.join = join,
	.rest = "ended",
	.is_unfiltered = true,
};
