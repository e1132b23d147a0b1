/* SPDX-License-Identifier: MIT */
/*
 * One function of each kind that a compiler treats in a way of its own. Each counts its calls; the program computes
 * something with all of them, so that a register that was not kept shows in the sum, and prints both.
 */
#include <alloca.h>
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

enum { ROUNDS = 50 };

#define FUNCTIONS(X)                                                                               \
	X(leaf)                                                                                    \
	X(many_arguments)                                                                          \
	X(variadic)                                                                                \
	X(variadic_floats)                                                                         \
	X(long_double)                                                                             \
	X(complex_double)                                                                          \
	X(complex_long_double)                                                                     \
	X(wide_integer)                                                                            \
	X(large_struct)                                                                            \
	X(small_struct)                                                                            \
	X(tail_caller)                                                                             \
	X(tail_called)                                                                             \
	X(tail_by_pointer)                                                                         \
	X(tail_if)                                                                                 \
	X(many_returns)                                                                            \
	X(table)                                                                                   \
	X(computed_goto)                                                                           \
	X(jumps_out)                                                                               \
	X(has_setjmp)                                                                              \
	X(with_alloca)                                                                             \
	X(recursive)                                                                               \
	X(loop_at_entry)                                                                           \
	X(begins_with_asm)                                                                         \
	X(returns_in_asm)                                                                          \
	X(has_cold_part)                                                                           \
	X(with_strings)                                                                            \
	X(chosen_at_start)                                                                         \
	X(vector_of_32_bytes)                                                                      \
	X(barely)                                                                                  \
	X(outer)

#define CALLS(name) static unsigned long calls_of_##name;
FUNCTIONS(CALLS)
#define HERE(name) (++calls_of_##name)

static volatile int zero;

NOINLINE static long leaf(long a)
{
	HERE(leaf);
	return a * 3;
}

/* A compiler that sees how little this does keeps values across calls in registers that a call may otherwise destroy. */
__attribute__((noinline)) static long barely(long a)
{
	HERE(barely);
	return a ^ 5;
}

NOINLINE static double full_of_values(long i, double real)
{
	long a = i + 1, b = i * 3, c = i ^ 9, d = i - 4, e = i * i, f = i & 6, g = i | 8;
	double h = real + 1, k = real * 2, l = real - 3;

	a += barely(i) * a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7;
	return (double)(a + b + c + d + e + f + g) + h * 2 + k * 3 + l * 4;
}

NOINLINE static double many_arguments(long a, long b, long c, long d, long e, long f, long g,
				      double h, double i, double j, double k, double l, double m,
				      double n, double o, float p)
{
	HERE(many_arguments);
	return (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g) + h + 2 * i + 3 * j +
	       4 * k + 5 * l + 6 * m + 7 * n + 8 * o + 9 * (double)p;
}

NOINLINE static long variadic(int count, ...)
{
	va_list rest;
	long sum = 0;

	HERE(variadic);
	va_start(rest, count);
	for (int i = 0; i < count; i++)
		sum += (i + 1) * va_arg(rest, long);
	va_end(rest);
	return sum;
}

NOINLINE static double variadic_floats(int count, ...)
{
	va_list rest;
	double sum = 0;

	HERE(variadic_floats);
	va_start(rest, count);
	for (int i = 0; i < count; i++)
		sum += (i + 1) * va_arg(rest, double);
	va_end(rest);
	return sum;
}

NOINLINE static long double long_double(long double a)
{
	HERE(long_double);
	return a * 1.25L + 1;
}

NOINLINE static double complex complex_double(double complex a)
{
	HERE(complex_double);
	return a + (1 + 2 * I);
}

NOINLINE static long double complex complex_long_double(long double complex a)
{
	HERE(complex_long_double);
	return a + (3 + 4 * I);
}

NOINLINE static unsigned __int128 wide_integer(uint64_t a)
{
	HERE(wide_integer);
	return (unsigned __int128)a * UINT64_C(0x123456789abcdef) * 77;
}

struct large {
	long items[12];
};

NOINLINE static struct large large_struct(long a)
{
	struct large large;

	HERE(large_struct);
	for (int i = 0; i < 12; i++)
		large.items[i] = a * i;
	return large;
}

struct small {
	double real;
	long integer;
};

NOINLINE static struct small small_struct(struct small a)
{
	HERE(small_struct);
	return (struct small){ a.real + 1, a.integer + 2 };
}

NOINLINE static long tail_called(long a, long b)
{
	HERE(tail_called);
	return a - b;
}

NOINLINE static long tail_caller(long a, long b)
{
	HERE(tail_caller);
	return tail_called(b, a);
}

static long (*volatile pointer)(long, long) = tail_called;

NOINLINE static long tail_by_pointer(long a, long b)
{
	HERE(tail_by_pointer);
	return pointer(a + b, b);
}

NOINLINE static long tail_if(long a, long b)
{
	HERE(tail_if);
	if (a > b)
		return tail_called(a, b);
	return a < 0 ? tail_called(a, 1) : 7;
}

NOINLINE static long many_returns(long a)
{
	HERE(many_returns);
	if (a % 7 == 3)
		return 17;
	if (a % 5 == 2)
		return leaf(a) + 1;
	if (a % 3 == 1)
		return leaf(leaf(a));
	return a;
}

NOINLINE static long table(long a)
{
	HERE(table);
	switch (a % 9) {
	case 0:
		return leaf(a) + 5;
	case 1:
		return a * a;
	case 2:
		return a ^ 0x55;
	case 3:
		return leaf(a + 1);
	case 4:
		return -a;
	case 5:
		return a / 3 + leaf(4);
	case 6:
		return a << 3;
	case 7:
		return 11;
	default:
		return leaf(leaf(a)) - 4;
	}
}

NOINLINE static long computed_goto(long a)
{
	static const void *const labels[] = { &&add, &&twice, &&minus, &&end };
	static const unsigned char steps[] = { 0, 1, 2, 1, 0, 2, 1, 3 };
	const unsigned char *step = steps;

	HERE(computed_goto);
	goto *labels[*step++];
add:
	a += 5;
	goto *labels[*step++];
twice:
	a *= 2;
	goto *labels[*step++];
minus:
	a = -a;
	goto *labels[*step++];
end:
	return a;
}

static jmp_buf target;

NOINLINE static void jumps_out(int value)
{
	HERE(jumps_out);
	if (value)
		longjmp(target, value);
}

NOINLINE static long has_setjmp(int a)
{
	HERE(has_setjmp);
	int value = setjmp(target);
	if (!value)
		jumps_out(a % 3);
	return value;
}

NOINLINE static long with_alloca(size_t size)
{
	unsigned char *room = alloca(size + 16);
	long sum = 0;

	HERE(with_alloca);
	memset(room, (int)size, size + 16);
	for (size_t i = 0; i < size + 16; i++)
		sum += room[i];
	return sum;
}

static long recursive(long depth);
static long (*volatile again)(long) = recursive;

NOINLINE static long recursive(long depth)
{
	HERE(recursive);
	return depth ? depth + again(depth - 1) * 2 : 1;
}

/* The first instruction is where the loop comes back to. */
NOINLINE static long loop_at_entry(volatile long *count)
{
	while (*count > 0)
		--*count;
	HERE(loop_at_entry);
	return *count;
}

NOINLINE static long begins_with_asm(long a)
{
	__asm__ volatile("nop\n\tnop");
	HERE(begins_with_asm);
	return a + 1;
}

/* A return in inline assembly is not the function's. */
NOINLINE static long returns_in_asm(long a)
{
	HERE(returns_in_asm);
#if defined(__x86_64__) && !defined(NO_ATT)
	__asm__ volatile(
		"leaq -128(%%rsp), %%rsp; call 1f; jmp 2f; 1: ret; 2: leaq 128(%%rsp), %%rsp" ::
			: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("bl 1f\n\tb 2f\n1:\tret\n2:" ::: "x30");
#endif
	return a + 2;
}

__attribute__((cold)) NOINLINE static void unlikely(void)
{
	printf("unlikely\n");
}

NOINLINE static long has_cold_part(long a)
{
	HERE(has_cold_part);
	if (__builtin_expect(a == 13, 0)) {
		unlikely();
		return leaf(a) + 1000;
	}
	return a;
}

NOINLINE static const char *with_strings(int a)
{
	HERE(with_strings);
	return a % 2 ? "ret # \"no\" comment; ret\\" : "// jmp main\n\tret\n#APP\n\\";
}

#if defined(__x86_64__)
NOINLINE __attribute__((target("avx2"))) static __m256d vector_of_32_bytes(__m256d a, __m256d b)
{
	HERE(vector_of_32_bytes);
	return _mm256_add_pd(a, b);
}

NOINLINE __attribute__((target("avx2"))) static double vectors(void)
{
	__m256d sum = _mm256_set_pd(1, 2, 3, 4);
	double parts[4];

	for (int i = 0; i < ROUNDS; i++)
		sum = vector_of_32_bytes(sum, _mm256_set_pd(i, 2 * i, 3 * i, 4 * i));
	_mm256_storeu_pd(parts, sum);
	return parts[0] + 10 * parts[1] + 100 * parts[2] + 1000 * parts[3];
}
#endif

static double vector_sum(void)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2"))
		return vectors();
#endif
	return 0;
}

/* Which one it is, the loader asks before the program's own code may run. */
NOINLINE static long chosen_at_start(long a)
{
	HERE(chosen_at_start);
	return a + 9;
}

#if defined(__GLIBC__) && !defined(NO_IFUNC)
static long (*choose_at_start(void))(long) __attribute__((used));
static long (*choose_at_start(void))(long)
{
	return chosen_at_start;
}
long chosen(long a) __attribute__((ifunc("choose_at_start")));
#else
#define chosen chosen_at_start
#endif

#if !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(NO_IFUNC)
__attribute__((target_clones("avx2", "default"), noinline)) long cloned(const long *items)
{
	long sum = 0;

	for (int i = 0; i < 64; i++)
		sum += items[i] * i;
	return sum;
}
#else
NOINLINE static long cloned(const long *items)
{
	long sum = 0;

	for (int i = 0; i < 64; i++)
		sum += items[i] * i;
	return sum;
}
#endif

#if defined(__x86_64__) && !defined(NO_ATT)
__attribute__((naked)) NOINLINE static long naked(long a __attribute__((unused)))
{
	__asm__ volatile("leaq 3(%rdi), %rax; ret");
}
#else
NOINLINE static long naked(long a)
{
	return a + 3;
}
#endif

#if defined(__clang__) && defined(__x86_64__)
#define KEEPS_MOST __attribute__((preserve_most))
#define KEEPS_ALL __attribute__((preserve_all))
#else
#define KEEPS_MOST
#define KEEPS_ALL
#endif

KEEPS_MOST NOINLINE static void keeps_most(long *a)
{
	*a += 1;
}

KEEPS_ALL NOINLINE static void keeps_all(long *a)
{
	*a += 2;
}

/* Nested functions of GNU C find their variables by a register of their own, and by code on the stack. */
NOINLINE static long call(long (*function)(long), long a)
{
	return function(a);
}

#if defined(__clang__) || defined(NO_NESTED)
NOINLINE static long twice(long a)
{
	return 2 * a;
}
#endif

NOINLINE static long outer(long a)
{
	HERE(outer);
#if defined(__clang__) || defined(NO_NESTED)
	return call(twice, a) + a;
#else
	NOINLINE long nested(long b)
	{
		return b + a;
	}
	return call(nested, a) + nested(0);
#endif
}

static long integers(void)
{
	long sum = 0, items[64];

	for (int i = 0; i < 64; i++)
		items[i] = i * i;
	for (long i = 0; i < ROUNDS; i++) {
		volatile long count = i % 4;
		sum += leaf(i) + variadic(7, i, 2L, 3L, 4L, i, 6L, 7L);
		sum += tail_caller(i, 3) + tail_by_pointer(i, 5) + tail_if(i, 20) + tail_if(-i, 20);
		sum += many_returns(i) + table(i) + computed_goto(i) + has_setjmp((int)i);
		sum += with_alloca((size_t)i * 10) + recursive(i % 8) + loop_at_entry(&count);
		sum += begins_with_asm(i) + returns_in_asm(i) + has_cold_part(i) + outer(i);
		sum += (long)strlen(with_strings((int)i)) + chosen(i) + cloned(items) + naked(i);
		sum += large_struct(i).items[11] + (long)(wide_integer((uint64_t)i) >> 60);
		keeps_most(&sum);
		keeps_all(&sum);
	}
	return sum;
}

static double reals(void)
{
	double sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		double real = i;
		double complex two = complex_double(real + 2 * real * I);
		long double complex long_two = complex_long_double(real + 2 * real * I);
		struct small both = small_struct((struct small){ real, i });
		sum += many_arguments(i, 2, 3, 4, 5, 6, 7, real, 2, 3, 4, 5, 6, 7, real, 9);
		sum += variadic_floats(10, real, 2., 3., 4., 5., 6., 7., 8., real, 10.);
		sum += full_of_values(i, real);
		sum += (double)long_double(real) + creal(two) + 3 * cimag(two);
		sum += (double)(creall(long_two) + 3 * cimagl(long_two)) + both.real +
		       (double)both.integer;
	}
	return sum;
}

__attribute__((noreturn)) NOINLINE static void leave(int status)
{
	fflush(stdout);
	exit(status);
}

int main(void)
{
	printf("%ld %.6f %.6f\n", integers(), reals(), vector_sum());
#define PRINT(name) printf("%s %lu\n", #name, calls_of_##name);
	FUNCTIONS(PRINT)
	leave(zero);
}
