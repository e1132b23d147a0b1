/* SPDX-License-Identifier: MIT */
/* What is recorded of a call of input or output. */
#include "io_call.h"

#include "waits_mode.h"

uint8_t io_state;

/* The first call asks; if several threads do, they get the same answer. */
bool io_find_out(void)
{
	bool wanted = (hotpath__waits_wanted() & HP_WAITS_IO) && descriptors_reserve();

	/* Pairs with the ACQUIRE of io_on, which uses what was reserved. */
	store(&io_state, wanted ? 2 : 1, RELEASE);
	return wanted;
}

bool io_begin_with(struct io *io, enum hp_operation operation, io_target target, uintptr_t from)
{
	io->operation = operation;
	io->blocking.reason = target_medium(target);
	io->blocking.target = target_site(target);
	io->blocking.holder = 0;
	io->blocking.holder_function = 0;
	io->blocking.lock = 0;
	io->blocking.is_timed = false;
	hotpath__block_begin(&io->blocking, from);
	return io->blocking.since != 0;
}

bool io_begin(struct io *io, enum hp_operation operation, int fd, uintptr_t from)
{
	if (unlikely(!io_on()))
		return false;
	io_target target = descriptors_find(fd);
	if (unlikely(!target)) {
		if (!hotpath__may_block())
			return false;
		target = descriptors_learn(fd);
	}
	return io_begin_with(io, operation, target, from);
}

/* Whether a call has failed: it has not if it would block, was interrupted, or goes on in the background. */
static bool is_error(int error)
{
	return error != EAGAIN && error != EWOULDBLOCK && error != EINTR && error != EINPROGRESS;
}

/* A file gives fewer bytes than asked for only at its end. A pipe or a peer that is at its end gives 0. */
static bool is_short(const struct io *io, size_t result, size_t asked)
{
	if (io->operation == HP_OPERATION_READ || io->operation == HP_OPERATION_RECEIVE)
		return result && result < asked && io->blocking.reason != HP_REASON_DISK;
	return result < asked;
}

void io_end(struct io *io, ssize_t result, size_t asked)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	if (likely(result >= 0)) {
		counts[HP_IO_BYTES] = (uint64_t)result;
		counts[HP_IO_SHORT] = is_short(io, (size_t)result, asked);
		counts[HP_IO_SMALL] = result < HP_IO_SMALL_BYTES;
	} else {
		counts[HP_IO_ERRORS] = is_error(errno);
	}
	hotpath__io_end(&io->blocking, 0, io->operation, counts);
	io->blocking.since = 0;
}

void io_ended_at(struct io *io, uint64_t until, io_target target, long result)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	counts[HP_IO_ERRORS] = result == -1 && is_error(errno);
	io->blocking.target = target_site(target);
	hotpath__io_end(&io->blocking, until, io->operation, counts);
	io->blocking.since = 0;
}

void io_ended(struct io *io, long result)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	counts[HP_IO_ERRORS] = result == -1 && is_error(errno);
	hotpath__io_end(&io->blocking, 0, io->operation, counts);
	io->blocking.since = 0;
}

void io_moved(struct io *io, uint64_t bytes, bool is_failed)
{
	uint64_t counts[HOTPATH__BLOCK_COUNTERS] = { 0 };

	counts[HP_IO_BYTES] = bytes;
	counts[HP_IO_ERRORS] = is_failed && is_error(errno);
	counts[HP_IO_SMALL] = bytes < HP_IO_SMALL_BYTES &&
			      (bytes || io->operation != HP_OPERATION_CLOSE);
	hotpath__io_end(&io->blocking, 0, io->operation, counts);
	io->blocking.since = 0;
}

void io_cancel(struct io *io)
{
	hotpath__io_end(&io->blocking, 0, HP_OPERATION_NONE, NULL);
	io->blocking.since = 0;
}

void io_untimed(enum hp_operation operation, io_target target, uint32_t function, uint64_t bytes)
{
	uint32_t edge = hotpath__edge_site(HP_SITE_IO, operation, function, target_site(target));
	struct hotpath__event event = { .site = edge };

	event.counts[HP_IO_BYTES] = bytes;
	event.counts[HP_IO_SMALL] = bytes < HP_IO_SMALL_BYTES;
	event.counts[HP_IO_UNTIMED] = 1;
	hotpath__happened(&event);
}
