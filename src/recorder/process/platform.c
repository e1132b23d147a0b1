/* SPDX-License-Identifier: MIT */
/* The recorder's lock, and its messages. Nothing here allocates, or waits for the program. */
#include "platform.h"

#include "probe.h"
#include "recorder_state.h"
#include "seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum {
	UNLOCKED = 0,
	LOCKED = 1,
	/* Locked, and somebody may be waiting. */
	CONTENDED = 2,
};

/* This thread waits for the lock. It is not the owner yet, and need not be busy. */
static __thread bool is_waiting __attribute__((tls_model("initial-exec")));

/* The probe of waits may have wrapped syscall: it sees from is_waiting that this is no wait of the program. */
static void wait_for(uint32_t *lock)
{
	is_waiting = true;
	while (exchange(lock, CONTENDED, ACQUIRE) != UNLOCKED)
		syscall(SYS_futex, lock, FUTEX_WAIT_PRIVATE, CONTENDED, NULL, NULL, 0);
	is_waiting = false;
}

/* How the lock identifies this thread. */
static uintptr_t own_name(void)
{
	const struct thread *me = hotpath__me;

	return me && load(&me->busy, RELAXED) == SHARED ? hotpath__tid() : (uintptr_t)&hotpath__me;
}

bool hotpath__is_locking(void)
{
	const struct recorder *recorder = load(&hotpath__recorder, RELAXED);

	/* RELAXED: only this thread can have stored its own name. */
	return recorder && load(&recorder->owner, RELAXED) == own_name();
}

bool hotpath__is_at_work(void)
{
	const struct thread *me = hotpath__own_state();

	return (me && me->busy != READY && me->busy) || is_waiting || hotpath__is_locking();
}

void hotpath__mask(int how, uint64_t signals, uint64_t *before)
{
	syscall(SYS_rt_sigprocmask, how, &signals, before, sizeof(signals));
}

/* Block signals and disable cancellation, until the lock is released. */
static void shut_out(struct guard *guard)
{
	guard->error = errno;
	guard->signals = 0;
	hotpath__mask(SIG_SETMASK, ALL_SIGNALS, &guard->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &guard->cancel_state);
}

static void let_in(const struct guard *guard)
{
	pthread_setcancelstate(guard->cancel_state, NULL);
	hotpath__mask(SIG_SETMASK, guard->signals, NULL);
	errno = guard->error;
}

static bool take(uint32_t *lock)
{
	uint32_t expected = UNLOCKED;

	/* ACQUIRE pairs with the RELEASE of unlocking. */
	return __atomic_compare_exchange_n(lock, &expected, LOCKED, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* The fast path of input and output sees it, which does not know the recorder. */
static void note_locking(bool is_locking)
{
	struct thread *me = hotpath__me;

	if (me && me->busy != SHARED)
		me->is_locking = is_locking;
}

void hotpath__lock(struct guard *guard)
{
	struct recorder *recorder = hotpath__recorder;

	guard->again = hotpath__is_locking();
	if (guard->again)
		return;
	shut_out(guard);
	note_locking(true);
	if (!take(&recorder->lock))
		wait_for(&recorder->lock);
	store(&recorder->owner, own_name(), RELAXED);
}

bool hotpath__try_lock(struct guard *guard)
{
	struct recorder *recorder = hotpath__recorder;

	guard->again = hotpath__is_locking();
	if (guard->again)
		return true;
	shut_out(guard);
	if (!take(&recorder->lock)) {
		let_in(guard);
		return false;
	}
	note_locking(true);
	store(&recorder->owner, own_name(), RELAXED);
	return true;
}

bool hotpath__lock_soon(struct guard *guard)
{
	enum { TRIES = 500 };
	const uint32_t *lock = &hotpath__recorder->lock;

	/* RELAXED: it is only worth trying then, which takes system calls. */
	for (unsigned i = 0; i < TRIES; i++) {
		if ((load(lock, RELAXED) == UNLOCKED || hotpath__is_locking()) &&
		    hotpath__try_lock(guard))
			return true;
		sched_yield();
	}
	return false;
}

void hotpath__unlock(const struct guard *guard)
{
	struct recorder *recorder = hotpath__recorder;
	uint32_t *lock = &recorder->lock;

	if (guard->again)
		return;
	store(&recorder->owner, 0, RELAXED);
	if (exchange(lock, UNLOCKED, RELEASE) == CONTENDED)
		syscall(SYS_futex, lock, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	note_locking(false);
	let_in(guard);
}

enum {
	/* The first of the numbers that replace a tid if the kernel does not tell it; no thread has one like that. */
	NUMBER_OF_OURS = INT32_MIN,
};

uint32_t hotpath__tid(void)
{
	static uint32_t unknown;
	long tid = syscall(SYS_gettid);

	return tid > 0 ? (uint32_t)tid : (uint32_t)NUMBER_OF_OURS + fetch_add(&unknown, 1, RELAXED);
}

bool hotpath__has_ended(uint32_t tid)
{
	return (int32_t)tid > 0 && syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

static uint64_t writing_signals(void)
{
	return hotpath__signal_bit(SIGPIPE) | hotpath__signal_bit(SIGXFSZ);
}

void hotpath__hush(struct hush *hush)
{
	uint64_t pending = 0;

	syscall(SYS_rt_sigpending, &pending, sizeof(pending));
	hush->pending = pending & writing_signals();
	hush->before = 0;
	hotpath__mask(SIG_BLOCK, writing_signals(), &hush->before);
}

void hotpath__unhush(const struct hush *hush)
{
	static const struct timespec at_once = { 0, 0 };
	const uint64_t ours = writing_signals();

	while (!hush->pending &&
	       syscall(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof(ours)) > 0)
		;
	hotpath__mask(SIG_SETMASK, hush->before, NULL);
}

/* The files that standard output and error were when the program began. */
static struct stat streams[STDERR_FILENO + 1];

void hotpath__note_streams(void)
{
	static bool noted;

	if (noted)
		return;
	noted = true;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &streams[fd]))
			streams[fd].st_ino = 0;
}

/*
 * A program that closed its standard streams may have opened another file, which got their descriptor. If that is
 * open for reading too, it is assumed to be data, and not written to; if it is open for writing only, to be a log.
 */
bool hotpath__is_stream(int fd)
{
	struct stat now;

	if (fstat(fd, &now))
		return false;
	if (!S_ISREG(now.st_mode))
		return true;
	if (now.st_ino == streams[fd].st_ino && now.st_dev == streams[fd].st_dev)
		return true;
	return (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
}

/* Whether a line can be written without waiting. */
static bool can_speak(void)
{
	struct pollfd standard_error = { STDERR_FILENO, POLLOUT, 0 };

	return hotpath__is_stream(STDERR_FILENO) && poll(&standard_error, 1, 0) == 1 &&
	       standard_error.revents == POLLOUT;
}

void hotpath__warn(const char *piece, ...)
{
	enum { PIECES = 12 };
	struct iovec line[PIECES + 2] = { { (char[]){ "hotpath: " }, 9 } };
	int saved_errno = errno, count = 1;
	struct hush hush;
	va_list pieces;

	va_start(pieces, piece);
	for (; piece && count <= PIECES; piece = va_arg(pieces, const char *))
		line[count++] = (struct iovec){ (void *)(uintptr_t)piece, strlen(piece) };
	va_end(pieces);
	line[count++] = (struct iovec){ (char[]){ "\n" }, 1 };
	hotpath__hush(&hush);
	if (can_speak() && writev(STDERR_FILENO, line, count) < 0)
		errno = 0;
	hotpath__unhush(&hush);
	errno = saved_errno;
}
