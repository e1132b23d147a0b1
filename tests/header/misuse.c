/* SPDX-License-Identifier: MIT */
/* Wrong arguments: each MISUSE but 0 must be refused, with the macros on and off. */
#include <hotpath.h>

void misuse(const char *text);

void misuse(const char *text)
{
	struct hotpath_span span;
	int number = 0;

	(void)text, (void)number;
	HOTPATH_SPAN_BEGIN(span, "right");
	HOTPATH_SPAN_END(span);
	HOTPATH_ALLOC(text, 8);
	HOTPATH_FREE(text);
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
#endif
}
