/* SPDX-License-Identifier: MIT */
/*
 * What the macros of hotpath.h make of their arguments: values to be logged, and numbers.
 *
 * The same on and off, so that what is refused is refused both ways. No conversion here is one of a type
 * to itself: -Wuseless-cast has nothing to say. Names may change in any release.
 */
#ifndef HOTPATH_VALUE_H
#define HOTPATH_VALUE_H

#include "abi.h"

/**
 * Leave a function out where the compiler measures every function. The first attribute leaves nothing in what the compiler
 * writes for the assembler, so that "hotpath cc" also asks for a NOP in front of the function, where it is never executed.
 */
#if defined(HOTPATH_I_SLEDS)
#define HOTPATH_I_SKIP __attribute__((no_instrument_function, patchable_function_entry(1, 1)))
#elif defined(__GNUC__) || defined(__clang__)
#define HOTPATH_I_SKIP __attribute__((no_instrument_function))
#else
#define HOTPATH_I_SKIP
#endif

#ifdef __cplusplus

/* A value to be logged, of any type that can be; what is counted, and a level: any number, no pointer. */
#define HOTPATH_I_VALUE(x) hotpath_i_value(x)
#define HOTPATH_I_UINT64(x) hotpath_i_uint64(x)
#define HOTPATH_I_DOUBLE(x) hotpath_i_double(x)

/* clang-format off */
extern "C++" {
HOTPATH_I_SKIP inline uint64_t hotpath_i_uint64(uint64_t number) { return number; }
template <typename T> HOTPATH_I_SKIP inline uint64_t hotpath_i_uint64(T number) { return static_cast<uint64_t>(number); }
HOTPATH_I_SKIP inline double hotpath_i_double(double number) { return number; }
template <typename T> HOTPATH_I_SKIP inline double hotpath_i_double(T number) { return static_cast<double>(number); }

HOTPATH_I_SKIP inline hotpath_value hotpath_i_make(hotpath_value_kind kind, uint64_t bits)
{
	const hotpath_value value = { static_cast<uint64_t>(kind), bits };
	return value;
}
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(double value)
{
	uint64_t bits = 0;
	__builtin_memcpy(&bits, &value, sizeof(bits));
	return hotpath_i_make(HOTPATH_VALUE_DOUBLE, bits);
}
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(float value) { return hotpath_i_value(static_cast<double>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(long double value) { return hotpath_i_value(static_cast<double>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(bool value) { return hotpath_i_make(HOTPATH_VALUE_BOOL, value); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(char value) { return hotpath_i_make(HOTPATH_VALUE_INT, static_cast<uint64_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(signed char value) { return hotpath_i_make(HOTPATH_VALUE_INT, static_cast<uint64_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(short value) { return hotpath_i_make(HOTPATH_VALUE_INT, static_cast<uint64_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(int value) { return hotpath_i_make(HOTPATH_VALUE_INT, static_cast<uint64_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(long value) { return hotpath_i_make(HOTPATH_VALUE_INT, static_cast<uint64_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(unsigned char value) { return hotpath_i_make(HOTPATH_VALUE_UINT, value); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(unsigned short value) { return hotpath_i_make(HOTPATH_VALUE_UINT, value); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(unsigned int value) { return hotpath_i_make(HOTPATH_VALUE_UINT, value); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(unsigned long value) { return hotpath_i_make(HOTPATH_VALUE_UINT, value); }
__extension__ HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(long long value) { return hotpath_i_make(HOTPATH_VALUE_INT, static_cast<uint64_t>(value)); }
__extension__ HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(unsigned long long value) { return hotpath_i_make(HOTPATH_VALUE_UINT, value); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(const char *value) { return hotpath_i_make(HOTPATH_VALUE_STRING, reinterpret_cast<uintptr_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(const void *value) { return hotpath_i_make(HOTPATH_VALUE_POINTER, reinterpret_cast<uintptr_t>(value)); }
HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(decltype(nullptr)) { return hotpath_i_make(HOTPATH_VALUE_POINTER, 0); }

/* What is none of these, nor converts to one: a template, so that it is the last to be chosen. */
struct hotpath_i_refused {
	template <typename T> HOTPATH_I_SKIP hotpath_i_refused(const T &) { static_assert(sizeof(T) == 0, "hotpath keeps numbers, pointers and strings, no struct"); }
};
template <int = 0> HOTPATH_I_SKIP inline hotpath_value hotpath_i_value(hotpath_i_refused) { return hotpath_i_make(HOTPATH_VALUE_POINTER, 0); }
}
/* clang-format on */

#else

/* clang-format off */
#define HOTPATH_I_VALUE(x)                                                                         \
	__extension__ _Generic((x),                                                                \
		_Bool: hotpath_i_value_bool,                                                       \
		char: hotpath_i_value_int,                                                         \
		signed char: hotpath_i_value_int,                                                  \
		short: hotpath_i_value_int,                                                        \
		int: hotpath_i_value_int,                                                          \
		long: hotpath_i_value_int,                                                         \
		long long: hotpath_i_value_int,                                                    \
		unsigned char: hotpath_i_value_uint,                                               \
		unsigned short: hotpath_i_value_uint,                                              \
		unsigned int: hotpath_i_value_uint,                                                \
		unsigned long: hotpath_i_value_uint,                                               \
		unsigned long long: hotpath_i_value_uint,                                          \
		float: hotpath_i_value_float,                                                      \
		double: hotpath_i_value_double,                                                    \
		long double: hotpath_i_value_long_double,                                          \
		char *: hotpath_i_value_string,                                                    \
		const char *: hotpath_i_value_string,                                              \
		default: hotpath_i_value_pointer)(HOTPATH_I_SCALAR(x))

/* A number: plus makes the small ones int, and an error of a pointer. */
#define HOTPATH_I_NUMBER(x, of)                                                                    \
	__extension__ _Generic(+(x),                                                               \
		int: of##_int,                                                                     \
		long: of##_int,                                                                    \
		long long: of##_int,                                                               \
		unsigned int: of##_uint,                                                           \
		unsigned long: of##_uint,                                                          \
		unsigned long long: of##_uint,                                                     \
		float: of##_float,                                                                 \
		double: of##_double,                                                               \
		long double: of##_long_double)(x)
/* clang-format on */
#define HOTPATH_I_UINT64(x) HOTPATH_I_NUMBER(x, hotpath_i_uint64)
#define HOTPATH_I_DOUBLE(x) HOTPATH_I_NUMBER(x, hotpath_i_double)

/*
 * The argument itself; of a struct, one clear message, which is the name of an array that cannot be,
 * and something else, so that it is the only one. (In C99, _Static_assert may be a macro of libc.)
 */
#define HOTPATH_I_SCALAR(x)                                                                        \
	__builtin_choose_expr(sizeof(struct {                                                      \
				      char hotpath_keeps_numbers_pointers_and_strings_no_struct    \
					      [HOTPATH_I_IS_STRUCT(x) ? -1 : 1];                   \
			      }) > 0 &&                                                            \
				      !HOTPATH_I_IS_STRUCT(x),                                     \
			      (x), 0)
/* 12 and 13 are the compiler's own numbers of structs and unions. */
#define HOTPATH_I_IS_STRUCT(x)                                                                     \
	((__builtin_classify_type(_Generic((x), float : 0, default : (x))) | 1) == 13)

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_uint(uint64_t value)
{
	const struct hotpath_value made = { HOTPATH_VALUE_UINT, value };

	return made;
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_int(int64_t value)
{
	const struct hotpath_value made = { HOTPATH_VALUE_INT, (uint64_t)value };

	return made;
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_bool(int value)
{
	const struct hotpath_value made = { HOTPATH_VALUE_BOOL, value != 0 };

	return made;
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_double(double value)
{
	struct hotpath_value made = { HOTPATH_VALUE_DOUBLE, 0 };

	__builtin_memcpy(&made.bits, &value, sizeof(made.bits));
	return made;
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_float(float value)
{
	return hotpath_i_value_double((double)value);
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_long_double(long double value)
{
	return hotpath_i_value_double((double)value);
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_string(const char *value)
{
	const struct hotpath_value made = { HOTPATH_VALUE_STRING, (uintptr_t)value };

	return made;
}

HOTPATH_I_SKIP static inline struct hotpath_value hotpath_i_value_pointer(const void *value)
{
	const struct hotpath_value made = { HOTPATH_VALUE_POINTER, (uintptr_t)value };

	return made;
}

HOTPATH_I_SKIP static inline uint64_t hotpath_i_uint64_int(int64_t number)
{
	return (uint64_t)number;
}

HOTPATH_I_SKIP static inline uint64_t hotpath_i_uint64_uint(uint64_t number)
{
	return number;
}

HOTPATH_I_SKIP static inline uint64_t hotpath_i_uint64_float(float number)
{
	return (uint64_t)number;
}

HOTPATH_I_SKIP static inline uint64_t hotpath_i_uint64_double(double number)
{
	return (uint64_t)number;
}

HOTPATH_I_SKIP static inline uint64_t hotpath_i_uint64_long_double(long double number)
{
	return (uint64_t)number;
}

HOTPATH_I_SKIP static inline double hotpath_i_double_int(int64_t number)
{
	return (double)number;
}

HOTPATH_I_SKIP static inline double hotpath_i_double_uint(uint64_t number)
{
	return (double)number;
}

HOTPATH_I_SKIP static inline double hotpath_i_double_float(float number)
{
	return (double)number;
}

HOTPATH_I_SKIP static inline double hotpath_i_double_double(double number)
{
	return number;
}

HOTPATH_I_SKIP static inline double hotpath_i_double_long_double(long double number)
{
	return (double)number;
}

#endif

#endif
