/* SPDX-License-Identifier: MIT */
/*
 * The recorder's lock, and its messages. The lock is held with signals blocked, so that no signal handler finds it held
 * by the thread that it interrupted.
 */
#ifndef HOTPATH_PLATFORM_H
#define HOTPATH_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* What the owner of the lock restores when it unlocks. */
struct guard {
	uint64_t signals;
	int cancel_state;
	/* The program's errno. */
	int error;
	/* The thread held the lock already: this is a recursive call. */
	bool again;
};

/*
 * Take the recorder's lock, which is recursive. Until it is released, signals are blocked and cancellation is
 * disabled.
 */
void hotpath__lock(struct guard *guard);
/* The same without waiting; false when another thread holds the lock. */
bool hotpath__try_lock(struct guard *guard);
/* The same, but wait as long as others take for a look at the list of mappings, some hundred microseconds. For handlers of signals,
   which must not wait for ever. */
bool hotpath__lock_soon(struct guard *guard);
void hotpath__unlock(const struct guard *guard);
/* Whether this thread holds the lock. */
bool hotpath__is_locking(void);
uint32_t hotpath__tid(void);
/* Whether a thread of this process is gone; false when that is not known. */
bool hotpath__has_ended(uint32_t tid);
/* sigprocmask as a system call, since our library wraps that of the C library; and with the kernel's sets of 8
   bytes, since those of the C library take 128 and this may run on a small stack. */
void hotpath__mask(int how, uint64_t signals, uint64_t *before);

#pragma GCC visibility pop

/* The bit of a signal in such a set; 0 for no signal. */
static inline uint64_t hotpath__signal_bit(int signal)
{
	return signal ? UINT64_C(1) << (signal - 1) : 0;
}

/* All but signals 32 and 33, which the C library sends to threads, and then waits for them to handle. */
#define ALL_SIGNALS (UINT64_MAX & ~(UINT64_C(3) << 31))

#pragma GCC visibility push(hidden)

/* Our own writing may raise SIGPIPE or SIGXFSZ. hotpath__hush blocks them; hotpath__unhush discards those that we
   have caused, and restores the mask. */
struct hush {
	uint64_t before;
	bool pending;
};

void hotpath__hush(struct hush *hush);
void hotpath__unhush(const struct hush *hush);
/* Note which files standard output and error are, the first time this is called; and whether a descriptor is still
   that stream, and not a data file of the program. */
void hotpath__note_streams(void);
bool hotpath__is_stream(int fd);
/* Print one line on standard error: "hotpath: " and the pieces. The last argument is NULL. */
void hotpath__warn(const char *piece, ...) __attribute__((sentinel));

#pragma GCC visibility pop

#endif
