/* SPDX-License-Identifier: MIT */
/*
 * The first process of an emulated machine: runs commands one after the other, and lets the host have their output and segments.
 *
 * Each line of /commands is a name and words, with tabs between: variables of the environment, the program, its arguments. The
 * host gets NAME.out, with the output and then the status in a line, and the segments, with NAME- before their names, in the folder
 * where the emulator was started.
 * Files go there by semihosting: an instruction that the emulator executes for us. It must be allowed to user space.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEGMENTS "/dev/shm/segments"
#define OUTPUT "/dev/shm/output"

enum { WORDS_MAX = 64, PATH_LENGTH = 512 };
/* Operations of semihosting, and how a file is opened: as by "wb". */
enum { HOST_OPEN = 1, HOST_CLOSE = 2, HOST_WRITE = 5, HOST_SEEK = 10, HOST_NEW_FILE = 5 };

/* ---- the host ---- */

/* Call the host. The memory that the parameters point to must be present: the emulator cannot wait for a page. */
static long host(long operation, const void *first, long second, long third)
{
	const volatile long parameters[] = { (long)first, second, third };
	register long result __asm__("x0") = operation;
	register const volatile long *block __asm__("x1") = parameters;

	__asm__ volatile("hlt #0xf000" : "+r"(result) : "r"(block) : "memory");
	return result;
}

static void die(const char *what)
{
	perror(what);
	reboot(RB_POWER_OFF);
	exit(1);
}

static void put(long file, long at, const char *bytes, long size)
{
	const void *handle = (const void *)file;

	if (host(HOST_SEEK, handle, at, 0) != 0 || host(HOST_WRITE, handle, (long)bytes, size) != 0)
		die("a file of the host");
}

/* Copy a file without its holes: segments have large ones. */
static void give(const char *path, const char *name)
{
	static char bytes[1 << 16];
	int from = open(path, O_RDONLY | O_CLOEXEC);
	long to = host(HOST_OPEN, name, HOST_NEW_FILE, (long)strlen(name));
	struct stat about;
	ssize_t got;

	if (from < 0 || to < 0 || fstat(from, &about) < 0)
		die(path);
	for (off_t at = 0; (at = lseek(from, at, SEEK_DATA)) >= 0; at += got) {
		got = pread(from, bytes, sizeof(bytes), at);
		if (got <= 0)
			break;
		put(to, at, bytes, got);
	}
	if (about.st_size > 0 && pread(from, bytes, 1, about.st_size - 1) == 1)
		put(to, about.st_size - 1, bytes, 1);
	host(HOST_CLOSE, (const void *)to, 0, 0);
	close(from);
}

static void give_segments(const char *name)
{
	DIR *folder = opendir(SEGMENTS);
	char path[PATH_LENGTH], copy[PATH_LENGTH];

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		snprintf(path, sizeof(path), SEGMENTS "/%s", entry->d_name);
		snprintf(copy, sizeof(copy), "%s-%s", name, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		give(path, copy);
		unlink(path);
	}
	if (folder)
		closedir(folder);
}

/* ---- commands ---- */

static void become(char **words)
{
	int output = open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	for (; *words && strchr(*words, '='); words++)
		putenv(*words);
	if (*words)
		execv(*words, words);
	perror(*words ? *words : "no program");
	_exit(127);
}

static int status_of(char **words)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		become(words);
	if (child < 0)
		die("fork");
	/* Orphans are ours as well. */
	for (pid_t ended = 0; ended != child;)
		ended = wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run(char *line)
{
	char *words[WORDS_MAX + 1] = { NULL }, *rest = line, name[PATH_LENGTH];
	unsigned count = 0;

	while (count < WORDS_MAX && (words[count] = strsep(&rest, "\t")))
		count++;
	int status = status_of(words + 1);
	FILE *output = fopen(OUTPUT, "ae");
	if (!output || fprintf(output, "status %d\n", status) < 0 || fclose(output) != 0)
		die(OUTPUT);
	snprintf(name, sizeof(name), "%s.out", words[0]);
	give(OUTPUT, name);
	give_segments(words[0]);
}

int main(void)
{
	static char line[1 << 14];

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mkdir("/tmp", 01777);
	if (mount("proc", "/proc", "proc", 0, NULL) < 0 ||
	    mount("sys", "/sys", "sysfs", 0, NULL) < 0 ||
	    mount("dev", "/dev", "devtmpfs", 0, NULL) < 0 || mkdir("/dev/shm", 01777) < 0 ||
	    mount("shm", "/dev/shm", "tmpfs", 0, NULL) < 0 || mkdir(SEGMENTS, 0700) < 0)
		die("file systems");
	setenv("HOTPATH_DIR", SEGMENTS, 1);
	FILE *commands = fopen("/commands", "re");
	while (commands && fgets(line, sizeof(line), commands)) {
		line[strcspn(line, "\n")] = '\0';
		run(line);
	}
	sync();
	reboot(RB_POWER_OFF);
	return 1;
}
