/* SPDX-License-Identifier: MIT */
/* Spin locks. */
#include "holds.h"
#include "libc.h"

#include <errno.h>

DEFINE(int, pthread_spin_init, pthread_spinlock_t *lock, int shared)
{
	int result = NEXT(pthread_spin_init)(lock, shared);

	if (result == 0 && holds_on())
		holds_made(lock, FROM);
	return result;
}

DEFINE(int, pthread_spin_destroy, pthread_spinlock_t *lock)
{
	int result = NEXT(pthread_spin_destroy)(lock);

	if (result == 0 && holds_on())
		holds_gone(lock);
	return result;
}

DEFINE(int, pthread_spin_lock, pthread_spinlock_t *lock)
{
	struct waiting waiting = { .is_timed = false };

	if (!holds_ready(lock, &SPIN_LOCK, FROM))
		return NEXT(pthread_spin_lock)(lock);
	if (likely(NEXT(pthread_spin_trylock)(lock) == 0)) {
		holds_acquired(lock, &SPIN_LOCK, FROM);
		return 0;
	}
	holds_wait(&waiting, lock, &SPIN_LOCK, FROM);
	int result = NEXT(pthread_spin_lock)(lock);
	holds_waited(&waiting, result == 0 ? ACQUIRED : FAILED);
	return result;
}

DEFINE(int, pthread_spin_trylock, pthread_spinlock_t *lock)
{
	bool is_on = holds_ready(lock, &SPIN_LOCK, FROM);
	int result = NEXT(pthread_spin_trylock)(lock);

	if (!is_on)
		return result;
	if (result == 0)
		holds_acquired(lock, &SPIN_LOCK, FROM);
	else if (result == EBUSY)
		holds_refused(lock, &SPIN_LOCK, FROM);
	return result;
}

DEFINE(int, pthread_spin_unlock, pthread_spinlock_t *lock)
{
	struct ending ending = holds_on() ? holds_end(lock, false) : (struct ending){ 0, 0, 0 };
	int result = NEXT(pthread_spin_unlock)(lock);

	holds_ended(&ending);
	return result;
}
