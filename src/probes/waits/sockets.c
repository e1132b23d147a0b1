/* SPDX-License-Identifier: MIT */
/* Sockets: sending and receiving, and by whom they are connected. */
#include "io_call.h"

/* The vector of a message is known to be readable when the call has succeeded. */
static size_t size_of(const struct msghdr *message, ssize_t result)
{
	size_t size = 0;

	for (size_t i = 0; result >= 0 && i < message->msg_iovlen; i++)
		size += message->msg_iov[i].iov_len;
	return size;
}

DEFINE(ssize_t, send, int fd, const void *from, size_t size, int flags)
{
	TRANSFER(SEND, fd, size, NEXT(send)(fd, from, size, flags));
}

DEFINE(ssize_t, sendto, int fd, const void *from, size_t size, int flags, const struct sockaddr *to,
       socklen_t to_size)
{
	TRANSFER(SEND, fd, size, NEXT(sendto)(fd, from, size, flags, to, to_size));
}

DEFINE(ssize_t, sendmsg, int fd, const struct msghdr *message, int flags)
{
	TRANSFER(SEND, fd, size_of(message, result), NEXT(sendmsg)(fd, message, flags));
}

DEFINE(ssize_t, recv, int fd, void *into, size_t size, int flags)
{
	TRANSFER(RECEIVE, fd, size, NEXT(recv)(fd, into, size, flags));
}

DEFINE(ssize_t, __recv_chk, int fd, void *into, size_t size, size_t room, int flags)
{
	TRANSFER(RECEIVE, fd, size, NEXT(__recv_chk)(fd, into, size, room, flags));
}

DEFINE(ssize_t, recvfrom, int fd, void *restrict into, size_t size, int flags,
       struct sockaddr *restrict from, socklen_t *restrict from_size)
{
	TRANSFER(RECEIVE, fd, size, NEXT(recvfrom)(fd, into, size, flags, from, from_size));
}

DEFINE(ssize_t, __recvfrom_chk, int fd, void *into, size_t size, size_t room, int flags,
       struct sockaddr *restrict from, socklen_t *restrict from_size)
{
	TRANSFER(RECEIVE, fd, size,
		 NEXT(__recvfrom_chk)(fd, into, size, room, flags, from, from_size));
}

DEFINE(ssize_t, recvmsg, int fd, struct msghdr *message, int flags)
{
	TRANSFER(RECEIVE, fd, size_of(message, result), NEXT(recvmsg)(fd, message, flags));
}

/* ---- several messages ---- */

/* They are one call; the bytes are those of the messages that were sent or received. */
static void messages_end(struct io *io, const struct mmsghdr *messages, int result)
{
	uint64_t bytes = 0;

	for (int i = 0; i < result; i++)
		bytes += messages[i].msg_len;
	io_moved(io, bytes, result < 0);
}

#define MESSAGES(operation, call)                                                                  \
	do {                                                                                       \
		CALL(io);                                                                          \
		if (!io_begin(&io, HP_OPERATION_##operation, fd, FROM))                            \
			return (call);                                                             \
		int result = (call);                                                               \
		messages_end(&io, messages, result);                                               \
		return result;                                                                     \
	} while (0)

DEFINE(int, sendmmsg, int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	MESSAGES(SEND, NEXT(sendmmsg)(fd, messages, count, flags));
}

DEFINE(int, recvmmsg, int fd, struct mmsghdr *messages, unsigned count, int flags,
       struct timespec *timeout)
{
	MESSAGES(RECEIVE, NEXT(recvmmsg)(fd, messages, count, flags, timeout));
}

/* ---- connections ---- */

/* A socket that was accepted has the target of the one that listens: "clients of 127.0.0.1:80". */
#define ACCEPT(call)                                                                               \
	do {                                                                                       \
		CALL(io);                                                                          \
		bool is_on = io_begin(&io, HP_OPERATION_ACCEPT, fd, FROM);                         \
		int result = (call);                                                               \
		if (is_on)                                                                         \
			io_ended(&io, result);                                                     \
		descriptors_copy(fd, result);                                                      \
		return result;                                                                     \
	} while (0)

DEFINE(int, accept, int fd, struct sockaddr *restrict from, socklen_t *restrict size)
{
	ACCEPT(NEXT(accept)(fd, from, size));
}

DEFINE(int, accept4, int fd, struct sockaddr *restrict from, socklen_t *restrict size, int flags)
{
	ACCEPT(NEXT(accept4)(fd, from, size, flags));
}

/* The address is known to be readable when the call has not failed with EFAULT. */
static void connected(struct io *io, int fd, const struct sockaddr *to, socklen_t size, int result)
{
	uint64_t until = hotpath__probe_ticks();
	int error = errno;
	bool is_peer = result == 0 || error == EINPROGRESS;
	io_target peer = result == 0 || error != EFAULT ? target_of_peer(to, size) : 0;

	descriptors_set(fd, is_peer ? peer : 0);
	errno = error;
	io_ended_at(io, until, peer, result);
}

#define CONNECT(call)                                                                              \
	do {                                                                                       \
		CALL(io);                                                                          \
		bool is_on = io_on() && io_begin_with(&io, HP_OPERATION_CONNECT, NETWORK, FROM);   \
		int result = (call);                                                               \
		if (is_on)                                                                         \
			connected(&io, fd, to, size, result);                                      \
		else                                                                               \
			descriptors_forget(fd);                                                    \
		return result;                                                                     \
	} while (0)

/* A peer that is not known yet. */
#define NETWORK ((io_target)(HP_REASON_NETWORK - HP_REASON_DISK) << TARGET_SITE_BITS)

DEFINE(int, connect, int fd, const struct sockaddr *to, socklen_t size)
{
	CONNECT(NEXT(connect)(fd, to, size));
}

/* ---- new descriptors ---- */

DEFINE(int, bind, int fd, const struct sockaddr *address, socklen_t size)
{
	descriptors_forget(fd);
	return NEXT(bind)(fd, address, size);
}

static int is_new(int fd)
{
	descriptors_forget(fd);
	return fd;
}

DEFINE(int, socket, int domain, int type, int protocol)
{
	return is_new(NEXT(socket)(domain, type, protocol));
}

DEFINE(int, socketpair, int domain, int type, int protocol, int fds[2])
{
	int result = NEXT(socketpair)(domain, type, protocol, fds);

	if (result == 0) {
		descriptors_forget(fds[0]);
		descriptors_forget(fds[1]);
	}
	return result;
}

/* ---- other names ---- */

#ifndef HOTPATH_WRAP

DEFINE(ssize_t, __send, int fd, const void *from, size_t size, int flags)
{
	TRANSFER(SEND, fd, size, NEXT(__send)(fd, from, size, flags));
}

DEFINE(ssize_t, __recv, int fd, void *into, size_t size, int flags)
{
	TRANSFER(RECEIVE, fd, size, NEXT(__recv)(fd, into, size, flags));
}

DEFINE(int, __sendmmsg, int fd, struct mmsghdr *messages, unsigned count, int flags)
{
	MESSAGES(SEND, NEXT(__sendmmsg)(fd, messages, count, flags));
}

DEFINE(int, __connect, int fd, const struct sockaddr *to, socklen_t size)
{
	CONNECT(NEXT(__connect)(fd, to, size));
}

DEFINE(int, __socket, int domain, int type, int protocol)
{
	return is_new(NEXT(__socket)(domain, type, protocol));
}

#endif
