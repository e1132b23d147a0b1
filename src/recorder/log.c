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
bool hotpath__copy_string(char *into, size_t size, const char *string)
{
	struct iovec local = { into, size - 1 };
	struct iovec remote = { (void *)(uintptr_t)string, size - 1 };
	int saved_errno = errno;
	ssize_t copied = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

	errno = saved_errno;
	if (!string || copied <= 0)
		return false;
	into[copied] = '\0';
	memset(into + strlen(into), 0, size - strlen(into));
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

static void keep(struct thread *me, struct hotpath_value value)
{
	const char *string = (const char *)(uintptr_t)value.bits;

	if (value.kind == HP_VALUE_STRING && !hotpath__copy_string(me->text, HP_TEXT_SIZE, string))
		value.kind = HP_VALUE_POINTER;
	me->value = value.bits;
	me->value_kind = (uint32_t)value.kind;
	me->logged_by = hotpath__innermost(me, hotpath__stack_pointer());
	if (me->logged_by == me->top)
		me->top->key |= KEY_SLOW;
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
	keep(me, value);
	me->logged_by->lost += (hotpath__ticks() - start) << 8;
}
