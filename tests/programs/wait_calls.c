/* SPDX-License-Identifier: MIT */
/* Waits whose number of system calls is known: to compare them with and without the probe. */
#include <poll.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	const struct timespec soon = { 0, 100000 }, past = { 0, 0 };
	struct pollfd nothing = { -1, 0, 0 };
	sem_t semaphore;

	sem_init(&semaphore, 0, 1);
	for (int i = 0; i < 100; i++) {
		nanosleep(&soon, NULL);
		poll(&nothing, 1, 1);
		poll(&nothing, 1, 0);
		/* Neither makes a system call. */
		sem_wait(&semaphore);
		sem_timedwait(&semaphore, &past);
		sem_post(&semaphore);
	}
	for (int i = 0; i < 10; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
	return 0;
}
