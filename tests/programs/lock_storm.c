/* SPDX-License-Identifier: MIT */
/*
 * Locks on four threads, while the main thread forks, and leaves its own locks by siglongjmp out of a signal handler, at any
 * instruction. Prints how often the threads have acquired each of their two locks.
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20000, TURNS = 100, CHILD_STATUS = 7 };

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static long count;
static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t may_jump;

static void jump(int signal)
{
	(void)signal;
	if (may_jump) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
}

static void *work(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&first);
		count++;
		pthread_mutex_unlock(&first);
		pthread_mutex_lock(&second);
		pthread_mutex_unlock(&second);
	}
	return unused;
}

static void use_some(int times)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&own);
		pthread_mutex_unlock(&own);
	}
}

static void be_interrupted(void)
{
	if (sigsetjmp(back, 1) != 0)
		return;
	may_jump = 1;
	use_some(3000);
	may_jump = 0;
}

static int run_child(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		use_some(10);
		_exit(CHILD_STATUS);
	}
	while (waitpid(child, &status, 0) < 0)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == CHILD_STATUS;
}

int main(void)
{
	const struct sigaction action = { .sa_handler = jump };
	struct itimerval timer = { { 0, 200 }, { 0, 200 } };
	pthread_t threads[THREADS];
	int children = 0;

	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < TURNS; i++) {
		children += run_child();
		be_interrupted();
	}
	timer = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &timer, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n%d children\n", count, children);
	return 0;
}
