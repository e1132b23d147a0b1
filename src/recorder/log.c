/* SPDX-License-Identifier: MIT */
/*
 * Logged values: what the innermost open call of this thread returns. That it takes time is taken off that
 * call.
 */
#include "recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * A char pointer need not point to a string, nor to memory at all: have the kernel copy it, which fails
 * where we would crash.
 */
static bool copy_string(char into[HP_TEXT_SIZE], const char *string)
{
	struct iovec local = { into, HP_TEXT_SIZE - 1 };
	struct iovec remote = { (void *)(uintptr_t)string, HP_TEXT_SIZE - 1 };
	int saved_errno = errno;
	ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	errno = saved_errno;
	if (!string || copied <= 0)
		return false;
	into[copied] = '\0';
	memset(into + strlen(into), 0, HP_TEXT_SIZE - strlen(into));
	return true;
}

/* The state of whoever logs: a handler that interrupted the recorder logs to the second one. */
static struct thread *logging_thread(void)
{
	struct thread *me = hotpath__me;

	if (!me || !me->busy)
		return NULL;
	return me->busy == READY ? me : me->interrupt;
}

static void keep(struct thread *me, uint32_t kind, uint64_t value, const char *text)
{
	if (kind == HP_VALUE_STRING && !copy_string(me->text, text))
		kind = HP_VALUE_POINTER;
	me->value = value;
	me->value_kind = kind;
	me->logged_by = hotpath__innermost(me, hotpath__stack_pointer());
	if (me->logged_by == me->top)
		me->top->key |= KEY_SLOW;
}

void hotpath__log_value(uint32_t kind, uint64_t value, const char *text)
{
	struct thread *me = logging_thread();
	uint64_t start = hotpath__ticks();

	if (!me) {
		if (hotpath__state() == STATE_HANDED_OVER)
			hotpath__recorder->other->log_value(kind, value, text);
		return;
	}
	keep(me, kind, value, text);
	me->logged_by->lost += (hotpath__ticks() - start) << 8;
}

void hotpath_log_int(int64_t value)
{
	hotpath__log_value(HP_VALUE_INT, (uint64_t)value, NULL);
}

void hotpath_log_uint(uint64_t value)
{
	hotpath__log_value(HP_VALUE_UINT, value, NULL);
}

void hotpath_log_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	hotpath__log_value(HP_VALUE_DOUBLE, bits, NULL);
}

void hotpath_log_bool(int value)
{
	hotpath__log_value(HP_VALUE_BOOL, value != 0, NULL);
}

void hotpath_log_pointer(const void *value)
{
	hotpath__log_value(HP_VALUE_POINTER, (uintptr_t)value, NULL);
}

void hotpath_log_string(const char *value)
{
	hotpath__log_value(HP_VALUE_STRING, (uintptr_t)value, value);
}
