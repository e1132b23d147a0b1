/* SPDX-License-Identifier: MIT */
/* Blocking I/O: writes a file of 10 MB in pieces of 8 KB, and reads it five times. */
#include <hotpath.h>

#include <err.h>
#include <fcntl.h>
#include <unistd.h>

#include "own_clock.h"

enum {
	FILE_SIZE = 10 * 1024 * 1024,
	CHUNK_SIZE = 8 * 1024,
};

static void create_test_file(const char *path)
{
	HOTPATH_MEASURE();
	char chunk[CHUNK_SIZE];
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (file < 0)
		err(1, "create %s", path);
	memset(chunk, 0xab, sizeof(chunk));
	for (int i = 0; i < FILE_SIZE / CHUNK_SIZE; i++) {
		if (write(file, chunk, sizeof(chunk)) != CHUNK_SIZE)
			err(1, "write %s", path);
	}
	if (fsync(file) != 0)
		err(1, "sync %s", path);
	close(file);
}

static char *read_file(const char *path)
{
	HOTPATH_MEASURE();
	int file = open(path, O_RDONLY | O_CLOEXEC);
	char *data = malloc(FILE_SIZE);

	if (file < 0 || !data)
		err(1, "open %s", path);
	for (int i = 0; i < FILE_SIZE / CHUNK_SIZE; i++) {
		if (read(file, data + (size_t)i * CHUNK_SIZE, CHUNK_SIZE) != CHUNK_SIZE)
			err(1, "read %s", path);
	}
	close(file);
	return data;
}

static void work(const char *path)
{
	OWN_CLOCK("create_test_file", create_test_file(path));

	for (int i = 0; i < 5; i++) {
		char *data;

		OWN_CLOCK("read_file", data = read_file(path));
		free(data);
	}
	unlink(path);
}

int main(void)
{
	HOTPATH_MAIN();
	char path[] = "/tmp/hotpath_blocking.XXXXXX";
	int file = mkstemp(path);

	if (file < 0)
		err(1, "%s", path);
	close(file);
	OWN_CLOCK("main", work(path));
	return 0;
}
