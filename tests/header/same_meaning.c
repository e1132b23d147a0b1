/* SPDX-License-Identifier: MIT */
/*
 * The macros do not change what a program does: run on and off, it prints the same.
 *
 * Linked with a recorder that only counts, so what is tested is the header alone. Every span that
 * is begun must be ended, however its block is left.
 */
#include <hotpath.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int walk(const int *values, int n);
int jump(int n);
int next(void);
int once(void);
unsigned char byte_of(unsigned n);
bool differ(const char *a, const char *b);
const char *text_of(int n);
double half_of(int n);
int branch(int n);
int blocks(char *pool, size_t size);
int pass(int n);
int polled(struct hotpath_future *future, int n);
int observe(int n);

#if HOTPATH_ENABLE
uint32_t hotpath_calls_wanted = WANTED;
/* Calls that are not made when they are not wanted. */
static int calls;
static int open_spans;
static int logged;
static size_t in_use;
static int polls, seen;
static uint64_t waiting;
static double level;

void hotpath_span_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	span->holder = site;
	open_spans++;
	calls++;
}

void hotpath_span_end(struct hotpath_span *span)
{
	(void)span;
	open_spans--;
	calls++;
}

void hotpath_operation_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	hotpath_span_begin(span, site);
	span->token = 1;
}

void hotpath_operation_end(struct hotpath_span *span)
{
	hotpath_span_end(span);
}

void hotpath_block_alloc(const void *block, size_t size)
{
	in_use += block ? size : 0;
}

void hotpath_block_free(const void *block)
{
	in_use -= block ? 3 : 0;
}

void hotpath_log(struct hotpath_value value)
{
	calls++;
	(void)value;
	logged++;
}

void hotpath_channel_new(struct hotpath_channel *channel, struct hotpath_site *site,
			 uint64_t capacity)
{
	channel->token = site->kind + capacity;
}

void hotpath_channel_send(struct hotpath_channel *channel, uint64_t bytes)
{
	calls++;
	waiting += channel->token ? bytes : 0;
}

void hotpath_channel_recv_log(struct hotpath_channel *channel, const char *format, ...)
{
	waiting -= channel->token && format[0] ? 8 : 0;
}

void hotpath_future_new(struct hotpath_future *future, struct hotpath_site *site)
{
	future->start = site->kind;
}

void hotpath_poll_begin(struct hotpath_poll *poll, struct hotpath_future *future)
{
	poll->item = future;
	poll->site.id = 1;
	polls++;
	calls++;
}

void hotpath_poll_end(struct hotpath_poll *poll)
{
	polls -= poll->item ? 1 : 0;
	calls++;
}

void hotpath_future_ready_log(struct hotpath_future *future, struct hotpath_value value)
{
	seen += future->start == HOTPATH_SITE_FUTURE && value.kind == HOTPATH_VALUE_INT;
}

void hotpath_value_set(struct hotpath_site *site, struct hotpath_value value)
{
	calls++;
	seen += strcmp(site->name, "n / 2.0") == 0 && value.kind == HOTPATH_VALUE_DOUBLE;
}

void hotpath_value_set_as(struct hotpath_site *site, const char *key, struct hotpath_value value)
{
	calls++;
	seen += !site->name && strcmp(key, "made") == 0 && value.kind == HOTPATH_VALUE_INT;
}

void hotpath_gauge_set(struct hotpath_site *site, double value)
{
	calls++;
	level = site->name ? value : 0;
}

void hotpath_gauge_add(struct hotpath_site *site, double difference)
{
	calls++;
	level += site->name ? difference : 0;
}
#endif

int walk(const int *values, int n)
{
	HOTPATH_MEASURE();
	int sum = 0;

	for (int i = 0; i < n; i++) {
		HOTPATH_BLOCK("value", {
			if (values[i] < 0)
				return -sum;
			HOTPATH_BLOCK("inner", {
				if (values[i] == 0)
					continue;
				if (values[i] > 100)
					break;
			});
			sum += values[i];
		});
		sum++;
	}
	return sum;
}

/* Two in one line. */
#define TWICE(label)                                                                               \
	HOTPATH_MEASURE_AS(label);                                                                 \
	HOTPATH_MEASURE_AS(label)

int jump(int n)
{
	HOTPATH_MEASURE();
again : {
	TWICE("again");
	if (n++ < 3)
		goto again;
	HOTPATH_BLOCK("out", {
		if (n > 3)
			goto out;
	});
	n = 100;
}
out:
	return n;
}

int next(void)
{
	static int count;

	return ++count;
}

int once(void)
{
	HOTPATH_RETURN(next());
}

unsigned char byte_of(unsigned n)
{
	HOTPATH_RETURN(n & 0xff);
}

bool differ(const char *a, const char *b)
{
	HOTPATH_RETURN(strcmp(a, b));
}

const char *text_of(int n)
{
	if (n)
		HOTPATH_RETURN("some");
	else
		HOTPATH_RETURN("none");
}

double half_of(int n)
{
	HOTPATH_RETURN(n / 2.0);
}

int branch(int n)
{
	struct hotpath_span span;

	if (n)
		HOTPATH_SPAN_BEGIN(span, "n");
	else
		HOTPATH_SPAN_BEGIN(span, "not n");
	HOTPATH_SPAN_END(span);
	return n;
}

int blocks(char *pool, size_t size)
{
	char *first = pool, *second = pool + size;

	if (size)
		HOTPATH_ALLOC(first, size);
	else
		HOTPATH_ALLOC(pool, 0);
	HOTPATH_ALLOC(second, size);
	HOTPATH_FREE(size ? first : NULL);
	HOTPATH_FREE(second);
	return (int)(second - first);
}

int pass(int n)
{
	struct hotpath_channel channel;
	const int bytes = 8;

	HOTPATH_CHANNEL_NEW(&channel, "channel", 4);
	for (int i = 0; i < n; i++)
		if (i % 2)
			HOTPATH_CHANNEL_SEND(&channel, bytes);
		else
			HOTPATH_CHANNEL_SEND(&channel, 8U);
	for (int i = 0; i < n; i++)
		HOTPATH_CHANNEL_RECV_LOG(&channel, "%d", i);
	return n * bytes;
}

/* Left in every way. */
int polled(struct hotpath_future *future, int n)
{
	for (int i = 0; i < 5; i++) {
		HOTPATH_FUTURE_POLL(future);
		if (i == n)
			return -i;
		if (i < 2)
			continue;
		{
			HOTPATH_FUTURE_POLL(future);
			if (i == 3)
				goto out;
		}
		n++;
	}
out:
	HOTPATH_FUTURE_READY_LOG(future, n);
	return n;
}

int observe(int n)
{
	if (n > 1)
		HOTPATH_GAUGE_SET("level", n);
	else
		HOTPATH_GAUGE_ADD("level", n * -2.5F);
	HOTPATH_DBG(n / 2.0);
	HOTPATH_VAL(n ? "made" : "not made", n);
	return n;
}

int main(void)
{
	struct hotpath_future future;
	char pool[6];
	static const int early[] = { 1, 0, 2, -1, 5 };
	static const int late[] = { 1, 0, 2, 101, 5 };

	printf("%d %d %d\n", walk(early, 5), walk(late, 5), walk(late, 0));
	printf("%d %d %d\n", jump(0), jump(7), once());
	printf("%d\n", once());
	printf("%d %d %d\n", byte_of(0x1ff), differ("a", "b"), differ("a", "a"));
	printf("%s %s %.1f %d\n", text_of(0), text_of(1), half_of(3), branch(0) + branch(1));
	printf("%d\n", blocks(pool, 3));
	HOTPATH_FUTURE_NEW(&future, "future");
	printf("%d %d %d\n", pass(5), polled(&future, 1), polled(&future, 8));
	printf("%d\n", observe(5) + observe(1));
#if HOTPATH_ENABLE
	if (!WANTED) {
		if (calls)
			printf("%d calls that are not wanted\n", calls);
		return calls != 0;
	}
	if (open_spans != 0 || logged != 8 || in_use != 0) {
		printf("%d spans left open, %d values logged, %zu bytes in use\n", open_spans,
		       logged, in_use);
		return 1;
	}
	if (polls != 0 || waiting != 0 || seen != 5 || level != 2.5) {
		printf("%d polls left open, %d bytes left, %d values seen, level %g\n", polls,
		       (int)waiting, seen, level);
		return 1;
	}
#endif
	return 0;
}
