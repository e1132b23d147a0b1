/* SPDX-License-Identifier: MIT */
/* How many bytes calls of stdio read and write, by the pointers into the buffers of streams. */
#include "streams.h"

#include <string.h>

/* Flags of glibc that its headers do not name: the buffer is not used; it is written at the end of a line; the pointers for
   reading are those of characters that were pushed back. */
enum { UNBUFFERED = 0x0002, LINE_BUFFERED = 0x0200, PUSHED_BACK = 0x0100 };

extern char __libc_single_threaded __attribute__((weak));

/* Walk all streams; not every C library has these. */
extern FILE *_IO_iter_begin(void) __attribute__((weak));
extern FILE *_IO_iter_end(void) __attribute__((weak));
extern FILE *_IO_iter_next(FILE *at) __attribute__((weak));
extern FILE *_IO_iter_file(FILE *at) __attribute__((weak));
extern void _IO_list_lock(void) __attribute__((weak));
extern void _IO_list_unlock(void) __attribute__((weak));

/* Bytes that are to be written. */
static size_t pending(const FILE *stream)
{
	return stream->_IO_write_ptr > stream->_IO_write_base
		       ? (size_t)(stream->_IO_write_ptr - stream->_IO_write_base)
		       : 0;
}

/* Bytes that were read, and not taken. */
static size_t available(const FILE *stream)
{
	size_t size = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);

	if (stream->_flags & PUSHED_BACK)
		size += (size_t)(stream->_IO_save_end - stream->_IO_save_base);
	return size;
}

static bool is_usable(const FILE *stream)
{
	return io_on() && stream && stream->_fileno >= 0 && stream->_mode <= 0;
}

static bool begin(struct call *call, FILE *stream, enum locking locking)
{
	*call = (struct call){ .stream = stream, .is_on = false };
	if (!is_usable(stream) || !hotpath__may_block())
		return false;
	call->is_locked = locking == LOCKED && !(stream->_flags & _IO_USER_LOCK) &&
			  !(&__libc_single_threaded && __libc_single_threaded);
	if (call->is_locked)
		flockfile(stream);
	call->flags = stream->_flags & (_IO_EOF_SEEN | _IO_ERR_SEEN);
	call->read_at = stream->_IO_read_ptr;
	call->read_end = stream->_IO_read_end;
	return true;
}

static void unlock(struct call *call)
{
	if (call->is_locked)
		funlockfile(call->stream);
	call->is_locked = false;
}

static void record(struct call *call, uint64_t bytes, bool is_failed)
{
	if (call->is_on && (bytes || is_failed))
		io_moved(&call->io, bytes, is_failed);
	else if (call->is_on)
		io_cancel(&call->io);
	unlock(call);
}

void stream_abandon(void *abandoned)
{
	struct call *call = abandoned;

	if (call->is_on)
		io_abandoned(&call->io);
	unlock(call);
}

/* ---- writing ---- */

bool stream_puts(struct call *call, FILE *stream, enum locking locking, size_t size, uintptr_t from)
{
	if (!begin(call, stream, locking))
		return false;
	if (!(stream->_flags & (UNBUFFERED | LINE_BUFFERED)) &&
	    stream->_IO_write_ptr < stream->_IO_write_end &&
	    size <= (size_t)(stream->_IO_write_end - stream->_IO_write_ptr))
		return false;
	call->before = pending(stream);
	call->is_on = io_begin(&call->io, HP_OPERATION_WRITE, stream->_fileno, from);
	return call->is_on;
}

void stream_put(struct call *call, size_t size, bool is_failed)
{
	size_t now = call->is_on ? pending(call->stream) : 0, all = call->before + size;

	record(call, all > now ? all - now : 0, is_failed);
}

bool stream_flushes(struct call *call, FILE *stream, enum locking locking,
		    enum hp_operation operation, uintptr_t from)
{
	if (!begin(call, stream, locking))
		return false;
	call->before = pending(stream);
	call->is_on = (call->before || operation != HP_OPERATION_FLUSH) &&
		      io_begin(&call->io, operation, stream->_fileno, from);
	return call->is_on;
}

void stream_flushed(struct call *call, bool is_failed)
{
	stream_put(call, 0, is_failed);
}

/* ---- reading ---- */

static bool begin_reading(struct call *call, uintptr_t from)
{
	call->before = available(call->stream);
	call->is_on = io_begin(&call->io, HP_OPERATION_READ, call->stream->_fileno, from);
	return call->is_on;
}

bool stream_takes(struct call *call, FILE *stream, enum locking locking, size_t size,
		  uintptr_t from)
{
	return begin(call, stream, locking) && size > available(stream) &&
	       begin_reading(call, from);
}

bool stream_takes_line(struct call *call, FILE *stream, enum locking locking, int delimiter,
		       size_t size, uintptr_t from)
{
	if (!begin(call, stream, locking))
		return false;
	size_t here = (size_t)(stream->_IO_read_end - stream->_IO_read_ptr);
	if (here && (size <= here || memchr(stream->_IO_read_ptr, delimiter, here)))
		return false;
	return begin_reading(call, from);
}

/* At the end of a file nothing is read, but the kernel was asked. */
static void end_reading(struct call *call, uint64_t bytes)
{
	int flags = call->stream->_flags & ~call->flags & (_IO_EOF_SEEN | _IO_ERR_SEEN);
	bool is_failed = flags & _IO_ERR_SEEN;

	if (call->is_on && (bytes || flags))
		io_moved(&call->io, bytes, is_failed);
	else if (call->is_on)
		io_cancel(&call->io);
	unlock(call);
}

void stream_took(struct call *call, size_t size)
{
	size_t all = call->is_on ? size + available(call->stream) : 0;

	if (call->is_on)
		end_reading(call, all > call->before ? all - call->before : 0);
	else
		unlock(call);
}

/* If the buffer was filled anew, it has what was read last. */
void stream_took_some(struct call *call)
{
	const FILE *stream = call->stream;

	if (!call->is_on) {
		unlock(call);
		return;
	}
	bool is_filled = stream->_IO_read_end != call->read_end ||
			 stream->_IO_read_ptr < call->read_at;
	end_reading(call, is_filled ? (uint64_t)(stream->_IO_read_end - stream->_IO_read_base) : 0);
}

/* ---- all streams ---- */

static uint64_t count_one(const FILE *stream, uint32_t function)
{
	uint64_t bytes = is_usable(stream) ? pending(stream) : 0;

	if (bytes)
		io_untimed(HP_OPERATION_WRITE, descriptors_learn(stream->_fileno), function, bytes);
	return bytes;
}

uint64_t streams_count_all(uint32_t function)
{
	uint64_t bytes = 0;

	if (!_IO_iter_begin || !_IO_list_lock || !io_on() || !hotpath__may_block())
		return 0;
	_IO_list_lock();
	for (FILE *at = _IO_iter_begin(); at != _IO_iter_end(); at = _IO_iter_next(at))
		bytes += count_one(_IO_iter_file(at), function);
	_IO_list_unlock();
	return bytes;
}

/* The C library writes the buffers when all destructors have run. */
__attribute__((destructor)) static void program_ends(void)
{
	if (io_on() && hotpath__may_block())
		hotpath__io_pending(
			streams_count_all(hotpath__target_site("<exit>", HP_REASON_NONE)));
}
