/* SPDX-License-Identifier: MIT */
/* Which versions of libevent have the fixes that a server needs. */
#include "event_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void later_versions_are_fixed(void **state)
{
	static const char *const fixed[] = { "2.1.13-stable",
					     "2.1.13",
					     "2.2.1-alpha",
					     "3.0",
					     "2.1.100-1",
					     "2.1.12-stable-8+deb12u1",
					     "2.1.12-stable-10+deb13u2" };
	static const char *const open_ones[] = { "2.1.12-stable",
						 "2.1.12-stable-8",
						 "2.1.12-stable-8+b1",
						 "2.1.12-stable-8+deb12u0",
						 "2.1.12-stable-8+deb12",
						 "2.1.11-stable-1+deb10u1",
						 "2.0.22-stable",
						 "1.4",
						 "",
						 "unknown" };

	(void)state;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		assert_true(event_version_is_fixed(fixed[i]));
	for (size_t i = 0; i < sizeof(open_ones) / sizeof(*open_ones); i++)
		assert_false(event_version_is_fixed(open_ones[i]));
}

static void the_list_of_packages_has_the_version(void **state)
{
	struct hp_text version = HP_TEXT_INIT;

	(void)state;
	assert_true(event_version_of_package(
		"Package: a\nVersion: 1\n\n"
		"Package: libevent-extra-2.1-7t64\nStatus: install ok installed\n"
		"Version: 2.1.12-stable-10\nDepends: libc6\n\n"
		"Package: b\nVersion: 3\n",
		&version));
	assert_string_equal(version.bytes, "2.1.12-stable-10");
	hp_text_free(&version);
	assert_false(
		event_version_of_package("\nPackage: libevent-core-2.1-7\nVersion: 1\n", &version));
	assert_false(event_version_of_package(
		"\nPackage: libevent-extra-2.1-7\nStatus: x\n\nPackage: b\nVersion: 3\n",
		&version));
	assert_false(event_version_of_package("", &version));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_versions_are_fixed),
		cmocka_unit_test(the_list_of_packages_has_the_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
