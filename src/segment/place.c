/* SPDX-License-Identifier: MIT */
/* The folders and file names of segments; used inside measured programs, so without malloc. */
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Append to a string; false when it does not fit. */
static bool append(char *to, size_t size, const char *string)
{
	size_t used = strlen(to), length = strlen(string);

	if (used + length >= size)
		return false;
	memcpy(to + used, string, length + 1);
	return true;
}

static bool append_number(char *to, size_t size, uint64_t number)
{
	char digits[21], *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	return append(to, size, at);
}

/* The folder of the login session. A relative path would mean another folder after chdir, and in the reader. */
static bool runtime_folder(char folder[HP_PATH_MAX])
{
	const char *runtime = secure_getenv("XDG_RUNTIME_DIR");

	return runtime && runtime[0] == '/' && append(folder, HP_PATH_MAX, runtime) &&
	       append(folder, HP_PATH_MAX, "/hotpath");
}

bool hp_place_folder(unsigned nth, char folder[HP_PATH_MAX])
{
	const char *chosen = secure_getenv("HOTPATH_DIR");

	folder[0] = '\0';
	if (chosen && *chosen)
		return nth == 0 && append(folder, HP_PATH_MAX, chosen);
	return hp_place_default(nth, folder);
}

bool hp_place_default(unsigned nth, char folder[HP_PATH_MAX])
{
	folder[0] = '\0';
	if (!runtime_folder(folder))
		nth++;
	return nth == 0 || hp_place_common(nth - 1, geteuid(), folder);
}

bool hp_place_common(unsigned nth, uint32_t user, char folder[HP_PATH_MAX])
{
	static const char *const prefixes[] = { "/dev/shm/hotpath-", "/tmp/hotpath-" };

	folder[0] = '\0';
	return nth < sizeof(prefixes) / sizeof(*prefixes) &&
	       append(folder, HP_PATH_MAX, prefixes[nth]) &&
	       append_number(folder, HP_PATH_MAX, user);
}

int hp_place_open(const char *folder, uint32_t user)
{
	struct stat info;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0) {
		if (errno == ENOTDIR && lstat(folder, &info) == 0 && S_ISLNK(info.st_mode))
			errno = ELOOP;
		return -1;
	}
	if (fstat(fd, &info) == 0 && info.st_uid == user && (info.st_mode & 0022) == 0)
		return fd;
	close(fd);
	errno = HP_PLACE_FOREIGN;
	return -1;
}

void hp_place_name(char *name, size_t size, uint32_t pid, uint64_t start_unix_ns)
{
	name[0] = '\0';
	append(name, size, "hotpath-");
	append_number(name, size, pid);
	append(name, size, "-");
	append_number(name, size, start_unix_ns);
	append(name, size, ".seg");
}

void hp_place_request(char *name, size_t size, uint32_t pid)
{
	name[0] = '\0';
	append(name, size, "hotpath-");
	append_number(name, size, pid);
	append(name, size, ".ask");
}

/* Parse a number that ends with a certain character; returns what follows that, NULL when there is no such number. */
static const char *parse_number(const char *at, char end, uint64_t max, uint64_t *number)
{
	const char *first = at;

	for (*number = 0; *at >= '0' && *at <= '9'; at++) {
		uint64_t digit = (uint64_t)(*at - '0');
		if (*number > (max - digit) / 10)
			return NULL;
		*number = *number * 10 + digit;
	}
	return at > first && *at == end ? at + 1 : NULL;
}

bool hp_place_user(const char *name, uint32_t *user)
{
	static const char prefix[] = "hotpath-";
	uint64_t number;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
	    !parse_number(name + sizeof(prefix) - 1, '\0', UINT32_MAX, &number))
		return false;
	*user = (uint32_t)number;
	return true;
}

bool hp_place_parse(const char *name, uint32_t *pid, uint64_t *start_unix_ns)
{
	static const char prefix[] = "hotpath-";
	uint64_t number;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return false;
	name = parse_number(name + sizeof(prefix) - 1, '-', UINT32_MAX, &number);
	if (!name)
		return false;
	*pid = (uint32_t)number;
	name = parse_number(name, '.', UINT64_MAX, start_unix_ns);
	return name && strcmp(name, "seg") == 0;
}

static bool run_file(char *name, size_t size, const char *run, const char *extension)
{
	name[0] = '\0';
	return *run && strspn(run, "0123456789-") == strlen(run) &&
	       append(name, size, "hotpath-") && append(name, size, run) &&
	       append(name, size, extension);
}

bool hp_place_register(char *name, size_t size, const char *run)
{
	return run_file(name, size, run, ".run");
}

bool hp_place_folded(char *name, size_t size, const char *run)
{
	return run_file(name, size, run, ".json");
}

bool hp_place_run(const char *name, char *run, size_t size)
{
	size_t length = strncmp(name, "hotpath-", 8) == 0 ? strspn(name + 8, "0123456789-") : 0;

	if (length == 0 || length >= size ||
	    (strcmp(name + 8 + length, ".run") != 0 && strcmp(name + 8 + length, ".json") != 0))
		return false;
	memcpy(run, name + 8, length);
	run[length] = '\0';
	return true;
}
