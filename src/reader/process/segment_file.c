/* SPDX-License-Identifier: MIT */
/*
 * Opens the file of a segment. The owners of folder and file are checked after opening, because a path may be
 * redirected at any moment if others can write to it.
 */
#include "reader.h"

#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_ONLY (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* Takes the descriptor over. */
static int check(int file, uint32_t user)
{
	struct stat info;
	int why = 0;

	if (file < 0)
		return -errno;
	if (fstat(file, &info) || !S_ISREG(info.st_mode))
		why = -EINVAL;
	else if (user != HP_ANY_USER && info.st_uid != user)
		why = -EPERM;
	if (why)
		close(file);
	return why ? why : file;
}

int hp_segment_open_in(int folder, const char *name, uint32_t user)
{
	return check(openat(folder, name, READ_ONLY | O_NOFOLLOW), user);
}

/* Open the folder of a path; the rest of it is the name. */
static int open_folder(const char *path, uint32_t user, const char **name)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	char folder[HP_PATH_MAX];

	if (!slash || length >= sizeof(folder))
		return -EINVAL;
	memcpy(folder, path, length);
	folder[length] = '\0';
	*name = slash + 1;
	int fd = hp_place_open(folder, user);
	if (fd >= 0)
		return fd;
	return errno == HP_PLACE_FOREIGN ? -EPERM : -errno;
}

int hp_segment_open(const char *path, uint32_t user)
{
	const char *name;

	if (user == HP_ANY_USER)
		return check(open(path, READ_ONLY), user);
	int folder = open_folder(path, user, &name);
	if (folder < 0)
		return folder;
	int file = hp_segment_open_in(folder, name, user);
	close(folder);
	return file;
}

int hp_found_remove(const struct hp_found *found)
{
	const char *name;
	int folder = open_folder(found->path, found->user, &name);

	if (folder < 0)
		return folder;
	int why = unlinkat(folder, name, 0) ? -errno : 0;
	close(folder);
	return why;
}
