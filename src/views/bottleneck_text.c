/* SPDX-License-Identifier: MIT */
/* The sentences of the section "bottlenecks": what the largest part of a function's time is, and what would help. */
#include "bottleneck_text.h"

#include "arithmetic.h"
#include "format.h"
#include "nothing.h"

#include <inttypes.h>
#include <string.h>

enum {
	SENTENCES = 3,
	/* A caller with less own time than this, in percent, is not the bottleneck. */
	CALLER_SHARE = 5,
	/* A row that took less than this part of the longest one is not worth a sentence: that is one in so many. */
	SMALL_PART = 10000,
	/* Of the waits of all threads: percent of their time that is worth a sentence. */
	WORTH_SAYING = 1,
	/* Queueing for a processor: from so many percent on, a sentence about computing says so, too. */
	NOTABLE = 10,
	/* From so many percent on, others of the same class are not worth mentioning. */
	NEARLY_ALL = 95,
};

/* Percent of a whole, rounded down. */
static unsigned percent(uint64_t part, uint64_t whole)
{
	return whole ? (unsigned)((double)part * 100 / (double)whole) : 0;
}

static unsigned percents(const struct hp_split *split, uint64_t part)
{
	return percent(part, split->wall_ns);
}

/* ---- what is waited for ---- */

static const char *mostly(uint64_t part, uint64_t whole)
{
	return percent(part, whole) >= 50 ? "mostly" : "partly";
}

static const char *holder_name(const char *holder)
{
	return strcmp(holder, "<readers>") == 0 ? "readers" : holder;
}

/* " for stats_lock held by find_customer" */
static void put_lock(const struct hp_waited_most *most, struct hp_text *text)
{
	hp_text_printf(text, " for %s", most->target ? most->target : "a lock without a name");
	if (most->detail)
		hp_text_printf(text, " held by %s", holder_name(most->detail));
}

/* What an operation on a socket is for; NULL if its name says it as well. */
static const char *purpose_of(const char *operation)
{
	static const char *const purposes[][2] = {
		{ "receive", "to receive from" }, { "read", "to receive from" },
		{ "send", "to send to" },	  { "write", "to send to" },
		{ "connect", "to connect to" },	  { "accept", "for connections to" },
	};

	for (size_t i = 0; i < sizeof(purposes) / sizeof(*purposes); i++)
		if (strcmp(operation, purposes[i][0]) == 0)
			return purposes[i][1];
	return NULL;
}

/* " in fsync of orders.db", " to receive from 127.0.0.1:5432" */
static void put_io(enum hp_waiting waiting, const struct hp_waited_most *most, struct hp_text *text)
{
	const char *operation = most->detail ? most->detail : "I/O";
	const char *purpose = waiting == HP_WAITING_NETWORK ? purpose_of(operation) : NULL;

	if (purpose && most->target)
		hp_text_printf(text, " %s %s", purpose, most->target);
	else if (most->target)
		hp_text_printf(text, " in %s of %s", operation, most->target);
	else
		hp_text_printf(text, " in %s", operation);
}

/* What a function is idle for: with the name of that, and without. Others are calls. */
static const struct {
	const char *reason;
	const char *named;
	const char *nameless;
} reasons[] = {
	{ "condition", "for condition", "for a condition" },
	{ "semaphore", "for semaphore", "for a semaphore" },
	{ "barrier", "at barrier", "at a barrier" },
	{ "join", "for thread", "for a thread to end" },
	{ "once", "for initialisation of", "for an initialisation" },
	{ "child", "for child", "for a child to end" },
	{ "signal", "for signal", "for a signal" },
	{ "futex", "for futex", "for a futex" },
};

/* " in poll", " waiting for condition queue_filled", " waiting for a child to end" */
static void put_idle(const struct hp_waited_most *most, struct hp_text *text)
{
	const char *reason = most->target ? most->target : "unknown calls";
	size_t count = sizeof(reasons) / sizeof(*reasons), i = 0;

	while (i < count && strcmp(reason, reasons[i].reason) != 0)
		i++;
	if (i == count)
		hp_text_printf(text, " in %s", reason);
	else if (most->detail)
		hp_text_printf(text, " waiting %s %s", reasons[i].named, most->detail);
	else
		hp_text_printf(text, " waiting %s", reasons[i].nameless);
}

/* What is waited for, in a class. */
static void put_what(enum hp_waiting waiting, const struct hp_waited_most *most,
		     struct hp_text *text)
{
	if (waiting == HP_WAITING_LOCK)
		put_lock(most, text);
	else if (waiting == HP_WAITING_IDLE)
		put_idle(most, text);
	else
		put_io(waiting, most, text);
}

/* How long that was. */
static uint64_t what_ns(enum hp_waiting waiting, const struct hp_waited_most *most)
{
	return waiting == HP_WAITING_IDLE || !most->detail ? most->target_ns : most->detail_ns;
}

/* By enum hp_waiting. */
static const char *const classes[HP_WAITINGS] = { "locks", NULL, "the disk", "the network",
						  "pipes and terminals" };

/* One lock: " for stats_lock, mostly held by find_customer". */
static void put_only_lock(const struct hp_waited_most *most, struct hp_text *text)
{
	hp_text_printf(text, " for %s", most->target);
	if (most->detail)
		hp_text_printf(text, ", %s held by %s", mostly(most->detail_ns, most->target_ns),
			       holder_name(most->detail));
}

static void put_waits_for(const struct hp_waited *waited, enum hp_waiting waiting,
			  struct hp_text *text)
{
	struct hp_waited_most most = hp_waited_most(waited, waiting);
	uint64_t sums[HP_WAITINGS];

	hp_waited_sum(waited, sums);
	if (waiting == HP_WAITING_LOCK && most.target &&
	    percent(most.target_ns, sums[waiting]) >= NEARLY_ALL) {
		put_only_lock(&most, text);
		return;
	}
	if (classes[waiting])
		hp_text_printf(text, " for %s", classes[waiting]);
	hp_text_printf(text, ", %s", mostly(what_ns(waiting, &most), sums[waiting]));
	put_what(waiting, &most, text);
}

static void say_waits_for(const struct hp_bottleneck *bottleneck, struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;
	enum hp_waiting waiting = hp_split_largest_wait(split);

	hp_text_puts(text, waiting == HP_WAITING_IDLE ? " is idle for" : " waits");
	hp_text_printf(text, " %u %% of its %s", percents(split, split->waits[waiting]),
		       hp_format_duration(split->wall_ns).text);
	put_waits_for(&bottleneck->waited, waiting, text);
}

/* ---- the other verdicts ---- */

typedef void speaker(const struct hp_bottleneck *bottleneck, const char *wall,
		     struct hp_text *text);

/* Whether it had no processor for so long that a sentence about it must say so. */
static bool has_queued(const struct hp_split *split)
{
	return percents(split, split->queue_ns) >= NOTABLE;
}

/* " tried stats_lock 3000000 times in vain, mostly held by find_customer, once in 130 ns of CPU time: it may be spinning" */
static void put_spinning(const struct hp_refused *refused, uint64_t cpu_ns, struct hp_text *text)
{
	hp_text_printf(text, " tried %s %s times in vain",
		       refused->lock ? refused->lock : "a lock without a name",
		       hp_format_count(refused->count).text);
	if (refused->holder)
		hp_text_printf(text, ", %s held by %s", mostly(refused->held_count, refused->count),
			       holder_name(refused->holder));
	hp_text_printf(text, ", once in %s of CPU time: it may be spinning",
		       hp_format_duration(cpu_ns / refused->count).text);
}

/* Of threads it is not known which of them tried. */
static void put_tries(const struct hp_bottleneck *bottleneck, struct hp_text *text)
{
	if (!bottleneck->refused.count)
		return;
	hp_text_puts(text, "; it");
	put_spinning(&bottleneck->refused, bottleneck->split.cpu_ns, text);
}

static void say_computes(const struct hp_bottleneck *bottleneck, const char *wall,
			 struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;

	hp_text_printf(text, " computes for %u %% of its %s", percents(split, split->cpu_ns), wall);
	if (has_queued(split))
		hp_text_printf(text, " and queues for a processor for %u %%",
			       percents(split, split->queue_ns));
	if (bottleneck->may_spin)
		put_tries(bottleneck, text);
	else
		hp_text_puts(text, "; it is limited by the CPU");
}

static void say_cpu(const struct hp_bottleneck *bottleneck, const char *wall, struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;

	if (hp_split_is_system(split) && !bottleneck->refused.count)
		hp_text_printf(text,
			       " spends %u %% of its %s in the kernel; fewer system calls and "
			       "page faults would make it faster",
			       percents(split, split->system_ns), wall);
	else
		say_computes(bottleneck, wall, text);
}

static void say_wait(const struct hp_bottleneck *bottleneck, const char *wall, struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;

	hp_text_printf(text, " waits for %u %% of its %s; it is not limited by the CPU",
		       percents(split, split->wait_ns), wall);
}

static void say_starved(const struct hp_bottleneck *bottleneck, const char *wall,
			struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;

	hp_text_printf(text, " queues for a processor for %u %% of its %s",
		       percents(split, split->queue_ns), wall);
	if (bottleneck->may_spin)
		put_tries(bottleneck, text);
	else
		hp_text_puts(text, "; more processors, or fewer threads at a time, would make it "
				   "faster");
}

static void say_alloc(const struct hp_bottleneck *bottleneck, const char *wall,
		      struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;

	hp_text_printf(text,
		       " allocates for %u %% of its %s; fewer allocations would make it "
		       "faster",
		       percents(split, split->alloc_ns), wall);
}

static void say_mixed(const struct hp_bottleneck *bottleneck, const char *wall,
		      struct hp_text *text)
{
	const struct hp_split *split = &bottleneck->split;
	bool queued = has_queued(split);

	hp_text_printf(text, " computes for %u %%", percents(split, split->cpu_ns));
	if (queued)
		hp_text_printf(text, ", queues for a processor for %u %%",
			       percents(split, split->queue_ns));
	hp_text_printf(text, " and waits for %u %% of its %s; %s dominates",
		       percents(split, split->wait_ns), wall, queued ? "none" : "neither");
}

static void put_sentence(const struct hp_bottleneck *bottleneck, struct hp_text *text)
{
	static speaker *const speakers[] = {
		[HP_VERDICT_CPU] = say_cpu,	    [HP_VERDICT_WAIT] = say_wait,
		[HP_VERDICT_STARVED] = say_starved, [HP_VERDICT_ALLOC] = say_alloc,
		[HP_VERDICT_MIXED] = say_mixed,
	};
	const struct hp_split *split = &bottleneck->split;

	hp_bottleneck_name(bottleneck, text);
	if (split->verdict >= HP_VERDICT_LOCK)
		say_waits_for(bottleneck, text);
	else
		speakers[split->verdict](bottleneck, hp_format_duration(split->wall_ns).text, text);
	if (split->confidence == HP_CONFIDENCE_LOW)
		hp_text_puts(text, " (few samples)");
}

static uint64_t longest_of(const struct hp_bottleneck_pool *all)
{
	uint64_t longest = 0;

	for (size_t i = 0; i < all->count; i++)
		longest = hp_max(longest, all->rows[i]->split.wall_ns);
	return longest;
}

static bool is_worth_a_sentence(const struct hp_bottleneck *bottleneck, uint64_t longest_ns)
{
	const struct hp_function *function = bottleneck->row.function;

	if (bottleneck->split.verdict == HP_VERDICT_NONE ||
	    bottleneck->split.wall_ns < longest_ns / SMALL_PART)
		return false;
	return !function || !function->is_caller ||
	       bottleneck->split.wall_ns >= function->total_ns / 100 * CALLER_SHARE;
}

/* The operation with the largest total, if that is more than the elapsed time; or NULL. */
static const struct hp_function *find_crowd(const struct hp_model *model)
{
	const struct hp_function *crowd = NULL;
	uint64_t most = model->elapsed_ns;

	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		if (function->kind == HP_SITE_SPAN && function->total_ns > most) {
			crowd = function;
			most = function->total_ns;
		}
	}
	return crowd;
}

static void put_crowd(const struct hp_function *crowd, const struct hp_model *model,
		      struct hp_text *text)
{
	uint64_t percent = crowd->total_ns / (model->elapsed_ns / 100 + 1);

	hp_text_puts(text, crowd->name);
	hp_text_printf(text, " takes %" PRIu64 " %% of %s: several run at the same time", percent,
		       model->caller);
}

/* ---- all sentences ---- */

struct speech {
	const struct hp_bottleneck_pool *all;
	void (*visit)(void *context, const char *sentence);
	void *context;
	unsigned said;
};

/* "nginx 1234: ", if there are several processes. */
static void begin(const struct speech *speech, const struct hp_model *model, struct hp_text *text)
{
	if (speech->all->process_count <= 1)
		return;
	hp_bottleneck_process(model, text);
	hp_text_puts(text, ": ");
}

static void finish(struct speech *speech, struct hp_text *sentence)
{
	if (!sentence->failed) {
		speech->visit(speech->context, sentence->bytes);
		speech->said++;
	}
	hp_text_free(sentence);
}

/* To be idle is no fault: those rows come after the others. */
static void say_rows(struct speech *speech, bool idle)
{
	uint64_t longest_ns = longest_of(speech->all);

	for (size_t i = 0; i < speech->all->count && speech->said < SENTENCES; i++) {
		const struct hp_bottleneck *bottleneck = speech->all->rows[i];
		struct hp_text sentence = HP_TEXT_INIT;
		if ((bottleneck->split.verdict == HP_VERDICT_IDLE) != idle ||
		    !is_worth_a_sentence(bottleneck, longest_ns))
			continue;
		begin(speech, bottleneck->model, &sentence);
		put_sentence(bottleneck, &sentence);
		finish(speech, &sentence);
	}
}

/* The largest class of waits of all threads together; being idle only if there is no other. */
static enum hp_waiting most_of_all(const struct hp_bottlenecks *all, uint64_t wall_ns)
{
	enum hp_waiting most = HP_WAITING_LOCK;

	for (enum hp_waiting i = HP_WAITING_DISK; i < HP_WAITINGS; i++)
		if (all->waits[i] > all->waits[most])
			most = i;
	return percent(all->waits[most], wall_ns) >= WORTH_SAYING ? most : HP_WAITING_IDLE;
}

/* The time of all rows, if they are several threads; else 0. */
static uint64_t wall_of_threads(const struct hp_bottlenecks *all)
{
	uint64_t wall_ns = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (!all->items[i].thread || all->items[i].has_waits)
			return 0;
		wall_ns += all->items[i].split.wall_ns;
	}
	return wall_ns;
}

/* Of several threads, waits are known only together. */
static void put_waits_of_all(const struct hp_bottlenecks *all, enum hp_waiting waiting,
			     struct hp_text *text)
{
	uint64_t wall_ns = wall_of_threads(all);
	struct hp_waited longest = hp_waited_longest(&all->waited, waiting);
	struct hp_waited_most most = hp_waited_most(&longest, waiting);

	hp_text_puts(text, "All threads together ");
	if (waiting == HP_WAITING_IDLE)
		hp_text_puts(text, "are idle");
	else
		hp_text_printf(text, "wait for %s", classes[waiting]);
	hp_text_printf(text, " for %u %% of their %s, %s %s", percent(all->waits[waiting], wall_ns),
		       hp_format_duration(wall_ns).text,
		       mostly(what_ns(waiting, &most), all->waits[waiting]),
		       longest.rows[0].function);
	put_what(waiting, &most, text);
}

/* Whether threads of a program that was killed waited for nobody knows how long: the sum of the others is not all. */
static bool is_open_end(const struct hp_blocked_list *blocked)
{
	return blocked->count && !blocked->items[0].has_waited;
}

static void say_waits_of_all(struct speech *speech, const struct hp_bottlenecks *process)
{
	uint64_t wall_ns = wall_of_threads(process);
	enum hp_waiting waiting = most_of_all(process, wall_ns);
	struct hp_text sentence = HP_TEXT_INIT;

	if (percent(process->waits[waiting], wall_ns) < WORTH_SAYING ||
	    is_open_end(&process->model->blocked))
		return;
	begin(speech, process->model, &sentence);
	put_waits_of_all(process, waiting, &sentence);
	finish(speech, &sentence);
}

/* A function that tries a lock again and again, where rows are threads. */
static void say_spinning(struct speech *speech, const struct hp_bottlenecks *process)
{
	struct hp_text sentence = HP_TEXT_INIT;

	if (!process->refused.count)
		return;
	begin(speech, process->model, &sentence);
	hp_text_puts(&sentence, process->refused.function);
	put_spinning(&process->refused, process->refused_cpu_ns, &sentence);
	finish(speech, &sentence);
}

static void say_crowd(struct speech *speech, const struct hp_bottlenecks *process)
{
	const struct hp_function *crowd = find_crowd(process->model);
	struct hp_text sentence = HP_TEXT_INIT;

	if (!crowd)
		return;
	begin(speech, process->model, &sentence);
	put_crowd(crowd, process->model, &sentence);
	finish(speech, &sentence);
}

/* Waits count when they end: those for locks that have not are named for themselves. */
static void say_waiting(struct speech *speech, const struct hp_bottlenecks *process)
{
	const struct hp_model *model = process->model;
	size_t count = hp_blocked_count(&model->blocked, HP_REASON_LOCK, HP_REASON_LOCK);
	struct hp_text sentence = HP_TEXT_INIT;

	if (!count)
		return;
	begin(speech, model, &sentence);
	hp_put_waiting(model, count, " for locks", &sentence);
	finish(speech, &sentence);
}

/* Of many processes, those with the most important rows have had their sentences. */
void hp_bottlenecks_say(const struct hp_bottleneck_pool *all,
			void (*visit)(void *context, const char *sentence), void *context)
{
	struct speech speech = { all, visit, context, 0 };

	for (size_t i = 0; i < all->process_count && speech.said < SENTENCES; i++)
		say_waiting(&speech, &all->processes[i]);
	speech.said = 0;
	say_rows(&speech, false);
	say_rows(&speech, true);
	for (size_t i = 0; i < all->process_count; i++) {
		if (all->process_count > 1 && speech.said >= SENTENCES)
			break;
		say_spinning(&speech, &all->processes[i]);
		say_waits_of_all(&speech, &all->processes[i]);
		say_crowd(&speech, &all->processes[i]);
	}
}
