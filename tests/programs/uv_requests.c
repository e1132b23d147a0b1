/* SPDX-License-Identifier: MIT */
/* Every kind of request to libuv: some are cancelled, reused or freed in their callbacks, refused, or done at once. */
#include "uv_truth.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNKS = 100, WORKS = 20, BLOCKED = 7 };

static struct tally opened = { .name = "uv_fs_open on_opened" };
static struct tally written = { .name = "uv_fs_write on_written" };
static struct tally closed = { .name = "uv_fs_close on_closed" };
static struct tally renamed = { .name = "uv_fs_rename on_any" };
static struct tally made_folder = { .name = "uv_fs_mkdir on_any" };
static struct tally listed = { .name = "uv_fs_scandir on_any" };
static struct tally removed = { .name = "uv_fs_unlink on_any" };
static struct tally removed_folder = { .name = "uv_fs_rmdir on_any" };
static struct tally refused = { .name = "uv_fs_stat on_missing" };
static struct tally worked = { .name = "uv_queue_work work" };
static struct tally worked_alone = { .name = "uv_queue_work work_alone" };
static struct tally blocking = { .name = "uv_queue_work block" };
static struct tally named = { .name = "uv_getaddrinfo on_addresses" };
static struct tally told = { .name = "uv_getnameinfo on_name" };
static struct tally random_bytes = { .name = "uv_random on_random" };
static struct tally sent_off = { .name = "uv_write on_sent_off" };
static struct tally shut = { .name = "uv_shutdown on_shut" };
static struct tally unconnected = { .name = "uv_pipe_connect on_unconnected" };
static struct tally gone = { .name = "uv_close on_gone" };

static struct tally *const tallies[] = { &opened,      &written,     &closed,	    &renamed,
					 &made_folder, &listed,	     &removed,	    &removed_folder,
					 &refused,     &worked,	     &worked_alone, &blocking,
					 &named,       &told,	     &random_bytes, &sent_off,
					 &shut,	       &unconnected, &gone };

static uv_loop_t *loop;
static char bytes[1024];
static uv_buf_t buffer;

/* ---- files: one request after the other, in the same memory ---- */

static void on_closed(uv_fs_t *request)
{
	ran(&closed, request->result);
	MUST(request->cb == on_closed);
	uv_fs_req_cleanup(request);
	free(request);
}

static void on_written(uv_fs_t *request)
{
	uv_file file = (uv_file)(uintptr_t)request->data;

	ran(&written, request->result);
	MUST(request->cb == on_written && request->result == sizeof(bytes));
	uv_fs_req_cleanup(request);
	if (written.made < CHUNKS)
		made(&written, uv_fs_write(loop, request, file, &buffer, 1, -1, on_written));
	else
		made(&closed, uv_fs_close(loop, request, file, on_closed));
}

static void on_opened(uv_fs_t *request)
{
	uv_file file = (uv_file)request->result;

	ran(&opened, request->result);
	MUST(file >= 0);
	uv_fs_req_cleanup(request);
	request->data = (void *)(uintptr_t)file;
	/* Without buffers there is nothing to do, and no callback. */
	MUST(uv_fs_write(loop, request, file, NULL, 0, -1, on_written) == UV_EINVAL);
	made(&written, uv_fs_write(loop, request, file, &buffer, 1, -1, on_written));
}

static void write_file(void)
{
	uv_fs_t *request = malloc(sizeof(*request));

	MUST(request != NULL);
	made(&opened, uv_fs_open(loop, request, "file", O_CREAT | O_RDWR, 0600, on_opened));
	MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);
}

static struct tally *now;

static void on_any(uv_fs_t *request)
{
	ran(now, request->result);
	MUST(request->cb == on_any && request->result >= 0);
	uv_fs_req_cleanup(request);
}

/* Ask for one thing and wait for it. */
#define ONE(tally, function, ...)                                                                  \
	do {                                                                                       \
		uv_fs_t one;                                                                       \
		now = &(tally);                                                                    \
		made(now, function(loop, &one, __VA_ARGS__, on_any));                              \
		MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);                                           \
	} while (0)

static void on_missing(uv_fs_t *request)
{
	ran(&refused, request->result);
	MUST(request->result == UV_ENOENT);
	uv_fs_req_cleanup(request);
}

static void change_files(void)
{
	uv_fs_t request;

	ONE(made_folder, uv_fs_mkdir, "folder", 0700);
	ONE(renamed, uv_fs_rename, "file", "folder/file");
	ONE(listed, uv_fs_scandir, "folder", 0);
	ONE(removed, uv_fs_unlink, "folder/file");
	ONE(removed_folder, uv_fs_rmdir, "folder");
	made(&refused, uv_fs_stat(loop, &request, "missing", on_missing));
	MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);
	/* At once, and so no request. */
	MUST(uv_fs_stat(loop, &request, ".", NULL) == 0);
	uv_fs_req_cleanup(&request);
}

/* ---- the thread pool ---- */

static void work(uv_work_t *request)
{
	MUST(request->work_cb == work);
	raise_count(&worked.ran);
}

static void after(uv_work_t *request, int status)
{
	MUST(request->after_work_cb == after);
	ran(&worked, status);
	free(request);
}

static void work_alone(uv_work_t *request)
{
	(void)request;
	raise_count(&worked_alone.ran);
}

static uv_sem_t go_on;

/* Nobody else is served before it ends. */
static void block(uv_work_t *request)
{
	(void)request;
	raise_count(&blocking.ran);
	uv_sem_wait(&go_on);
}

static void unblocked(uv_work_t *request, int status)
{
	(void)request;
	ran(&blocking, status);
}

static void use_pool(void)
{
	static uv_work_t blocks, alone[3];
	uv_work_t *works[WORKS];

	MUST(uv_sem_init(&go_on, 0) == 0);
	made(&blocking, uv_queue_work(loop, &blocks, block, unblocked));
	for (int i = 0; i < WORKS; i++) {
		works[i] = malloc(sizeof(*works[i]));
		MUST(works[i] != NULL);
		made(&worked, uv_queue_work(loop, works[i], work, after));
	}
	for (int i = 0; i < 3; i++)
		made(&worked_alone, uv_queue_work(loop, &alone[i], work_alone, NULL));
	for (int i = 0; i < BLOCKED; i++)
		MUST(uv_cancel((uv_req_t *)works[i]) == 0);
	MUST(uv_queue_work(loop, &blocks, NULL, after) == UV_EINVAL);
	uv_sem_post(&go_on);
	MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);
	MUST(worked.cancelled == BLOCKED);
	uv_sem_destroy(&go_on);
}

static void on_addresses(uv_getaddrinfo_t *request, int status, struct addrinfo *addresses)
{
	ran(&named, status);
	MUST(request->cb == on_addresses && status == 0);
	uv_freeaddrinfo(addresses);
}

static void on_name(uv_getnameinfo_t *request, int status, const char *host, const char *service)
{
	ran(&told, status);
	MUST(request->getnameinfo_cb == on_name && status == 0 && host && service);
}

static void on_random(uv_random_t *request, int status, void *place, size_t size)
{
	ran(&random_bytes, status);
	MUST(request->cb == on_random && status == 0 && place == bytes && size == 16);
}

static void ask_system(void)
{
	static const struct addrinfo numbers = { .ai_flags = AI_NUMERICHOST };
	uv_getaddrinfo_t addresses;
	uv_getnameinfo_t name;
	uv_random_t random;
	struct sockaddr_in address;

	made(&named, uv_getaddrinfo(loop, &addresses, on_addresses, "127.0.0.1", NULL, &numbers));
	MUST(uv_ip4_addr("127.0.0.1", 80, &address) == 0);
	made(&told, uv_getnameinfo(loop, &name, on_name, (const struct sockaddr *)&address,
				   NI_NUMERICHOST | NI_NUMERICSERV));
	made(&random_bytes, uv_random(loop, &random, bytes, 16, 0, on_random));
	/* Refused, though it is in the queue: that goes on. */
	MUST(uv_random(loop, &random, bytes, 16, 1, on_random) == UV_EINVAL);
	MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);
}

/* ---- streams ---- */

static void on_gone(uv_handle_t *handle)
{
	ran(&gone, 0);
	MUST(handle->close_cb == on_gone);
}

static void on_sent_off(uv_write_t *request, int status)
{
	ran(&sent_off, status);
	MUST(request->cb == on_sent_off);
}

static void on_shut(uv_shutdown_t *request, int status)
{
	ran(&shut, status);
	MUST(request->cb == on_shut);
}

static void on_unconnected(uv_connect_t *request, int status)
{
	ran(&unconnected, status);
	MUST(request->cb == on_unconnected && status == UV_ENOENT);
}

static void give_up(uv_handle_t *handle)
{
	uv_close(handle, on_gone);
	raise_count(&gone.made);
}

/* More than fits, so that what is left is cancelled; one small message that goes. */
static void use_streams(void)
{
	static char much[1 << 22];
	uv_buf_t large = uv_buf_init(much, sizeof(much));
	int ends[2];
	uv_pipe_t near, missing;
	uv_write_t first, second;
	uv_shutdown_t end;
	uv_connect_t request;

	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	MUST(uv_pipe_init(loop, &near, 0) == 0 && uv_pipe_open(&near, ends[0]) == 0);
	MUST(uv_pipe_init(loop, &missing, 0) == 0);
	made(&sent_off, uv_write(&first, (uv_stream_t *)&near, &buffer, 1, on_sent_off));
	made(&sent_off, uv_write(&second, (uv_stream_t *)&near, &large, 1, on_sent_off));
	made(&shut, uv_shutdown(&end, (uv_stream_t *)&near, on_shut));
	MUST(uv_shutdown(&end, (uv_stream_t *)&near, on_shut) < 0);
	uv_pipe_connect(&request, &missing, "missing", on_unconnected);
	made(&unconnected, 0);
	uv_run(loop, UV_RUN_NOWAIT);
	give_up((uv_handle_t *)&near);
	give_up((uv_handle_t *)&missing);
	MUST(uv_run(loop, UV_RUN_DEFAULT) == 0);
	MUST(sent_off.ran == 2 && sent_off.cancelled == 1 && shut.cancelled == 1);
	close(ends[1]);
}

int main(void)
{
	loop = uv_default_loop();
	buffer = uv_buf_init(bytes, sizeof(bytes));
	write_file();
	change_files();
	use_pool();
	ask_system();
	use_streams();
	MUST(uv_loop_close(loop) == 0);
	for (size_t i = 0; i < sizeof(tallies) / sizeof(*tallies); i++)
		print_tally(tallies[i]);
	printf("{\"callbacks\":%llu}\n", (unsigned long long)callbacks);
	return 0;
}
