/* SPDX-License-Identifier: MIT */
/* Returns values of every type that can be logged, and pointers that point nowhere. */
#include <hotpath.h>

#include "coroutines.h"
#include "truth.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define RETURNS(name, type, value)                                                                 \
	__attribute__((noinline)) static type name(void)                                           \
	{                                                                                          \
		HOTPATH_MEASURE();                                                                 \
		HOTPATH_RETURN(value);                                                             \
	}

static const char *edge;
static char stack[COROUTINE_STACK];

RETURNS(a_bool, bool, (bool)1)
RETURNS(a_char, char, (char)'A')
RETURNS(a_signed_char, signed char, (signed char)-128)
RETURNS(an_unsigned_char, unsigned char, (unsigned char)255)
RETURNS(a_short, short, (short)SHRT_MIN)
RETURNS(an_unsigned_short, unsigned short, (unsigned short)USHRT_MAX)
RETURNS(an_int, int, INT_MIN)
RETURNS(an_unsigned, unsigned, UINT_MAX)
RETURNS(a_long, long, LONG_MIN)
RETURNS(an_unsigned_long, unsigned long, ULONG_MAX)
RETURNS(a_long_long, long long, LLONG_MIN)
RETURNS(an_unsigned_long_long, unsigned long long, ULLONG_MAX)
RETURNS(a_float, float, 0.5F)
RETURNS(a_double, double, -0.125)
RETURNS(a_long_double, long double, 2.5L)
RETURNS(not_a_number, double, (double)NAN)
RETURNS(a_string, const char *, "text \"quoted\"")
RETURNS(a_char_pointer, char *, (char *)(uintptr_t)edge)
RETURNS(a_long_string, const char *,
	"0123456789012345678901234567890123456789012345678901234567890123456789")
RETURNS(an_empty_string, const char *, "")
RETURNS(bytes, const char *, "\xff\x01\xc3\xa4")
RETURNS(no_string, const char *, (const char *)NULL)
RETURNS(an_address, char *, (char *)8)
RETURNS(a_pointer, void *, (void *)0x1234)

__attribute__((noinline)) static int counted(int value)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN(value);
}

static void run(struct coroutine *self)
{
	HOTPATH_MEASURE_AS("on_coroutine");
	(void)self;
	hotpath_log((struct hotpath_value){ HOTPATH_VALUE_INT, 7 });
}

/* Returns nothing, and has another stack's function return something meanwhile. */
__attribute__((noinline)) static void around(void)
{
	HOTPATH_MEASURE();
	struct coroutine coroutine;

	coroutine_init(&coroutine, stack, run);
	coroutine_resume(&coroutine);
}

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);

	/* Five characters, without an end, at the end of what can be read. */
	munmap(pages + page, page);
	edge = memcpy(pages + page - 5, "edge!", 5);
	a_bool(), a_char(), a_signed_char(), an_unsigned_char(), a_short(), an_unsigned_short(),
		an_int();
	an_unsigned(), a_long(), an_unsigned_long(), a_long_long(), an_unsigned_long_long(),
		a_float();
	a_double(), a_long_double(), not_a_number(), a_string(), a_char_pointer(), a_long_string();
	an_empty_string(), bytes(), no_string(), an_address(), a_pointer();
	for (int i = 0; i < 200; i++)
		counted(i);
	around();
	return 0;
}
