/* SPDX-License-Identifier: MIT */
/* What keeps a library of ours from being loaded into a program, or from seeing what it allocates. */
#include "obstacle.h"

#include "elf_file.h"
#include "note.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

/* Why, what to do, and whether with the static libraries. */
static const struct {
	const char *reason;
	const char *remedy;
	bool is_static;
} texts[] = {
	[OBSTACLE_STATIC] = { "it is statically linked", "link it with", true },
	[OBSTACLE_LIBC] = { "it uses another C library",
			    "build hotpath with that, and link it with", false },
	[OBSTACLE_PRIVILEGES] = { "it runs with other privileges than yours (setuid, setgid or "
				  "capabilities)",
				  "link it with", false },
	[OBSTACLE_MALLOC] = { "it has a malloc of its own", "link it with -static and", true },
};

void obstacle_text(enum obstacle obstacle, const char *package, char text[OBSTACLE_TEXT])
{
	int length = snprintf(text, OBSTACLE_TEXT, "%s", texts[obstacle].reason);

	if (package)
		snprintf(text + length, OBSTACLE_TEXT - (size_t)length,
			 "; %s %s ('pkg-config %s--libs %s')", texts[obstacle].remedy, package,
			 texts[obstacle].is_static ? "--static " : "", package);
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

/* A program without a dynamic linker is static, unless it is the dynamic linker. */
static enum obstacle obstacle_to_loading(const struct hp_elf *program, const char *path)
{
	const char *theirs = hp_elf_interpreter(program), *ours;
	enum obstacle obstacle = OBSTACLE_NONE;
	struct hp_elf tool;

	if (hp_elf_open(&tool, "/proc/self/exe"))
		return OBSTACLE_NONE;
	ours = hp_elf_interpreter(&tool);
	if (!theirs && !(ours && is_same_file(path, ours)))
		obstacle = OBSTACLE_STATIC;
	else if (theirs && !(ours && strcmp(theirs, ours) == 0))
		obstacle = OBSTACLE_LIBC;
	hp_elf_close(&tool);
	return obstacle;
}

/* Whether the kernel takes the user or group of a file for that of the process. */
static bool changes_identity(const struct stat *file)
{
	bool user = file->st_mode & S_ISUID && file->st_uid != getuid();
	/* Without the right to execute, the bit means something else. */
	bool group = file->st_mode & S_ISGID && file->st_mode & S_IXGRP && file->st_gid != getgid();

	return (user || group) && prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1;
}

/* As the kernel decides on AT_SECURE, by which the dynamic linker goes. */
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

enum obstacle obstacle_find(const char *path)
{
	struct hp_elf program;
	int error = hp_elf_open(&program, path);
	enum obstacle obstacle = error ? OBSTACLE_NONE : obstacle_to_loading(&program, path);

	/* Some may be run but not read. What is no such file is a script. */
	if (!obstacle && error != -ENOEXEC && gains_privileges(path))
		obstacle = OBSTACLE_PRIVILEGES;
	if (!obstacle && !error && hp_elf_exports(&program, "malloc"))
		obstacle = OBSTACLE_MALLOC;
	hp_elf_close(&program);
	return obstacle;
}

enum linked_probe obstacle_avoided(const char *path)
{
	enum linked_probe probe = PROBE_NONE;
	struct hp_elf program;
	size_t length;
	if (hp_elf_open(&program, path))
		return PROBE_NONE;

	if (hp_elf_note(&program, HP_NOTE_OWNER, HP_NOTE_ALLOC, &length))
		probe = PROBE_STATIC;
	else if (hp_elf_needs(&program, "libhotpath-alloc.so"))
		probe = PROBE_SHARED;
	hp_elf_close(&program);
	return probe;
}

bool obstacle_has_recorder(const char *path)
{
	/* What it asks the environment for is in it even when it was stripped. */
	static const char question[] = "HOTPATH_OFF";
	struct hp_elf program;
	if (hp_elf_open(&program, path))
		return false;

	bool found = hp_elf_needs(&program, "libhotpath.so") ||
		     memmem(hp_elf_whole(&program), program.size, question, sizeof(question));
	hp_elf_close(&program);
	return found;
}
