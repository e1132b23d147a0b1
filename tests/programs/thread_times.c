/* SPDX-License-Identifier: MIT */
/*
 * Threads that compute, in the program or in the kernel, and say what the kernel counted of it.
 *
 * usage: thread_times exit|killed|wait    two threads end; one stays, asleep; then the process ends, by exit or by
 *                                         SIGKILL; or when its input does, with two more: one that computes, and
 *                                         one that is never measured and has an odd name
 *        thread_times many THREADS        so many threads, one after the other
 *
 * A thread is a line of JSON. The one that stays, and the main thread, do nothing more when they have said theirs.
 */
#include <hotpath.h>

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MILLISECONDS = 100, BLOCK = 1000 };

static sem_t told;

static void say(const char *name)
{
	struct rusage usage;
	char line[256];

	getrusage(RUSAGE_THREAD, &usage);
	int length = snprintf(line, sizeof(line),
			      "{\"name\":\"%s\",\"tid\":%ld,\"user_ns\":%lld,\"system_ns\":%lld}\n",
			      name, syscall(SYS_gettid),
			      usage.ru_utime.tv_sec * 1000000000LL + usage.ru_utime.tv_usec * 1000,
			      usage.ru_stime.tv_sec * 1000000000LL + usage.ru_stime.tv_usec * 1000);
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(1);
}

static bool is_over(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec > 0 || now.tv_nsec > MILLISECONDS * 1000000L;
}

__attribute__((noinline)) static void in_program(void)
{
	HOTPATH_MEASURE();
	volatile unsigned sum = 0;

	while (!is_over())
		for (unsigned i = 0; i < 100000; i++)
			sum += i;
}

__attribute__((noinline)) static void in_kernel(void)
{
	HOTPATH_MEASURE();
	static char buffer[1 << 20];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (!is_over())
		for (unsigned i = 0; i < 10; i++)
			if (read(zero, buffer, sizeof(buffer)) < 0)
				err(1, "/dev/zero");
	close(zero);
}

/* The compiler would rather not. */
static void allocate(void)
{
	void *volatile block = malloc(BLOCK);

	free(block);
}

static void *user(void *unused)
{
	HOTPATH_THREAD_NAME("user");
	in_program();
	say("user");
	return unused;
}

static void *kernel(void *unused)
{
	HOTPATH_THREAD_NAME("kernel");
	in_kernel();
	say("kernel");
	return unused;
}

/* It allocates, so that it is known by that too. */
static void *stay(void *unused)
{
	sem_t never;

	HOTPATH_THREAD_NAME("stays");
	sem_init(&never, 0, 0);
	in_program();
	allocate();
	say("stays");
	sem_post(&told);
	while (sem_wait(&never))
		;
	return unused;
}

static void *spin(void *unused)
{
	HOTPATH_THREAD_NAME("spins");
	sem_post(&told);
	for (;;)
		__asm__ volatile("" : : : "memory");
	return unused;
}

static void *hide(void *unused)
{
	prctl(PR_SET_NAME, "a) S (b");
	sem_post(&told);
	for (;;)
		pause();
	return unused;
}

static void *brief(void *unused)
{
	HOTPATH_MEASURE();
	allocate();
	return unused;
}

static void run(void *(*body)(void *), bool join)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, NULL))
		errx(1, "no thread");
	if (join)
		pthread_join(thread, NULL);
	else
		pthread_detach(thread);
}

static void wait_told(void)
{
	while (sem_wait(&told))
		;
}

static void end(const char *how)
{
	if (strcmp(how, "wait") == 0) {
		run(spin, false);
		run(hide, false);
		wait_told();
		wait_told();
	}
	/* It was recorded before it had this name. */
	prctl(PR_SET_NAME, "main");
	say("main");
	if (strcmp(how, "killed") == 0)
		raise(SIGKILL);
	while (strcmp(how, "wait") == 0 && getchar() != EOF)
		;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	unsigned many = argc > 2 ? (unsigned)atoi(argv[2]) : 0;

	for (unsigned i = 0; i < many; i++)
		run(brief, true);
	if (many || argc < 2)
		return 0;
	sem_init(&told, 0, 0);
	in_program();
	run(user, true);
	run(kernel, true);
	run(stay, false);
	wait_told();
	end(argv[1]);
	return 0;
}
