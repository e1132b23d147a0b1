/* SPDX-License-Identifier: MIT */
/*
 * What a descriptor is, in words: a path, an address, "pipe", "terminal".
 *
 * The kernel is asked, by system calls that a seccomp filter of the program may forbid: then it is "<unknown>".
 *
 * A program may open any number of files with names that it makes up. So from one folder 64 files get names of their own, and
 * the others are the folder and a star; numbers in /proc are stars.
 */
#include "io_call.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

enum {
	/* Size of a name in bytes, with its final NUL. */
	NAME_SIZE = 256,
	FOLDERS = 1024,
	FILES_PER_FOLDER = 64,
};

/* How many files of a folder have names: counted by a hash of its path, so two folders may share one. */
static uint8_t folders[FOLDERS];

io_target target_of_name(const char *name, enum hp_reason medium)
{
	uint32_t site = hotpath__target_site(name, medium);

	return site ? (medium - HP_REASON_DISK) << TARGET_SITE_BITS | site : 0;
}

/* ---- paths ---- */

/* Write the beginning of a path, or its end if it is too long, without numbers of processes. */
static void shorten(char name[NAME_SIZE], const char *path)
{
	bool is_proc = strncmp(path, "/proc/", 6) == 0;
	size_t length = strlen(path), at = 0;

	if (length >= NAME_SIZE) {
		path += length - (NAME_SIZE - 5);
		memcpy(name, "...", 3);
		at = 3;
	}
	for (; *path && at < NAME_SIZE - 1; at++, path++) {
		size_t digits = is_proc && at && name[at - 1] == '/' ? strspn(path, "0123456789")
								     : 0;
		name[at] = *path;
		if (digits) {
			name[at] = '*';
			path += digits - 1;
		}
	}
	name[at] = '\0';
}

/* Whether a file may have a name of its own. */
static bool has_room(const char *name, const char *slash)
{
	uint32_t hash = 5381;

	for (; name < slash; name++)
		hash = hash * 33 + (unsigned char)*name;
	uint8_t *count = &folders[hash % FOLDERS];
	if (load(count, RELAXED) >= FILES_PER_FOLDER)
		return false;
	store(count, (uint8_t)(load(count, RELAXED) + 1), RELAXED);
	return true;
}

static io_target of_path(const char *path, enum hp_reason medium)
{
	char name[NAME_SIZE] = "";

	shorten(name, path);
	char *slash = strrchr(name, '/');
	if (!hotpath__target_find(name, medium) && slash && !has_room(name, slash))
		memcpy(slash + 1, "*", slash + 2 < name + NAME_SIZE ? 2 : 1);
	name[NAME_SIZE - 1] = '\0';
	return target_of_name(name, medium);
}

io_target target_of_path(const char *path)
{
	return of_path(path, HP_REASON_DISK);
}

/* ---- sockets ---- */

/* "127.0.0.1:5432", "[::1]:80", a path, "@" and the name of one that is in no folder; "" for none. */
static void put_address(char name[NAME_SIZE], const struct sockaddr *address, socklen_t size)
{
	const struct sockaddr_in *in = (const void *)address;
	const struct sockaddr_in6 *in6 = (const void *)address;
	const struct sockaddr_un *un = (const void *)address;
	char text[INET6_ADDRSTRLEN] = "";

	name[0] = '\0';
	if (size >= sizeof(*in) && address->sa_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		snprintf(name, NAME_SIZE, "%s:%u", text, ntohs(in->sin_port));
	} else if (size >= sizeof(*in6) && address->sa_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
		snprintf(name, NAME_SIZE, "[%s]:%u", text, ntohs(in6->sin6_port));
	} else if (size > offsetof(struct sockaddr_un, sun_path) && address->sa_family == AF_UNIX) {
		int most = (int)(size - offsetof(struct sockaddr_un, sun_path));
		bool is_abstract = !un->sun_path[0] && most > 1;
		snprintf(name, NAME_SIZE, "%s%.*s", is_abstract ? "@" : "", most - is_abstract,
			 un->sun_path + is_abstract);
	}
}

union address {
	struct sockaddr any;
	struct sockaddr_storage room;
};

static bool ask(long number, int fd, char name[NAME_SIZE])
{
	union address address = { .any.sa_family = AF_UNSPEC };
	socklen_t size = sizeof(address);

	name[0] = '\0';
	if (!hotpath__probe_may(number) || syscall(number, fd, &address, &size) != 0)
		return false;
	put_address(name, &address.any, size);
	return true;
}

static int option_of(int fd, int option)
{
	int value = 0;
	socklen_t size = sizeof(value);

	if (hotpath__probe_may(SYS_getsockopt))
		syscall(SYS_getsockopt, fd, SOL_SOCKET, option, &value, &size);
	return value;
}

/* One that listens has clients, whose ports are many; one that has no peer is known by its own address. */
static io_target of_socket(int fd)
{
	char name[NAME_SIZE], whole[NAME_SIZE + 16];

	if (ask(SYS_getpeername, fd, name))
		return target_of_name(name[0] ? name : "socket pair", HP_REASON_NETWORK);
	ask(SYS_getsockname, fd, name);
	if (option_of(fd, SO_ACCEPTCONN))
		snprintf(whole, sizeof(whole), "clients of %s", name);
	else
		snprintf(whole, sizeof(whole), "%s%s%s",
			 option_of(fd, SO_TYPE) == SOCK_DGRAM ? "datagrams" : "socket",
			 name[0] ? " of " : "", name);
	return target_of_name(whole, HP_REASON_NETWORK);
}

io_target target_of_peer(const struct sockaddr *address, socklen_t size)
{
	char name[NAME_SIZE];

	put_address(name, address, size);
	return target_of_name(name[0] ? name : "socket", HP_REASON_NETWORK);
}

/* ---- descriptors ---- */

static bool begins_with(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* "pipe:[123]" and "anon_inode:[eventfd]" are no paths. */
static io_target of_other(char *link)
{
	char *end = strchr(link, '\0');

	if (begins_with(link, "anon_inode:")) {
		link += strlen("anon_inode:");
		if (*link == '[' && end[-1] == ']') {
			end[-1] = '\0';
			link++;
		}
	} else if (begins_with(link, "pipe:")) {
		link[strlen("pipe")] = '\0';
	} else if (begins_with(link, "/dev/pts/") || begins_with(link, "/dev/tty")) {
		return target_of_name("terminal", HP_REASON_PIPE);
	}
	return of_path(link, HP_REASON_PIPE);
}

/* A file that was deleted, or never had a name, is "folder/<deleted>". */
static void drop_deleted(char *link, size_t room)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(link), tail = sizeof(mark) - 1;

	if (length <= tail || strcmp(link + length - tail, mark) != 0)
		return;
	link[length - tail] = '\0';
	char *slash = strrchr(link, '/');
	if (slash && !begins_with(link, "/memfd:"))
		snprintf(slash + 1, room - (size_t)(slash + 1 - link), "<deleted>");
}

static bool read_link(int fd, char *link, size_t size)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	long length = hotpath__probe_may(SYS_readlinkat)
			      ? syscall(SYS_readlinkat, AT_FDCWD, path, link, size - 1)
			      : -1;
	link[length > 0 ? length : 0] = '\0';
	drop_deleted(link, size);
	return length > 0;
}

static io_target of_mode(int fd, mode_t mode, const char *path)
{
	enum hp_reason medium = S_ISREG(mode) || S_ISDIR(mode) || S_ISBLK(mode) ? HP_REASON_DISK
										: HP_REASON_PIPE;
	char link[2 * NAME_SIZE];

	if (S_ISSOCK(mode))
		return of_socket(fd);
	if (path && path[0] == '/' && medium == HP_REASON_DISK)
		return of_path(path, medium);
	if (!read_link(fd, link, sizeof(link)))
		return path ? of_path(path, medium) : target_of_name("<unknown>", medium);
	return medium == HP_REASON_DISK ? of_path(link, medium) : of_other(link);
}

io_target target_of_descriptor(int fd, const char *path)
{
	uint32_t known = path && path[0] == '/' ? hotpath__target_find(path, HP_REASON_DISK) : 0;
	int saved_errno = errno;
	struct stat info;
	io_target found = known;

	if (!known) {
		bool is_open = hotpath__probe_may(SYS_newfstatat) &&
			       syscall(SYS_newfstatat, fd, "", &info, AT_EMPTY_PATH) == 0;
		if (is_open)
			found = of_mode(fd, info.st_mode, path);
		else if (errno != EBADF)
			found = target_of_name("<unknown>", HP_REASON_PIPE);
	}
	errno = saved_errno;
	return found;
}
