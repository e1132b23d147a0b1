/* SPDX-License-Identifier: MIT */
/*
 * A server and its clients, which exchange messages of known sizes; prints the port.
 *
 * And a pipe that is slow: prints how long it was waited for, by its own clock.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 20, ROUNDS = 10 };

static char bytes[8192];
static struct sockaddr_in address;

static void check(int line, int holds)
{
	if (holds)
		return;
	fprintf(stderr, "line %d fails\n", line);
	exit(1);
}

#define CHECK(...) check(__LINE__, (__VA_ARGS__))

__attribute__((noinline)) static void serve(int listening)
{
	for (int i = 0; i < CLIENTS; i++) {
		int client = accept(listening, NULL, NULL);
		for (int j = 0; j < ROUNDS; j++) {
			CHECK(recv(client, bytes, 100, MSG_WAITALL) == 100);
			CHECK(send(client, bytes, 5000, MSG_NOSIGNAL) == 5000);
		}
		close(client);
	}
}

static void *run_server(void *listening)
{
	serve(*(int *)listening);
	return NULL;
}

__attribute__((noinline)) static void ask(void)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	CHECK(connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0);
	for (int j = 0; j < ROUNDS; j++) {
		CHECK(write(fd, bytes, 100) == 100);
		CHECK(recv(fd, bytes, 5000, MSG_WAITALL) == 5000);
	}
	close(fd);
}

static void exchange(void)
{
	int listening = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(address);
	pthread_t server;

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listening, (struct sockaddr *)&address, size) == 0 && listen(listening, 5) == 0);
	CHECK(getsockname(listening, (struct sockaddr *)&address, &size) == 0);
	CHECK(pthread_create(&server, NULL, run_server, &listening) == 0);
	for (int i = 0; i < CLIENTS; i++)
		ask();
	CHECK(pthread_join(server, NULL) == 0 && close(listening) == 0);
	printf("port %d\n", ntohs(address.sin_port));
}

/* ---- a slow pipe ---- */

static int ends[2];

static unsigned long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
}

static void *drip(void *unused)
{
	for (int i = 0; i < 20; i++) {
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
		CHECK(write(ends[1], bytes, 1) == 1);
	}
	return unused;
}

__attribute__((noinline)) static unsigned long long drink(void)
{
	unsigned long long all = 0;

	for (int i = 0; i < 20; i++) {
		unsigned long long since = now();
		CHECK(read(ends[0], bytes, 100) == 1);
		all += now() - since;
	}
	return all;
}

static void wait_for_pipe(void)
{
	pthread_t dripping;

	CHECK(pipe(ends) == 0 && pthread_create(&dripping, NULL, drip, NULL) == 0);
	printf("waited %llu\n", drink());
	CHECK(pthread_join(dripping, NULL) == 0);
}

int main(void)
{
	exchange();
	wait_for_pipe();
	return 0;
}
