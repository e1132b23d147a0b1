/* SPDX-License-Identifier: MIT */
/*
 * Every function that waits for something but a lock: what it returns, and how often it waited.
 *
 * The output must be the same with the probe and without. Lines that begin with "=" are "function reason target count".
 */
#include "wait_inside.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

#define WAITS(function, reason, target, count)                                                     \
	printf("= " #function " " reason " " target " %d\n", count)

/* The functions are rows of the report. */
#define ROW __attribute__((noinline, noclone)) static

int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t size);
int __ppoll_chk(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
		const sigset_t *signals, size_t size);

/* The result of a call, with errno if it is -1; and else, that it left errno alone. */
static void show(const char *what, long result)
{
	if (result == -1)
		printf("%s: %s\n", what, strerror(errno));
	else
		printf("%s: %ld%s\n", what, result, errno == 77 ? "" : ", errno changed");
	errno = 77;
}

#define SHOW(call) show(#call, call)

static struct timespec in_ms(clockid_t clock, long ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += ms * 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static const struct timespec one_ms = { 0, 1000000 }, wrong = { 0, -1 }, none = { 0, 0 };

/* ---- conditions ---- */

static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static mtx_t mutex_c11;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static cnd_t ready_c11;

ROW void use_conditions(void)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 2), later = in_ms(CLOCK_MONOTONIC, 4);

	SHOW(pthread_cond_wait(&ready, &mutex));
	pthread_mutex_lock(&mutex);
	SHOW(pthread_cond_timedwait(&ready, &mutex, &soon));
	SHOW(pthread_cond_clockwait(&ready, &mutex, CLOCK_MONOTONIC, &later));
	SHOW(pthread_cond_timedwait(&ready, &mutex, &wrong));
	SHOW(pthread_mutex_unlock(&mutex));
	WAITS(use_conditions, "condition", "ready", 2);
	soon = in_ms(CLOCK_REALTIME, 2);
	cnd_init(&ready_c11);
	mtx_init(&mutex_c11, mtx_plain);
	mtx_lock(&mutex_c11);
	printf("C11: %d\n", cnd_timedwait(&ready_c11, &mutex_c11, &soon) == thrd_timedout);
	mtx_unlock(&mutex_c11);
	WAITS(use_conditions, "condition", "ready_c11", 1);
}

/* ---- semaphores, barriers ---- */

static sem_t places;
static int waiter;

ROW void *wait_for_place(void *unused)
{
	(void)unused;
	errno = 77;
	__atomic_store_n(&waiter, own_tid(), __ATOMIC_RELEASE);
	SHOW(sem_wait(&places));
	return NULL;
}

ROW void use_semaphores(void)
{
	struct timespec soon = in_ms(CLOCK_REALTIME, 2), later = in_ms(CLOCK_MONOTONIC, 4);
	pthread_t thread;

	SHOW(sem_init(&places, 0, 3));
	SHOW(sem_wait(&places));
	SHOW(sem_timedwait(&places, &none));
	SHOW(sem_clockwait(&places, CLOCK_MONOTONIC, &none));
	SHOW(sem_trywait(&places));
	SHOW(sem_timedwait(&places, &soon));
	SHOW(sem_clockwait(&places, CLOCK_MONOTONIC, &later));
	SHOW(sem_timedwait(&places, &wrong));
	SHOW(sem_clockwait(&places, 99, &later));
	WAITS(use_semaphores, "semaphore", "places", 2);
	pthread_create(&thread, NULL, wait_for_place, NULL);
	until_inside(&waiter, SYS_futex, &places, sizeof(places));
	errno = 77;
	sem_post(&places);
	pthread_join(thread, NULL);
	WAITS(wait_for_place, "semaphore", "places", 1);
	SHOW(sem_destroy(&places));
	WAITS(use_semaphores, "join", "-", 1);
}

static pthread_barrier_t line;

ROW void *come(void *unused)
{
	int result = pthread_barrier_wait(&line);

	(void)unused;
	if (result && result != PTHREAD_BARRIER_SERIAL_THREAD)
		exit(1);
	return NULL;
}

ROW void use_barriers(void)
{
	pthread_t thread;

	SHOW(pthread_barrier_init(&line, NULL, 2));
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, come, NULL);
		come(NULL);
		pthread_join(thread, NULL);
	}
	SHOW(pthread_barrier_destroy(&line));
	WAITS(come, "barrier", "line", 6);
	WAITS(use_barriers, "join", "-", 3);
}

/* ---- threads ---- */

static int blocked;

ROW void *block(void *semaphore)
{
	__atomic_store_n(&blocked, own_tid(), __ATOMIC_RELEASE);
	sem_wait(semaphore);
	return semaphore;
}

static int leave(void *number)
{
	return *(int *)number;
}

ROW void use_joins(void)
{
	struct timespec soon, later;
	pthread_t thread;
	thrd_t c11;
	void *result = NULL;
	int number = 42, given = 0;
	sem_t end;

	sem_init(&end, 0, 0);
	pthread_create(&thread, NULL, block, &end);
	until_inside(&blocked, SYS_futex, &end, sizeof(end));
	errno = 77;
	soon = in_ms(CLOCK_REALTIME, 2);
	later = in_ms(CLOCK_MONOTONIC, 4);
	SHOW(pthread_tryjoin_np(thread, &result));
	SHOW(pthread_timedjoin_np(thread, &result, &soon));
	SHOW(pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &later));
	SHOW(pthread_join(pthread_self(), &result));
	sem_post(&end);
	SHOW(pthread_join(thread, &result));
	printf("result: %d\n", result == &end);
	thrd_create(&c11, leave, &number);
	SHOW(thrd_join(c11, &given));
	printf("result: %d\n", given);
	WAITS(use_joins, "join", "-", 4);
	WAITS(block, "semaphore", "use_joins", 1);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag once_c11 = ONCE_FLAG_INIT;
static int second;

/* It lasts until another thread waits for its end. */
static void begin(void)
{
	until_inside(&second, SYS_futex, &once, sizeof(once));
	printf("initialised\n");
}

static void begin_c11(void)
{
	until_inside(&second, SYS_futex, &once_c11, sizeof(once_c11));
	printf("initialised\n");
}

static void *begin_first(void *is_c11)
{
	if (is_c11)
		call_once(&once_c11, begin_c11);
	else
		pthread_once(&once, begin);
	return NULL;
}

ROW void *come_second(void *is_c11)
{
	if (is_c11) {
		while (!__atomic_load_n((const int *)(const void *)&once_c11, __ATOMIC_RELAXED))
			sched_yield();
		__atomic_store_n(&second, own_tid(), __ATOMIC_RELEASE);
		call_once(&once_c11, begin_c11);
	} else {
		while (!__atomic_load_n(&once, __ATOMIC_RELAXED))
			sched_yield();
		__atomic_store_n(&second, own_tid(), __ATOMIC_RELEASE);
		errno = 77;
		SHOW(pthread_once(&once, begin));
	}
	return NULL;
}

ROW void use_once(void)
{
	for (int is_c11 = 0; is_c11 < 2; is_c11++) {
		pthread_t threads[2];

		second = 0;
		pthread_create(&threads[0], NULL, begin_first, is_c11 ? &second : NULL);
		pthread_create(&threads[1], NULL, come_second, is_c11 ? &second : NULL);
		pthread_join(threads[0], NULL);
		pthread_join(threads[1], NULL);
		SHOW(pthread_once(&once, begin));
	}
	WAITS(come_second, "once", "once", 1);
	WAITS(come_second, "once", "once_c11", 1);
	WAITS(use_once, "join", "-", 4);
}

/* ---- time ---- */

ROW void use_sleep(void)
{
	struct timespec past = in_ms(CLOCK_MONOTONIC, 0), left;

	SHOW(sleep(0));
	SHOW(usleep(1000));
	SHOW(nanosleep(&one_ms, NULL));
	SHOW(nanosleep(&wrong, &left));
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &past, NULL));
	SHOW(clock_nanosleep(CLOCK_MONOTONIC, 0, &wrong, NULL));
	SHOW(thrd_sleep(&one_ms, NULL));
	WAITS(use_sleep, "sleep", "-", 5);
}

/* ---- descriptors ---- */

ROW void use_poll(void)
{
	struct timeval now = { 0, 0 }, soon = { 0, 1000 };
	struct epoll_event event = { .events = EPOLLIN };
	int ends[2], epoll = epoll_create1(EPOLL_CLOEXEC);
	fd_set set;

	if (pipe(ends) || epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event))
		exit(1);
	struct pollfd reads = { ends[0], POLLIN, 0 }, writes = { ends[1], POLLOUT, 0 };
	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	SHOW(poll(&reads, 1, 0));
	SHOW(poll(&reads, 1, 1));
	SHOW(poll(&writes, 1, -1));
	SHOW(__poll_chk(&reads, 1, 0, sizeof(reads)));
	SHOW(__poll_chk(&reads, 1, 1, sizeof(reads)));
	SHOW(ppoll(&reads, 1, &none, NULL));
	SHOW(ppoll(&reads, 1, &one_ms, NULL));
	SHOW(ppoll(&reads, 1, &wrong, NULL));
	SHOW(__ppoll_chk(&reads, 1, &one_ms, NULL, sizeof(reads)));
	SHOW(select(ends[0] + 1, &set, NULL, NULL, &now));
	FD_SET(ends[0], &set);
	SHOW(select(ends[0] + 1, &set, NULL, NULL, &soon));
	FD_SET(ends[0], &set);
	SHOW(pselect(ends[0] + 1, &set, NULL, NULL, &one_ms, NULL));
	SHOW(pselect(ends[0] + 1, &set, NULL, NULL, &none, NULL));
	SHOW(epoll_wait(epoll, &event, 1, 0));
	SHOW(epoll_wait(epoll, &event, 1, 1));
	SHOW(epoll_wait(-1, &event, 1, 1));
	SHOW(epoll_pwait(epoll, &event, 1, 1, NULL));
	WAITS(use_poll, "poll", "-", 9);
	SHOW(poll(NULL, 0, 1));
	soon.tv_usec = 1000;
	SHOW(select(0, NULL, NULL, NULL, &soon));
	WAITS(use_poll, "sleep", "-", 2);
}

/* ---- children, signals ---- */

static pid_t start(void)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0)
		_exit(3);
	return child;
}

ROW void use_children(void)
{
	struct rusage usage;
	siginfo_t info = { 0 };
	int status = 0, right = 0;

	right += waitpid(start(), &status, 0) > 0 && WEXITSTATUS(status) == 3;
	start();
	right += wait(&status) > 0 && WEXITSTATUS(status) == 3;
	start();
	right += wait3(&status, 0, &usage) > 0 && WEXITSTATUS(status) == 3;
	right += wait4(start(), &status, 0, &usage) > 0 && WEXITSTATUS(status) == 3;
	right += waitid(P_PID, (id_t)start(), &info, WEXITED) == 0 && info.si_status == 3;
	printf("children: %d\n", right);
	errno = 77;
	SHOW(waitpid(-1, &status, WNOHANG));
	SHOW(waitpid(-1, &status, 0));
	SHOW(wait3(&status, WNOHANG, &usage));
	SHOW(waitid(P_ALL, 0, &info, WEXITED | WNOHANG));
	WAITS(use_children, "child", "-", 5);
}

static int sleeper;
static long sleeps_in;

static void take(int signal)
{
	(void)signal;
}

/* Send a signal to the main thread when it waits. */
static void *interrupt(void *unused)
{
	(void)unused;
	until_inside(&sleeper, sleeps_in, NULL, 0);
	syscall(SYS_tgkill, getpid(), sleeper, SIGUSR1);
	return NULL;
}

static pthread_t interrupted_in(long number)
{
	pthread_t thread;

	sleeps_in = number;
	pthread_create(&thread, NULL, interrupt, NULL);
	return thread;
}

#ifdef SYS_pause
#define SYSTEM_CALL_OF_PAUSE SYS_pause
#define SYSTEM_CALL_OF_POLL SYS_poll
#else
#define SYSTEM_CALL_OF_PAUSE SYS_ppoll
#define SYSTEM_CALL_OF_POLL SYS_ppoll
#endif

ROW void use_signals(void)
{
	struct sigaction action = { .sa_handler = take };
	struct timespec minute = { 60, 0 }, left = { 0, 0 };
	struct pollfd nothing = { -1, 0, 0 };
	sigset_t set, before;
	pthread_t thread;
	int signal = 0;

	sleeper = own_tid();
	sigaction(SIGUSR1, &action, NULL);
	thread = interrupted_in(SYSTEM_CALL_OF_PAUSE);
	SHOW(pause());
	pthread_join(thread, NULL);
	thread = interrupted_in(SYS_clock_nanosleep);
	SHOW(nanosleep(&minute, &left));
	printf("left: %d\n", left.tv_sec > 0);
	pthread_join(thread, NULL);
	thread = interrupted_in(SYSTEM_CALL_OF_POLL);
	SHOW(poll(&nothing, 1, 60000));
	pthread_join(thread, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &before);
	raise(SIGUSR1);
	SHOW(sigsuspend(&before));
	raise(SIGUSR1);
	SHOW(sigwait(&set, &signal));
	raise(SIGUSR1);
	printf("sigwaitinfo: %d\n", sigwaitinfo(&set, NULL) == SIGUSR1);
	SHOW(sigtimedwait(&set, NULL, &none));
	SHOW(sigtimedwait(&set, NULL, &one_ms));
	SHOW(sigtimedwait(&set, NULL, &wrong));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	WAITS(use_signals, "signal", "-", 5);
	WAITS(use_signals, "sleep", "-", 1);
	WAITS(use_signals, "poll", "-", 1);
	WAITS(use_signals, "join", "-", 3);
}

/* ---- futexes ---- */

static int word;

ROW void use_futexes(void)
{
	struct timespec soon = in_ms(CLOCK_MONOTONIC, 2);
	int *in_heap = calloc(1, sizeof(*in_heap));

	SHOW(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &one_ms));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, NULL));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &soon, NULL,
		     FUTEX_BITSET_MATCH_ANY));
	SHOW(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1));
	WAITS(use_futexes, "futex", "word", 2);
	SHOW(syscall(SYS_futex, in_heap, FUTEX_WAIT_PRIVATE, 0, &one_ms));
	WAITS(use_futexes, "futex", "use_futexes", 1);
	printf("others: %d\n", syscall(SYS_getpid) == getpid());
	errno = 77;
	SHOW(syscall(SYS_close, -1));
	free(in_heap);
}

int main(void)
{
	errno = 77;
	use_conditions();
	use_semaphores();
	use_barriers();
	use_joins();
	use_once();
	use_sleep();
	use_poll();
	use_children();
	use_signals();
	use_futexes();
	return 0;
}
