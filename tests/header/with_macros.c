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
};

static int handled;

int sum(const int *values, int n);
bool is_even(int n);
const char *name_of(struct request *request);
void begin(struct request *request);
void end(struct request *request, bool failed);

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

	HOTPATH_SPAN_BEGIN(span, "all of it");
	begin(&request);
	printf("%s %d\n", name_of(&request), sum(values, 6));
	end(&request, is_even(argc));
	HOTPATH_SPAN_END(span);
	return skipped(handled) + (argv[0] == NULL);
}
