/* SPDX-License-Identifier: MIT */
/*
 * Calls every function for input and output once, each from a function of its own, and prints what a report must have:
 *
 *	= do_read read 1 3      the function, the operation, calls and bytes
 *
 * Ends with 1 if a function does not do what it should. The argument is a folder for its files.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* Functions as compilers call them that check sizes, and names that the C library has besides. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
int __printf_chk(int, const char *restrict, ...);
int __vprintf_chk(int, const char *restrict, va_list);
int __fprintf_chk(FILE *restrict, int, const char *restrict, ...);
int __vfprintf_chk(FILE *restrict, int, const char *restrict, va_list);
int __dprintf_chk(int, int, const char *restrict, ...);
int __vdprintf_chk(int, int, const char *restrict, va_list);
size_t __fread_chk(void *restrict, size_t, size_t, size_t, FILE *restrict);
size_t __fread_unlocked_chk(void *restrict, size_t, size_t, size_t, FILE *restrict);
char *__fgets_chk(char *restrict, size_t, int, FILE *restrict);
char *__fgets_unlocked_chk(char *restrict, size_t, int, FILE *restrict);
ssize_t __read(int, void *, size_t);
ssize_t __write(int, const void *, size_t);
ssize_t __pread64(int, void *, size_t, off64_t);
ssize_t __pwrite64(int, const void *, size_t, off64_t);
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
int __close(int);
int __connect(int, const struct sockaddr *, socklen_t);
ssize_t __send(int, const void *, size_t, int);
#ifdef __aarch64__
/* Here only programs call it that were linked long ago. */
__asm__(".symver __send, __send@GLIBC_2.17");
#endif
ssize_t __recv(int, void *, size_t, int);
ssize_t __getdelim(char **restrict, size_t *restrict, int, FILE *restrict);
int _IO_getc(FILE *);
int _IO_putc(int, FILE *);

static char expected[64 * 1024];
static char buffer[8192];
static struct iovec parts[2] = { { buffer, 2 }, { buffer + 2, 3 } };
static int file, pair[2];
static FILE *stream;

static void check(int line, int holds)
{
	if (holds)
		return;
	dprintf(2, "line %d: %s\n", line, strerror(errno));
	exit(1);
}

#define CHECK(...) check(__LINE__, (__VA_ARGS__))

static void expect(const char *name, const char *operation, int calls, int bytes)
{
	sprintf(strchr(expected, '\0'), "= %s %s %d %d\n", name, operation, calls, bytes);
}

/* Define a function, run it, and note what is expected of it. */
#define DO(name, operation, calls, bytes, ...)                                                     \
	static __attribute__((noinline)) void name(void)                                           \
	{                                                                                          \
		CHECK(__VA_ARGS__);                                                                \
		errno = 0;                                                                         \
	}                                                                                          \
	static void run_##name(void)                                                               \
	{                                                                                          \
		name();                                                                            \
		expect(#name, operation, calls, bytes);                                            \
	}

/* ---- descriptors ---- */

DO(do_write, "write", 1, 6000, write(file, buffer, 6000) == 6000)
DO(do_pwrite, "write", 1, 4, pwrite(file, "four", 4, 0) == 4)
DO(do_pwrite64, "write", 1, 5, pwrite64(file, "fives", 5, 0) == 5)
DO(do_writev, "write", 1, 5, writev(file, parts, 2) == 5)
DO(do_pwritev, "write", 1, 5, pwritev(file, parts, 2, 7) == 5)
DO(do_pwritev64, "write", 1, 5, pwritev64(file, parts, 2, 7) == 5)
DO(do_pwritev2, "write", 1, 5, pwritev2(file, parts, 2, 7, 0) == 5)
DO(do_pwritev64v2, "write", 1, 5, pwritev64v2(file, parts, 2, 7, 0) == 5)
DO(do_read, "read", 1, 7, lseek(file, 0, SEEK_SET) == 0 && read(file, buffer, 7) == 7)
DO(do_read_chk, "read", 1, 8, __read_chk(file, buffer, 8, sizeof(buffer)) == 8)
DO(do_pread, "read", 1, 9, pread(file, buffer, 9, 0) == 9)
DO(do_pread64, "read", 1, 10, pread64(file, buffer, 10, 0) == 10)
DO(do_pread_chk, "read", 1, 11, __pread_chk(file, buffer, 11, 0, sizeof(buffer)) == 11)
DO(do_pread64_chk, "read", 1, 12, __pread64_chk(file, buffer, 12, 0, sizeof(buffer)) == 12)
DO(do_readv, "read", 1, 5, readv(file, parts, 2) == 5)
DO(do_preadv, "read", 1, 5, preadv(file, parts, 2, 0) == 5)
DO(do_preadv64, "read", 1, 5, preadv64(file, parts, 2, 0) == 5)
DO(do_preadv2, "read", 1, 5, preadv2(file, parts, 2, 0, 0) == 5)
DO(do_preadv64v2, "read", 1, 5, preadv64v2(file, parts, 2, 0, 0) == 5)
DO(do_dprintf, "write", 1, 3, dprintf(file, "%d", 123) == 3)
DO(do_dprintf_chk, "write", 1, 4, __dprintf_chk(file, 1, "%d", 1234) == 4)

static void use_descriptors(void)
{
	run_do_write(), run_do_pwrite(), run_do_pwrite64(), run_do_writev(), run_do_pwritev();
	run_do_pwritev64(), run_do_pwritev2(), run_do_pwritev64v2();
	run_do_read(), run_do_read_chk(), run_do_pread(), run_do_pread64(), run_do_pread_chk();
	run_do_pread64_chk(), run_do_readv(), run_do_preadv(), run_do_preadv64();
	run_do_preadv2(), run_do_preadv64v2(), run_do_dprintf(), run_do_dprintf_chk();
}

/* ---- opening and closing ---- */

static int opened;

DO(do_open, "open", 1, 0, (opened = open("opened", O_RDWR | O_CREAT, 0640)) >= 0)
DO(do_close, "close", 1, 0, close(opened) == 0)
DO(do_open64, "open", 1, 0, (opened = open64("opened", O_RDONLY)) >= 0)
DO(do_openat, "open", 1, 0, (opened = openat(AT_FDCWD, "opened", O_RDONLY)) >= 0)
DO(do_openat64, "open", 1, 0, (opened = openat64(AT_FDCWD, ".", O_TMPFILE | O_RDWR, 0600)) >= 0)
DO(do_open_2, "open", 1, 0, (opened = __open_2("opened", O_RDONLY)) >= 0)
DO(do_open64_2, "open", 1, 0, (opened = __open64_2("opened", O_RDONLY)) >= 0)
DO(do_openat_2, "open", 1, 0, (opened = __openat_2(AT_FDCWD, "opened", O_RDONLY)) >= 0)
DO(do_openat64_2, "open", 1, 0, (opened = __openat64_2(AT_FDCWD, "opened", O_RDONLY)) >= 0)
DO(do_creat, "open", 1, 0, (opened = creat("opened", 0600)) >= 0)
DO(do_creat64, "open", 1, 0, (opened = creat64("opened", 0600)) >= 0)

static char name[] = "makeXXXXXX", with_suffix[] = "makeXXXXXX.txt";

DO(do_mkstemp, "open", 1, 0, (opened = mkstemp(name)) >= 0 && unlink(name) == 0)
DO(do_mkostemps, "open", 1, 0, (opened = mkostemps(with_suffix, 4, O_CLOEXEC)) >= 0)

static void use_openings(void)
{
	run_do_open(), CHECK((umask(0), 1)), run_do_close();
	run_do_open64(), CHECK(close_range((unsigned)opened, (unsigned)opened, 0) == 0);
	run_do_openat(), close(opened);
	run_do_openat64(), close(opened);
	run_do_open_2(), close(opened);
	run_do_open64_2(), close(opened);
	run_do_openat_2(), close(opened);
	run_do_openat64_2(), close(opened);
	run_do_creat(), close(opened);
	run_do_creat64(), closefrom(opened);
	run_do_mkstemp(), close(opened);
	run_do_mkostemps(), close(opened), unlink(with_suffix);
}

/* ---- to the disk, and from one descriptor to another ---- */

static void *mapped;
static int ends[2], others[2];

DO(do_fsync, "fsync", 1, 0, fsync(file) == 0)
DO(do_fdatasync, "fdatasync", 1, 0, fdatasync(file) == 0)
DO(do_sync_file_range, "sync_file_range", 1, 0,
   sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE) == 0 || errno == ENOSYS)
DO(do_syncfs, "syncfs", 1, 0, syncfs(file) == 0)
DO(do_msync, "msync", 1, 0, msync(mapped, 4096, MS_SYNC) == 0)
DO(do_sendfile, "copy", 1, 13, sendfile(pair[0], file, &(off_t){ 0 }, 13) == 13)
DO(do_sendfile64, "copy", 1, 14, sendfile64(pair[0], file, &(off64_t){ 0 }, 14) == 14)
DO(do_splice, "splice", 1, 15, splice(file, &(off64_t){ 0 }, ends[1], NULL, 15, 0) == 15)
DO(do_tee, "splice", 1, 15, tee(ends[0], others[1], 15, 0) == 15)
DO(do_vmsplice, "splice", 1, 5, vmsplice(others[1], parts, 2, 0) == 5)

static int copy;

static __attribute__((noinline)) void do_copy_file_range(void)
{
	ssize_t result = copy_file_range(file, &(off64_t){ 0 }, copy, NULL, 16, 0);

	CHECK(result == 16 || (result < 0 && errno == EXDEV));
	expect("do_copy_file_range", "copy", 1, result == 16 ? 16 : 0);
}

static void use_transfers(void)
{
	copy = open("copy", O_RDWR | O_CREAT, 0600);
	CHECK(pipe(ends) == 0 && pipe2(others, O_CLOEXEC) == 0);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	run_do_fsync(), run_do_fdatasync(), run_do_sync_file_range(), run_do_syncfs();
	run_do_msync(), run_do_sendfile(), run_do_sendfile64(), run_do_splice(), run_do_tee();
	run_do_vmsplice(), do_copy_file_range();
	CHECK(recv(pair[1], buffer, 27, MSG_WAITALL) == 27);
}

/* ---- sockets ---- */

static struct sockaddr_un address = { AF_UNIX, "peer" };
static int listening, connected, accepted;
static struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
static struct mmsghdr messages[2];

DO(do_send, "send", 1, 3, send(pair[0], "abc", 3, 0) == 3)
DO(do_sendto, "send", 1, 4, sendto(pair[0], "abcd", 4, 0, NULL, 0) == 4)
DO(do_sendmsg, "send", 1, 5, sendmsg(pair[0], &message, 0) == 5)
DO(do_sendmmsg, "send", 1, 10, sendmmsg(pair[0], messages, 2, 0) == 2)
DO(do_recv, "receive", 1, 3, recv(pair[1], buffer, 3, 0) == 3)
DO(do_recv_chk, "receive", 1, 2, __recv_chk(pair[1], buffer, 2, sizeof(buffer), 0) == 2)
DO(do_recvfrom, "receive", 1, 1, recvfrom(pair[1], buffer, 1, 0, NULL, NULL) == 1)
DO(do_recvfrom_chk, "receive", 1, 1,
   __recvfrom_chk(pair[1], buffer, 1, sizeof(buffer), 0, NULL, NULL) == 1)
DO(do_recvmsg, "receive", 1, 5, recvmsg(pair[1], &message, 0) == 5)
DO(do_recvmmsg, "receive", 1, 10, recvmmsg(pair[1], messages, 2, 0, NULL) == 2)
DO(do_connect, "connect", 1, 0,
   connect(connected, (struct sockaddr *)&address, sizeof(address)) == 0)
DO(do_accept, "accept", 1, 0, (accepted = accept(listening, NULL, NULL)) >= 0)
DO(do_accept4, "accept", 1, 0, (accepted = accept4(listening, NULL, NULL, SOCK_CLOEXEC)) >= 0)

static void reconnect(void)
{
	close(connected), close(accepted);
	connected = socket(AF_UNIX, SOCK_STREAM, 0);
}

static void use_sockets(void)
{
	messages[0].msg_hdr = messages[1].msg_hdr = message;
	listening = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK(bind(listening, (struct sockaddr *)&address, sizeof(address)) == 0);
	CHECK(listen(listening, 5) == 0);
	connected = socket(AF_UNIX, SOCK_STREAM, 0);
	run_do_send(), run_do_sendto(), run_do_sendmsg(), run_do_sendmmsg();
	run_do_recv(), run_do_recv_chk(), run_do_recvfrom(), run_do_recvfrom_chk();
	run_do_recvmsg(), run_do_recvmmsg();
	run_do_connect(), run_do_accept(), reconnect();
	CHECK(connect(connected, (struct sockaddr *)&address, sizeof(address)) == 0);
	run_do_accept4(), reconnect();
}

/* ---- stdio ---- */

static FILE *made;
static char *line;
static size_t line_size;

DO(do_fopen, "open", 1, 0, (made = fopen("stream", "w+")) != NULL)
DO(do_fopen64, "open", 1, 0, (made = fopen64("stream", "r")) != NULL)
DO(do_freopen, "open", 1, 0, (made = freopen("stream", "w+", made)) != NULL)
DO(do_tmpfile, "open", 1, 0, (made = tmpfile()) != NULL)
DO(do_fclose, "close", 1, 0, fclose(made) == 0)
/* The stream has no buffer: each call is written at once. */
DO(do_fwrite, "write", 1, 6, fwrite("abcdef", 3, 2, stream) == 2)
DO(do_fwrite_unlocked, "write", 1, 6, (fwrite_unlocked)("abcde\n", 2, 3, stream) == 3)
DO(do_fputs, "write", 1, 4, fputs("abc\n", stream) >= 0)
DO(do_fputs_unlocked, "write", 1, 4, fputs_unlocked("abc\n", stream) >= 0)
DO(do_fputc, "write", 1, 1, fputc('x', stream) == 'x')
DO(do_putc, "write", 1, 1, (putc)('x', stream) == 'x')
DO(do_fputc_unlocked, "write", 1, 1, fputc_unlocked('x', stream) == 'x')
DO(do_putc_unlocked, "write", 1, 1, (putc_unlocked)('\n', stream) == '\n')
DO(do_fprintf, "write", 1, 5, fprintf(stream, "%s\n", "four") == 5)
DO(do_fprintf_chk, "write", 1, 6, __fprintf_chk(stream, 1, "%s\n", "fives") == 6)
DO(do_fread, "read", 1, 4, fread(buffer, 2, 2, stream) == 2)
DO(do_fread_unlocked, "read", 1, 4, (fread_unlocked)(buffer, 4, 1, stream) == 1)
DO(do_fread_chk, "read", 1, 2, __fread_chk(buffer, sizeof(buffer), 1, 2, stream) == 2)
DO(do_fread_unlocked_chk, "read", 1, 2,
   __fread_unlocked_chk(buffer, sizeof(buffer), 1, 2, stream) == 2)
DO(do_fgetc, "read", 1, 1, fgetc(stream) != EOF)
DO(do_getc, "read", 1, 1, (getc)(stream) != EOF)
DO(do_fgetc_unlocked, "read", 1, 1, fgetc_unlocked(stream) != EOF)
DO(do_getc_unlocked, "read", 1, 1, (getc_unlocked)(stream) != EOF)

/* With a buffer: 10 bytes are read by the first call, and none by the others. */
DO(do_fgets, "read", 1, 10, fgets(buffer, 100, stream) && strcmp(buffer, "aa\n") == 0)
DO(do_getline, "read", 1, 10, getline(&line, &line_size, stream) == 3)
DO(do_getdelim, "read", 1, 10, getdelim(&line, &line_size, 'a', stream) == 1)
DO(do_fgets_unlocked, "read", 1, 10, fgets_unlocked(buffer, 100, stream) != NULL)
DO(do_fgets_chk, "read", 1, 10, __fgets_chk(buffer, 100, 100, stream) != NULL)
DO(do_fgets_unlocked_chk, "read", 1, 10, __fgets_unlocked_chk(buffer, 100, 100, stream) != NULL)
DO(do_fscanf, "read", 1, 10, fscanf(stream, "%99s", buffer) == 1 && strcmp(buffer, "aa") == 0)
DO(do_fflush, "flush", 1, 7, fputs("flushed", stream) >= 0 && fflush(stream) == 0)
DO(do_fseek, "flush", 1, 7, fputs("flushed", stream) >= 0 && fseek(stream, 0, SEEK_SET) == 0)
DO(do_rewind, "flush", 1, 7, fputs("flushed", stream) >= 0 && (rewind(stream), 1))
DO(do_fclose_all, "close", 1, 7, fputs("flushed", stream) >= 0 && fclose(stream) == 0)
DO(do_printf, "write", 1, 5, printf("%s\n", "12345"[0] ? "four" : "") == 5)
DO(do_puts, "write", 1, 5, puts("four") >= 0)
DO(do_putchar, "write", 1, 1, putchar('\n') == '\n')
DO(do_printf_chk, "write", 1, 5, __printf_chk(1, "%s\n", "four") == 5)

static int print_list(int (*print)(const char *, va_list), const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	int result = print(format, arguments);
	va_end(arguments);
	return result;
}

static __attribute__((noinline)) int do_vprintf(const char *format, va_list arguments)
{
	int result = vprintf(format, arguments);

	CHECK(result == 5);
	expect("do_vprintf", "write", 1, 5);
	return result;
}

static __attribute__((noinline)) int do_vfprintf(const char *format, va_list arguments)
{
	int result = vfprintf(stream, format, arguments);

	CHECK(result == 5);
	expect("do_vfprintf", "write", 1, 5);
	return result;
}

static __attribute__((noinline)) int do_vfprintf_chk(const char *format, va_list arguments)
{
	int result = __vfprintf_chk(stream, 1, format, arguments);

	CHECK(result == 5);
	expect("do_vfprintf_chk", "write", 1, 5);
	return result;
}

static __attribute__((noinline)) int do_vdprintf(const char *format, va_list arguments)
{
	int result = vdprintf(file, format, arguments);

	CHECK(result == 5);
	expect("do_vdprintf", "write", 1, 5);
	return result;
}

/* A file of ten bytes, read with a buffer. */
static void open_ten(void)
{
	int ten = open("ten", O_RDWR | O_CREAT | O_TRUNC, 0600);

	CHECK(write(ten, "aa\nbb\nccc\n", 10) == 10 && close(ten) == 0);
	stream = fopen("ten", "r");
}

static void use_lines(void)
{
	static void (*const takes[])(void) = { run_do_fgets,	 run_do_getline,
					       run_do_getdelim,	 run_do_fgets_unlocked,
					       run_do_fgets_chk, run_do_fgets_unlocked_chk,
					       run_do_fscanf };

	for (size_t i = 0; i < sizeof(takes) / sizeof(*takes); i++) {
		open_ten();
		takes[i]();
		/* The rest is in the buffer. */
		while (fgets(buffer, 100, stream))
			;
		fclose(stream);
	}
}

static void use_unbuffered(void)
{
	stream = fopen("unbuffered", "w+");
	setvbuf(stream, NULL, _IONBF, 0);
	run_do_fwrite(), run_do_fwrite_unlocked(), run_do_fputs(), run_do_fputs_unlocked();
	run_do_fputc(), run_do_putc(), run_do_fputc_unlocked(), run_do_putc_unlocked();
	run_do_fprintf(), run_do_fprintf_chk();
	print_list(do_vfprintf, "%s\n", "four");
	print_list(do_vfprintf_chk, "%s\n", "four");
	rewind(stream);
	run_do_fread(), run_do_fread_unlocked(), run_do_fread_chk(), run_do_fread_unlocked_chk();
	run_do_fgetc(), run_do_getc(), run_do_fgetc_unlocked(), run_do_getc_unlocked();
	fclose(stream);
}

/* Thousands of calls, of which few write. */
static __attribute__((noinline)) void do_many(void)
{
	for (int i = 0; i < 3000; i++)
		fputs("0123456789", stream);
	/* 30000 bytes, in blocks of 4096. */
	expect("do_many", "write", 7, 7 * 4096);
}

static void use_buffered(void)
{
	stream = fopen("buffered", "w+");
	run_do_fflush(), run_do_fseek(), run_do_rewind();
	fclose(stream);
	stream = fopen("many", "w");
	do_many();
	CHECK(fclose(stream) == 0);
	stream = fopen("buffered", "w+");
	run_do_fclose_all();
}

static void use_streams(void)
{
	run_do_fopen(), run_do_freopen(), run_do_fclose(), run_do_fopen64(), fclose(made);
	run_do_tmpfile(), fclose(made);
	use_unbuffered(), use_buffered(), use_lines();
	CHECK(freopen("standard output", "w", stdout) && setvbuf(stdout, NULL, _IOLBF, 0) == 0);
	run_do_printf(), run_do_puts(), run_do_putchar(), run_do_printf_chk();
	print_list(do_vprintf, "%s\n", "four");
	print_list(do_vdprintf, "%s\n", "four");
}

/* ---- other names ---- */

#ifndef IS_STATIC
DO(do__write, "write", 1, 3, __write(file, "abc", 3) == 3)
DO(do__read, "read", 1, 3, lseek(file, 0, SEEK_SET) == 0 && __read(file, buffer, 3) == 3)
DO(do__pread64, "read", 1, 3, __pread64(file, buffer, 3, 0) == 3)
DO(do__pwrite64, "write", 1, 3, __pwrite64(file, "abc", 3, 0) == 3)
DO(do__open, "open", 1, 0, (opened = __open("opened", O_RDONLY)) >= 0)
DO(do__open64, "open", 1, 0, (opened = __open64("opened", O_RDONLY)) >= 0)
DO(do__close, "close", 1, 0, __close(opened) == 0)
DO(do__send, "send", 1, 3, __send(pair[0], "abc", 3, 0) == 3)
DO(do__recv, "receive", 1, 3, recv(pair[1], buffer, 3, 0) == 3)

static void use_names(void)
{
	run_do__write(), run_do__read(), run_do__pread64(), run_do__pwrite64();
	run_do__open(), close(opened), run_do__open64(), run_do__close();
	run_do__send(), run_do__recv();
}
#else
static void use_names(void) {}
#endif

int main(int count, char **arguments)
{
	int output = dup(1);

	CHECK(count == 2 && chdir(arguments[1]) == 0);
	file = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	CHECK(fcntl(pair[1], F_SETFL, 0) == 0);
	use_descriptors();
	use_openings();
	pair[0] = dup(pair[0]);
	use_transfers();
	use_sockets();
	use_streams();
	use_names();
	size_t length = strlen(expected);
	CHECK(write(output, expected, length) == (ssize_t)length);
	return 0;
}
