/* SPDX-License-Identifier: MIT */
/*
 * A program with macros in all places, from which a script deletes them to compare the object code.
 *
 * One macro per line, and a block's closing brace alone on its line: the script goes line by line.
 */
#include <hotpath.h>

#include <stdbool.h>
#include <stdio.h>

struct request {
	int id;
	char name[16];
	struct hotpath_span span;
	struct hotpath_future future;
};

static struct hotpath_channel channel;
static struct hotpath_stream stream;
static struct hotpath_lock lock;
static int handled;

int sum(const int *values, int n);
bool is_even(int n);
const char *name_of(struct request *request);
void begin(struct request *request);
void end(struct request *request, bool failed);
void follow(struct request *request, int n);
int step(struct request *request, int n);
void look(const struct request *request, double level);

int sum(const int *values, int n)
{
	HOTPATH_MEASURE();
	int total = 0;

	for (int i = 0; i < n; i++) {
		HOTPATH_BLOCK("one value", {
			int a = values[i], b = a * 2;

			if (a < 0)
				return -1;
			total += a + b;
		});
	}
	HOTPATH_RETURN(total);
}

/*
 * gcc -O0 takes the arguments of any macro for one line of source, and gives a jump out of them one
 * nop less than a jump between lines.
 */
#ifdef __OPTIMIZE__
int sum_until(const int *values, int n);

int sum_until(const int *values, int n)
{
	int total = 0;

	for (int i = 0; i < n; i++) {
		HOTPATH_BLOCK("one value, perhaps", {
			if (values[i] == 0)
				continue;
			if (values[i] > 100)
				break;
			total += values[i];
		});
	}
	return total;
}
#endif

bool is_even(int n)
{
	HOTPATH_MEASURE_AS("is it even?");
	HOTPATH_RETURN(n % 2 == 0);
}

const char *name_of(struct request *request)
{
	HOTPATH_MEASURE();
	{
		HOTPATH_MEASURE_AS("name");
		snprintf(request->name, sizeof(request->name), "request %d", request->id);
	}
	HOTPATH_THREAD_NAME(request->name);
	HOTPATH_RETURN(request->name);
}

void begin(struct request *request)
{
	HOTPATH_ALLOC(request, sizeof(*request));
	if (request->id > 0)
		HOTPATH_SPAN_BEGIN(request->span, "positive");
	else
		HOTPATH_SPAN_BEGIN(request->span, "other");
	handled++;
}

void end(struct request *request, bool failed)
{
	if (failed)
		handled--;
	HOTPATH_SPAN_END(request->span);
	if (request->id)
		HOTPATH_FREE(request);
}

void follow(struct request *request, int n)
{
	HOTPATH_CHANNEL_NEW(&channel, "requests", 8);
	HOTPATH_CHANNEL_NEW_ITER(&channel, "each", n);
	HOTPATH_CHANNEL_NEW_ONESHOT(&channel, "answer");
	HOTPATH_CHANNEL_NEW_ONESHOT_ITER(&channel, "each answer");
	HOTPATH_STREAM_NEW(&stream, "numbers");
	HOTPATH_STREAM_NEW_ITER(&stream, "numbers, each");
	HOTPATH_LOCK_NEW(&lock, "numbers");
	if (n > 3)
		HOTPATH_LOCK_WAIT(&lock);
	HOTPATH_LOCK_HELD(&lock);
	HOTPATH_LOCK_FREED(&lock);
	for (int i = 0; i < n; i++) {
		HOTPATH_CHANNEL_SEND(&channel, sizeof(*request));
		HOTPATH_CHANNEL_SEND_LOG(&channel, sizeof(*request), "%d of %d", i, n);
		handled += step(request, i);
		HOTPATH_STREAM_YIELD(&stream, i);
		HOTPATH_STREAM_YIELD_LOG(&stream, i, "%s", request->name);
		if (handled > 3)
			HOTPATH_CHANNEL_RECV(&channel);
		else
			HOTPATH_CHANNEL_RECV_LOG(&channel, "%d", handled);
		if (i == n)
			HOTPATH_CHANNEL_WAIT(&channel);
	}
	HOTPATH_STREAM_END(&stream);
	HOTPATH_CHANNEL_CLOSE(&channel);
}

int step(struct request *request, int n)
{
	HOTPATH_FUTURE_NEW(&request->future, "steps");
	{
		HOTPATH_FUTURE_POLL(&request->future);
		request->id += n;
	}
	if (n == 1)
		HOTPATH_FUTURE_CANCEL(&request->future);
	else if (n == 2)
		HOTPATH_FUTURE_READY_LOG(&request->future, request->id);
	else
		HOTPATH_FUTURE_READY(&request->future);
	return request->id;
}

void look(const struct request *request, double level)
{
	hotpath_label(request, "a request");
	hotpath_fiber_switch(1);
	HOTPATH_DBG(request->id * 2);
	HOTPATH_DBG(request->name);
	HOTPATH_DBG(request->id, level, request->name);
	HOTPATH_VAL("level", level);
	HOTPATH_VAL(request->name, level);
	if (level > 1)
		HOTPATH_GAUGE_SET("level", level);
	else
		HOTPATH_GAUGE_ADD("level", -level);
	hotpath_fiber_switch(0);
}

HOTPATH_SKIP static int skipped(int n)
{
	return n / 3;
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	static const int values[] = { 1, 2, 3, 5, 8, 13 };
	struct request request = { .id = argc };
	struct hotpath_span span;

	hotpath_before_stop(NULL);
	HOTPATH_SPAN_BEGIN(span, "all of it");
	begin(&request);
	printf("%s %d\n", name_of(&request), sum(values, 6));
	end(&request, is_even(argc));
	follow(&request, argc);
	look(&request, argc * 0.5);
	HOTPATH_SPAN_END(span);
	return skipped(handled) + (argv[0] == NULL);
}
