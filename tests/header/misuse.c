/* SPDX-License-Identifier: MIT */
/* Wrong arguments: each MISUSE but 0 must be refused, with the macros on and off. */
#include <hotpath.h>

void misuse(const char *text);

void misuse(const char *text)
{
	struct hotpath_span span;
	struct hotpath_channel channel;
	struct hotpath_stream stream;
	struct hotpath_future future;
	int number = 0;

	(void)text, (void)number;
	HOTPATH_SPAN_BEGIN(span, "right");
	HOTPATH_SPAN_END(span);
	HOTPATH_ALLOC(text, 8);
	HOTPATH_FREE(text);
	HOTPATH_CHANNEL_NEW(&channel, "right", 0);
	HOTPATH_CHANNEL_SEND_LOG(&channel, 8, "%s %d", text, number);
	HOTPATH_STREAM_NEW(&stream, "right");
	HOTPATH_FUTURE_NEW(&future, "right");
	HOTPATH_FUTURE_POLL(&future);
	HOTPATH_DBG(text);
	HOTPATH_GAUGE_SET("right", number);
#if MISUSE == 1
	HOTPATH_SPAN_BEGIN(number, "not a span");
#elif MISUSE == 2
	HOTPATH_SPAN_BEGIN(span, text);
#elif MISUSE == 3
	HOTPATH_SPAN_END(&span);
#elif MISUSE == 4
	HOTPATH_MEASURE_AS(text);
#elif MISUSE == 5
	HOTPATH_BLOCK(text, { number++; });
#elif MISUSE == 6
	HOTPATH_THREAD_NAME(number);
#elif MISUSE == 7
	HOTPATH_ALLOC(number, 8);
#elif MISUSE == 8
	HOTPATH_ALLOC(text, text);
#elif MISUSE == 9
	HOTPATH_FREE(span);
#elif MISUSE == 10
	HOTPATH_CHANNEL_NEW(channel, "not a pointer", 0);
#elif MISUSE == 11
	HOTPATH_CHANNEL_NEW(&stream, "not a channel", 0);
#elif MISUSE == 12
	HOTPATH_CHANNEL_NEW_ITER(&channel, text, 0);
#elif MISUSE == 13
	HOTPATH_CHANNEL_NEW(&channel, "not a capacity", text);
#elif MISUSE == 14
	HOTPATH_CHANNEL_SEND(&future, 8);
#elif MISUSE == 15
	HOTPATH_CHANNEL_SEND(&channel, text);
#elif MISUSE == 16
	HOTPATH_CHANNEL_SEND_LOG(&channel, 8, "%s", number);
#elif MISUSE == 17
	HOTPATH_CHANNEL_SEND_LOG(&channel, 8, number);
#elif MISUSE == 18
	HOTPATH_CHANNEL_RECV(&stream);
#elif MISUSE == 19
	HOTPATH_CHANNEL_RECV_LOG(&channel, "%d", text);
#elif MISUSE == 20
	HOTPATH_CHANNEL_CLOSE(&stream);
#elif MISUSE == 21
	HOTPATH_STREAM_NEW(&channel, "not a stream");
#elif MISUSE == 22
	HOTPATH_STREAM_NEW_ITER(&stream, text);
#elif MISUSE == 23
	HOTPATH_STREAM_YIELD(&stream, span);
#elif MISUSE == 24
	HOTPATH_STREAM_YIELD_LOG(&stream, 8, "%s %d", text);
#elif MISUSE == 25
	HOTPATH_STREAM_END(&future);
#elif MISUSE == 26
	HOTPATH_FUTURE_NEW(&stream, "not a future");
#elif MISUSE == 27
	HOTPATH_FUTURE_NEW(&future, text);
#elif MISUSE == 28
	HOTPATH_FUTURE_POLL(future);
#elif MISUSE == 29
	HOTPATH_FUTURE_POLL(&channel);
#elif MISUSE == 30
	HOTPATH_FUTURE_READY(&channel);
#elif MISUSE == 31
	HOTPATH_FUTURE_READY_LOG(&future, span);
#elif MISUSE == 32
	HOTPATH_FUTURE_CANCEL(number);
#elif MISUSE == 33
	HOTPATH_DBG(span);
#elif MISUSE == 34
	HOTPATH_VAL("not a value", channel);
#elif MISUSE == 35
	HOTPATH_VAL(number, number);
#elif MISUSE == 36
	HOTPATH_GAUGE_SET("not a number", text);
#elif MISUSE == 37
	HOTPATH_GAUGE_ADD(text, number);
#elif MISUSE == 38
	hotpath_label(number, "not an object");
#elif MISUSE == 39
	hotpath_label(text, number);
#elif MISUSE == 40
	hotpath_fiber_switch(text);
#elif MISUSE == 41
	HOTPATH_DBG(number, span);
#elif MISUSE == 42
	HOTPATH_CHANNEL_NEW_ONESHOT(&stream, "not a channel");
#elif MISUSE == 43
	HOTPATH_CHANNEL_NEW_ONESHOT_ITER(&channel, text);
#elif MISUSE == 44
	HOTPATH_DBG(1, 2, 3, 4, 5, 6, 7, 8, 9);
#elif MISUSE == 45
	hotpath_before_stop(text);
#elif MISUSE == 46
	HOTPATH_LOCK_NEW(&stream, "not a lock");
#elif MISUSE == 47
	HOTPATH_LOCK_WAIT(&channel);
#elif MISUSE == 48
	HOTPATH_LOCK_HELD(&channel);
#elif MISUSE == 49
	HOTPATH_LOCK_FREED(text);
#elif MISUSE == 50
	HOTPATH_CHANNEL_WAIT(&stream);
#endif
}
