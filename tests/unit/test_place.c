/* SPDX-License-Identifier: MIT */
/* Writer and reader look for segments in the same folders and agree on their names. */
#include "place.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void set(const char *variable, const char *value)
{
	if (value)
		setenv(variable, value, 1);
	else
		unsetenv(variable);
}

/* The folders in their order, separated by spaces; "UID" for the number of the user. */
static void assert_folders(const char *chosen, const char *runtime, const char *expected)
{
	char folder[HP_PATH_MAX], folders[4 * HP_PATH_MAX] = "", user[16];
	size_t length = 0;

	set("HOTPATH_DIR", chosen);
	set("XDG_RUNTIME_DIR", runtime);
	snprintf(user, sizeof(user), "-%u", (unsigned)geteuid());
	for (unsigned nth = 0; hp_place_folder(nth, folder); nth++) {
		char *number = strstr(folder, user);
		assert_true(nth < 3);
		if (number && !strcmp(number, user))
			strcpy(number, "-UID");
		length += (size_t)snprintf(folders + length, sizeof(folders) - length, "%s%s",
					   nth ? " " : "", folder);
	}
	assert_string_equal(folders, expected);
}

static void folders(void **state)
{
	static const char *const usual = "/dev/shm/hotpath-UID /tmp/hotpath-UID";

	(void)state;
	assert_folders(NULL, NULL, usual);
	assert_folders(NULL, "/run/user/7",
		       "/run/user/7/hotpath /dev/shm/hotpath-UID /tmp/hotpath-UID");
	/* The one that is asked for and no other. */
	assert_folders("/var/segments", NULL, "/var/segments");
	assert_folders("/var/segments", "/run/user/7", "/var/segments");
	/* Empty is as good as none; a relative path would mean another folder elsewhere. */
	assert_folders("", "", usual);
	assert_folders("", "run/user/7", usual);
}

static void beyond_the_last(void **state)
{
	char folder[HP_PATH_MAX];

	(void)state;
	set("HOTPATH_DIR", "/var/segments");
	assert_false(hp_place_folder(1, folder));
	set("HOTPATH_DIR", NULL);
	set("XDG_RUNTIME_DIR", NULL);
	assert_false(hp_place_folder(2, folder));
	set("XDG_RUNTIME_DIR", "/run/user/7");
	assert_false(hp_place_folder(3, folder));
}

/* Who may not use the one that was asked for has the usual ones; whose they are is known by their names. */
static void folders_of_users(void **state)
{
	char folder[HP_PATH_MAX];
	uint32_t user = 0;

	(void)state;
	set("HOTPATH_DIR", "/var/segments");
	set("XDG_RUNTIME_DIR", NULL);
	assert_true(hp_place_default(1, folder));
	assert_memory_equal(folder, "/tmp/", strlen("/tmp/"));
	assert_true(hp_place_user(strrchr(folder, '/') + 1, &user));
	assert_int_equal(user, geteuid());
	assert_false(hp_place_default(2, folder));
	assert_true(hp_place_user("hotpath-65534", &user) && user == 65534);
	assert_false(hp_place_user("hotpath-", &user));
	assert_false(hp_place_user("hotpath-65534x", &user));
	assert_false(hp_place_user("hotpath-65534-1.seg", &user));
	assert_false(hp_place_user("hotpath-4294967296", &user));
	assert_false(hp_place_user("another-1", &user));
	set("HOTPATH_DIR", NULL);
}

static char *path_of(size_t length)
{
	char *path = malloc(length + 1);

	memset(path, 'x', length);
	path[0] = '/';
	path[length] = '\0';
	return path;
}

/* A path that does not fit is not cut off: it would be another folder. */
static void long_paths(void **state)
{
	char folder[HP_PATH_MAX], *longest = path_of(HP_PATH_MAX - 1),
				  *longer = path_of(HP_PATH_MAX);

	(void)state;
	set("XDG_RUNTIME_DIR", NULL);
	set("HOTPATH_DIR", longest);
	assert_true(hp_place_folder(0, folder));
	assert_string_equal(folder, longest);
	set("HOTPATH_DIR", longer);
	assert_false(hp_place_folder(0, folder));
	set("HOTPATH_DIR", NULL);
	free(longest);
	free(longer);
}

/* The others are still to be had: what cannot be a folder is passed over. */
static void a_runtime_folder_that_is_too_long(void **state)
{
	char *runtime = path_of(HP_PATH_MAX - strlen("/hotpath") - 1);
	char *longer = path_of(HP_PATH_MAX - strlen("/hotpath"));
	char folder[HP_PATH_MAX];

	(void)state;
	set("HOTPATH_DIR", NULL);
	set("XDG_RUNTIME_DIR", runtime);
	assert_true(hp_place_folder(0, folder));
	assert_int_equal(strlen(folder), HP_PATH_MAX - 1);
	assert_folders(NULL, longer, "/dev/shm/hotpath-UID /tmp/hotpath-UID");
	free(runtime);
	free(longer);
}

static void assert_name(uint32_t pid, uint64_t start, const char *expected)
{
	char name[64];
	uint32_t parsed_pid = ~pid;
	uint64_t parsed_start = ~start;

	hp_place_name(name, sizeof(name), pid, start);
	assert_string_equal(name, expected);
	assert_true(hp_place_parse(name, &parsed_pid, &parsed_start));
	assert_int_equal(parsed_pid, pid);
	assert_int_equal(parsed_start, start);
}

static void names(void **state)
{
	(void)state;
	assert_name(1, 0, "hotpath-1-0.seg");
	assert_name(4194304, UINT64_C(1700000000123456789),
		    "hotpath-4194304-1700000000123456789.seg");
	assert_name(UINT32_MAX, UINT64_MAX, "hotpath-4294967295-18446744073709551615.seg");
}

/* In a room of any size: never past its end, always a string. */
static void short_rooms(void **state)
{
	char name[64];

	(void)state;
	for (size_t size = 1; size < sizeof(name); size++) {
		memset(name, '#', sizeof(name));
		hp_place_name(name, size, UINT32_MAX, UINT64_MAX);
		assert_true(strlen(name) < size);
		for (size_t i = size; i < sizeof(name); i++)
			assert_int_equal(name[i], '#');
	}
}

static void other_names(void **state)
{
	static const char *const others[] = {
		"",
		"hotpath",
		"hotpath-",
		"hotpath-.seg",
		"hotpath--.seg",
		"hotpath-1.seg",
		"hotpath-1-.seg",
		"hotpath--1.seg",
		"hotpath-1-2",
		"hotpath-1-2.",
		"hotpath-1-2.se",
		"hotpath-1-2.segment",
		"hotpath-1-2.seg.tmp",
		"hotpath-1-2-3.seg",
		"hotpath-1_2.seg",
		"hotpath-+1-2.seg",
		"hotpath-1--2.seg",
		"hotpath- 1-2.seg",
		"hotpath-0x1-2.seg",
		"hotpath-a-2.seg",
		"hotpath-1-b.seg",
		"hotpath-1-2.run",
		" hotpath-1-2.seg",
		"Hotpath-1-2.seg",
		"xhotpath-1-2.seg",
		"../hotpath-1-2.seg",
		/* Numbers that do not fit. */
		"hotpath-4294967296-2.seg",
		"hotpath-18446744073709551617-2.seg",
		"hotpath-1-18446744073709551616.seg",
		"hotpath-1-99999999999999999999.seg",
		"hotpath-1-184467440737095516150.seg",
	};
	uint32_t pid;
	uint64_t start;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (hp_place_parse(others[i], &pid, &start))
			fail_msg("'%s' is taken for a segment", others[i]);
}

/* The name of a run comes from the environment. */
/* Whoever asks may be another user than the process, and have another environment. */
static void requests(void **state)
{
	char folder[HP_PATH_MAX], name[32];

	(void)state;
	set("HOTPATH_DIR", "/var/segments");
	set("XDG_RUNTIME_DIR", "/run/user/7");
	assert_true(hp_place_common(0, 4711, folder));
	assert_string_equal(folder, "/dev/shm/hotpath-4711");
	assert_true(hp_place_common(1, 0, folder));
	assert_string_equal(folder, "/tmp/hotpath-0");
	assert_false(hp_place_common(2, 0, folder));
	hp_place_request(name, sizeof(name), UINT32_MAX);
	assert_string_equal(name, "hotpath-4294967295.ask");
}

static void registers_of_runs(void **state)
{
	static const char *const others[] = { "", "../1-2", "1-2/..", "a", "1 2" };
	char name[64];

	(void)state;
	assert_true(hp_place_register(name, sizeof(name), "12-34"));
	assert_string_equal(name, "hotpath-12-34.run");
	assert_false(hp_place_register(name, 10, "12-34"));
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_false(hp_place_register(name, sizeof(name), others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folders),
		cmocka_unit_test(beyond_the_last),
		cmocka_unit_test(folders_of_users),
		cmocka_unit_test(long_paths),
		cmocka_unit_test(a_runtime_folder_that_is_too_long),
		cmocka_unit_test(names),
		cmocka_unit_test(short_rooms),
		cmocka_unit_test(other_names),
		cmocka_unit_test(requests),
		cmocka_unit_test(registers_of_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
