/* SPDX-License-Identifier: MIT */
/*
 * Logged values: what the innermost open call of this thread returns. The time for logging is subtracted from that
 * call.
 */
#include "logged.h"

#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "stack.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* An ellipsis. */
#define CUT "\xe2\x80\xa6"

/*
 * A char pointer need not point to a string, nor to memory at all: have the kernel copy it, which fails
 * where we would crash.
 */
bool hotpath__copy_string(char *into, size_t length, const char *string)
{
	char next = '\0';
	struct iovec local[] = { { into, length }, { &next, 1 } };
	struct iovec remote = { (void *)(uintptr_t)string, length + 1 };
	int saved_errno = errno;
	ssize_t copied = process_vm_readv(getpid(), local, 2, &remote, 1, 0);

	errno = saved_errno;
	if (!string || copied <= 0)
		return false;
	into[(size_t)copied < length ? (size_t)copied : length] = '\0';
	if (next && strlen(into) == length)
		hotpath__cut_text(into, length);
	return true;
}

/* Where to put the ellipsis: not in the middle of a UTF-8 character. */
static size_t cut_at(const char *text, size_t length)
{
	size_t at = length - strlen(CUT);

	while (at > 0 && (text[at] & 0xc0) == 0x80)
		at--;
	return at;
}

void hotpath__cut_text(char *text, size_t length)
{
	strcpy(text + cut_at(text, length), CUT);
}

void hotpath__store_text(char *into, size_t room, const char *text)
{
	size_t length = strlen(text), at = length < room ? length : cut_at(text, room - 1);

	for (size_t i = 0; i < at; i++)
		store(&into[i], text[i], RELAXED);
	text = length < room ? "" : CUT;
	do
		store(&into[at++], *text, RELAXED);
	while (*text++);
}

/* The thread's buffer for long texts, allocated when it is first needed; NULL when there is no memory. */
static char *long_text(struct thread *me)
{
	struct guard guard;

	if (me->long_text)
		return me->long_text;
	hotpath__lock(&guard);
	me->long_text = hotpath__private(hotpath__settings()->max_log_len + 1);
	hotpath__unlock(&guard);
	return me->long_text;
}

/* The state to log with: the second one in a signal handler that interrupted the recorder. */
static struct thread *logging_thread(void)
{
	struct thread *me = hotpath__own_state();

	if (!me || !me->busy)
		return NULL;
	return me->busy == READY ? me : me->interrupt;
}

/* Keep a value for the innermost open call, which is returned. */
static struct open_call keep(struct thread *me, struct hotpath_value value)
{
	const char *string = (const char *)(uintptr_t)value.bits;
	bool is_long = value.kind == HP_VALUE_STRING && hotpath__has_long_texts(HP_TEXT_SIZE) &&
		       long_text(me);

	me->logged_text = is_long ? me->long_text : me->text;
	size_t length = hotpath__text_length(HP_TEXT_SIZE);
	if (!is_long && length >= HP_TEXT_SIZE)
		length = HP_TEXT_SIZE - 1;
	if (value.kind == HP_VALUE_STRING && !hotpath__copy_string(me->logged_text, length, string))
		value.kind = HP_VALUE_POINTER;
	me->value = value.bits;
	me->value_kind = (uint32_t)value.kind;
	struct open_call call = hotpath__innermost(me, hotpath__stack_pointer());
	me->logged_by = call.stray ? (const void *)call.stray : call.frame;
	if (call.frame)
		call.frame->key |= KEY_SLOW;
	return call;
}

void hotpath_log(struct hotpath_value value)
{
	struct thread *me = logging_thread();
	uint64_t start = hotpath__ticks();

	if (!me) {
		if (hotpath__state() == STATE_HANDED_OVER)
			hotpath__recorder->other->log_value(value);
		return;
	}
	struct open_call call = keep(me, value);
	*(call.stray ? &call.stray->lost : &call.frame->lost) += (hotpath__ticks() - start) << 8;
}
