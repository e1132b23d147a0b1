/* SPDX-License-Identifier: MIT */
/* A library with measured functions, to be opened and closed. */
#include <hotpath.h>

void plugin_work(void);
void plugin_begin(struct hotpath_span *operation);

void plugin_work(void)
{
	HOTPATH_MEASURE();
}

/* Whoever ends it may do so when this library is gone. */
void plugin_begin(struct hotpath_span *operation)
{
	HOTPATH_SPAN_BEGIN(*operation, "operation");
}
