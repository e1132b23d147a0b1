/* SPDX-License-Identifier: MIT */
/* Predicts how a program would react to our libraries in LD_PRELOAD before it is started. */
#include "loading.h"

#include "elf_file.h"
#include "parts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

enum {
	/* Limits of the kernel: bytes of a file that it examines, and nesting of script interpreters. */
	BEGINNING = 256,
	SCRIPTS = 5,
};

#define SELF "/proc/self/exe"

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* If we were started by running the dynamic linker explicitly, our executable is the dynamic linker itself. */
static const char *own_interpreter(const struct hp_elf *self)
{
	const char *interpreter = hp_elf_interpreter(self);

	return interpreter ? interpreter : SELF;
}

/* A program without PT_INTERP is static, unless it is the dynamic linker itself. */
static enum hp_loading loading_of(const struct hp_elf *program, const struct hp_elf *self,
				  const char *path)
{
	const char *theirs = hp_elf_interpreter(program), *ours = own_interpreter(self);

	if (hp_elf_machine(program) != hp_elf_machine(self))
		return HP_LOADING_MACHINE;
	if (!theirs)
		return is_same_file(path, ours) ? HP_LOADING_WORKS : HP_LOADING_STATIC;
	return strcmp(theirs, ours) == 0 || is_same_file(theirs, ours) ? HP_LOADING_WORKS
								       : HP_LOADING_LIBC;
}

/* Whether setuid or setgid changes the user or group of the process. */
static bool changes_identity(const struct stat *file)
{
	bool user = file->st_mode & S_ISUID && file->st_uid != getuid();
	/* Without the execute bit, setgid means mandatory locking. */
	bool group = file->st_mode & S_ISGID && file->st_mode & S_IXGRP && file->st_gid != getgid();

	return (user || group) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

/* Predict AT_SECURE, which makes the dynamic linker ignore LD_PRELOAD. */
static bool gains_privileges(const char *path)
{
	struct statvfs mount;
	struct stat file;

	if (stat(path, &file) || (statvfs(path, &mount) == 0 && mount.f_flag & ST_NOSUID))
		return false;
	if (changes_identity(&file))
		return true;
	return getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0;
}

/* The beginning of a file as text; empty when it cannot be read. */
static void read_beginning(const char *path, char text[BEGINNING + 1])
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t length = file < 0 ? -1 : read(file, text, BEGINNING);

	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = '\0';
}

/* Replace the first line of a script by its interpreter; false if it is no script. */
static bool find_runner(char text[BEGINNING + 1])
{
	if (strncmp(text, "#!", 2) != 0)
		return false;
	size_t from = 2 + strspn(text + 2, " \t");
	size_t length = strcspn(text + from, " \t\n");
	memmove(text, text + from, length);
	text[length] = '\0';
	return length > 0;
}

static enum hp_loading loading_of_file(const char *path, const char *beginning)
{
	enum hp_loading loading = HP_LOADING_WORKS;
	struct hp_elf program, self;
	int error = hp_elf_open(&program, path);

	/* An ELF file that our reader rejects has another word size or byte order. */
	if (error == -ENOEXEC && strncmp(beginning, ELFMAG, SELFMAG) == 0)
		return HP_LOADING_MACHINE;
	if (!error && hp_elf_open(&self, SELF) == 0) {
		loading = loading_of(&program, &self, path);
		hp_elf_close(&self);
	}
	hp_elf_close(&program);
	/* A file may be executable but not readable. Other files are not programs. */
	if (!loading && error != -ENOEXEC && gains_privileges(path))
		loading = HP_LOADING_PRIVILEGES;
	return loading;
}

enum hp_loading hp_loading_find(const char *path)
{
	char text[BEGINNING + 1], next[BEGINNING + 1];

	for (unsigned i = 0; i < SCRIPTS; i++) {
		read_beginning(path, text);
		if (!find_runner(text))
			return loading_of_file(path, text);
		memcpy(next, text, sizeof(next));
		path = next;
	}
	return HP_LOADING_WORKS;
}

bool hp_loading_asks_first(const char *path)
{
	struct hp_elf program;

	if (hp_elf_open(&program, path))
		return false;
	bool asks = (hp_elf_needs(&program, "libasan.") ||
		     hp_elf_needs(&program, "libclang_rt.asan")) &&
		    hp_elf_exports(&program, "__asan_default_options");
	hp_elf_close(&program);
	return asks;
}
