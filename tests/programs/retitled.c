/* SPDX-License-Identifier: MIT */
/*
 * A server as they are: it takes its arguments apart, writes titles over them, forks workers, and measures only then.
 *
 * usage: retitled KEY=VALUE …
 *
 * It prints its number and waits for a line before it measures anything, prints the number of its worker when both
 * have, and waits for another line before they end.
 */
#include <hotpath.h>

#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *titles;
static size_t room;

static void set_title(const char *title)
{
	memset(titles, 0, room);
	strncpy(titles, title, room - 1);
	/* As some do: filled up with blanks. */
	memset(titles + strlen(titles), ' ', 3);
}

static void work(void)
{
	HOTPATH_MEASURE();
}

static void wait_for_line(void)
{
	char byte;

	while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n')
		;
}

static int serve(int done, int all_done)
{
	char byte;

	set_title("retitled: worker 1/1");
	work();
	if (write(done, "", 1) != 1)
		return 1;
	/* Until the other end is closed. */
	return read(all_done, &byte, 1) != 0;
}

int main(int argc, char **argv)
{
	int done[2], all_done[2], status = 1;
	char byte;

	if (argc < 2 || pipe(done) || pipe(all_done))
		errx(2, "usage: retitled KEY=VALUE …");
	titles = argv[0];
	room = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - argv[0]);
	strtok(argv[1], "=");
	printf("%d\n", (int)getpid());
	fflush(stdout);
	wait_for_line();
	set_title("retitled: master");
	hotpath_start(NULL);
	work();
	pid_t worker = fork();
	if (worker == 0) {
		close(all_done[1]);
		return serve(done[1], all_done[0]);
	}
	if (read(done[0], &byte, 1) != 1)
		err(2, "the worker");
	printf("%d\n", (int)worker);
	fflush(stdout);
	wait_for_line();
	close(all_done[1]);
	waitpid(worker, &status, 0);
	return status != 0;
}
