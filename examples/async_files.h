/* SPDX-License-Identifier: MIT */
/*
 * Files that one event loop writes in pieces of 8 KB, or reads in pieces of 1 MB, all at the same time. Each piece is
 * a request to libuv, which has threads for it; its callback asks for the next one.
 */
#ifndef ASYNC_FILES_H
#define ASYNC_FILES_H

#include <hotpath.h>

#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#include "own_clock.h"

enum {
	FILE_SIZE = 20 * 1024 * 1024,
	CHUNK_SIZE = 8 * 1024,
	READ_SIZE = 1024 * 1024,
	FILES = 5,
};

struct async_file {
	uv_fs_t request;
	uv_file file;
	char path[PATH_MAX];
	/* From the first request to the last callback; nothing of it is on the stack in between. */
	struct hotpath_span span;
	uint64_t start;
	char *data;
	size_t done;
};

static struct async_file async_files[FILES];
static char async_folder[] = "/tmp/hotpath_async.XXXXXX";
static char async_chunk[CHUNK_SIZE];

/* The file of a request that was done; an error ends the program. */
static inline struct async_file *async_result(uv_fs_t *request)
{
	struct async_file *file = request->data;

	if (request->result < 0)
		errx(1, "%s: %s", file->path, uv_strerror((int)request->result));
	uv_fs_req_cleanup(request);
	return file;
}

static inline void async_ask(int result)
{
	if (result < 0)
		errx(1, "libuv: %s", uv_strerror(result));
}

static void on_created(uv_fs_t *request)
{
	struct async_file *file = async_result(request);

	HOTPATH_SPAN_END(file->span);
	own_clock_add("create_file", file->start);
}

static void on_synced(uv_fs_t *request)
{
	struct async_file *file = async_result(request);

	async_ask(uv_fs_close(request->loop, request, file->file, on_created));
}

static void write_chunk(struct async_file *file);

static void on_written(uv_fs_t *request)
{
	struct async_file *file = async_result(request);

	file->done += CHUNK_SIZE;
	if (file->done < FILE_SIZE)
		write_chunk(file);
	else
		async_ask(uv_fs_fsync(request->loop, request, file->file, on_synced));
}

static void write_chunk(struct async_file *file)
{
	uv_buf_t buffer = uv_buf_init(async_chunk, CHUNK_SIZE);

	async_ask(uv_fs_write(uv_default_loop(), &file->request, file->file, &buffer, 1,
			      (int64_t)file->done, on_written));
}

static void on_created_empty(uv_fs_t *request)
{
	struct async_file *file = async_result(request);

	file->file = (uv_file)request->result;
	write_chunk(file);
}

static void create_file(struct async_file *file)
{
	HOTPATH_SPAN_BEGIN(file->span, "create_file");
	file->start = own_clock_now();
	file->done = 0;
	async_ask(uv_fs_open(uv_default_loop(), &file->request, file->path,
			     O_WRONLY | O_CREAT | O_TRUNC, 0600, on_created_empty));
}

static void on_closed(uv_fs_t *request)
{
	struct async_file *file = async_result(request);

	HOTPATH_SPAN_END(file->span);
	own_clock_add("read_file", file->start);
	free(file->data);
}

static void read_chunk(struct async_file *file);

static void on_read(uv_fs_t *request)
{
	ssize_t count = request->result;
	struct async_file *file = async_result(request);

	file->done += (size_t)count;
	if (count > 0 && file->done < FILE_SIZE)
		read_chunk(file);
	else
		async_ask(uv_fs_close(request->loop, request, file->file, on_closed));
}

static void read_chunk(struct async_file *file)
{
	uv_buf_t buffer = uv_buf_init(file->data + file->done, READ_SIZE);

	async_ask(uv_fs_read(uv_default_loop(), &file->request, file->file, &buffer, 1,
			     (int64_t)file->done, on_read));
}

static void on_opened(uv_fs_t *request)
{
	struct async_file *file = async_result(request);

	file->file = (uv_file)request->result;
	read_chunk(file);
}

static void read_file(struct async_file *file)
{
	HOTPATH_SPAN_BEGIN(file->span, "read_file");
	file->start = own_clock_now();
	file->done = 0;
	file->data = malloc(FILE_SIZE);
	if (!file->data)
		err(1, "%s", file->path);
	async_ask(
		uv_fs_open(uv_default_loop(), &file->request, file->path, O_RDONLY, 0, on_opened));
}

/** Do something with all files at the same time. */
static inline void async_for_all(void (*begin)(struct async_file *file))
{
	for (int i = 0; i < FILES; i++)
		begin(&async_files[i]);
	uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}

static inline void async_begin(void)
{
	if (!mkdtemp(async_folder))
		err(1, "%s", async_folder);
	memset(async_chunk, 0xab, sizeof(async_chunk));
	for (int i = 0; i < FILES; i++) {
		async_files[i].request.data = &async_files[i];
		snprintf(async_files[i].path, sizeof(async_files[i].path), "%s/%d.bin",
			 async_folder, i);
	}
}

static inline void async_end(void)
{
	for (int i = 0; i < FILES; i++)
		unlink(async_files[i].path);
	rmdir(async_folder);
}

#endif
