/* SPDX-License-Identifier: MIT */
/*
 * Everything at once that makes it hard to look at a thread: it forks, jumps, throws, loads and unloads a
 * library, allocates, recurses, and begins and ends threads, all the time.
 *
 * usage: hammer LIBRARY SECONDS
 *
 * The library has a function `hammer_twice`. What is printed depends neither on how long it runs nor on chance.
 */
#include <hotpath.h>

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

const char *library;
time_t end;
/* Faults; several threads, atomic adds. */
int faults;

void fault()
{
	__atomic_fetch_add(&faults, 1, __ATOMIC_RELAXED);
}

unsigned recurse(unsigned depth)
{
	HOTPATH_MEASURE();
	char room[64];

	memset(room, (int)depth, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	return depth ? recurse(depth - 1) + 1 : 0;
}

unsigned leave(jmp_buf &back, unsigned depth)
{
	HOTPATH_MEASURE();

	if (!depth)
		longjmp(back, 1);
	return depth < 100 ? leave(back, depth - 1) + depth : 0;
}

void jump()
{
	HOTPATH_MEASURE();
	jmp_buf back;

	if (setjmp(back) == 0)
		leave(back, 5);
}

void raise(unsigned depth)
{
	HOTPATH_MEASURE();

	if (!depth)
		throw std::runtime_error("hammer");
	raise(depth - 1);
}

void catch_it()
{
	HOTPATH_MEASURE();

	try {
		raise(5);
		fault();
	} catch (const std::runtime_error &) {
	}
}

void load()
{
	HOTPATH_MEASURE();
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	unsigned (*twice)(unsigned) = handle ? (unsigned (*)(unsigned))dlsym(handle, "hammer_twice")
					     : nullptr;

	if (!twice || twice(21) != 42)
		fault();
	if (handle)
		dlclose(handle);
}

void allocate()
{
	HOTPATH_MEASURE();
	char *blocks[64];

	for (unsigned i = 0; i < 64; i++) {
		blocks[i] = static_cast<char *>(malloc(i * 40 + 1));
		blocks[i][i * 40] = (char)i;
	}
	for (unsigned i = 0; i < 64; i++) {
		if (blocks[i][i * 40] != (char)i)
			fault();
		free(blocks[i]);
	}
}

void fork_child()
{
	HOTPATH_MEASURE();
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		allocate();
		_exit(recurse(50) == 50 ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		fault();
}

bool goes_on()
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < end;
}

void *brief(void *)
{
	jump();
	catch_it();
	allocate();
	if (recurse(100) != 100)
		fault();
	return nullptr;
}

void *breed(void *)
{
	while (goes_on()) {
		pthread_t threads[4];
		for (pthread_t &thread : threads)
			if (pthread_create(&thread, nullptr, brief, nullptr))
				abort();
		for (pthread_t &thread : threads)
			pthread_join(thread, nullptr);
	}
	return nullptr;
}

void *work(void *)
{
	while (goes_on()) {
		jump();
		catch_it();
		allocate();
		load();
		if (recurse(1000) != 1000)
			fault();
	}
	return nullptr;
}

} // namespace

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	pthread_t worker, breeder;
	struct timespec now;

	if (argc != 3)
		return 2;
	library = argv[1];
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + atoi(argv[2]);
	if (pthread_create(&worker, nullptr, work, nullptr) ||
	    pthread_create(&breeder, nullptr, breed, nullptr))
		return 2;
	while (goes_on()) {
		fork_child();
		brief(nullptr);
	}
	pthread_join(worker, nullptr);
	pthread_join(breeder, nullptr);
	printf("faults %d\n", faults);
	return faults != 0;
}
