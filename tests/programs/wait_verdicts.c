/* SPDX-License-Identifier: MIT */
/*
 * Functions of which it is known how long they wait, and for what.
 *
 *	disk FILE	save_order writes and syncs a file
 *	cached FILE	read_again reads a file that is in memory
 *	network		handle receives what a thread sends after a while
 *	pipe		take_line reads what a thread writes after a while
 *	poll		serve has nothing to do, in poll
 *	condition	consume waits for the condition filled
 *
 * Lines on standard output: "@wall_ns", and "@wait_ns" in the calls that block, without their CPU time; by the program's
 * own clocks.
 *
 * usage: wait_verdicts disk FILE | cached FILE | network | pipe | poll | condition
 */
#include "compute.h"
#include "truth.h"

#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

enum {
	ROUNDS = 40,
	AFTER_NS = 5000000,
	ENOUGH_NS = 400000000,
	SIZE = 1 << 16,
};

static uint64_t wall_ns, wait_ns;
static char data[SIZE];
/* Where a thread sends, and where another receives. */
static int sender, receiver;

struct stamp {
	uint64_t wall;
	uint64_t cpu;
};

static struct stamp stamp(void)
{
	return (struct stamp){ own_clock(), (uint64_t)thread_used_ns() };
}

/* A call that may block is over: all but its CPU time was waiting, or queueing. */
static void waited_since(struct stamp since)
{
	struct stamp now = stamp();

	wait_ns += now.wall - since.wall - (now.cpu - since.cpu);
}

__attribute__((noinline)) static void save_order(const char *path)
{
	HOTPATH_MEASURE();
	uint64_t start = own_clock();
	struct stamp before = stamp();
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (file < 0 || write(file, data, sizeof(data)) != sizeof(data) || fsync(file))
		err(2, "%s", path);
	close(file);
	waited_since(before);
	wall_ns += own_clock() - start;
}

__attribute__((noinline)) static void read_again(int file)
{
	HOTPATH_MEASURE();
	uint64_t start = own_clock();

	for (unsigned i = 0; i < 50; i++)
		if (pread(file, data, sizeof(data), 0) != sizeof(data))
			err(2, "read");
	wall_ns += own_clock() - start;
}

/* Some disks are so fast that it takes many, until enough samples tell computing in the kernel from waiting. */
static void disk(const char *path)
{
	while (wall_ns < ENOUGH_NS)
		save_order(path);
}

static void cached(const char *path)
{
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (file < 0 || write(file, data, sizeof(data)) != sizeof(data))
		err(2, "%s", path);
	while (thread_used_ns() < 300000000)
		read_again(file);
	close(file);
}

static void *send_late(void *unused)
{
	const struct timespec time = { 0, AFTER_NS };

	for (unsigned i = 0; i < ROUNDS; i++) {
		nanosleep(&time, NULL);
		if (write(sender, "x", 1) != 1)
			err(2, "write");
	}
	return unused;
}

__attribute__((noinline)) static void handle(void)
{
	HOTPATH_MEASURE();
	struct stamp before = stamp();

	if (recv(receiver, data, 1, 0) != 1)
		err(2, "recv");
	waited_since(before);
	compute(1);
	wall_ns += own_clock() - before.wall;
}

__attribute__((noinline)) static void take_line(void)
{
	HOTPATH_MEASURE();
	struct stamp before = stamp();

	if (read(receiver, data, 1) != 1)
		err(2, "read");
	waited_since(before);
	compute(1);
	wall_ns += own_clock() - before.wall;
}

static void with_sender(void (*receive)(void))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, send_late, NULL))
		errx(2, "no thread");
	for (unsigned i = 0; i < ROUNDS; i++)
		receive();
	pthread_join(thread, NULL);
}

/* A connection through the loopback device. */
static void network(void)
{
	struct sockaddr_in here = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(here);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	sender = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&here, size) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&here, &size) ||
	    connect(sender, (struct sockaddr *)&here, size))
		err(2, "connect");
	receiver = accept(listener, NULL, NULL);
	with_sender(handle);
}

static void open_pipe(void)
{
	int ends[2];

	if (pipe(ends))
		err(2, "pipe");
	receiver = ends[0];
	sender = ends[1];
}

static void through_pipe(void)
{
	open_pipe();
	with_sender(take_line);
}

__attribute__((noinline)) static void serve(void)
{
	HOTPATH_MEASURE();
	struct stamp before = stamp();
	struct pollfd never = { .fd = receiver, .events = POLLIN };

	poll(&never, 1, AFTER_NS / 1000000);
	waited_since(before);
	wall_ns += own_clock() - before.wall;
}

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static unsigned messages;

static void *produce(void *unused)
{
	const struct timespec time = { 0, AFTER_NS };

	for (unsigned i = 0; i < ROUNDS; i++) {
		nanosleep(&time, NULL);
		pthread_mutex_lock(&queue_lock);
		messages++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&queue_lock);
	}
	return unused;
}

__attribute__((noinline)) static void consume(void)
{
	HOTPATH_MEASURE();
	struct stamp before = stamp();

	pthread_mutex_lock(&queue_lock);
	while (!messages)
		pthread_cond_wait(&filled, &queue_lock);
	messages--;
	pthread_mutex_unlock(&queue_lock);
	waited_since(before);
	wall_ns += own_clock() - before.wall;
}

static void condition(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, produce, NULL))
		errx(2, "no thread");
	for (unsigned i = 0; i < ROUNDS; i++)
		consume();
	pthread_join(thread, NULL);
}

static void idle(void)
{
	open_pipe();
	for (unsigned i = 0; i < ROUNDS; i++)
		serve();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (argc == 3 && strcmp(what, "disk") == 0)
		disk(argv[2]);
	else if (argc == 3 && strcmp(what, "cached") == 0)
		cached(argv[2]);
	else if (strcmp(what, "network") == 0)
		network();
	else if (strcmp(what, "pipe") == 0)
		through_pipe();
	else if (strcmp(what, "poll") == 0)
		idle();
	else if (strcmp(what, "condition") == 0)
		condition();
	else
		errx(2,
		     "usage: wait_verdicts disk FILE | cached FILE | network | pipe | poll | condition");
	truth("@wall_ns", wall_ns);
	truth("@wait_ns", wait_ns);
	return 0;
}
