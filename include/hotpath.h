/* SPDX-License-Identifier: MIT */
/*
 * hotpath: why is this C program slow?
 *
 *	#include <hotpath.h>
 *
 *	static int parse(struct request *r)
 *	{
 *		HOTPATH_MEASURE();
 *		...
 *	}
 *
 *	int main(void)
 *	{
 *		HOTPATH_MAIN();
 *		...
 *	}
 *
 * With HOTPATH_ENABLE defined to 1 (pkg-config --cflags hotpath does that) the macros measure.
 * Without it they leave nothing behind: the object code is the same as with the macros deleted.
 *
 * Macros marked "declaration" stand where a declaration may stand, "statement" where a statement
 * may.
 * Names that begin with hotpath_i_ or HOTPATH_I_ may change in any release.
 */
#ifndef HOTPATH_H
#define HOTPATH_H

#include "hotpath/abi.h"
#include "hotpath/value.h"

#ifndef HOTPATH_ENABLE
#define HOTPATH_ENABLE 0
#endif

/** An initialiser for struct hotpath_options: everything at its default. */
#define HOTPATH_OPTIONS_INIT                                                                       \
	{                                                                                          \
		sizeof(struct hotpath_options), HOTPATH_I_NULL, { 0 }, 0, HOTPATH_FORMAT_TABLE, 0, \
			HOTPATH_I_NULL, HOTPATH_I_NULL, 0, 0                                       \
	}

/**
 * Before a function, declared or defined: leave it out where the compiler measures every function.
 * This macro means the same on and off, since "hotpath cc" measures programs that never switched the macros on. The
 * attribute no_instrument_function alone leaves a function out only with "hotpath cc --hooks".
 */
#define HOTPATH_SKIP HOTPATH_I_SKIP

#ifdef __cplusplus
#define HOTPATH_I_NULL nullptr
#else
#define HOTPATH_I_NULL NULL
#endif

/*
 * Variables of a block have names that no other has, so that several macros may stand in one line:
 * their number is counted once, and handed down. To clang 22 counting is an extension.
 */
#define HOTPATH_I_NAME(what, number) hotpath_i_##what##_##number
#define HOTPATH_I_COUNTING
#define HOTPATH_I_COUNTED
#ifdef __has_warning
#if __has_warning("-Wc2y-extensions")
#undef HOTPATH_I_COUNTING
#undef HOTPATH_I_COUNTED
#define HOTPATH_I_COUNTING                                                                         \
	_Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc2y-extensions\"")
#define HOTPATH_I_COUNTED _Pragma("clang diagnostic pop")
#endif
#endif

/*
 * One statement for each of up to eight arguments: of(texts, nth, argument). Alone it is number 0. What a
 * macro is given is expanded on its way to another, so the texts are taken before that, all in one.
 */
/* clang-format off */
#define HOTPATH_I_EACH(of, texts, ...)                                                             \
	HOTPATH_I_EACH_(HOTPATH_I_COUNT(__VA_ARGS__), of, texts, __VA_ARGS__)
#define HOTPATH_I_EACH_(count, of, texts, ...) HOTPATH_I_EACH__(count, of, texts, __VA_ARGS__)
#define HOTPATH_I_EACH__(count, of, texts, ...) HOTPATH_I_EACH_##count(of, texts, __VA_ARGS__)
#define HOTPATH_I_COUNT(...)                                                                       \
	HOTPATH_I_SEVENTEENTH(__VA_ARGS__, takes_8_at_most, takes_8_at_most, takes_8_at_most,    \
		takes_8_at_most, takes_8_at_most, takes_8_at_most, takes_8_at_most,                \
		takes_8_at_most, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define HOTPATH_I_SEVENTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, count, ...) count
#define HOTPATH_I_EACH_1(of, t, a) of(t, 0, a)
#define HOTPATH_I_EACH_2(of, t, a, b) HOTPATH_I_BOTH(of(t, 1, a), of(t, 2, b))
#define HOTPATH_I_EACH_3(of, t, a, b, c) HOTPATH_I_BOTH(HOTPATH_I_EACH_2(of, t, a, b), of(t, 3, c))
#define HOTPATH_I_EACH_4(of, t, a, b, c, d) HOTPATH_I_BOTH(HOTPATH_I_EACH_3(of, t, a, b, c), of(t, 4, d))
#define HOTPATH_I_EACH_5(of, t, a, b, c, d, e) HOTPATH_I_BOTH(HOTPATH_I_EACH_4(of, t, a, b, c, d), of(t, 5, e))
#define HOTPATH_I_EACH_6(of, t, a, b, c, d, e, f) HOTPATH_I_BOTH(HOTPATH_I_EACH_5(of, t, a, b, c, d, e), of(t, 6, f))
#define HOTPATH_I_EACH_7(of, t, a, b, c, d, e, f, g) HOTPATH_I_BOTH(HOTPATH_I_EACH_6(of, t, a, b, c, d, e, f), of(t, 7, g))
#define HOTPATH_I_EACH_8(of, t, a, b, c, d, e, f, g, h) HOTPATH_I_BOTH(HOTPATH_I_EACH_7(of, t, a, b, c, d, e, f, g), of(t, 8, h))
/* clang-format on */

#if HOTPATH_ENABLE

/* NOLINTBEGIN(bugprone-macro-parentheses): a statement cannot stand in parentheses. */
#define HOTPATH_I_BOTH(first, second)                                                              \
	do {                                                                                       \
		first;                                                                             \
		second;                                                                            \
	} while (0)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Inlined even where nothing is: it is the measured function that begins, by its place on the stack. */
#define HOTPATH_I_INLINE HOTPATH_SKIP __attribute__((always_inline)) static inline

#ifdef __cplusplus
#define HOTPATH_I_FUNCTION_NAME __PRETTY_FUNCTION__
#else
#define HOTPATH_I_FUNCTION_NAME __func__
#endif

#define HOTPATH_I_SITE(variable, name, kind)                                                       \
	static struct hotpath_site variable = { name, __FILE__, __LINE__, kind, 0, 0 }

/* The second variable makes the whole a declaration: beginning is its initialiser. */
#define HOTPATH_I_SCOPE(name, kind, begin, end)                                                    \
	HOTPATH_I_COUNTING                                                                         \
	HOTPATH_I_SCOPE_(__COUNTER__, name, kind, begin, end) HOTPATH_I_COUNTED
#define HOTPATH_I_SCOPE_(number, name, kind, begin, end)                                           \
	HOTPATH_I_SITE(HOTPATH_I_NAME(site, number), name, kind);                                  \
	struct hotpath_span HOTPATH_I_NAME(span, number) __attribute__((cleanup(end)));            \
	const int HOTPATH_I_NAME(begun, number) __attribute__((unused)) = begin(                   \
		&HOTPATH_I_NAME(span, number), &HOTPATH_I_NAME(site, number))

/* Whether to call the library for what happens now. While nothing is recorded, this is all that a macro costs. */
HOTPATH_I_INLINE uint32_t hotpath_i_wanted(void)
{
	return __atomic_load_n(&hotpath_calls_wanted, __ATOMIC_RELAXED);
}

/* Recording may start or stop before the block ends. So its end goes by what is noted in the span. */
HOTPATH_I_INLINE int hotpath_i_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	const uint32_t wanted = hotpath_i_wanted();

	span->site = wanted;
	if (wanted)
		hotpath_span_begin(span, site);
	return 0;
}

HOTPATH_I_INLINE void hotpath_i_end(struct hotpath_span *span)
{
	if (span->site)
		hotpath_span_end(span);
}

HOTPATH_I_INLINE int hotpath_i_main(struct hotpath_span *span, struct hotpath_site *site)
{
	hotpath_main_begin(span, site);
	return 0;
}

/** Declaration: record until this block ends, then print the report; this function is 100 %. */
#define HOTPATH_MAIN()                                                                             \
	HOTPATH_I_SCOPE(HOTPATH_I_FUNCTION_NAME, HOTPATH_SITE_MAIN, hotpath_i_main,                \
			hotpath_main_end)

/** Declaration: measure this function, from here until the block ends. */
#define HOTPATH_MEASURE()                                                                          \
	HOTPATH_I_SCOPE(HOTPATH_I_FUNCTION_NAME, HOTPATH_SITE_FUNCTION, hotpath_i_begin,           \
			hotpath_i_end)

/** Declaration: measure from here until the block ends, under a label (a string literal). */
#define HOTPATH_MEASURE_AS(label)                                                                  \
	HOTPATH_I_SCOPE("" label, HOTPATH_SITE_BLOCK, hotpath_i_begin, hotpath_i_end)

/**
 * Statement: HOTPATH_BLOCK("label", { ... }); measures the block, which may be left in any way. It
 * is a pair of braces: before an else it takes no semicolon.
 */
#define HOTPATH_BLOCK(label, ...)                                                                  \
	{                                                                                          \
		HOTPATH_MEASURE_AS(label);                                                         \
		__VA_ARGS__                                                                        \
	}

/** Statement: begin an operation that HOTPATH_SPAN_END ends, later and on any thread. */
#define HOTPATH_SPAN_BEGIN(span, label)                                                            \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, "" label, HOTPATH_SITE_SPAN);                       \
		hotpath_i_operation(&(span), &hotpath_i_site);                                     \
	} while (0)
#define HOTPATH_SPAN_END(span) hotpath_i_operation_end(&(span))

HOTPATH_I_INLINE void hotpath_i_operation(struct hotpath_span *span, struct hotpath_site *site)
{
	if (hotpath_i_wanted())
		hotpath_operation_begin(span, site);
	else
		__atomic_store_n(&span->token, 0, __ATOMIC_RELAXED);
}

/* RELAXED: the library takes the token once more, and in the right order. */
HOTPATH_I_INLINE void hotpath_i_operation_end(struct hotpath_span *span)
{
	if (__atomic_load_n(&span->token, __ATOMIC_RELAXED))
		hotpath_operation_end(span);
}

/** Statement: name this thread in reports. */
#define HOTPATH_THREAD_NAME(name) hotpath_thread_name(name)

/** Statement: a pool or an arena hands out a block of so many bytes, or gets one back. */
#define HOTPATH_ALLOC(block, size) hotpath_block_alloc(block, size)
#define HOTPATH_FREE(block) hotpath_block_free(block)

/**
 * Statements: follow a channel, which is any queue of the program, with a struct hotpath_channel *.
 * Say that a message is sent before it is in the queue, or with the queue locked. The forms _LOG
 * keep a text, as of printf, about each message. Of a channel made with _ITER every instance is a
 * row of its own. _WAIT says that the thread begins to wait for a message, or for room for one.
 */
#define HOTPATH_CHANNEL_NEW(channel, label, capacity)                                              \
	HOTPATH_I_CHANNEL(channel, label, capacity, HOTPATH_SITE_CHANNEL)
#define HOTPATH_CHANNEL_NEW_ITER(channel, label, capacity)                                         \
	HOTPATH_I_CHANNEL(channel, label, capacity, HOTPATH_SITE_CHANNEL | HOTPATH_SITE_ITER)
/** The same, of a channel that carries one message. Once that is received, it need not be closed. */
#define HOTPATH_CHANNEL_NEW_ONESHOT(channel, label)                                                \
	HOTPATH_I_CHANNEL(channel, label, 1, HOTPATH_SITE_CHANNEL | HOTPATH_SITE_ONESHOT)
#define HOTPATH_CHANNEL_NEW_ONESHOT_ITER(channel, label)                                           \
	HOTPATH_I_CHANNEL(channel, label, 1,                                                       \
			  HOTPATH_SITE_CHANNEL | HOTPATH_SITE_ONESHOT | HOTPATH_SITE_ITER)
#define HOTPATH_I_CHANNEL(channel, label, capacity, kind)                                          \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, "" label, kind);                                    \
		hotpath_channel_new(channel, &hotpath_i_site, HOTPATH_I_UINT64(capacity));         \
	} while (0)
#define HOTPATH_CHANNEL_SEND(channel, bytes) hotpath_i_send(channel, HOTPATH_I_UINT64(bytes))
#define HOTPATH_CHANNEL_SEND_LOG(channel, bytes, ...)                                              \
	hotpath_channel_send_log(channel, HOTPATH_I_UINT64(bytes), __VA_ARGS__)
#define HOTPATH_CHANNEL_RECV(channel) hotpath_i_receive(channel)
#define HOTPATH_CHANNEL_RECV_LOG(channel, ...) hotpath_channel_recv_log(channel, __VA_ARGS__)
#define HOTPATH_CHANNEL_WAIT(channel) hotpath_channel_wait(channel)
#define HOTPATH_CHANNEL_CLOSE(channel) hotpath_channel_close(channel)

HOTPATH_I_INLINE void hotpath_i_send(struct hotpath_channel *channel, uint64_t bytes)
{
	if (hotpath_i_wanted())
		hotpath_channel_send(channel, bytes);
}

HOTPATH_I_INLINE void hotpath_i_receive(struct hotpath_channel *channel)
{
	if (hotpath_i_wanted())
		hotpath_channel_recv(channel);
}

/** Statements: follow a stream, which yields items of so many bytes, with a struct hotpath_stream *. */
#define HOTPATH_STREAM_NEW(stream, label) HOTPATH_I_STREAM(stream, label, HOTPATH_SITE_STREAM)
#define HOTPATH_STREAM_NEW_ITER(stream, label)                                                     \
	HOTPATH_I_STREAM(stream, label, HOTPATH_SITE_STREAM | HOTPATH_SITE_ITER)
#define HOTPATH_I_STREAM(stream, label, kind)                                                      \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, "" label, kind);                                    \
		hotpath_stream_new(stream, &hotpath_i_site);                                       \
	} while (0)
#define HOTPATH_STREAM_YIELD(stream, bytes) hotpath_i_yield(stream, HOTPATH_I_UINT64(bytes))
#define HOTPATH_STREAM_YIELD_LOG(stream, bytes, ...)                                               \
	hotpath_stream_yield_log(stream, HOTPATH_I_UINT64(bytes), __VA_ARGS__)
#define HOTPATH_STREAM_END(stream) hotpath_stream_end(stream)

HOTPATH_I_INLINE void hotpath_i_yield(struct hotpath_stream *stream, uint64_t bytes)
{
	if (hotpath_i_wanted())
		hotpath_stream_yield(stream, bytes);
}

/**
 * Statements: follow a lock of the program's own make, with a struct hotpath_lock *. This thread begins to wait for it,
 * unless it is free; it has acquired it; it has released it.
 */
#define HOTPATH_LOCK_NEW(lock, label)                                                              \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, "" label, HOTPATH_SITE_LOCK);                       \
		hotpath_lock_new(lock, &hotpath_i_site);                                           \
	} while (0)
#define HOTPATH_LOCK_WAIT(lock) hotpath_lock_wait(lock)
#define HOTPATH_LOCK_HELD(lock) hotpath_lock_held(lock)
#define HOTPATH_LOCK_FREED(lock) hotpath_lock_freed(lock)

/**
 * Follow an operation that goes on in steps, with a struct hotpath_future *. All are statements but
 * HOTPATH_FUTURE_POLL, a declaration: until its block ends, this thread runs this future.
 */
#define HOTPATH_FUTURE_NEW(future, label)                                                          \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, "" label, HOTPATH_SITE_FUTURE);                     \
		hotpath_future_new(future, &hotpath_i_site);                                       \
	} while (0)
#define HOTPATH_FUTURE_POLL(future)                                                                \
	HOTPATH_I_COUNTING HOTPATH_I_POLL(__COUNTER__, future) HOTPATH_I_COUNTED
#define HOTPATH_I_POLL(number, future)                                                             \
	struct hotpath_poll HOTPATH_I_NAME(poll, number)                                           \
		__attribute__((cleanup(hotpath_i_poll_end)));                                      \
	const int HOTPATH_I_NAME(polled, number)                                                   \
		__attribute__((unused)) = hotpath_i_poll(&HOTPATH_I_NAME(poll, number), future)
#define HOTPATH_FUTURE_READY(future) hotpath_future_ready(future)
#define HOTPATH_FUTURE_READY_LOG(future, value)                                                    \
	hotpath_future_ready_log(future, HOTPATH_I_VALUE(value))
#define HOTPATH_FUTURE_CANCEL(future) hotpath_future_cancel(future)

HOTPATH_I_INLINE int hotpath_i_poll(struct hotpath_poll *poll, struct hotpath_future *future)
{
	if (hotpath_i_wanted())
		hotpath_poll_begin(poll, future);
	else
		poll->site.id = 0;
	return 0;
}

/* Without an id the poll was not begun. */
HOTPATH_I_INLINE void hotpath_i_poll_end(struct hotpath_poll *poll)
{
	if (poll->site.id)
		hotpath_poll_end(poll);
}

/**
 * Statement: keep the value of an expression, or of up to eight, each for itself: an integer, floating
 * point, bool, pointer or string.
 */
#define HOTPATH_DBG(...) HOTPATH_I_EACH(HOTPATH_I_DBG, #__VA_ARGS__, __VA_ARGS__)
#define HOTPATH_I_DBG(texts, nth, x)                                                               \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, texts,                                              \
			       HOTPATH_SITE_DBG + HOTPATH_SITE_NTH * (nth));                       \
		hotpath_i_value(&hotpath_i_site, HOTPATH_I_VALUE(x));                              \
	} while (0)

HOTPATH_I_INLINE void hotpath_i_value(struct hotpath_site *site, struct hotpath_value value)
{
	if (hotpath_i_wanted())
		hotpath_value_set(site, value);
}

/** Statement: the same under a key, wherever it is set: a string literal, or a string made at run time. */
#define HOTPATH_VAL(key, x) HOTPATH_I_VAL(key, x)
#define HOTPATH_I_VAL(key, x)                                                                      \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, HOTPATH_I_NULL, HOTPATH_SITE_VAL);                  \
		hotpath_i_keep(&hotpath_i_site, key, HOTPATH_I_IS_LITERAL(#key),                   \
			       HOTPATH_I_VALUE(x));                                                \
	} while (0)
/* As it is written: in quotes. */
#define HOTPATH_I_IS_LITERAL(text) ((text)[0] == '"' && (text)[sizeof(text) - 2] == '"')

/* A literal is the same each time: its site is its own. */
HOTPATH_I_INLINE void hotpath_i_keep(struct hotpath_site *site, const char *key, int is_literal,
				     struct hotpath_value value)
{
	if (!hotpath_i_wanted())
		return;
	if (is_literal) {
		if (!__atomic_load_n(&site->name, __ATOMIC_RELAXED))
			__atomic_store_n(&site->name, key, __ATOMIC_RELAXED);
		hotpath_value_set(site, value);
	} else {
		hotpath_value_set_as(site, key, value);
	}
}

/** Statements: a number that goes up and down, by its key; what it is, and was at least and at most. */
#define HOTPATH_GAUGE_SET(key, x) HOTPATH_I_GAUGE(hotpath_i_gauge_set, key, x)
#define HOTPATH_GAUGE_ADD(key, x) HOTPATH_I_GAUGE(hotpath_i_gauge_add, key, x)
#define HOTPATH_I_GAUGE(function, key, x)                                                          \
	do {                                                                                       \
		HOTPATH_I_SITE(hotpath_i_site, "" key, HOTPATH_SITE_GAUGE);                        \
		function(&hotpath_i_site, HOTPATH_I_DOUBLE(x));                                    \
	} while (0)

HOTPATH_I_INLINE void hotpath_i_gauge_set(struct hotpath_site *site, double value)
{
	if (hotpath_i_wanted())
		hotpath_gauge_set(site, value);
}

HOTPATH_I_INLINE void hotpath_i_gauge_add(struct hotpath_site *site, double difference)
{
	if (hotpath_i_wanted())
		hotpath_gauge_add(site, difference);
}

/*
 * Statement: return a value and log it with this call. Integers, floating point, bool, pointers and
 * strings; evaluated once.
 *
 * The value is returned through a variable of its own type, so what the compiler knows about the
 * expression (that n & 0xff fits a byte) is lost: its doubts about the conversion are silenced
 * here, and voiced when the macros are off.
 */
/* NOLINTBEGIN(bugprone-macro-parentheses): a statement cannot stand in parentheses. */
/* clang-format off */
#define HOTPATH_I_CONVERTING(statement)                                                            \
	_Pragma("GCC diagnostic push")                                                             \
	_Pragma("GCC diagnostic ignored \"-Wconversion\"")                                         \
	_Pragma("GCC diagnostic ignored \"-Wsign-conversion\"")                                    \
	_Pragma("GCC diagnostic ignored \"-Wfloat-conversion\"")                                   \
	_Pragma("GCC diagnostic ignored \"-Wdouble-promotion\"")                                   \
	statement;                                                                                 \
	_Pragma("GCC diagnostic pop")
/* clang-format on */
/* NOLINTEND(bugprone-macro-parentheses) */

HOTPATH_I_INLINE void hotpath_i_log(struct hotpath_value value)
{
	if (hotpath_i_wanted())
		hotpath_log(value);
}

#ifdef __cplusplus

#define HOTPATH_RETURN(value)                                                                      \
	do {                                                                                       \
		const auto hotpath_i_returned = (value);                                           \
		hotpath_i_log(HOTPATH_I_VALUE(hotpath_i_returned));                                \
		HOTPATH_I_CONVERTING(return hotpath_i_returned)                                    \
	} while (0)

#else

/* A constant is returned itself: 0 may stand for a pointer. */
#define HOTPATH_I_RETURNED(value)                                                                  \
	__builtin_choose_expr(__builtin_constant_p(value), (value), hotpath_i_returned)

#define HOTPATH_RETURN(value)                                                                      \
	do {                                                                                       \
		__extension__ __auto_type hotpath_i_returned = (value);                            \
		hotpath_i_log(HOTPATH_I_VALUE(hotpath_i_returned));                                \
		HOTPATH_I_CONVERTING(return HOTPATH_I_RETURNED(value))                             \
	} while (0)

#endif

#else /* HOTPATH_ENABLE */

/*
 * Nothing is left of a measurement, but declarations stay declarations and arguments are checked.
 * Statements are expressions: an empty loop leaves a jump behind when nothing is optimised.
 */
#ifdef __cplusplus
#define HOTPATH_I_NOTHING static_assert(true, "")
#define HOTPATH_I_LABEL(literal) static_assert(sizeof("" literal) > 0, "")
#define HOTPATH_I_CHECKED(expression) static_assert(sizeof(expression) > 0, "")
#else
#define HOTPATH_I_NOTHING struct hotpath_i_off
#define HOTPATH_I_LABEL(literal) HOTPATH_I_CHECKED("" literal)
#define HOTPATH_I_CHECKED(expression)                                                              \
	HOTPATH_I_COUNTING HOTPATH_I_CHECKED_(__COUNTER__, expression) HOTPATH_I_COUNTED
#define HOTPATH_I_CHECKED_(number, expression)                                                     \
	struct HOTPATH_I_NAME(checked, number) {                                                   \
		char size[sizeof(expression)];                                                     \
	}
#endif
#define HOTPATH_I_UNUSED(checked) ((void)(0 && (checked)))
#define HOTPATH_I_BOTH(first, second) ((first), (second))

HOTPATH_SKIP static inline int hotpath_i_check_span(const struct hotpath_span *span)
{
	return !!span;
}

HOTPATH_SKIP static inline int hotpath_i_check_text(const char *text)
{
	return !!text;
}

HOTPATH_SKIP static inline int hotpath_i_check_block(const void *block, size_t size)
{
	return block && size;
}

HOTPATH_SKIP static inline int hotpath_i_check_number(uint64_t number)
{
	return !!number;
}

HOTPATH_SKIP static inline int hotpath_i_check_channel(const struct hotpath_channel *channel)
{
	return !!channel;
}

HOTPATH_SKIP static inline int hotpath_i_check_lock(const struct hotpath_lock *lock)
{
	return !!lock;
}

HOTPATH_SKIP static inline int hotpath_i_check_stream(const struct hotpath_stream *stream)
{
	return !!stream;
}

HOTPATH_SKIP static inline int hotpath_i_check_future(const struct hotpath_future *future)
{
	return !!future;
}

HOTPATH_SKIP HOTPATH_I_PRINTF(1, 2) static inline int hotpath_i_check_format(const char *format,
									     ...)
{
	return !!format;
}

HOTPATH_SKIP static inline int hotpath_i_start(const struct hotpath_options *options)
{
	(void)options;
	return 0;
}

HOTPATH_SKIP static inline int hotpath_i_check_function(void (*function)(void))
{
	return !!function;
}

HOTPATH_SKIP static inline int hotpath_i_stop(void)
{
	return 0;
}

#define hotpath_start(options) hotpath_i_start(options)
#define hotpath_stop() hotpath_i_stop()
#define hotpath_before_stop(function) HOTPATH_I_UNUSED(hotpath_i_check_function(function))
#define hotpath_version() HOTPATH_VERSION
#define hotpath_label(object, label)                                                               \
	HOTPATH_I_UNUSED(hotpath_i_check_block(object, 1) && hotpath_i_check_text(label))
#define hotpath_fiber_switch(id) HOTPATH_I_UNUSED(hotpath_i_check_number(id))

#define HOTPATH_MAIN() HOTPATH_I_NOTHING
#define HOTPATH_MEASURE() HOTPATH_I_NOTHING
#define HOTPATH_MEASURE_AS(label) HOTPATH_I_LABEL(label)
#define HOTPATH_BLOCK(label, ...)                                                                  \
	{                                                                                          \
		HOTPATH_I_LABEL(label);                                                            \
		__VA_ARGS__                                                                        \
	}
#define HOTPATH_SPAN_BEGIN(span, label)                                                            \
	HOTPATH_I_UNUSED(hotpath_i_check_span(&(span)) && hotpath_i_check_text("" label))
#define HOTPATH_SPAN_END(span) HOTPATH_I_UNUSED(hotpath_i_check_span(&(span)))
#define HOTPATH_THREAD_NAME(name) HOTPATH_I_UNUSED(hotpath_i_check_text(name))
#define HOTPATH_ALLOC(block, size) HOTPATH_I_UNUSED(hotpath_i_check_block(block, size))
#define HOTPATH_FREE(block) HOTPATH_I_UNUSED(hotpath_i_check_block(block, 0))
#ifdef __cplusplus
#define HOTPATH_RETURN(value) return HOTPATH_I_UNUSED(HOTPATH_I_VALUE(value).kind), (value)
#else
#define HOTPATH_RETURN(value)                                                                      \
	return __builtin_choose_expr(sizeof(HOTPATH_I_VALUE(value)) > 0, (value), 0)
#endif

#define HOTPATH_CHANNEL_NEW(channel, label, capacity)                                              \
	HOTPATH_I_UNUSED(hotpath_i_check_channel(channel) && hotpath_i_check_text("" label) &&     \
			 HOTPATH_I_UINT64(capacity) > 0)
#define HOTPATH_CHANNEL_NEW_ITER(channel, label, capacity)                                         \
	HOTPATH_CHANNEL_NEW(channel, label, capacity)
#define HOTPATH_CHANNEL_NEW_ONESHOT(channel, label) HOTPATH_CHANNEL_NEW(channel, label, 1)
#define HOTPATH_CHANNEL_NEW_ONESHOT_ITER(channel, label) HOTPATH_CHANNEL_NEW(channel, label, 1)
#define HOTPATH_CHANNEL_SEND(channel, bytes)                                                       \
	HOTPATH_I_UNUSED(hotpath_i_check_channel(channel) && HOTPATH_I_UINT64(bytes) > 0)
#define HOTPATH_CHANNEL_SEND_LOG(channel, bytes, ...)                                              \
	HOTPATH_I_UNUSED(hotpath_i_check_channel(channel) && HOTPATH_I_UINT64(bytes) > 0 &&        \
			 hotpath_i_check_format(__VA_ARGS__))
#define HOTPATH_CHANNEL_RECV(channel) HOTPATH_I_UNUSED(hotpath_i_check_channel(channel))
#define HOTPATH_CHANNEL_RECV_LOG(channel, ...)                                                     \
	HOTPATH_I_UNUSED(hotpath_i_check_channel(channel) && hotpath_i_check_format(__VA_ARGS__))
#define HOTPATH_CHANNEL_WAIT(channel) HOTPATH_I_UNUSED(hotpath_i_check_channel(channel))
#define HOTPATH_CHANNEL_CLOSE(channel) HOTPATH_I_UNUSED(hotpath_i_check_channel(channel))
#define HOTPATH_STREAM_NEW(stream, label)                                                          \
	HOTPATH_I_UNUSED(hotpath_i_check_stream(stream) && hotpath_i_check_text("" label))
#define HOTPATH_STREAM_NEW_ITER(stream, label) HOTPATH_STREAM_NEW(stream, label)
#define HOTPATH_STREAM_YIELD(stream, bytes)                                                        \
	HOTPATH_I_UNUSED(hotpath_i_check_stream(stream) && HOTPATH_I_UINT64(bytes) > 0)
#define HOTPATH_STREAM_YIELD_LOG(stream, bytes, ...)                                               \
	HOTPATH_I_UNUSED(hotpath_i_check_stream(stream) && HOTPATH_I_UINT64(bytes) > 0 &&          \
			 hotpath_i_check_format(__VA_ARGS__))
#define HOTPATH_STREAM_END(stream) HOTPATH_I_UNUSED(hotpath_i_check_stream(stream))
#define HOTPATH_LOCK_NEW(lock, label)                                                              \
	HOTPATH_I_UNUSED(hotpath_i_check_lock(lock) && hotpath_i_check_text("" label))
#define HOTPATH_LOCK_WAIT(lock) HOTPATH_I_UNUSED(hotpath_i_check_lock(lock))
#define HOTPATH_LOCK_HELD(lock) HOTPATH_I_UNUSED(hotpath_i_check_lock(lock))
#define HOTPATH_LOCK_FREED(lock) HOTPATH_I_UNUSED(hotpath_i_check_lock(lock))
#define HOTPATH_FUTURE_NEW(future, label)                                                          \
	HOTPATH_I_UNUSED(hotpath_i_check_future(future) && hotpath_i_check_text("" label))
#define HOTPATH_FUTURE_POLL(future) HOTPATH_I_CHECKED(hotpath_i_check_future(future))
#define HOTPATH_FUTURE_READY(future) HOTPATH_I_UNUSED(hotpath_i_check_future(future))
#define HOTPATH_FUTURE_READY_LOG(future, value)                                                    \
	HOTPATH_I_UNUSED(hotpath_i_check_future(future) && HOTPATH_I_VALUE(value).kind)
#define HOTPATH_FUTURE_CANCEL(future) HOTPATH_I_UNUSED(hotpath_i_check_future(future))
#define HOTPATH_DBG(...) HOTPATH_I_EACH(HOTPATH_I_DBG, "", __VA_ARGS__)
#define HOTPATH_I_DBG(texts, nth, x) HOTPATH_I_UNUSED(HOTPATH_I_VALUE(x).kind)
#define HOTPATH_VAL(key, x) HOTPATH_I_UNUSED(hotpath_i_check_text(key) && HOTPATH_I_VALUE(x).kind)
#define HOTPATH_GAUGE_SET(key, x)                                                                  \
	HOTPATH_I_UNUSED(hotpath_i_check_text("" key) && HOTPATH_I_DOUBLE(x) > 0)
#define HOTPATH_GAUGE_ADD(key, x) HOTPATH_GAUGE_SET(key, x)

#endif /* HOTPATH_ENABLE */

#endif
