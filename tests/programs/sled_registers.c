/* SPDX-License-Identifier: MIT */
/*
 * Functions with arguments and results in all kinds of registers, which are left in all kinds of ways. They notice a sled that
 * changes what is not its own. What they print is the same on all processors, whether they are measured or not: how
 * often each was called, and a checksum of all results.
 *
 * usage: sled_registers [sessions | input]     sessions: recording is started and stopped while threads call the functions
 *                                              input: they do so until the input ends
 */
#ifdef __ARM_FEATURE_SVE
#include <arm_sve.h>
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A function that is called as often as it is written, whose callers know nothing of it. */
#define PART __attribute__((noinline, noclone))
#define HAPPENS __asm__ volatile("")
/* One that is no function of its own. */
#define INSIDE __attribute__((always_inline)) static inline

enum {
	/* Calls are counted in blocks of 64, and measured in another way at first. */
	ROUNDS = 300,
	THREADS = 3,
	SESSIONS = 20,
	SESSION_NS = 5000000,
};

struct pair {
	uint64_t first, second;
};
struct large {
	uint64_t words[9];
};
struct four {
	double a, b, c, d;
};
typedef uint32_t vector __attribute__((vector_size(16)));

static bool goes_on;

int hotpath_start(const void *options) __attribute__((weak));
int hotpath_stop(void) __attribute__((weak));

PART uint64_t leaf(uint64_t value)
{
	HAPPENS;
	return value * 3 + 1;
}

PART uint64_t fibonacci(uint64_t n)
{
	if (n < 2)
		return n;
	uint64_t one = fibonacci(n - 1), two = fibonacci(n - 2);
	HAPPENS;
	return one + two;
}

/* Each is left by a jump to the other. */
PART uint64_t is_odd(uint64_t n);
PART uint64_t is_even(uint64_t n)
{
	HAPPENS;
	return n ? is_odd(n - 1) : 1;
}

PART uint64_t is_odd(uint64_t n)
{
	HAPPENS;
	return n ? is_even(n - 1) : 0;
}

PART struct pair two_words(uint64_t a, uint64_t b)
{
	HAPPENS;
	return (struct pair){ a ^ b << 7, a + b };
}

PART uint64_t integers(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		       uint64_t g, uint64_t h, uint64_t i, uint64_t j)
{
	HAPPENS;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

uint64_t (*volatile integers_pointer)(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
				      uint64_t f, uint64_t g, uint64_t h, uint64_t i,
				      uint64_t j) = integers;

/* Left by a jump to an address in a register, where the other registers have arguments. */
PART uint64_t leads_on(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		       uint64_t g, uint64_t h, uint64_t i, uint64_t j)
{
	return integers_pointer(a + 1, b, c, d, e, f, g, h, i, j);
}

PART double doubles(double a, double b, double c, double d, double e, double f, double g, double h,
		    double i, double j)
{
	HAPPENS;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}

PART struct four turned(struct four by)
{
	HAPPENS;
	return (struct four){ by.b, by.c, by.d, by.a + 1 };
}

PART vector vectors(vector a, vector b, vector c, vector d, vector e, vector f, vector g, vector h)
{
	HAPPENS;
	return a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

/* Vectors of any length, in which no element may have changed. Where there are none, as many calls. */
#ifdef __ARM_FEATURE_SVE
PART svuint32_t plus(svbool_t which, svuint32_t a, svuint32_t b)
{
	HAPPENS;
	return svadd_m(which, a, b);
}

INSIDE uint64_t scalable(uint32_t i)
{
	svbool_t all = svptrue_b32(), even = svcmpeq(all, svand_m(all, svindex_u32(0, 1), 1), 0);
	svuint32_t result = plus(even, svindex_u32(i, 1), svdup_u32(100));
	svuint32_t expected = svsel(even, svindex_u32(i + 100, 1), svindex_u32(i, 1));

	return svcntp_b32(all, svcmpne(all, result, expected));
}
#else
PART void plus(void)
{
	HAPPENS;
}

INSIDE uint64_t scalable(uint32_t i)
{
	(void)i;
	plus();
	return 0;
}
#endif

PART long double long_double(long double a, long double b)
{
	HAPPENS;
	return a * 2 + b;
}

/* The result is in memory; where, is in a register of its own. */
PART struct large in_memory(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, double f)
{
	HAPPENS;
	return (struct large){ { a, b, c, d, e, (uint64_t)f, a + b, c + d, e + a } };
}

PART uint64_t variadic(int count, ...)
{
	va_list list;
	uint64_t sum = 0;

	va_start(list, count);
	while (count--)
		sum = sum * 5 + va_arg(list, uint64_t) + (uint64_t)va_arg(list, double);
	va_end(list);
	return sum;
}

__attribute__((cold)) PART uint64_t seldom(uint64_t value)
{
	HAPPENS;
	return value ^ 0xff;
}

/* What calls a cold function is moved away, with a return of its own. */
PART uint64_t with_cold_part(uint64_t value)
{
	if (value % 100 == 0) {
		uint64_t other = seldom(value);
		return other + 17;
	}
	HAPPENS;
	return value + 1;
}

/* One of the cases is chosen by a jump that stays in the function. */
PART uint64_t with_table(uint64_t value)
{
	switch (value % 6) {
	case 0:
		return leaf(value);
	case 1:
		HAPPENS;
		return value * 7;
	case 2:
		return is_even(value % 2);
	case 3:
		HAPPENS;
		return value ^ 0x55;
	case 4:
		HAPPENS;
		return value << 3;
	default:
		HAPPENS;
		return ~value;
	}
}

PART uint64_t with_array(uint64_t length)
{
	uint64_t array[length], sum = 0;

	for (uint64_t i = 0; i < length; i++)
		array[i] = leaf(i);
	for (uint64_t i = 0; i < length; i++)
		sum = sum * 3 + array[i];
	return sum;
}

/* Functions inside others find the variables of these by a register of its own. gcc has them, and adds a number to
   their names. */
#ifdef __clang__
PART uint64_t around(uint64_t value)
{
	HAPPENS;
	return value;
}
#else
PART uint64_t around(uint64_t value)
{
	uint64_t sum = value;
	PART void inside(uint64_t depth)
	{
		sum = sum * 5 + depth;
		if (depth)
			inside(depth - 1);
		HAPPENS;
	}
	PART void leads_inside(uint64_t depth)
	{
		sum++;
		inside(depth);
	}
	leads_inside(3);
	return sum;
}
#endif

PART void jumps_back(jmp_buf back, uint64_t depth)
{
	if (depth == 0)
		longjmp(back, 7);
	if (depth < 9)
		jumps_back(back, depth - 1);
	HAPPENS;
}

PART uint64_t returns_twice(uint64_t value)
{
	jmp_buf back;
	volatile uint64_t kept = value;
	int how = setjmp(back);

	if (how == 0)
		jumps_back(back, 2);
	return kept + (uint64_t)how;
}

INSIDE uint64_t mixed(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

INSIDE uint64_t mixed_bytes(uint64_t sum, const void *bytes, size_t size)
{
	uint64_t word;

	for (size_t i = 0; i + sizeof(word) <= size; i += sizeof(word)) {
		memcpy(&word, (const char *)bytes + i, sizeof(word));
		sum = mixed(sum, word);
	}
	return sum;
}

INSIDE uint64_t general_registers(uint64_t sum, uint64_t i)
{
	struct pair pair = two_words(sum, i);
	struct large large = in_memory(i, 1, 2, 3, 4, (double)i);

	sum = mixed(sum, leaf(i));
	sum = mixed_bytes(sum, &pair, sizeof(pair));
	sum = mixed_bytes(sum, &large, sizeof(large));
	sum = mixed(sum, leads_on(i, 1, 2, 3, 4, 5, 6, 7, 8, sum));
	return mixed(sum, variadic(4, i, 1.0, i + 1, 2.0, i + 2, 3.0, i + 3, 4.0));
}

INSIDE uint64_t vector_registers(uint64_t sum, uint64_t i)
{
	double one = (double)i;
	uint32_t number = (uint32_t)i;
	vector v = { number, number + 1, number + 2, number + 3 };
	struct four four = turned((struct four){ one, 2, 3, 4 });

	v = vectors(v, v + 1, v + 2, v + 3, v + 4, v + 5, v + 6, v + 7);
	sum = mixed_bytes(sum, &v, sizeof(v));
	sum = mixed(sum, scalable(number));
	sum = mixed_bytes(sum, &four, sizeof(four));
	sum = mixed(sum, (uint64_t)doubles(one, 1, 2, 3, 4, 5, 6, 7, 8, 9));
	return mixed(sum, (uint64_t)long_double((long double)i, 5));
}

INSIDE uint64_t ways_to_leave(uint64_t sum, uint64_t i)
{
	sum = mixed(sum, fibonacci(7));
	sum = mixed(sum, is_even(20));
	sum = mixed(sum, with_cold_part(i));
	sum = mixed(sum, with_table(i));
	sum = mixed(sum, with_array(2 + i % 2));
	sum = mixed(sum, around(i));
	return mixed(sum, returns_twice(i));
}

INSIDE uint64_t rounds(void)
{
	uint64_t sum = 1;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		sum = general_registers(sum, i);
		sum = vector_registers(sum, i);
		sum = ways_to_leave(sum, i);
	}
	return sum;
}

/* Compute the checksum, and as long as it goes on again and again; 0 if it is not always the same. */
static void *compute(void *result)
{
	uint64_t sum = rounds();

	while (__atomic_load_n(&goes_on, __ATOMIC_RELAXED))
		if (rounds() != sum)
			sum = 0;
	*(uint64_t *)result = sum;
	return NULL;
}

/* What one thread has called, by multiplication. */
INSIDE void tell_calls(unsigned threads)
{
	static const struct {
		const char *name;
		unsigned calls;
	} all[] = {
		{ "compute", 1 },
		/* Directly, by the table, and by the array. */
		{ "leaf", ROUNDS + ROUNDS / 6 + ROUNDS / 2 * 5 },
		{ "seldom", ROUNDS / 100 },
		{ "fibonacci", ROUNDS * 41 },
		{ "is_even", ROUNDS * 11 + ROUNDS / 6 },
		{ "is_odd", ROUNDS * 10 },
		{ "two_words", ROUNDS },
		{ "integers", ROUNDS },
		{ "leads_on", ROUNDS },
		{ "doubles", ROUNDS },
		{ "turned", ROUNDS },
		{ "vectors", ROUNDS },
		{ "plus", ROUNDS },
		{ "long_double", ROUNDS },
		{ "in_memory", ROUNDS },
		{ "variadic", ROUNDS },
		{ "with_cold_part", ROUNDS },
		{ "with_table", ROUNDS },
		{ "with_array", ROUNDS },
		{ "around", ROUNDS },
#ifndef __clang__
		{ "inside", ROUNDS * 4 },
		{ "leads_inside", ROUNDS },
#endif
		{ "jumps_back", ROUNDS * 3 },
		{ "returns_twice", ROUNDS },
		{ "@abandoned", ROUNDS * 3 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		printf("%s %u\n", all[i].name, all[i].calls * threads);
}

/* Record for a moment, if there is a recorder. */
INSIDE void session(void)
{
	if (hotpath_start)
		hotpath_start(NULL);
	nanosleep(&(struct timespec){ 0, SESSION_NS }, NULL);
	if (hotpath_stop)
		hotpath_stop();
	nanosleep(&(struct timespec){ 0, SESSION_NS }, NULL);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	uint64_t results[THREADS];
	bool has_sessions = argc > 1 && strcmp(argv[1], "sessions") == 0;

	goes_on = argc > 1;
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, compute, &results[i]);
	for (unsigned i = 0; has_sessions && i < SESSIONS; i++)
		session();
	while (argc > 1 && !has_sessions && getchar() != EOF)
		;
	__atomic_store_n(&goes_on, false, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	tell_calls(THREADS);
	printf("main 1\n");
	for (unsigned i = 0; i < THREADS; i++)
		printf("@result%u %llu\n", i, (unsigned long long)results[i]);
	return 0;
}
