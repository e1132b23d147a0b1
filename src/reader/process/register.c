/* SPDX-License-Identifier: MIT */
/* Finds and reads the files of a register. */
#include "register.h"

#include "place.h"
#include "reader.h"
#include "run_register.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/** Something to be done with the register in a folder, which is open and trusted. Returns 0 or a negative errno. */
typedef int visitor(int folder, const char *name, uint32_t user, struct hp_register *found);

static int visit(const char *path, const char *name, uint32_t user, visitor *act,
		 struct hp_register *found)
{
	int folder = hp_place_open(path, user);

	if (folder < 0)
		return 0;
	int error = act(folder, name, user, found);
	close(folder);
	return error;
}

/* The folders of other users in a folder for all. */
static int visit_others(const char *parent, const char *name, visitor *act,
			struct hp_register *found)
{
	DIR *stream = opendir(parent);
	int error = 0;

	if (!stream)
		return 0;
	for (struct dirent *entry; !error && (entry = readdir(stream));) {
		char path[HP_PATH_MAX];
		uint32_t user;
		if (!hp_place_user(entry->d_name, &user) || user == geteuid())
			continue;
		snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name);
		error = visit(path, name, user, act, found);
	}
	closedir(stream);
	return error;
}

/* The folders of our own user. */
static int visit_own(const char *name, visitor *act, struct hp_register *found)
{
	char path[HP_PATH_MAX];
	int error = 0;

	for (unsigned nth = 0; !error && hp_place_folder(nth, path); nth++)
		error = visit(path, name, geteuid(), act, found);
	return error;
}

static int visit_all(const char *run, visitor *act, struct hp_register *found)
{
	char name[HP_RUN_MAX + 16];

	if (!hp_place_register(name, sizeof(name), run))
		return 0;
	int error = visit_own(name, act, found);
	if (error || geteuid() != 0)
		return error;
	error = visit_others("/dev/shm", name, act, found);
	return error ? error : visit_others("/tmp", name, act, found);
}

/* Append what a file has to what was read before. */
static int read_on(int file, struct hp_register *found)
{
	size_t most = found->size + HP_REGISTER_MAX, room = found->size;
	ssize_t got = 1;

	while (got > 0 && found->size < most) {
		if (found->size == room) {
			room += room / 2 + (64 << 10);
			char *bytes = realloc(found->bytes, room);
			if (!bytes)
				return -ENOMEM;
			found->bytes = bytes;
		}
		got = read(file, found->bytes + found->size, room - found->size);
		if (got > 0)
			found->size += (size_t)got;
	}
	return 0;
}

static int load(int folder, const char *name, uint32_t user, struct hp_register *found)
{
	int file = hp_segment_open_in(folder, name, user);

	if (file < 0)
		return 0;
	found->is_mixed = found->size > 0;
	int error = read_on(file, found);
	close(file);
	return error;
}

static int add_size(int folder, const char *name, uint32_t user, struct hp_register *found)
{
	struct stat file;

	(void)user;
	if (fstatat(folder, name, &file, AT_SYMLINK_NOFOLLOW) == 0)
		found->size += (size_t)file.st_size;
	return 0;
}

static int remove_one(int folder, const char *name, uint32_t user, struct hp_register *found)
{
	(void)user;
	(void)found;
	/* There may be none. */
	unlinkat(folder, name, 0);
	return 0;
}

int hp_register_load(const char *run, struct hp_register *found)
{
	*found = (struct hp_register){ NULL, 0, false };
	return visit_all(run, load, found);
}

uint64_t hp_register_bytes(const char *run)
{
	struct hp_register sizes = { NULL, 0, false };

	visit_all(run, add_size, &sizes);
	return sizes.size;
}

void hp_register_remove(const char *run)
{
	visit_all(run, remove_one, NULL);
}

bool hp_register_remove_bare(const char *run)
{
	struct hp_register found = { NULL, 0, false };
	char name[HP_RUN_MAX + 16];
	bool is_bare = hp_place_register(name, sizeof(name), run) &&
		       visit_own(name, load, &found) == 0 && hp_register_is_bare(&found);

	hp_register_free(&found);
	if (is_bare)
		visit_own(name, remove_one, NULL);
	return is_bare;
}

void hp_register_free(struct hp_register *found)
{
	free(found->bytes);
	*found = (struct hp_register){ NULL, 0, false };
}

int hp_register_read(const char *run, struct hp_processes *processes)
{
	struct hp_register found;
	int error = hp_register_load(run, &found);

	if (!error)
		error = hp_register_processes(&found, processes);
	hp_register_free(&found);
	return error;
}
