/* SPDX-License-Identifier: MIT */
/* Provenance of a report: the git commit, the CI system, and user metadata. */
#ifndef HP_PROVENANCE_H
#define HP_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Empty where it is not known. */
struct hp_provenance {
	char git_sha[72];
	/** "refs/heads/main". */
	char git_ref[128];
	/** "github" or "gitlab"; the fields below have the values of that system. */
	char ci_provider[16];
	char ci_event[40];
	char ci_run_id[40];
	char ci_workflow[96];
	char ci_actor[64];
	char ci_repository[128];
	/** The number of a pull request, or merge request, and its branches. */
	char pull_number[16];
	char pull_base[128];
	char pull_head[128];
};

/** One field: in JSON, it is a member of "git", "ci" or "pull_request". */
struct hp_provenance_field {
	const char *object;
	const char *key;
	uint16_t offset;
	uint16_t size;
};

/** In the order of the objects; ends with a key of NULL. */
extern const struct hp_provenance_field hp_provenance_fields[];

/** Read the provenance of the current folder, and of the CI system from its environment. */
void hp_provenance_read(struct hp_provenance *provenance);

/**
 * The same for a given folder or the closest parent that is a git work tree; false if there is none. git is not
 * executed.
 */
bool hp_provenance_read_git(const char *folder, struct hp_provenance *provenance);

/** HOTPATH_USER_METADATA: what users say of a run. */
struct hp_metadata {
	/** Sorted by key, each key once; both are to be freed. */
	struct hp_datum {
		char *key;
		char *value;
	} * items;
	size_t count;
};

/** Add a pair, unless the key is there already. Returns 0 or -ENOMEM. */
int hp_metadata_add(struct hp_metadata *metadata, const char *key, size_t length, const char *value,
		    size_t value_length);
/** Add "k=v,k=v"; items that are no pair are ignored. */
int hp_metadata_parse(struct hp_metadata *metadata, const char *text);
int hp_metadata_merge(struct hp_metadata *into, const struct hp_metadata *from);
void hp_metadata_clear(struct hp_metadata *metadata);

#endif
