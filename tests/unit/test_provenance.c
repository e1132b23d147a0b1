/* SPDX-License-Identifier: MIT */
/* The commit of a work tree, however git keeps it; the CI, by its environment; and what users say. */
#include "process/provenance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef01234567"
#define OTHER "fedcba9876543210fedcba9876543210fedcba98"

static char folder[] = "/tmp/test_provenance_XXXXXX";
static struct hp_provenance provenance;

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A work tree with a folder in it, where we are. */
static int begin(void **state)
{
	(void)state;
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	provenance = (struct hp_provenance){ "" };
	return mkdtemp(folder) && chdir(folder) == 0 && mkdir(".git", 0700) == 0 &&
			       mkdir(".git/refs", 0700) == 0 &&
			       mkdir(".git/refs/heads", 0700) == 0 && mkdir("inner", 0700) == 0 &&
			       chdir("inner") == 0
		       ? 0
		       : -1;
}

static int end(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return chdir("/") || system(command) ? -1 : 0;
}

static void a_branch(void **state)
{
	(void)state;
	write_file("../.git/HEAD", "ref: refs/heads/main\n");
	assert_false(hp_provenance_read_git(".", &provenance));
	write_file("../.git/refs/heads/main", SHA "\n");
	assert_true(hp_provenance_read_git(".", &provenance));
	assert_string_equal(provenance.git_sha, SHA);
	assert_string_equal(provenance.git_ref, "refs/heads/main");
}

static void a_packed_branch(void **state)
{
	(void)state;
	write_file("../.git/HEAD", "ref: refs/heads/main\n");
	write_file("../.git/packed-refs",
		   "# pack-refs with: peeled\n" OTHER " refs/heads/main-2\n" SHA
		   " refs/heads/main\n^" OTHER "\n");
	assert_true(hp_provenance_read_git(".", &provenance));
	assert_string_equal(provenance.git_sha, SHA);
}

static void a_commit(void **state)
{
	(void)state;
	write_file("../.git/HEAD", SHA "\n");
	assert_true(hp_provenance_read_git(".", &provenance));
	assert_string_equal(provenance.git_sha, SHA);
	assert_string_equal(provenance.git_ref, "");
}

/* A second work tree: its folder of git is elsewhere, and the references are in the first one's. */
static void another_work_tree(void **state)
{
	(void)state;
	assert_int_equal(mkdir("../.git/worktrees", 0700), 0);
	assert_int_equal(mkdir("../.git/worktrees/inner", 0700), 0);
	write_file(".git", "gitdir: ../.git/worktrees/inner\n");
	write_file("../.git/worktrees/inner/HEAD", "ref: refs/heads/other\n");
	write_file("../.git/worktrees/inner/commondir", "../..\n");
	write_file("../.git/refs/heads/other", OTHER "\n");
	assert_true(hp_provenance_read_git(".", &provenance));
	assert_string_equal(provenance.git_sha, OTHER);
	assert_string_equal(provenance.git_ref, "refs/heads/other");
}

static void damaged(void **state)
{
	static const char *const heads[] = { "", "ref: ", "ref: refs/heads/none", "0123",
					     "not a commit" };

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++) {
		write_file("../.git/HEAD", heads[i]);
		assert_false(hp_provenance_read_git(".", &provenance));
	}
	assert_false(hp_provenance_read_git("none", &provenance));
	assert_false(hp_provenance_read_git("/", &provenance));
}

static void clear_environment(void)
{
	unsetenv("GITHUB_ACTIONS");
	unsetenv("GITLAB_CI");
}

static void github(void **state)
{
	(void)state;
	clear_environment();
	write_file("../.git/HEAD", OTHER "\n");
	setenv("GITHUB_ACTIONS", "true", 1);
	setenv("GITHUB_SHA", OTHER, 1);
	setenv("GITHUB_REF", "refs/pull/12/merge", 1);
	setenv("GITHUB_RUN_ID", "345", 1);
	setenv("GITHUB_BASE_REF", "main", 1);
	hp_provenance_read(&provenance);
	assert_string_equal(provenance.ci_provider, "github");
	assert_string_equal(provenance.git_ref, "refs/pull/12/merge");
	assert_string_equal(provenance.ci_run_id, "345");
	assert_string_equal(provenance.pull_number, "12");
	assert_string_equal(provenance.pull_base, "main");
	/* What is checked out is another one. */
	write_file("../.git/HEAD", SHA "\n");
	hp_provenance_read(&provenance);
	assert_string_equal(provenance.git_sha, SHA);
	assert_string_equal(provenance.git_ref, "");
	clear_environment();
}

static void gitlab(void **state)
{
	(void)state;
	clear_environment();
	setenv("GITLAB_CI", "true", 1);
	setenv("CI_COMMIT_SHA", SHA, 1);
	setenv("CI_PIPELINE_ID", "678", 1);
	setenv("CI_MERGE_REQUEST_IID", "9", 1);
	hp_provenance_read(&provenance);
	assert_string_equal(provenance.ci_provider, "gitlab");
	assert_string_equal(provenance.git_sha, SHA);
	assert_string_equal(provenance.ci_run_id, "678");
	assert_string_equal(provenance.pull_number, "9");
	clear_environment();
}

static void pairs(void **state)
{
	struct hp_metadata metadata = { NULL, 0 }, merged = { NULL, 0 };

	(void)state;
	assert_int_equal(hp_metadata_parse(&metadata, "b=2,a=1=one,=x,c,d=,b=3"), 0);
	assert_int_equal(metadata.count, 3);
	assert_string_equal(metadata.items[0].key, "a");
	assert_string_equal(metadata.items[0].value, "1=one");
	assert_string_equal(metadata.items[1].value, "2");
	assert_string_equal(metadata.items[2].value, "");
	assert_int_equal(hp_metadata_parse(&merged, "b=of another,z=9"), 0);
	assert_int_equal(hp_metadata_merge(&merged, &metadata), 0);
	assert_int_equal(merged.count, 4);
	assert_string_equal(merged.items[1].value, "of another");
	assert_string_equal(merged.items[3].key, "z");
	hp_metadata_clear(&metadata);
	hp_metadata_clear(&merged);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_branch), TEST(a_packed_branch), TEST(a_commit), TEST(another_work_tree),
		TEST(damaged),	TEST(github),	       TEST(gitlab),   TEST(pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
