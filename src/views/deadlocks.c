/* SPDX-License-Identifier: MIT */
/*
 * Deadlocks in words.
 *
 * The holder of each thread in a circle is the next one: so the circle is found again by going from one to the next, also in
 * a report that was saved.
 */
#include "deadlocks.h"

#include "table.h"

#include <inttypes.h>

/* A sentence about more threads is not read. */
enum { NAMED_MAX = 8 };

static const struct hp_blocked_thread *next_of(const struct hp_model *model,
					       const struct hp_blocked_thread *thread)
{
	return hp_blocked_find(&model->blocked, thread->pid, thread->holder);
}

/* How many threads are in the circle that begins with this one; 0 if it does not come back. */
static size_t size_of(const struct hp_model *model, const struct hp_blocked_thread *first)
{
	const struct hp_blocked_thread *thread = first;

	for (size_t size = 1; size <= model->blocked.count; size++) {
		thread = next_of(model, thread);
		if (!thread || !thread->is_deadlocked)
			return 0;
		if (thread == first)
			return size;
	}
	return 0;
}

/* Whether no thread of the circle comes earlier in the list: each circle is told of once. */
static bool is_first(const struct hp_model *model, const struct hp_blocked_thread *first)
{
	const struct hp_blocked_thread *thread = first;

	if (!first->is_deadlocked || !size_of(model, first))
		return false;
	while ((thread = next_of(model, thread)) != first)
		if (thread < first)
			return false;
	return true;
}

const struct hp_blocked_thread *hp_deadlock_next(const struct hp_model *model,
						 const struct hp_blocked_thread *thread)
{
	const struct hp_blocked_list *list = &model->blocked;

	for (size_t i = thread ? (size_t)(thread - list->items) + 1 : 0; i < list->count; i++)
		if (is_first(model, &list->items[i]))
			return &list->items[i];
	return NULL;
}

/* ---- sentences ---- */

static void put_thread(struct hp_text *text, const char *name, uint32_t tid)
{
	hp_text_put_printable(text, name && name[0] ? name : "thread");
	hp_text_printf(text, " %" PRIu32, tid);
}

static void put_in(struct hp_text *text, const char *before, const char *function,
		   const char *after)
{
	if (!function)
		return;
	hp_text_puts(text, before);
	hp_text_put_printable(text, function);
	hp_text_puts(text, after);
}

static void put_lock(struct hp_text *text, const struct hp_blocked_thread *thread)
{
	hp_text_puts(text, " for ");
	hp_text_put_printable(text, thread->target ? thread->target : "a lock");
}

/* " for account_a, held by worker 1235 (in transfer_in)" */
static void put_wait(struct hp_text *text, const struct hp_blocked_thread *thread)
{
	put_lock(text, thread);
	hp_text_puts(text, ", held by ");
	put_thread(text, thread->holder_name, thread->holder);
	put_in(text, " (in ", thread->holder_function, ")");
}

void hp_deadlock_sentence(const struct hp_model *model, const struct hp_blocked_thread *first,
			  struct hp_text *text)
{
	const struct hp_blocked_thread *thread = first;
	size_t size = size_of(model, first);

	hp_text_puts(text, "Deadlock: ");
	put_thread(text, first->name, first->tid);
	hp_text_puts(text, " waits");
	put_in(text, " in ", first->function, "");
	if (size == 1) {
		put_lock(text, first);
		hp_text_puts(text, ", which it holds itself");
		put_in(text, " (acquired in ", first->holder_function, ")");
	} else {
		put_wait(text, first);
	}
	for (size_t i = 1; i < size && i < NAMED_MAX; i++) {
		thread = next_of(model, thread);
		hp_text_puts(text, ", which waits");
		put_wait(text, thread);
	}
	if (size > NAMED_MAX)
		hp_text_printf(text, ", and so on, %zu threads in a circle", size);
	hp_text_putc(text, '.');
}

void hp_deadlocks_write(const struct hp_model *model, bool colour, struct hp_text *text)
{
	const struct hp_blocked_thread *first = NULL;

	while ((first = hp_deadlock_next(model, first))) {
		struct hp_text line = HP_TEXT_INIT;
		hp_deadlock_sentence(model, first, &line);
		if (!line.failed)
			hp_paint(text, line.bytes, HP_PAINT_HOT, colour);
		text->failed |= line.failed;
		hp_text_putc(text, '\n');
		hp_text_free(&line);
	}
}
