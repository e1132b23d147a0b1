/* SPDX-License-Identifier: MIT */
/* The table of paths that the server answers. */
#include "route.h"

#include <string.h>

const struct hp_route *const hp_routes[] = {
	&hp_route_page,		 &hp_route_page_script,	 &hp_route_page_style,
	&hp_route_programs,	 &hp_route_report,	 &hp_route_flame,
	&hp_route_stream,	 &hp_route_compare,	 &hp_route_mark,
	&hp_route_metrics,	 &hp_route_mcp,		 &hp_route_pprof,
	&hp_route_pprof_profile, &hp_route_pprof_allocs, &hp_route_pprof_heap,
	&hp_route_pprof_mutex,	 &hp_route_pprof_block,	 NULL,
};

const struct hp_route *hp_route_find(const char *path)
{
	for (size_t i = 0; hp_routes[i]; i++)
		if (strcmp(hp_routes[i]->path, path) == 0)
			return hp_routes[i];
	return NULL;
}

void hp_routes_put(struct hp_text *text)
{
	for (size_t i = 0; hp_routes[i]; i++)
		hp_text_printf(text, "%s%s", i ? ", " : "", hp_routes[i]->path);
}
