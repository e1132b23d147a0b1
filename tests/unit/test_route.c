/* SPDX-License-Identifier: MIT */
/* The table of paths that the server answers. */
#include "route.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void every_route_is_found_by_its_path(void **state)
{
	size_t count = 0;

	(void)state;
	for (; hp_routes[count]; count++) {
		const struct hp_route *route = hp_routes[count];
		assert_int_equal(route->path[0], '/');
		assert_non_null(route->help);
		assert_non_null(route->answer);
		assert_ptr_equal(hp_route_find(route->path), route);
	}
	assert_true(count >= 10);
}

static void other_paths_are_not(void **state)
{
	(void)state;
	assert_null(hp_route_find(""));
	assert_null(hp_route_find("/api"));
	assert_null(hp_route_find("/api/"));
	assert_null(hp_route_find("/api/reports"));
	assert_null(hp_route_find("/api/report/"));
	assert_null(hp_route_find("//api/report"));
	assert_null(hp_route_find("/../etc/passwd"));
}

static void all_are_listed(void **state)
{
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	hp_routes_put(&text);
	for (size_t i = 0; hp_routes[i]; i++)
		assert_non_null(strstr(text.bytes, hp_routes[i]->path));
	hp_text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_route_is_found_by_its_path),
		cmocka_unit_test(other_paths_are_not),
		cmocka_unit_test(all_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
