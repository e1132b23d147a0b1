/* SPDX-License-Identifier: MIT */
/* Writes the tool's output: texts to a file or a descriptor, messages to standard error. */
#include "output.h"

#include "command.h"
#include "file_name.h"
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	LINE_MAX_BYTES = 1024,
	PATH_BYTES = 4096,
};

static struct hp_error *kept;

void complaints_keep(struct hp_error *error)
{
	kept = error;
}

int complain(const char *format, ...)
{
	char line[LINE_MAX_BYTES] = "hotpath: ";
	size_t used = strlen(line);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line + used, sizeof(line) - used, format, arguments);
	va_end(arguments);
	if (kept) {
		snprintf(kept->text, sizeof(kept->text), "%.*s", (int)sizeof(kept->text) - 1,
			 line + used);
		return STATUS_ERROR;
	}

	struct hp_text text = HP_TEXT_INIT;
	hp_text_put_printable(&text, line);
	hp_text_putc(&text, '\n');
	/* If this fails, it cannot be reported. */
	if (!text.failed && write(STDERR_FILENO, text.bytes, text.length) < 0)
		errno = 0;
	hp_text_free(&text);
	return STATUS_ERROR;
}

/* Somebody else may have made the descriptor non-blocking: wait for it then. */
static int wait_writable(int descriptor)
{
	struct pollfd ready = { .fd = descriptor, .events = POLLOUT };

	return poll(&ready, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

static int write_all(int descriptor, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(descriptor, bytes, length);
		if (written >= 0) {
			bytes += written;
			length -= (size_t)written;
		} else if (errno == EAGAIN) {
			int error = wait_writable(descriptor);
			if (error)
				return error;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	return 0;
}

static int write_and_close(int descriptor, const struct hp_text *text)
{
	int error = write_all(descriptor, text->bytes, text->length);

	if (close(descriptor) < 0 && !error)
		error = -errno;
	return error;
}

static int write_over(const char *path, const struct hp_text *text)
{
	int descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);

	return descriptor < 0 ? -errno : write_and_close(descriptor, text);
}

/*
 * Write to a temporary file next to it, then rename: the replacement is atomic, and a full disk does not destroy the
 * old file.
 */
static int write_replace(const char *path, mode_t mode, const struct hp_text *text)
{
	char beside[PATH_BYTES];
	int length = snprintf(beside, sizeof(beside), "%s.XXXXXX", path);
	if (length < 0 || (size_t)length >= sizeof(beside))
		return -ENAMETOOLONG;
	int descriptor = mkostemp(beside, O_CLOEXEC);
	if (descriptor < 0)
		return -errno;

	int error = fchmod(descriptor, mode) < 0 ? -errno : 0;
	int write_error = write_and_close(descriptor, text);
	if (!error)
		error = write_error;
	if (!error && rename(beside, path) < 0)
		error = -errno;
	if (error)
		unlink(beside);
	return error;
}

static mode_t new_file_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static void folder_of(const char *path, char folder[PATH_BYTES])
{
	int length = (int)(hp_file_name(path) - path);

	snprintf(folder, PATH_BYTES, "%.*s", length ? length : 1, length ? path : ".");
}

/*
 * In a sticky, world-writable folder such as /tmp, do not follow a symbolic link of another user, as the kernel does
 * if fs.protected_symlinks is set.
 */
static bool is_planted(const char *path)
{
	struct stat link, around;
	char folder[PATH_BYTES];

	if (lstat(path, &link) < 0 || !S_ISLNK(link.st_mode) || link.st_uid == geteuid())
		return false;
	folder_of(path, folder);
	return stat(folder, &around) == 0 && around.st_mode & S_ISVTX && around.st_mode & S_IWOTH &&
	       around.st_uid != link.st_uid;
}

/* The real path of an open file, as the kernel resolved it. False if it was removed. */
static bool find_real(int file, const struct stat *status, char path[PATH_BYTES])
{
	struct stat there;
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", file);
	ssize_t length = readlink(link, path, PATH_BYTES - 1);
	path[length > 0 ? length : 0] = '\0';
	return lstat(path, &there) == 0 && there.st_dev == status->st_dev &&
	       there.st_ino == status->st_ino;
}

/*
 * Replace the file if its real path is known; otherwise, or if its folder takes no new files, write to it in place.
 */
static int replace_open(int file, const char *path, const struct hp_text *text)
{
	char real[PATH_BYTES];
	struct stat status;

	if (fstat(file, &status) < 0)
		return -errno;
	int error = S_ISREG(status.st_mode) && find_real(file, &status, real)
			    ? write_replace(real, status.st_mode & 0777, text)
			    : -EPERM;
	return error == -EACCES || error == -EPERM ? write_over(path, text) : error;
}

int output_replace(const char *path, const struct hp_text *text)
{
	if (is_planted(path))
		return -EACCES;
	int file = open(path, O_PATH | O_CLOEXEC);
	if (file < 0)
		return errno == ENOENT ? write_replace(path, new_file_mode(), text) : -errno;
	int error = replace_open(file, path, text);
	close(file);
	return error;
}

static const char *descriptor_name(int descriptor)
{
	return descriptor == STDERR_FILENO ? "standard error" : "standard output";
}

int output_write(const struct hp_text *text, const char *path, int descriptor)
{
	if (text->failed)
		return complain("out of memory");
	if (path && strcmp(path, "-") == 0) {
		descriptor = STDOUT_FILENO;
		path = NULL;
	}

	bool to_file = path && *path;
	int error = to_file ? output_replace(path, text)
			    : write_all(descriptor, text->bytes, text->length);
	if (!error)
		return STATUS_OK;
	if (error == -EPIPE)
		return STATUS_ERROR;
	return complain("cannot write to %s: %s", to_file ? path : descriptor_name(descriptor),
			strerror(-error));
}

/* For a file that does not exist, check that its folder is writable. */
static int check_folder(const char *path)
{
	char folder[PATH_BYTES];

	folder_of(path, folder);
	return access(folder, W_OK | X_OK) < 0 ? -errno : 0;
}

static int check_file(const char *path)
{
	struct stat status;

	if (is_planted(path))
		return -EACCES;
	if (stat(path, &status) < 0)
		return errno == ENOENT ? check_folder(path) : -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return access(path, W_OK) < 0 && check_folder(path) ? -EACCES : 0;
}

int output_check(const char *path)
{
	if (!path || !*path || strcmp(path, "-") == 0)
		return STATUS_OK;
	int error = check_file(path);
	return error ? complain("cannot write to %s: %s", path, strerror(-error)) : STATUS_OK;
}

static bool wants_colour(void)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *terminal = getenv("TERM");

	return !(no_colour && *no_colour) && terminal && strcmp(terminal, "dumb") != 0;
}

unsigned output_width(int descriptor)
{
	struct winsize size;
	if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;

	const char *columns = getenv("COLUMNS");
	long width = columns ? strtol(columns, NULL, 10) : 0;
	return width > 0 && width < 10000 ? (unsigned)width : 0;
}

void output_fit(struct hp_report_options *options, const char *path, int descriptor)
{
	bool to_file = path && *path && strcmp(path, "-") != 0;
	if (path && strcmp(path, "-") == 0)
		descriptor = STDOUT_FILENO;

	bool terminal = !to_file && isatty(descriptor);
	options->colour = terminal && wants_colour();
	options->width = terminal ? output_width(descriptor) : 0;
}
