/* SPDX-License-Identifier: MIT */
/* A segment's file is opened and removed only where its owner alone can have put it. */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char work[] = "/tmp/hotpath-test-XXXXXX";
static char folder[64], path[128], linked_folder[64], linked_path[128];

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(work))
		return -1;
	snprintf(folder, sizeof(folder), "%s/real", work);
	snprintf(path, sizeof(path), "%s/file", folder);
	snprintf(linked_folder, sizeof(linked_folder), "%s/link", work);
	snprintf(linked_path, sizeof(linked_path), "%s/file", linked_folder);
	return mkdir(folder, 0700) || symlink("real", linked_folder) || close(creat(path, 0600));
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	unlink(linked_folder);
	rmdir(folder);
	return rmdir(work);
}

/* 0 or the negative errno; what was opened is closed. */
static int opens(const char *name, uint32_t user)
{
	int file = hp_segment_open(name, user);

	if (file >= 0)
		close(file);
	return file < 0 ? file : 0;
}

static void folder_must_be_its_owners(void **state)
{
	(void)state;
	assert_int_equal(opens(path, geteuid()), 0);
	assert_int_equal(opens(path, geteuid() + 1), -EPERM);
	assert_int_equal(opens(linked_path, geteuid()), -ELOOP);
	assert_int_equal(opens("file", geteuid()), -EINVAL);
	chmod(folder, 0720);
	assert_int_equal(opens(path, geteuid()), -EPERM);
	chmod(folder, 0702);
	assert_int_equal(opens(path, geteuid()), -EPERM);
	/* What the user has named may lie anywhere. */
	assert_int_equal(opens(path, HP_ANY_USER), 0);
	assert_int_equal(opens(linked_path, HP_ANY_USER), 0);
	chmod(folder, 0755);
	assert_int_equal(opens(path, geteuid()), 0);
}

static void must_be_a_file(void **state)
{
	(void)state;
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(opens(path, geteuid()), -EINVAL);
	assert_int_equal(opens(path, HP_ANY_USER), -EINVAL);
	unlink(path);
	assert_int_equal(symlink("/proc/self/exe", path), 0);
	assert_int_equal(opens(path, geteuid()), -ELOOP);
	unlink(path);
	assert_int_equal(opens(path, geteuid()), -ENOENT);
	close(creat(path, 0600));
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 65534, (gid_t)-1), 0);
		assert_int_equal(opens(path, 0), -EPERM);
	}
}

/* Between finding and removing, its folder may have been exchanged for a link to another one. */
static void removes_nothing_elsewhere(void **state)
{
	struct hp_found found = { .path = linked_path, .user = geteuid() };

	(void)state;
	assert_int_equal(hp_found_remove(&found), -ELOOP);
	found.path = path;
	found.user++;
	assert_int_equal(hp_found_remove(&found), -EPERM);
	assert_int_equal(access(path, F_OK), 0);
	found.user--;
	assert_int_equal(hp_found_remove(&found), 0);
	assert_int_equal(hp_found_remove(&found), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folder_must_be_its_owners),
		cmocka_unit_test(must_be_a_file),
		cmocka_unit_test(removes_nothing_elsewhere),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
