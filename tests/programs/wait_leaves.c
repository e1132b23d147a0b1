/* SPDX-License-Identifier: MIT */
/*
 * Waits that do not return: threads that are cancelled, jumps out of signal handlers; and waits before main, after it, in
 * children of fork and vfork.
 *
 * The output must be the same with the probe and without. Lines that begin with "=" are "function reason target count".
 */
#include "wait_inside.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#define WAITS(function, reason, target, count)                                                     \
	printf("= " #function " " reason " " target " %d\n", count)
#define ROW __attribute__((noinline, noclone)) static

#ifdef SYS_poll
#define SYSTEM_CALL_OF_POLL SYS_poll
#define SYSTEM_CALL_OF_PAUSE SYS_pause
#else
#define SYSTEM_CALL_OF_POLL SYS_ppoll
#define SYSTEM_CALL_OF_PAUSE SYS_ppoll
#endif

static const struct timespec minute = { 60, 0 };
static struct pollfd nothing = { -1, 0, 0 };
static int thread_id;

__attribute__((constructor)) ROW void before_main(void)
{
	usleep(1000);
}

ROW void after_main(void)
{
	usleep(1500);
}

/* ---- cancellation ---- */

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t full;

static void clean_up(void *name)
{
	printf("%s: cleaned up\n", (const char *)name);
}

/* The thread has the mutex again: it is checked. */
static void unlock(void *unused)
{
	(void)unused;
	printf("unlock: %d\n", pthread_mutex_unlock(&mutex));
}

ROW void wait_for_condition(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(unlock, NULL);
	for (;;)
		pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(1);
}

ROW void wait_for_semaphore(void)
{
	sem_wait(&full);
}

ROW void sleep_long(void)
{
	nanosleep(&minute, NULL);
}

ROW void poll_long(void)
{
	poll(&nothing, 1, 60000);
}

static sigjmp_buf back;
static int jumps;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

ROW void wait_and_jump(void (*wait)(void))
{
	if (sigsetjmp(back, 1) == 0)
		wait();
	printf("jumped\n");
	__atomic_add_fetch(&jumps, 1, __ATOMIC_RELEASE);
}

static void *work(void *wait)
{
	__atomic_store_n(&thread_id, own_tid(), __ATOMIC_RELEASE);
	pthread_cleanup_push(clean_up, "thread");
	((void (*)(void))wait)();
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel_in(void (*wait)(void), long number, const void *object, size_t size)
{
	pthread_t thread;
	void *result;

	thread_id = 0;
	pthread_create(&thread, NULL, work, (void *)wait);
	until_inside(&thread_id, number, object, size);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
}

static void *take_free(void *semaphore)
{
	pthread_cancel(pthread_self());
	sem_wait(semaphore);
	return NULL;
}

static void use_cancellation(void)
{
	pthread_t thread;
	void *result;
	int value;

	sem_init(&full, 0, 0);
	cancel_in(wait_for_condition, SYS_futex, &never, sizeof(never));
	cancel_in(wait_for_semaphore, SYS_futex, &full, sizeof(full));
	cancel_in(sleep_long, SYS_clock_nanosleep, NULL, 0);
	cancel_in(poll_long, SYSTEM_CALL_OF_POLL, NULL, 0);
	/* A thread that is cancelled does not take a semaphore that is free. */
	sem_post(&full);
	pthread_create(&thread, NULL, take_free, &full);
	pthread_join(thread, &result);
	sem_getvalue(&full, &value);
	printf("cancelled: %d, free: %d\n", result == PTHREAD_CANCELED, value);
	WAITS(wait_for_condition, "condition", "never", 1);
	WAITS(wait_for_semaphore, "semaphore", "full", 1);
	WAITS(sleep_long, "sleep", "-", 1);
}

/* ---- jumps ---- */

ROW void sleep_again(void)
{
	usleep(2000);
}

static void *leave_waits(void *unused)
{
	(void)unused;
	__atomic_store_n(&thread_id, own_tid(), __ATOMIC_RELEASE);
	pthread_cleanup_push(clean_up, "jumper");
	wait_and_jump(sleep_long);
	wait_and_jump(poll_long);
	sleep_again();
	poll_long();
	pthread_cleanup_pop(0);
	return NULL;
}

/* A signal makes the thread leave this system call, for the nth time. */
static void interrupt_in(long number, int nth)
{
	until_inside(&thread_id, number, NULL, 0);
	syscall(SYS_tgkill, getpid(), thread_id, SIGUSR1);
	while (__atomic_load_n(&jumps, __ATOMIC_ACQUIRE) < nth)
		sched_yield();
}

/* The thread leaves two waits by jumps, and is cancelled in another one. */
static void use_jumps(void)
{
	struct sigaction action = { .sa_handler = jump };
	pthread_t thread;
	void *result;

	sigaction(SIGUSR1, &action, NULL);
	thread_id = 0;
	pthread_create(&thread, NULL, leave_waits, NULL);
	interrupt_in(SYS_clock_nanosleep, 1);
	interrupt_in(SYSTEM_CALL_OF_POLL, 2);
	until_inside(&thread_id, SYSTEM_CALL_OF_POLL, NULL, 0);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
	WAITS(sleep_again, "sleep", "-", 1);
	/* Of those that were left by a jump, it is not known when they ended. */
	WAITS(poll_long, "poll", "-", 2);
}

/* ---- children ---- */

static pid_t made;

static void fork_here(int signal)
{
	(void)signal;
	made = fork();
	if (made == 0)
		usleep(1000);
}

static void *send_signal(void *unused)
{
	(void)unused;
	until_inside(&thread_id, SYSTEM_CALL_OF_PAUSE, NULL, 0);
	syscall(SYS_tgkill, getpid(), thread_id, SIGUSR2);
	return NULL;
}

ROW void wait_for_signal(void)
{
	pause();
}

static void use_fork(void)
{
	struct sigaction action = { .sa_handler = fork_here };
	pthread_t thread;
	int status = 0;

	sigaction(SIGUSR2, &action, NULL);
	thread_id = own_tid();
	fflush(stdout);
	pthread_create(&thread, NULL, send_signal, NULL);
	wait_for_signal();
	if (made == 0) {
		usleep(1000);
		_exit(5);
	}
	waitpid(made, &status, 0);
	pthread_join(thread, NULL);
	printf("child: %d\n", WEXITSTATUS(status));
	WAITS(wait_for_signal, "signal", "-", 1);
}

static void use_vfork(void)
{
	int status = 0;
	pid_t child = vfork();

	if (child == 0) {
		poll(NULL, 0, 1);
		_exit(6);
	}
	waitpid(child, &status, 0);
	printf("child: %d\n", WEXITSTATUS(status));
}

int main(void)
{
	atexit(after_main);
	use_cancellation();
	use_jumps();
	use_fork();
	use_vfork();
	WAITS(before_main, "sleep", "-", 1);
	WAITS(after_main, "sleep", "-", 1);
	return 0;
}
