/* SPDX-License-Identifier: MIT */
/* Which commit this is, from the files of git, and which CI runs us, from its environment. */
#include "provenance.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* Maximum size of a file of git that we read: packed-refs may be large. */
	TEXT_SIZE = 1 << 20,
};

/* A file's beginning, without what ends its last line; NULL when it cannot be read. */
static char *read_text(const char *folder, const char *name)
{
	char path[PATH_MAX];
	FILE *file = (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) < sizeof(path)
			     ? fopen(path, "re")
			     : NULL;
	char *text = file ? malloc(TEXT_SIZE) : NULL;

	if (text) {
		size_t length = fread(text, 1, TEXT_SIZE - 1, file);
		while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
			length--;
		text[length] = '\0';
	}
	if (file)
		fclose(file);
	return text;
}

/* SHA-1, or SHA-256. */
static bool is_sha(const char *text, size_t length)
{
	return (length == 40 || length == 64) && strspn(text, "0123456789abcdef") >= length;
}

static bool take_sha(struct hp_provenance *provenance, const char *text)
{
	size_t length = text ? strcspn(text, " \n") : 0;

	if (!is_sha(text ? text : "", length))
		return false;
	snprintf(provenance->git_sha, sizeof(provenance->git_sha), "%.*s", (int)length, text);
	return true;
}

/* A line of packed-refs: the commit, a blank, the reference. */
static const char *find_packed(const char *packed, const char *ref)
{
	for (const char *line = packed; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		size_t sha = strcspn(line, " \n"), length = strlen(ref);
		if (line[sha] == ' ' && strncmp(line + sha + 1, ref, length) == 0 &&
		    (line[sha + 1 + length] == '\n' || !line[sha + 1 + length]))
			return line;
	}
	return NULL;
}

static bool resolve(const char *folder, const char *ref, struct hp_provenance *provenance)
{
	char *loose = read_text(folder, ref);
	bool found = take_sha(provenance, loose);
	char *packed = found ? NULL : read_text(folder, "packed-refs");

	found = found || take_sha(provenance, packed ? find_packed(packed, ref) : NULL);
	free(packed);
	free(loose);
	return found;
}

/* Resolve a path found in a file of git, relative to the folder of that file. */
static bool follow(const char *folder, const char *named, char path[PATH_MAX])
{
	int length = named[0] == '/' ? snprintf(path, PATH_MAX, "%s", named)
				     : snprintf(path, PATH_MAX, "%s/%s", folder, named);

	return length > 0 && length < PATH_MAX;
}

/* Linked work trees have a HEAD of their own, but share references. */
static bool read_head(const char *git, struct hp_provenance *provenance)
{
	char *head = read_text(git, "HEAD"), *shared = read_text(git, "commondir");
	char common[PATH_MAX];
	bool found = take_sha(provenance, head);

	if (head && !found && strncmp(head, "ref: ", 5) == 0) {
		snprintf(provenance->git_ref, sizeof(provenance->git_ref), "%s", head + 5);
		found = resolve(git, head + 5, provenance) ||
			(shared && follow(git, shared, common) &&
			 resolve(common, head + 5, provenance));
	}
	free(shared);
	free(head);
	return found;
}

/* .git is a folder or, in a linked work tree, a file that names the folder. */
static bool find_git(const char *folder, char git[PATH_MAX])
{
	struct stat info;
	if (!follow(folder, ".git", git) || stat(git, &info))
		return false;
	if (S_ISDIR(info.st_mode))
		return true;

	char *text = read_text(folder, ".git");
	bool found = text && strncmp(text, "gitdir: ", 8) == 0 && follow(folder, text + 8, git);
	free(text);
	return found;
}

bool hp_provenance_read_git(const char *folder, struct hp_provenance *provenance)
{
	char around[PATH_MAX], git[PATH_MAX];

	if (!realpath(folder, around))
		return false;
	for (;;) {
		if (find_git(around, git))
			return read_head(git, provenance);
		char *slash = strrchr(around, '/');
		if (!slash || slash == around)
			return false;
		*slash = '\0';
	}
}

/* ---- CI ---- */

/* Environment variables of each CI system, in the order of the fields. */
static const struct {
	const char *provider;
	/* "true" where it runs us. */
	const char *is_set;
	const char *variables[11];
} systems[] = {
	{ "github",
	  "GITHUB_ACTIONS",
	  { "GITHUB_SHA", "GITHUB_REF", NULL, "GITHUB_EVENT_NAME", "GITHUB_RUN_ID",
	    "GITHUB_WORKFLOW", "GITHUB_ACTOR", "GITHUB_REPOSITORY", NULL, "GITHUB_BASE_REF",
	    "GITHUB_HEAD_REF" } },
	{ "gitlab",
	  "GITLAB_CI",
	  { "CI_COMMIT_SHA", "CI_COMMIT_REF_NAME", NULL, "CI_PIPELINE_SOURCE", "CI_PIPELINE_ID",
	    "CI_JOB_NAME", "GITLAB_USER_LOGIN", "CI_PROJECT_PATH", "CI_MERGE_REQUEST_IID",
	    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME" } },
};

/* GitHub tells the number in the name of the reference alone: refs/pull/12/merge. */
static void read_pull_number(struct hp_provenance *ci)
{
	static const char before[] = "refs/pull/";
	size_t length = strlen(before);

	if (ci->pull_number[0] || strncmp(ci->git_ref, before, length) != 0)
		return;
	size_t digits = strspn(ci->git_ref + length, "0123456789");
	snprintf(ci->pull_number, sizeof(ci->pull_number), "%.*s", (int)digits,
		 ci->git_ref + length);
}

static void read_ci(struct hp_provenance *ci)
{
	for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
		const char *is_set = getenv(systems[i].is_set);
		if (!is_set || strcmp(is_set, "true") != 0)
			continue;
		for (size_t j = 0; hp_provenance_fields[j].key; j++) {
			const struct hp_provenance_field *field = &hp_provenance_fields[j];
			const char *variable = systems[i].variables[j];
			const char *word = variable ? getenv(variable) : NULL;
			snprintf((char *)ci + field->offset, field->size, "%s", word ? word : "");
		}
		snprintf(ci->ci_provider, sizeof(ci->ci_provider), "%s", systems[i].provider);
		read_pull_number(ci);
		return;
	}
}

/*
 * The checked-out commit wins over the CI's variables: a job may have checked out another commit since, to compare
 * with.
 */
void hp_provenance_read(struct hp_provenance *provenance)
{
	struct hp_provenance git = { "" };

	*provenance = (struct hp_provenance){ "" };
	read_ci(provenance);
	if (!hp_provenance_read_git(".", &git))
		return;
	bool is_same = strcmp(provenance->git_sha, git.git_sha) == 0;
	strcpy(provenance->git_sha, git.git_sha);
	if (git.git_ref[0] || !is_same)
		strcpy(provenance->git_ref, git.git_ref);
}
