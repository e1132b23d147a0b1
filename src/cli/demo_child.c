/* SPDX-License-Identifier: MIT */
/*
 * The demo program, which never outlives the tool.
 *
 *	we end by                        who ends it          who removes its segment
 *	leaving the view                 we do                we do
 *	SIGINT, SIGTERM, SIGHUP          we do, in a handler  we do
 *	SIGKILL, or a fault of ours      the kernel           itself, when it sees that we are gone
 */
#include "demo_child.h"

#include "library_path.h"
#include "output.h"
#include "reader.h"
#include "start_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	/* Polling interval while waiting for it to record, or to end. */
	STEP_MS = 5,
	START_STEPS = 1000,
	/* Until it is killed. */
	END_STEPS = 200,
};

static const int endings[] = { SIGINT, SIGTERM, SIGHUP };

/* Used by the signal handler, so they only change while the signals are blocked. */
static struct {
	pid_t pid;
	char segment[PATH_MAX];
} demo;

static void block_endings(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		sigaddset(&set, endings[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

static void pause_step(void)
{
	const struct timespec step = { .tv_nsec = STEP_MS * 1000000L };

	nanosleep(&step, NULL);
}

/* If SIGCHLD is ignored, there is no child to wait for. */
static bool has_ended(void)
{
	return waitpid(demo.pid, NULL, WNOHANG) != 0;
}

/* Async-signal-safe. */
void demo_end(void)
{
	sigset_t before;

	block_endings(&before);
	if (demo.pid > 0) {
		bool ended = has_ended();
		if (!ended)
			kill(demo.pid, SIGTERM);
		for (int i = 0; i < END_STEPS && !ended; i++) {
			pause_step();
			ended = has_ended();
		}
		if (!ended) {
			kill(demo.pid, SIGKILL);
			waitpid(demo.pid, NULL, 0);
		}
		demo.pid = 0;
		unlink(demo.segment);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void end_both(int number)
{
	demo_end();
	signal(number, SIG_DFL);
	raise(number);
}

/* Signals that are ignored, as under nohup, stay ignored. */
static void catch_endings(void)
{
	const struct sigaction end = { .sa_handler = end_both, .sa_flags = SA_NODEFER };
	struct sigaction before;

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		sigaction(endings[i], NULL, &before);
		if (before.sa_handler != SIG_IGN)
			sigaction(endings[i], &end, NULL);
	}
}

/* As for `hotpath run --all`; the user's own settings are not meant for the demo program, and were read by now
   for the tool. */
static int set_environment(void)
{
	unsetenv("HOTPATH_OFF");
	unsetenv("HOTPATH_SHUTDOWN_MS");
	unsetenv("HOTPATH_RUN");
	return setenv("HOTPATH_OUTPUT_FORMAT", "none", 1) || setenv("HOTPATH_ALLOC", "live", 1) ||
	       setenv("HOTPATH_CPU", "1", 1) || setenv("HOTPATH_WAITS", "all", 1);
}

static int silence(void)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int stream = 0; stream < 3; stream++)
		if (nothing < 0 || dup2(nothing, stream) < 0)
			return -errno;
	return 0;
}

/* In a session of its own, so that no key of the terminal reaches it. */
static int prepare(const void *given)
{
	pid_t parent = *(const pid_t *)given;

	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		return -errno;
	/* The tool may have ended before the death signal was set. */
	return getppid() == parent ? silence() : -ESRCH;
}

static bool find_segment(void)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	bool found = false;

	if (hp_find_segments(&list, &ignored))
		return false;
	for (size_t i = 0; i < list.count && !found; i++) {
		const struct hp_found *item = &list.items[i];
		found = item->live && item->pid == (uint32_t)demo.pid &&
			item->state != HP_STATE_NEW;
		if (found)
			snprintf(demo.segment, sizeof(demo.segment), "%s", item->path);
	}
	hp_found_list_free(&list);
	return found;
}

static bool await_segment(void)
{
	for (int i = 0; i < START_STEPS; i++) {
		if (find_segment())
			return true;
		if (has_ended()) {
			demo.pid = 0;
			break;
		}
		pause_step();
	}
	return false;
}

static int start(void)
{
	char path[PATH_MAX], self[16];
	pid_t own = getpid();
	if (!helper_find("hotpath-demo", path))
		return complain(
			"demo: hotpath-demo was not found where it is installed with the tool");

	snprintf(self, sizeof(self), "%d", (int)own);
	char *argv[] = { path, self, NULL };
	int error = set_environment() ? -ENOMEM : start_child(argv, prepare, &own, &demo.pid);
	if (error) {
		demo.pid = 0;
		return complain("demo: cannot run '%s': %s", path, strerror(-error));
	}
	if (await_segment())
		return 0;
	demo_end();
	return complain("demo: the demo program does not record; 'hotpath doctor' may say why");
}

pid_t demo_start(void)
{
	sigset_t before;

	catch_endings();
	block_endings(&before);
	int failed = start();
	sigprocmask(SIG_SETMASK, &before, NULL);
	return failed ? -1 : demo.pid;
}
