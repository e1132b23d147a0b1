/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that are closed, opened again, duplicated and inherited; calls that fail, would block and are short; in signal
 * handlers, before main and after it, and in a thread that is cancelled. Each function moves a number of bytes of its own.
 * The argument is a folder for its files.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN __attribute__((noinline)) static

static char bytes[100000];

static void check(int line, int holds)
{
	if (holds)
		return;
	dprintf(2, "line %d: %s\n", line, strerror(errno));
	_exit(1);
}

#define CHECK(...) check(__LINE__, (__VA_ARGS__))

OWN void put(int fd, size_t size)
{
	CHECK(write(fd, bytes, size) == (ssize_t)size);
}

static int make(const char *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0);
	return fd;
}

/* ---- targets ---- */

OWN void reopened(void)
{
	int first = make("first");
	CHECK(write(first, bytes, 11) == 11);
	close(first);
	int second = make("second");
	CHECK(second == first && write(second, bytes, 12) == 12);
	/* Closed and opened without the wrapped functions, and by a stream. */
	CHECK(fclose(fdopen(second, "w")) == 0);
	FILE *third = fopen("third", "w");
	CHECK(fileno(third) == first && write(first, bytes, 13) == 13);
	fclose(third);
}

OWN void duplicated(void)
{
	int first = make("first"), second = make("second");

	CHECK(write(second, bytes, 21) == 21);
	CHECK(dup2(first, second) == second && write(second, bytes, 22) == 22);
	int third = dup(second), fourth = fcntl(second, F_DUPFD, 40);
	CHECK(write(third, bytes, 23) == 23 && write(fourth, bytes, 24) == 24);
	CHECK(close_range((unsigned)first, 100, 0) == 0);
	int ends[2];
	CHECK(pipe(ends) == 0 && ends[0] == first && write(ends[1], bytes, 25) == 25);
	close(ends[0]), close(ends[1]);
}

OWN void forked(void)
{
	int kept = make("kept");

	CHECK(write(kept, bytes, 31) == 31);
	pid_t child = fork();
	if (child == 0) {
		CHECK(write(kept, bytes, 32) == 32);
		close(kept);
		CHECK(make("of child") == kept && write(kept, bytes, 33) == 33);
		_exit(0);
	}
	CHECK(waitpid(child, NULL, 0) == child && write(kept, bytes, 34) == 34);
	close(kept);
}

/* The child has descriptors of its own, and the memory of its parent. */
OWN void vforked(void)
{
	int kept = make("kept"), other = make("other");

	CHECK(write(kept, bytes, 41) == 41);
	pid_t child = vfork();
	if (child == 0) {
		dup2(other, kept);
		close(other);
		_exit(0);
	}
	CHECK(waitpid(child, NULL, 0) == child && write(kept, bytes, 42) == 42);
	CHECK(write(other, bytes, 43) == 43);
	close(kept), close(other);
}

/* Names that are made up: they get few rows. */
OWN void temporary(void)
{
	char name[32];

	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "many/%d", i);
		int fd = make(name);
		CHECK(write(fd, bytes, 5) == 5);
		close(fd);
		unlink(name);
	}
	for (int i = 0; i < 20; i++) {
		strcpy(name, "sortXXXXXX");
		int fd = mkstemp(name);
		CHECK(write(fd, bytes, 6) == 6 && unlink(name) == 0);
		close(fd);
	}
}

/* ---- results ---- */

OWN void failed(void)
{
	void *volatile nowhere = (void *)8;
	int ends[2], file = open("first", O_RDONLY);

	errno = 0;
	CHECK(write(file, bytes, 1) == -1 && errno == EBADF);
	CHECK(open("none/none", O_RDONLY) == -1 && errno == ENOENT);
	CHECK(open(nowhere, O_RDONLY) == -1 && errno == EFAULT);
	CHECK(readv(file, nowhere, 3) == -1 && errno == EFAULT);
	CHECK(close(-1) == -1 && errno == EBADF && close(77) == -1 && errno == EBADF);
	CHECK(read(-1, bytes, 5) == -1 && errno == EBADF);
	close(file);
	/* Would block: no error. Then 100000 bytes, of which 65536 fit. */
	CHECK(pipe2(ends, O_NONBLOCK) == 0);
	CHECK(read(ends[0], bytes, 10) == -1 && errno == EAGAIN);
	CHECK(write(ends[1], bytes, sizeof(bytes)) == 65536);
	CHECK(read(ends[0], bytes, sizeof(bytes)) == 65536 && close(ends[1]) == 0);
	CHECK(read(ends[0], bytes, 10) == 0);
	close(ends[0]);
}

/* ---- signals and threads ---- */

static int handled;
/* How often the handler is to write. */
static int rest;

static void handler(int signal)
{
	(void)signal;
	if (rest > 0) {
		rest--;
		put(handled, 7);
	}
}

/* Signals come until the call has begun. */
static void when(void (*handle)(int signal))
{
	struct sigaction action = { .sa_handler = handle };

	CHECK(sigaction(SIGALRM, &action, NULL) == 0);
	ualarm(1000, 1000);
}

OWN void interrupted(void)
{
	struct sigaction action = { .sa_handler = handler };
	int ends[2];

	handled = make("handled");
	CHECK(pipe(ends) == 0 && sigaction(SIGALRM, &action, NULL) == 0);
	rest = 11;
	for (int i = 0; i < 10; i++)
		raise(SIGALRM);
	when(handler);
	CHECK(read(ends[0], bytes, 10) == -1 && errno == EINTR);
	ualarm(0, 0);
	close(ends[0]), close(ends[1]), close(handled);
}

static sigjmp_buf way_out;

static void jump_out(int signal)
{
	(void)signal;
	siglongjmp(way_out, 1);
}

OWN ssize_t again(int fd)
{
	/* Not by a jump to read, which would return to the caller. */
	volatile ssize_t got = read(fd, bytes, 1);

	return got;
}

/* A place that the thread has been at before takes a shorter way. */
static void repeated(void)
{
	int ends[2];

	handled = make("handled again");
	CHECK(pipe(ends) == 0 && write(ends[1], bytes, 3) == 3);
	for (int i = 0; i < 3; i++)
		CHECK(again(ends[0]) == 1);
	rest = 1;
	when(handler);
	CHECK(again(ends[0]) == -1 && errno == EINTR);
	ualarm(0, 0);
	if (sigsetjmp(way_out, 1) == 0) {
		when(jump_out);
		again(ends[0]);
		CHECK(0);
	}
	ualarm(0, 0);
	CHECK(write(ends[1], bytes, 100) == 100);
	for (int i = 0; i < 100; i++)
		CHECK(again(ends[0]) == 1);
	close(ends[0]), close(ends[1]), close(handled);
}

static int is_cleaned;

static void clean(void *unused)
{
	(void)unused;
	is_cleaned = 1;
	put(1, 0);
}

static void *wait_forever(void *end)
{
	char byte;

	pthread_cleanup_push(clean, NULL);
	while (read(*(int *)end, &byte, 1) == 1)
		;
	CHECK(0);
	pthread_cleanup_pop(0);
	return NULL;
}

OWN void cancelled(void)
{
	pthread_t thread;
	void *result;
	int ends[2], left = 0;

	CHECK(pipe(ends) == 0 && write(ends[1], bytes, 20) == 20);
	CHECK(pthread_create(&thread, NULL, wait_forever, &ends[0]) == 0);
	while (ioctl(ends[0], FIONREAD, &left) == 0 && left)
		sched_yield();
	CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && is_cleaned);
	/* A stream is not left locked. */
	FILE *stream = fdopen(ends[0], "r");
	CHECK(ftrylockfile(stream) == 0);
	fclose(stream), close(ends[1]);
}

static void *wait_for_line(void *stream)
{
	char line[10];

	CHECK(!fgets(line, sizeof(line), stream));
	return NULL;
}

OWN void cancelled_in_stream(void)
{
	pthread_t thread;
	void *result;
	int ends[2];

	CHECK(pipe(ends) == 0);
	FILE *stream = fdopen(ends[0], "r");
	CHECK(pthread_create(&thread, NULL, wait_for_line, stream) == 0);
	CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
	CHECK(result == PTHREAD_CANCELED && ftrylockfile(stream) == 0);
	fclose(stream), close(ends[1]);
}

/* More than there is: the source is at its end, also where it has nothing at all. */
OWN void copied(void)
{
	int from = open("source", O_RDWR | O_CREAT, 0600),
	    to = open("copy", O_RDWR | O_CREAT, 0600);
	off_t start = 0;

	CHECK(write(from, bytes, 300) == 300);
	CHECK(sendfile(to, from, &start, 1000) == 300 && start == 300);
	CHECK(sendfile(to, from, NULL, 1000) == 0);
	CHECK(lseek(from, 100, SEEK_SET) == 100 && sendfile(to, from, NULL, 1000) == 200);
	close(from), close(to);
}

/* Less than there is: a pipe has no room for more. */
OWN void spliced(void)
{
	int file = open("large", O_RDWR | O_CREAT, 0600), ends[2];

	CHECK(pipe(ends) == 0 && ftruncate(file, 1 << 20) == 0);
	ssize_t size = splice(file, NULL, ends[1], NULL, 1 << 20, SPLICE_F_NONBLOCK);
	CHECK(size > 0 && size < 1 << 20);
	close(file), close(ends[0]), close(ends[1]);
}

static FILE *shared;

static void *print_lines(void *unused)
{
	for (int i = 0; i < 5000; i++)
		fprintf(shared, "%d\n", 100000 + i);
	return unused;
}

/* Several threads write to one stream: all is seen, once. */
OWN void together(void)
{
	pthread_t threads[4];

	shared = fopen("shared", "w");
	for (int i = 0; i < 4; i++)
		CHECK(pthread_create(&threads[i], NULL, print_lines, NULL) == 0);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	fclose(shared);
}

/* ---- before and after ---- */

__attribute__((constructor)) static void early(void)
{
	CHECK(write(2, bytes, 0) == 0);
}

__attribute__((destructor)) static void late(void)
{
	CHECK(write(2, bytes, 0) == 0);
}

int main(int count, char **arguments)
{
	CHECK(count == 2 && chdir(arguments[1]) == 0);
	reopened();
	duplicated();
	forked();
	vforked();
	temporary();
	failed();
	interrupted();
	repeated();
	cancelled();
	cancelled_in_stream();
	copied();
	spliced();
	together();
	/* Written when the program ends. */
	printf("done\n");
	return 3;
}
