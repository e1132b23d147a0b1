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
 * The same on and off, since "hotpath cc" measures programs that never switched the macros on.
 */
#if defined(__GNUC__) || defined(__clang__)
#define HOTPATH_SKIP __attribute__((no_instrument_function))
#else
#define HOTPATH_SKIP
#endif

#ifdef __cplusplus
#define HOTPATH_I_NULL nullptr
#else
#define HOTPATH_I_NULL NULL
#endif

#define HOTPATH_I_JOIN_(a, b) a##b
#define HOTPATH_I_JOIN(a, b) HOTPATH_I_JOIN_(a, b)
#define HOTPATH_I_NAME(what) HOTPATH_I_JOIN(hotpath_i_##what##_, __LINE__)

#if HOTPATH_ENABLE

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
	HOTPATH_I_SITE(HOTPATH_I_NAME(site), name, kind);                                          \
	struct hotpath_span HOTPATH_I_NAME(span) __attribute__((cleanup(end)));                    \
	const int HOTPATH_I_NAME(begun)                                                            \
		__attribute__((unused)) = begin(&HOTPATH_I_NAME(span), &HOTPATH_I_NAME(site))

HOTPATH_I_INLINE int hotpath_i_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	hotpath_span_begin(span, site);
	return 0;
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
			hotpath_span_end)

/** Declaration: measure from here until the block ends, under a label (a string literal). */
#define HOTPATH_MEASURE_AS(label)                                                                  \
	HOTPATH_I_SCOPE("" label, HOTPATH_SITE_BLOCK, hotpath_i_begin, hotpath_span_end)

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
		hotpath_operation_begin(&(span), &hotpath_i_site);                                 \
	} while (0)
#define HOTPATH_SPAN_END(span) hotpath_operation_end(&(span))

/** Statement: name this thread in reports. */
#define HOTPATH_THREAD_NAME(name) hotpath_thread_name(name)

/** Statement: a pool or an arena hands out a block of so many bytes, or gets one back. */
#define HOTPATH_ALLOC(block, size) hotpath_block_alloc(block, size)
#define HOTPATH_FREE(block) hotpath_block_free(block)

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

#ifdef __cplusplus

/* clang-format off */
extern "C++" {
HOTPATH_SKIP inline void hotpath_i_log(bool value) { hotpath_log_bool(value); }
HOTPATH_SKIP inline void hotpath_i_log(char value) { hotpath_log_int(value); }
HOTPATH_SKIP inline void hotpath_i_log(signed char value) { hotpath_log_int(value); }
HOTPATH_SKIP inline void hotpath_i_log(short value) { hotpath_log_int(value); }
HOTPATH_SKIP inline void hotpath_i_log(int value) { hotpath_log_int(value); }
HOTPATH_SKIP inline void hotpath_i_log(long value) { hotpath_log_int(value); }
HOTPATH_SKIP inline void hotpath_i_log(unsigned char value) { hotpath_log_uint(value); }
HOTPATH_SKIP inline void hotpath_i_log(unsigned short value) { hotpath_log_uint(value); }
HOTPATH_SKIP inline void hotpath_i_log(unsigned int value) { hotpath_log_uint(value); }
HOTPATH_SKIP inline void hotpath_i_log(unsigned long value) { hotpath_log_uint(value); }
__extension__ HOTPATH_SKIP inline void hotpath_i_log(long long value) { hotpath_log_int(value); }
__extension__ HOTPATH_SKIP inline void hotpath_i_log(unsigned long long value) { hotpath_log_uint(value); }
HOTPATH_SKIP inline void hotpath_i_log(float value) { hotpath_log_double(static_cast<double>(value)); }
HOTPATH_SKIP inline void hotpath_i_log(double value) { hotpath_log_double(value); }
HOTPATH_SKIP inline void hotpath_i_log(long double value) { hotpath_log_double(static_cast<double>(value)); }
HOTPATH_SKIP inline void hotpath_i_log(const char *value) { hotpath_log_string(value); }
HOTPATH_SKIP inline void hotpath_i_log(const void *value) { hotpath_log_pointer(value); }
HOTPATH_SKIP inline void hotpath_i_log(decltype(nullptr)) { hotpath_log_pointer(nullptr); }
}
/* clang-format on */

#define HOTPATH_RETURN(value)                                                                      \
	do {                                                                                       \
		const auto hotpath_i_value = (value);                                              \
		hotpath_i_log(hotpath_i_value);                                                    \
		HOTPATH_I_CONVERTING(return hotpath_i_value)                                       \
	} while (0)

#else

/* clang-format off */
#define HOTPATH_I_LOG(value)                                                                       \
	__extension__ _Generic((value),                                                            \
		_Bool: hotpath_log_bool,                                                           \
		char: hotpath_log_int,                                                             \
		signed char: hotpath_log_int,                                                      \
		short: hotpath_log_int,                                                            \
		int: hotpath_log_int,                                                              \
		long: hotpath_log_int,                                                             \
		long long: hotpath_log_int,                                                        \
		unsigned char: hotpath_log_uint,                                                   \
		unsigned short: hotpath_log_uint,                                                  \
		unsigned int: hotpath_log_uint,                                                    \
		unsigned long: hotpath_log_uint,                                                   \
		unsigned long long: hotpath_log_uint,                                              \
		float: hotpath_i_log_float,                                                        \
		double: hotpath_log_double,                                                        \
		long double: hotpath_i_log_long_double,                                            \
		char *: hotpath_log_string,                                                        \
		const char *: hotpath_log_string,                                                  \
		default: hotpath_log_pointer)(value)
/* clang-format on */

HOTPATH_SKIP static inline void hotpath_i_log_float(float value)
{
	hotpath_log_double((double)value);
}

HOTPATH_SKIP static inline void hotpath_i_log_long_double(long double value)
{
	hotpath_log_double((double)value);
}

/* A constant is returned itself: 0 may stand for a pointer. */
#define HOTPATH_I_RETURNED(value)                                                                  \
	__builtin_choose_expr(__builtin_constant_p(value), (value), hotpath_i_value)

#define HOTPATH_RETURN(value)                                                                      \
	do {                                                                                       \
		__extension__ __auto_type hotpath_i_value = (value);                               \
		HOTPATH_I_LOG(hotpath_i_value);                                                    \
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
#else
#define HOTPATH_I_NOTHING struct hotpath_i_off
#define HOTPATH_I_LABEL(literal)                                                                   \
	struct HOTPATH_I_NAME(label) {                                                             \
		char text[sizeof("" literal)];                                                     \
	}
#endif
#define HOTPATH_I_UNUSED(checked) ((void)(0 && (checked)))

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

HOTPATH_SKIP static inline int hotpath_i_start(const struct hotpath_options *options)
{
	(void)options;
	return 0;
}

HOTPATH_SKIP static inline int hotpath_i_stop(void)
{
	return 0;
}

#define hotpath_start(options) hotpath_i_start(options)
#define hotpath_stop() hotpath_i_stop()
#define hotpath_version() HOTPATH_VERSION

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
#define HOTPATH_RETURN(value) return (value)

#endif /* HOTPATH_ENABLE */

#endif
