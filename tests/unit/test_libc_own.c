/* SPDX-License-Identifier: MIT */
/* What the C library keeps for itself, and what it hands out. */
#include "memory/libc_own.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";

static void kept(void **state)
{
	(void)state;
	assert_true(hp_is_libc_own(libc, "_IO_file_doallocate"));
	assert_true(hp_is_libc_own(libc, "_nl_make_l10nflist.localalias"));
	assert_true(hp_is_libc_own(libc, "__new_exitfn"));
	assert_true(hp_is_libc_own(libc, "setlocale"));
	assert_true(hp_is_libc_own("/lib64/ld-linux-x86-64.so.2", "strdup"));
	assert_true(hp_is_libc_own("/lib/ld-linux-aarch64.so.1", NULL));
	/* In a program that is linked statically. */
	assert_true(hp_is_libc_own("/bin/busybox", "_IO_file_doallocate"));
	assert_true(hp_is_libc_own(NULL, "_dl_new_object"));
}

static void handed_out(void **state)
{
	(void)state;
	assert_false(hp_is_libc_own(libc, "strdup"));
	assert_false(hp_is_libc_own(libc, "__fopen_internal"));
	assert_false(hp_is_libc_own(libc, "_IO_file_doallocate_not"));
	assert_false(hp_is_libc_own(libc, "getpwnam_r"));
	assert_false(hp_is_libc_own(libc, ""));
	assert_false(hp_is_libc_own(libc, NULL));
	assert_false(hp_is_libc_own(NULL, NULL));
	assert_false(hp_is_libc_own("/lib/ld-musl-x86_64.so.1", "strdup"));
	/* A program's own function may have such a name. */
	assert_false(hp_is_libc_own("/usr/bin/program", "setlocale"));
	assert_false(hp_is_libc_own("/usr/lib/libcurl.so.4", "nss_init"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kept),
		cmocka_unit_test(handed_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
