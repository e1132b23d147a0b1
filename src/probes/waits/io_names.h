/* SPDX-License-Identifier: MIT */
/* Functions for input and output, and declarations of those that headers do not have: with checks of sizes, and under other
   names. */
#ifndef WAITS_IO_NAMES_H
#define WAITS_IO_NAMES_H

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* These may be macros. */
#undef getc
#undef putc
#undef fread_unlocked
#undef fwrite_unlocked

ssize_t __read_chk(int fd, void *into, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *into, size_t size, off_t at, size_t room);
ssize_t __pread64_chk(int fd, void *into, size_t size, off64_t at, size_t room);
ssize_t __recv_chk(int fd, void *into, size_t size, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *into, size_t size, size_t room, int flags,
		       struct sockaddr *restrict from, socklen_t *restrict from_size);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int folder, const char *path, int flags);
int __openat64_2(int folder, const char *path, int flags);
int __printf_chk(int check, const char *restrict format, ...);
int __vprintf_chk(int check, const char *restrict format, va_list arguments);
int __fprintf_chk(FILE *restrict stream, int check, const char *restrict format, ...);
int __vfprintf_chk(FILE *restrict stream, int check, const char *restrict format,
		   va_list arguments);
int __dprintf_chk(int fd, int check, const char *restrict format, ...);
int __vdprintf_chk(int fd, int check, const char *restrict format, va_list arguments);
size_t __fread_chk(void *restrict into, size_t room, size_t size, size_t count,
		   FILE *restrict stream);
size_t __fread_unlocked_chk(void *restrict into, size_t room, size_t size, size_t count,
			    FILE *restrict stream);
char *__fgets_chk(char *restrict into, size_t room, int size, FILE *restrict stream);
char *__fgets_unlocked_chk(char *restrict into, size_t room, int size, FILE *restrict stream);
int __isoc99_scanf(const char *restrict format, ...);
int __isoc99_vscanf(const char *restrict format, va_list arguments);
int __isoc99_fscanf(FILE *restrict stream, const char *restrict format, ...);
int __isoc99_vfscanf(FILE *restrict stream, const char *restrict format, va_list arguments);

ssize_t __read(int fd, void *into, size_t size);
ssize_t __write(int fd, const void *from, size_t size);
ssize_t __pread64(int fd, void *into, size_t size, off64_t at);
ssize_t __pwrite64(int fd, const void *from, size_t size, off64_t at);
int __open(const char *path, int flags, ...);
int __open64(const char *path, int flags, ...);
int __close(int fd);
int __connect(int fd, const struct sockaddr *to, socklen_t size);
ssize_t __send(int fd, const void *from, size_t size, int flags);
ssize_t __recv(int fd, void *into, size_t size, int flags);
int __sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags);
int __dup2(int old, int new);
int __fcntl(int fd, int command, ...);
int __pipe(int fds[2]);
int __socket(int domain, int type, int protocol);
ssize_t __getdelim(char **restrict line, size_t *restrict size, int delimiter,
		   FILE *restrict stream);
int _IO_getc(FILE *stream);
int _IO_putc(int c, FILE *stream);
int __overflow(FILE *stream, int c);
int __uflow(FILE *stream);

#endif
