/* SPDX-License-Identifier: MIT */
/*
 * Every macro of hotpath.h, once in every place where it may stand.
 *
 * Compiled on and off, as C and as C++, by both compilers, with every warning an error. A macro that
 * is added to hotpath.h is added here.
 */
#include <hotpath.h>

#include "flow_macros.h"

#include <stdbool.h>

struct request {
	struct hotpath_span whole;
	struct hotpath_span *inner;
	int id;
};

struct request *next_request(struct request *request);
int first_declaration(int n);
int middle_declaration(int n);
int two_scopes(int n);
int one_line(struct hotpath_future *future, int n);
int only_statement(void);
int in_switch(int n);
int in_loops(int n);
int block_in_loop(const int *values, int n);
int block_in_switch(int n);
int block_with_commas(int n);
int block_in_block(int n);
int block_as_branch(int n);
int left_by_goto(int n);
int branches_without_braces(int n, const char *name);
void spans(struct request *requests, unsigned n);
void unused_spans(void);
void side_effects(struct request *request);
void blocks(size_t n);
int controls(void);
int main_elsewhere(void);
void last_words(void);

/* HOTPATH_MEASURE: a declaration, before, between and after others. */

int first_declaration(int n)
{
	HOTPATH_MEASURE();
	int twice = 2 * n;
	const char *text = "text";

	return twice + text[0];
}

int middle_declaration(int n)
{
	int twice = 2 * n;
	HOTPATH_MEASURE();
	int thrice = 3 * n;

	return twice + thrice;
}

int two_scopes(int n)
{
	HOTPATH_MEASURE();
	HOTPATH_MEASURE_AS("two_scopes, all of it");
	int sum = 0;

	{
		HOTPATH_MEASURE_AS("two_scopes"
				   ", a part");
		sum += n;
	}
	{
		int twice = 2 * n;
		HOTPATH_MEASURE_AS("two_scopes, another part");

		sum += twice;
	}
	return sum;
}

/* All that a macro of the user's expands to is one line. */
#define ALL_OF_IT(future, label)                                                                   \
	HOTPATH_MEASURE();                                                                         \
	HOTPATH_MEASURE_AS(label);                                                                 \
	HOTPATH_MEASURE_AS("the same");                                                            \
	HOTPATH_FUTURE_POLL(future);                                                               \
	HOTPATH_FUTURE_POLL(future)

int one_line(struct hotpath_future *future, int n)
{
	ALL_OF_IT(future, "one line");
	HOTPATH_BLOCK("in one line",
		      { HOTPATH_BLOCK("and another", { ALL_OF_IT(future, "inner"); }); });
	return n;
}

static void nothing_else(void)
{
	HOTPATH_MEASURE();
}

int only_statement(void)
{
	nothing_else();
	HOTPATH_RETURN(1);
}

int in_switch(int n)
{
	switch (n) {
	case 0: {
		HOTPATH_MEASURE_AS("case 0");
		break;
	}
	default: {
		HOTPATH_MEASURE_AS("default");
		return n;
	}
	}
	return 0;
}

int in_loops(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		HOTPATH_MEASURE_AS("for");
		if (i == 3)
			continue;
		if (i == 7)
			break;
		sum += i;
	}
	while (n-- > 0) {
		HOTPATH_MEASURE_AS("while");
		sum += n;
	}
	do {
		HOTPATH_MEASURE_AS("do");
		sum++;
	} while (sum < 0);
	return sum;
}

/* HOTPATH_BLOCK: braces, left in every way. */

int block_in_loop(const int *values, int n)
{
	HOTPATH_MEASURE();
	int sum = 0;

	for (int i = 0; i < n; i++) {
		HOTPATH_BLOCK("one value", {
			if (values[i] < 0)
				return -1;
			if (values[i] == 0)
				continue;
			if (values[i] > 100)
				break;
			sum += values[i];
		});
		sum++;
	}
	return sum;
}

int block_in_switch(int n)
{
	switch (n) {
	case 1:
		HOTPATH_BLOCK("case 1", {
			n++;
			break;
		});
	/* fall through */
	default:
		n--;
	}
	return n;
}

int block_with_commas(int n)
{
	HOTPATH_BLOCK("commas", {
		int a = 1, b = 2;
		int both[2] = { 3, 4 };

		n += a + b, n += both[0] + both[1];
	});
	HOTPATH_BLOCK("empty", {});
	HOTPATH_BLOCK("no braces", n++; n++;);
	return n;
}

int block_in_block(int n)
{
	HOTPATH_BLOCK("outer", {
		HOTPATH_MEASURE_AS("outer, measured twice");
		n++;
		HOTPATH_BLOCK("inner", {
			n++;
			HOTPATH_BLOCK("innermost", { n++; });
		});
		HOTPATH_BLOCK("another inner", { n++; });
	});
	return n;
}

int block_as_branch(int n)
{
	if (n > 0)
		HOTPATH_BLOCK("positive", { n--; });
	while (n > 10)
		HOTPATH_BLOCK("large", { n--; });
	/* Like braces, it takes no semicolon before else. */
	if (n == 0)
		HOTPATH_BLOCK("zero", { n++; })
	else
		HOTPATH_BLOCK("other", { n--; });
	return n;
}

int left_by_goto(int n)
{
	HOTPATH_BLOCK("left by goto", {
		if (n)
			goto out;
		n = 1;
	});
	n++;
out:
	return n;
}

/* HOTPATH_SPAN_BEGIN, HOTPATH_SPAN_END, HOTPATH_THREAD_NAME: statements. */

int branches_without_braces(int n, const char *name)
{
	struct hotpath_span span;

	if (n == 0)
		HOTPATH_SPAN_BEGIN(span, "zero");
	else if (n == 1)
		HOTPATH_SPAN_BEGIN(span, "one");
	else
		HOTPATH_SPAN_BEGIN(span, "many");

	if (n == 2)
		HOTPATH_THREAD_NAME("two");
	else
		HOTPATH_THREAD_NAME(name);

	for (int i = 0; i < n; i++)
		HOTPATH_THREAD_NAME(name);

	if (n)
		HOTPATH_SPAN_END(span);
	else
		HOTPATH_SPAN_END(span);
	return n;
}

void spans(struct request *requests, unsigned n)
{
	static struct hotpath_span kept;
	struct hotpath_span several[2];

	HOTPATH_SPAN_BEGIN(kept, "kept");
	HOTPATH_SPAN_BEGIN(several[0], "first");
	HOTPATH_SPAN_BEGIN(several[1], "second");
	for (unsigned i = 0; i < n; i++) {
		HOTPATH_SPAN_BEGIN(requests[i].whole, "request");
		HOTPATH_SPAN_BEGIN(*requests[i].inner, "request, inner");
	}
	while (n-- > 0) {
		HOTPATH_SPAN_END(*requests[n].inner);
		HOTPATH_SPAN_END(requests[n].whole);
	}
	HOTPATH_SPAN_END(several[0]);
	HOTPATH_SPAN_END(several[1]);
	HOTPATH_SPAN_END(kept);
}

void unused_spans(void)
{
	struct hotpath_span begun;
	static struct hotpath_span ended;
	const char *name;

	name = "set, and used by a macro alone";
	HOTPATH_SPAN_BEGIN(begun, "never ended");
	HOTPATH_SPAN_END(ended);
	HOTPATH_THREAD_NAME(name);
}

void side_effects(struct request *request)
{
	HOTPATH_SPAN_BEGIN(next_request(request)->whole, "side effects");
	HOTPATH_SPAN_END((request++)->whole);
	HOTPATH_THREAD_NAME(request++->id ? "some" : "none");
}

/* HOTPATH_RETURN: every type that can be logged, as a variable, a constant and an expression. */

#define RETURNS(name, type, constant)                                                              \
	type name##_variable(type value);                                                          \
	type name##_variable(type value)                                                           \
	{                                                                                          \
		HOTPATH_MEASURE();                                                                 \
		HOTPATH_RETURN(value);                                                             \
	}                                                                                          \
	type name##_element(const type *values);                                                   \
	type name##_element(const type *values)                                                    \
	{                                                                                          \
		HOTPATH_RETURN(*values++);                                                         \
	}                                                                                          \
	type name##_constant(int n, type value);                                                   \
	type name##_constant(int n, type value)                                                    \
	{                                                                                          \
		if (n)                                                                             \
			HOTPATH_RETURN(constant);                                                  \
		else                                                                               \
			HOTPATH_RETURN(n > 1 ? value : constant);                                  \
	}

RETURNS(bool, bool, true)
RETURNS(char, char, 'c')
RETURNS(signed_char, signed char, 1)
RETURNS(unsigned_char, unsigned char, 1)
RETURNS(short, short, 1)
RETURNS(unsigned_short, unsigned short, 1)
RETURNS(int, int, 1)
RETURNS(unsigned_int, unsigned int, 1)
RETURNS(long, long, 1)
RETURNS(unsigned_long, unsigned long, 1)
RETURNS(long_long, long long, 1)
RETURNS(unsigned_long_long, unsigned long long, 1)
RETURNS(size, size_t, 1)
RETURNS(float, float, 1.0f)
RETURNS(double, double, 1)
RETURNS(long_double, long double, 1)

enum color { RED, GREEN };
enum color return_enum(enum color color);
bool return_comparison(int a, int b);
unsigned char return_byte(unsigned n);
size_t return_size_of(const char *text);
char *return_char_pointer(char *text);
const char *return_const_char_pointer(const char *text);
const char *return_literal(void);
void *return_void_pointer(void *pointer);
const void *return_const_void_pointer(const void *pointer);
struct request *return_struct_pointer(struct request *request);
const struct request *return_const_struct_pointer(const struct request *request);

enum color return_enum(enum color color)
{
	if (color == RED)
		HOTPATH_RETURN(GREEN);
	HOTPATH_RETURN(color);
}

bool return_comparison(int a, int b)
{
	HOTPATH_RETURN(a < b && b != 0);
}

unsigned char return_byte(unsigned n)
{
	HOTPATH_RETURN(n & 0xff);
}

size_t return_size_of(const char *text)
{
	if (!text)
		HOTPATH_RETURN(0);
	HOTPATH_RETURN(sizeof(struct request));
}

char *return_char_pointer(char *text)
{
	HOTPATH_RETURN(text);
}

const char *return_const_char_pointer(const char *text)
{
	HOTPATH_RETURN(text);
}

const char *return_literal(void)
{
	HOTPATH_RETURN("literal, with a comma");
}

void *return_void_pointer(void *pointer)
{
	HOTPATH_RETURN(pointer);
}

const void *return_const_void_pointer(const void *pointer)
{
	HOTPATH_RETURN(pointer);
}

struct request *return_struct_pointer(struct request *request)
{
	HOTPATH_RETURN(request);
}

const struct request *return_const_struct_pointer(const struct request *request)
{
	HOTPATH_RETURN(request);
}

#ifdef __cplusplus
#define NO_POINTER nullptr
#else
#define NO_POINTER NULL
#endif

const char *return_no_string(void);
struct request *return_no_pointer(void);

const char *return_no_string(void)
{
	HOTPATH_RETURN(NO_POINTER);
}

struct request *return_no_pointer(void)
{
	HOTPATH_RETURN(NO_POINTER);
}

/* HOTPATH_ALLOC and HOTPATH_FREE: statements. A block of any type, filled or not yet. */

void blocks(size_t n)
{
	char bytes[64];
	struct request requests[2];
	const struct request *first = requests;

	HOTPATH_ALLOC(bytes, sizeof(bytes));
	if (n > 1)
		HOTPATH_ALLOC(first, sizeof(struct request));
	else
		HOTPATH_ALLOC(n ? &requests[0] : &requests[1], n * 2);
	for (size_t i = 0; i < 2; i++)
		HOTPATH_FREE(requests + i);
	HOTPATH_FREE(NO_POINTER);
}

/* HOTPATH_SKIP: before a declaration or a definition. */

HOTPATH_SKIP int skipped(int n);

HOTPATH_SKIP int skipped(int n)
{
	return n;
}

HOTPATH_SKIP static inline int skipped_inline(int n)
{
	return skipped(n);
}

static HOTPATH_SKIP int skipped_static(int n)
{
	return skipped_inline(n);
}

void last_words(void)
{
	HOTPATH_VAL("last words", "none");
}

/* The functions, and the options with all their fields. */

int controls(void)
{
	struct hotpath_options defaults = HOTPATH_OPTIONS_INIT;
	struct hotpath_options options = HOTPATH_OPTIONS_INIT;
	static const struct hotpath_options constant = HOTPATH_OPTIONS_INIT;

	options.caller = "controls";
	options.percentiles[0] = 50;
	options.percentiles[1] = 99.9;
	options.percentile_count = 2;
	options.format = HOTPATH_FORMAT_JSON;
	options.limit = HOTPATH_NO_LIMIT;
	options.output_path = "-";
	options.sections = "timing";
	options.shutdown_ms = 1000;
	if (hotpath_start(NO_POINTER))
		return 1;
	if (HOTPATH_VERSION_MAJOR > 7)
		hotpath_before_stop(last_words);
	else
		hotpath_before_stop(NO_POINTER);
	if (hotpath_start(&options) || hotpath_start(&defaults) || hotpath_start(&constant))
		return 1;
	hotpath_start(&options);
	hotpath_stop();
	return hotpath_stop() + hotpath_version()[0] + HOTPATH_VERSION[0] +
	       skipped_static(HOTPATH_VERSION_MAJOR + HOTPATH_VERSION_MINOR +
			      HOTPATH_VERSION_PATCH);
}

int main_elsewhere(void)
{
	HOTPATH_MAIN();
	return controls();
}

int main(int argc, char **argv)
{
	HOTPATH_MAIN();
	int status = argc > 1 ? argv[1][0] : 0;

	return status;
}
