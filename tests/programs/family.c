/* SPDX-License-Identifier: MIT */
/*
 * A program with children that are made, end and are waited for in every way. It checks that waiting works as it should,
 * and prints a line for each child, which the register of its run must have: "PID exited STATUS" or "PID killed SIGNAL".
 *
 *	family WAY		makes children in one way
 *	family children-cpu COMMAND...	runs commands by a shell, one after the other, and prints the CPU time of all children
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* A failed check is a line, and the exit status. */
static int failed;

#define CHECK(condition) check(condition, #condition, __LINE__)

static void check(int holds, const char *condition, int line)
{
	if (holds)
		return;
	failed = 1;
	printf("line %d: not %s (errno %d)\n", line, condition, errno);
}

static void told(pid_t pid, int status)
{
	if (WIFEXITED(status))
		printf("%d exited %d\n", (int)pid, WEXITSTATUS(status));
	else
		printf("%d killed %d\n", (int)pid, WTERMSIG(status));
}

static void wait_for(pid_t pid, int expected)
{
	int status = 0;

	errno = 77;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(errno == 77);
	CHECK(status == expected);
	told(pid, status);
}

/* ---- how children end ---- */

static void end_by(int way)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (way == 0)
			exit(3);
		if (way == 1)
			_exit(4);
		if (way == 2)
			_Exit(5);
		if (way == 3)
			quick_exit(6);
		raise(SIGKILL);
	}
	wait_for(pid, way < 4 ? (3 + way) << 8 : SIGKILL);
}

static void ends(void)
{
	for (int way = 0; way < 5; way++)
		end_by(way);
}

/* ---- how they are made ---- */

static void by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
		_exit(127);
	}
	wait_for(pid, 7 << 8);
	/* It ends in its parent's memory. */
	pid = vfork();
	if (pid == 0)
		_exit(8);
	wait_for(pid, 8 << 8);
}

static void by_spawn(void)
{
	char *arguments[] = { "sh", "-c", "exit 9", NULL };
	pid_t pid = 0;

	CHECK(posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ) == 0);
	wait_for(pid, 9 << 8);
	CHECK(posix_spawnp(NULL, "sh", NULL, NULL, arguments, environ) == 0);
	int status = 0;
	pid = wait(&status);
	CHECK(pid > 0 && status == 9 << 8);
	told(pid, status);
}

/* The C library waits for these. Each tells its number. */
static void by_shell(void)
{
	FILE *stream = popen("echo $$ exited 11; exit 11", "r");
	char line[64] = "";

	CHECK(stream && fgets(line, sizeof(line), stream));
	CHECK(pclose(stream) == 11 << 8);
	printf("%s", line);
	fflush(stdout);
	CHECK(system("echo $$ exited 10; exit 10") == 10 << 8);
}

/* Its parent is gone when it ends. */
static void by_double_fork(void)
{
	int number[2], hold[2];
	pid_t daemon = 0;

	CHECK(pipe(number) == 0 && pipe(hold) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		daemon = fork();
		if (daemon == 0) {
			char byte;
			close(hold[1]);
			/* Until its grandparent closes the other end, too. */
			(void)!read(hold[0], &byte, 1);
			exit(12);
		}
		(void)!write(number[1], &daemon, sizeof(daemon));
		_exit(0);
	}
	CHECK(read(number[0], &daemon, sizeof(daemon)) == sizeof(daemon));
	wait_for(pid, 0);
	close(hold[1]);
	printf("%d exited 12\n", (int)daemon);
}

static void ignored(void)
{
	signal(SIGCHLD, SIG_IGN);
	pid_t pid = fork();
	if (pid == 0)
		exit(13);
	errno = 0;
	CHECK(waitpid(pid, NULL, 0) == -1 && errno == ECHILD);
	signal(SIGCHLD, SIG_DFL);
	printf("%d exited 13\n", (int)pid);
}

static void made(void)
{
	by_vfork();
	by_spawn();
	by_shell();
	by_double_fork();
	ignored();
}

/* ---- how they are waited for ---- */

static pid_t child_that_exits(int status)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(status);
	return pid;
}

/* A child that is gone only when its pipe is closed. */
static pid_t child_that_waits(int *pipe_end, int status)
{
	int ends_of_pipe[2];
	char byte;

	CHECK(pipe(ends_of_pipe) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(ends_of_pipe[1]);
		(void)!read(ends_of_pipe[0], &byte, 1);
		_exit(status);
	}
	close(ends_of_pipe[0]);
	*pipe_end = ends_of_pipe[1];
	return pid;
}

static void by_wait3(void)
{
	struct rusage usage = { .ru_maxrss = -1 };
	int status = 0;
	pid_t pid = child_that_exits(20);

	CHECK(wait3(&status, 0, &usage) == pid && status == 20 << 8 && usage.ru_maxrss >= 0);
	told(pid, status);
	pid = child_that_exits(21);
	CHECK(wait4(pid, &status, 0, NULL) == pid && status == 21 << 8);
	told(pid, status);
	pid = child_that_exits(22);
	CHECK(wait(NULL) == pid);
	printf("%d exited 22\n", (int)pid);
	CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
}

static void by_waitid(void)
{
	siginfo_t info, other;
	pid_t pid = child_that_exits(23);

	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) == 0 && info.si_pid == pid);
	memset(&info, 0x55, sizeof(info));
	other = info;
	errno = 77;
	CHECK(waitid(P_ALL, 0, &info, WEXITED) == 0 && errno == 77);
	CHECK(info.si_pid == pid && info.si_code == CLD_EXITED && info.si_status == 23);
	CHECK(info.si_signo == SIGCHLD && info.si_uid == getuid());
	/* No more of it is written than the kernel does. */
	CHECK(memcmp((char *)&info + 64, (char *)&other + 64, sizeof(info) - 64) == 0);
	printf("%d exited 23\n", (int)pid);
	errno = 0;
	CHECK(waitid(P_ALL, 0, &info, WEXITED) == -1 && errno == ECHILD);
	CHECK(waitid(P_ALL, 0, &info, 0) == -1 && errno == EINVAL);
	pid = child_that_exits(24);
	CHECK(waitid(P_PID, (id_t)pid, NULL, WEXITED) == 0);
	printf("%d exited 24\n", (int)pid);
	int end;
	pid = child_that_waits(&end, 0);
	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) == 0 && info.si_pid == 0);
	kill(pid, SIGTERM);
	CHECK(waitid(P_PID, (id_t)pid, &info, WEXITED) == 0 && info.si_code == CLD_KILLED);
	printf("%d killed %d\n", (int)pid, SIGTERM);
	close(end);
}

/* Only its end is an end. */
static void stopped(void)
{
	siginfo_t info;
	int status = 0, end;
	pid_t pid = child_that_waits(&end, 25);

	kill(pid, SIGSTOP);
	CHECK(waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status));
	kill(pid, SIGCONT);
	CHECK(waitid(P_PID, (id_t)pid, &info, WCONTINUED | WEXITED) == 0);
	CHECK(info.si_code == CLD_CONTINUED && info.si_pid == pid);
	close(end);
	wait_for(pid, 25 << 8);
}

static void *wait_by_waitid(void *argument)
{
	size_t *count = argument;
	siginfo_t info;

	while (waitid(P_ALL, 0, &info, WEXITED) == 0)
		++*count;
	return NULL;
}

static void *wait_by_wait(void *argument)
{
	size_t *count = argument;

	while (wait(NULL) > 0)
		++*count;
	return NULL;
}

/* Each child is taken once. */
static void by_threads(void)
{
	enum { THREADS = 4, CHILDREN = 24 };
	pthread_t threads[THREADS];
	size_t counts[THREADS] = { 0 }, sum = 0;

	for (int i = 0; i < CHILDREN; i++)
		printf("%d exited 26\n", (int)child_that_exits(26));
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, i % 2 ? wait_by_waitid : wait_by_wait,
				     &counts[i]) == 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += counts[i];
	}
	CHECK(sum == CHILDREN);
}

static void *wait_forever(void *way)
{
	siginfo_t info;

	if (way)
		waitid(P_ALL, 0, &info, WEXITED);
	else
		waitpid(-1, NULL, 0);
	return NULL;
}

/* A thread that waits can be cancelled, and takes no child with it. */
static void cancelled(void)
{
	for (intptr_t way = 0; way < 2; way++) {
		pthread_t thread;
		void *result = NULL;
		int end;
		pid_t pid = child_that_waits(&end, 27);
		CHECK(pthread_create(&thread, NULL, wait_forever, (void *)way) == 0);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		CHECK(result == PTHREAD_CANCELED);
		close(end);
		wait_for(pid, 27 << 8);
	}
}

static void on_alarm(int number)
{
	(void)number;
}

static void interrupted(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	siginfo_t info;
	int end;
	pid_t pid = child_that_waits(&end, 28);

	sigaction(SIGALRM, &action, NULL);
	for (int way = 0; way < 2; way++) {
		ualarm(1000, 1000);
		int result = way ? waitid(P_ALL, 0, &info, WEXITED) : (int)waitpid(pid, NULL, 0);
		int why = errno;
		ualarm(0, 0);
		CHECK(result == -1 && why == EINTR);
	}
	close(end);
	wait_for(pid, 28 << 8);
}

static pid_t child_of_handler;

static void on_child(int number)
{
	(void)number;
	child_of_handler = waitpid(-1, NULL, WNOHANG);
}

static void in_a_handler(void)
{
	struct sigaction action = { .sa_handler = on_child };
	sigset_t blocked, before;

	sigaction(SIGCHLD, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	pid_t pid = child_that_exits(29);
	while (child_of_handler != pid)
		sigsuspend(&before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	signal(SIGCHLD, SIG_DFL);
	printf("%d exited 29\n", (int)pid);
}

static void waits(void)
{
	by_wait3();
	by_waitid();
	stopped();
	by_threads();
	cancelled();
	interrupted();
	in_a_handler();
}

/* ---- where nothing can be written ---- */

/* After this, a process may write, wait and end. */
static void set_filter(void)
{
	static const int allowed[] = { SYS_write,  SYS_exit_group, SYS_wait4,
				       SYS_waitid, SYS_newfstatat, SYS_fstat };
	enum { COUNT = sizeof(allowed) / sizeof(*allowed) };
	struct sock_filter code[COUNT + 3] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { COUNT + 3, code };

	for (int i = 0; i < COUNT; i++)
		code[1 + i] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							   (unsigned)allowed[i],
							   (unsigned char)(COUNT - i), 0);
	code[COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	code[COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0);
}

static void filtered(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		siginfo_t info;
		pid_t child = child_that_exits(30), other = child_that_exits(31);
		set_filter();
		if (waitpid(child, NULL, 0) != child ||
		    waitid(P_PID, (id_t)other, &info, WEXITED) != 0)
			_exit(1);
		_exit(32);
	}
	wait_for(pid, 32 << 8);
}

/* The user may give up root privileges; the folder of the register is out of reach then. */
static void dropped(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		if (setgid(65534) || setuid(65534))
			_exit(99);
		wait_for(child_that_exits(33), 33 << 8);
		fflush(stdout);
		_exit(34);
	}
	wait_for(pid, 34 << 8);
}

/* The register is gone, and nobody makes it again. */
static void removed(void)
{
	unlink(getenv("REGISTER"));
	ends();
	CHECK(access(getenv("REGISTER"), F_OK) != 0);
}

static void limited(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_FSIZE, &none);
	by_waitid();
	setrlimit(RLIMIT_NOFILE, &none);
	end_by(0);
}

/* ---- */

static void children_cpu(char **commands)
{
	struct rusage usage;

	for (; *commands; commands++)
		CHECK(system(*commands) == 0);
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("%lld\n", (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000LL +
				 usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static const struct {
	const char *name;
	void (*make)(void);
} ways[] = {
	{ "ends", ends },	  { "made", made },	  { "waits", waits },
	{ "filtered", filtered }, { "dropped", dropped }, { "removed", removed },
	{ "limited", limited },
};

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "children-cpu") == 0)
		children_cpu(argv + 2);
	for (size_t i = 0; argc == 2 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			ways[i].make();
	return failed;
}
