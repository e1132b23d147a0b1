/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int hp_fail(const char *what, const char *which, int error)
{
	fprintf(stderr, "hotpath: the assembler of 'hotpath cc' cannot %s '%s': %s\n", what, which,
		strerror(error));
	return 1;
}

/* If the assembler ends before it has read everything, it has said why. */
static void write_all(int to, const struct hp_text *text)
{
	signal(SIGPIPE, SIG_IGN);
	for (size_t done = 0; done < text->length;) {
		ssize_t wrote = write(to, text->bytes + done, text->length - done);
		if (wrote < 0 && errno != EINTR)
			return;
		done += wrote > 0 ? (size_t)wrote : 0;
	}
}

static _Noreturn void become(const char *assembler, char *const *words, const int streams[3])
{
	for (int i = 0; i < 3; i++)
		if (streams[i] != i && dup2(streams[i], i) < 0)
			_exit(hp_fail("start", assembler, errno));
	execv(assembler, words);
	_exit(hp_fail("start", assembler, errno));
}

int hp_assemble(const char *assembler, char *const *words, const struct hp_text *text, int output,
		int messages)
{
	int ends[2], status = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return hp_fail("start", assembler, errno);

	pid_t child = fork();
	if (child == 0)
		become(assembler, words,
		       (const int[3]){ text ? ends[0] : STDIN_FILENO, output, messages });
	close(ends[0]);
	if (child > 0 && text)
		write_all(ends[1], text);
	close(ends[1]);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return hp_fail("start", assembler, errno);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
