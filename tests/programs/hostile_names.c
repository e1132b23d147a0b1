/* SPDX-License-Identifier: MIT */
/*
 * A program whose names mean harm to whoever shows them: those of functions, blocks, source files, threads, channels, streams,
 * futures, locks, values, gauges, and of a file in its folder; texts in logs, too. It works until it is killed.
 */
#include <hotpath.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LONG = 10000, TURN_NS = 10000000 };

static char long_name[LONG + 1];

static const char *const names[] = {
	"<img src=x onerror=\"window.harmed=1\">",
	"</script><script>window.harmed=1</script>",
	"<!--<script>",
	"\xe2\x80\xae\xe2\x81\xa6"
	"drawkcab\xd8\x9c",
	long_name,
	"&lt;b&gt; ' \" ` ${1} {{data}}",
	"javascript:window.harmed=1",
	"__proto__",
	"constructor",
	"\xff\xfe not UTF-8",
};

enum { NAMES = sizeof(names) / sizeof(*names) };

static const enum hotpath_site_kind kinds[] = {
	HOTPATH_SITE_FUNCTION, HOTPATH_SITE_BLOCK,  HOTPATH_SITE_SPAN, HOTPATH_SITE_CHANNEL,
	HOTPATH_SITE_STREAM,   HOTPATH_SITE_FUTURE, HOTPATH_SITE_DBG,  HOTPATH_SITE_VAL,
	HOTPATH_SITE_GAUGE,    HOTPATH_SITE_LOCK,
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* All that bears one name. */
struct bearer {
	struct hotpath_site sites[KINDS];
	struct hotpath_channel channel;
	struct hotpath_stream stream;
	struct hotpath_lock lock;
};

static struct bearer bearers[NAMES];
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static struct hotpath_site *site_of(struct bearer *bearer, enum hotpath_site_kind kind)
{
	size_t at = 0;

	while (kinds[at] != kind)
		at++;
	return &bearer->sites[at];
}

static void pass_messages(struct bearer *bearer, const char *name)
{
	hotpath_channel_send_log(&bearer->channel, 8, "%s", name);
	hotpath_channel_recv_log(&bearer->channel, "%s", name);
	hotpath_stream_yield_log(&bearer->stream, 8, "%s", name);
}

static void keep_values(struct bearer *bearer, const char *name)
{
	struct hotpath_value value = HOTPATH_I_VALUE(name);

	hotpath_value_set(site_of(bearer, HOTPATH_SITE_DBG), value);
	hotpath_value_set(site_of(bearer, HOTPATH_SITE_VAL), value);
	hotpath_gauge_add(site_of(bearer, HOTPATH_SITE_GAUGE), 1);
	hotpath_log(value);
}

static void take_steps(struct bearer *bearer)
{
	struct hotpath_future future;
	struct hotpath_poll poll;

	hotpath_future_new(&future, site_of(bearer, HOTPATH_SITE_FUTURE));
	hotpath_poll_begin(&poll, &future);
	free(malloc(100));
	hotpath_poll_end(&poll);
	hotpath_future_ready(&future);
}

/* Threads queue here, for the mutex and for the lock of the program's own make. */
static void hold_gate(struct bearer *bearer)
{
	hotpath_lock_wait(&bearer->lock);
	pthread_mutex_lock(&gate);
	hotpath_lock_held(&bearer->lock);
	for (volatile int turns = 100000; turns > 0; turns--)
		;
	hotpath_lock_freed(&bearer->lock);
	pthread_mutex_unlock(&gate);
}

static void write_file(void)
{
	FILE *file = fopen(names[0], "w");

	if (!file)
		exit(2);
	fputs(names[0], file);
	fclose(file);
}

static void bear(struct bearer *bearer, const char *name)
{
	struct hotpath_span function, block, operation;

	hotpath_span_begin(&function, site_of(bearer, HOTPATH_SITE_FUNCTION));
	hotpath_operation_begin(&operation, site_of(bearer, HOTPATH_SITE_SPAN));
	pass_messages(bearer, name);
	keep_values(bearer, name);
	hotpath_span_begin(&block, site_of(bearer, HOTPATH_SITE_BLOCK));
	take_steps(bearer);
	hold_gate(bearer);
	write_file();
	hotpath_span_end(&block);
	hotpath_operation_end(&operation);
	hotpath_span_end(&function);
}

static void *work(void *context)
{
	struct bearer *bearer = context;
	const char *name = names[bearer - bearers];

	hotpath_thread_name(name);
	for (;;) {
		bear(bearer, name);
		nanosleep(&(struct timespec){ .tv_nsec = TURN_NS }, NULL);
	}
	return NULL;
}

static void name_all(struct bearer *bearer, const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		bearer->sites[i] = (struct hotpath_site){
			.name = name, .file = name, .line = 1 + (unsigned)i, .kind = kinds[i]
		};
	hotpath_channel_new(&bearer->channel, site_of(bearer, HOTPATH_SITE_CHANNEL), 0);
	hotpath_stream_new(&bearer->stream, site_of(bearer, HOTPATH_SITE_STREAM));
	hotpath_lock_new(&bearer->lock, site_of(bearer, HOTPATH_SITE_LOCK));
}

int main(void)
{
	pthread_t thread;

	memset(long_name, 'x', LONG);
	hotpath_start(NULL);
	for (size_t i = 0; i < NAMES; i++)
		name_all(&bearers[i], names[i]);
	for (size_t i = 0; i < NAMES; i++)
		if (pthread_create(&thread, NULL, work, &bearers[i]))
			return 2;
	for (;;)
		pause();
}
