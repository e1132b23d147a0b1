/* SPDX-License-Identifier: MIT */
/* The socket that a server listens on. */
#include "listening.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
	/* Connections that the kernel keeps until we accept them. */
	BACKLOG = 128,
	SOCKET_FLAGS = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
};

static int fail(struct hp_error *error, int why, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int fail(struct hp_error *error, int why, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->text, sizeof(error->text), format, arguments);
	va_end(arguments);
	return why;
}

/* ---- TCP ---- */

static int explain_port(const struct hp_access *access, int why, struct hp_error *error)
{
	if (why == EADDRINUSE)
		return fail(error, -why,
			    "port %u of %.100s is in use; choose another one with --port",
			    access->port, access->address);
	return fail(error, -why, "cannot listen on port %u of %.100s: %s", access->port,
		    access->address, strerror(why));
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)address)
				     ->sin_addr.s_addr) >>
			       24 ==
		       127;
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(
		       &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr);
}

static int listen_on(const struct addrinfo *info)
{
	static const int on = 1;
	int file = socket(info->ai_family, SOCKET_FLAGS, 0);

	if (file < 0)
		return -errno;
	setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(file, info->ai_addr, info->ai_addrlen) == 0 && listen(file, BACKLOG) == 0)
		return file;
	int why = errno;
	close(file);
	return -why;
}

static uint16_t port_of(int file)
{
	struct sockaddr_storage address = { 0 };
	socklen_t size = sizeof(address);
	char port[8] = "0";

	if (getsockname(file, (struct sockaddr *)&address, &size) ||
	    getnameinfo((struct sockaddr *)&address, size, NULL, 0, port, sizeof(port),
			NI_NUMERICSERV))
		return 0;
	return (uint16_t)strtoul(port, NULL, 10);
}

int hp_listen_port(struct hp_access *access, struct hp_error *error)
{
	static const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
					       .ai_socktype = SOCK_STREAM };
	struct addrinfo *info;
	char port[8];

	snprintf(port, sizeof(port), "%u", access->port);
	int unknown = getaddrinfo(access->address, port, &hints, &info);
	if (unknown)
		return fail(error, -EINVAL, "--listen: '%.100s' is no address of this machine: %s",
			    access->address, gai_strerror(unknown));
	int file = listen_on(info);
	access->is_loopback = is_loopback(info->ai_addr);
	freeaddrinfo(info);
	if (file < 0)
		return explain_port(access, -file, error);
	access->port = port_of(file);
	return file;
}

/* ---- Unix ---- */

/* Whether there is a socket that nobody listens on. */
static bool is_left_over(const struct sockaddr_un *address)
{
	struct stat status;
	int file = socket(AF_UNIX, SOCKET_FLAGS, 0);
	bool is_refused = file >= 0 && lstat(address->sun_path, &status) == 0 &&
			  S_ISSOCK(status.st_mode) &&
			  connect(file, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
			  errno == ECONNREFUSED;

	if (file >= 0)
		close(file);
	return is_refused;
}

/* The mode is right from the beginning, so that nobody else can connect in between. */
static int bind_private(int file, const struct sockaddr_un *address)
{
	mode_t before = umask(0177);
	int failed = bind(file, (const struct sockaddr *)address, sizeof(*address)) ? -errno : 0;

	umask(before);
	return failed;
}

int hp_listen_socket(const char *path, struct hp_error *error)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (strlen(path) >= sizeof(address.sun_path))
		return fail(error, -ENAMETOOLONG, "--unix: the path has more than %zu bytes",
			    sizeof(address.sun_path) - 1);
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (is_left_over(&address))
		unlink(path);
	int file = socket(AF_UNIX, SOCKET_FLAGS, 0);
	int failed = file < 0 ? -errno : bind_private(file, &address);
	if (!failed && listen(file, BACKLOG))
		failed = -errno;
	if (!failed)
		return file;
	if (file >= 0)
		close(file);
	return fail(error, failed, "--unix: cannot listen on %.150s: %s", path, strerror(-failed));
}
