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

#if HOTPATH_ENABLE
static int open_spans;
static int logged;
static size_t in_use;

void hotpath_span_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	span->holder = site;
	open_spans++;
}

void hotpath_span_end(struct hotpath_span *span)
{
	(void)span;
	open_spans--;
}

void hotpath_operation_begin(struct hotpath_span *span, struct hotpath_site *site)
{
	hotpath_span_begin(span, site);
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

void hotpath_log_int(int64_t value)
{
	(void)value;
	logged++;
}

void hotpath_log_uint(uint64_t value)
{
	(void)value;
	logged++;
}

void hotpath_log_double(double value)
{
	(void)value;
	logged++;
}

void hotpath_log_bool(int value)
{
	(void)value;
	logged++;
}

void hotpath_log_pointer(const void *value)
{
	(void)value;
	logged++;
}

void hotpath_log_string(const char *value)
{
	(void)value;
	logged++;
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

int jump(int n)
{
	HOTPATH_MEASURE();
again : {
	HOTPATH_MEASURE_AS("again");
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

int main(void)
{
	char pool[6];
	static const int early[] = { 1, 0, 2, -1, 5 };
	static const int late[] = { 1, 0, 2, 101, 5 };

	printf("%d %d %d\n", walk(early, 5), walk(late, 5), walk(late, 0));
	printf("%d %d %d %d\n", jump(0), jump(7), once(), once());
	printf("%d %d %d\n", byte_of(0x1ff), differ("a", "b"), differ("a", "a"));
	printf("%s %s %.1f %d\n", text_of(0), text_of(1), half_of(3), branch(0) + branch(1));
	printf("%d\n", blocks(pool, 3));
#if HOTPATH_ENABLE
	if (open_spans != 0 || logged != 8 || in_use != 0) {
		printf("%d spans left open, %d values logged, %zu bytes in use\n", open_spans,
		       logged, in_use);
		return 1;
	}
#endif
	return 0;
}
