/* SPDX-License-Identifier: MIT */
/* User metadata of a run as key=value pairs; and the table of provenance fields. */
#include "provenance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* clang-format off */
#define WORD(object, key, member)                                                                  \
	{ object, key, offsetof(struct hp_provenance, member),                                     \
	  sizeof(((struct hp_provenance *)NULL)->member) }
/* clang-format on */

const struct hp_provenance_field hp_provenance_fields[] = {
	WORD("git", "sha", git_sha),
	WORD("git", "ref", git_ref),
	WORD("ci", "provider", ci_provider),
	WORD("ci", "event", ci_event),
	WORD("ci", "run_id", ci_run_id),
	WORD("ci", "workflow", ci_workflow),
	WORD("ci", "actor", ci_actor),
	WORD("ci", "repository", ci_repository),
	WORD("pull_request", "number", pull_number),
	WORD("pull_request", "base_ref", pull_base),
	WORD("pull_request", "head_ref", pull_head),
	{ NULL, NULL, 0, 0 },
};

int hp_metadata_add(struct hp_metadata *metadata, const char *key, size_t length, const char *value,
		    size_t value_length)
{
	struct hp_datum *items = reallocarray(metadata->items, metadata->count + 1, sizeof(*items));
	struct hp_datum pair = { strndup(key, length), strndup(value, value_length) };
	size_t at = 0;

	if (items)
		metadata->items = items;
	while (items && pair.key && at < metadata->count && strcmp(items[at].key, pair.key) < 0)
		at++;
	bool is_known = items && pair.key && at < metadata->count &&
			strcmp(items[at].key, pair.key) == 0;
	if (!items || !pair.key || !pair.value || is_known) {
		free(pair.key);
		free(pair.value);
		return is_known ? 0 : -ENOMEM;
	}
	memmove(&items[at + 1], &items[at], (metadata->count - at) * sizeof(*items));
	items[at] = pair;
	metadata->count++;
	return 0;
}

int hp_metadata_parse(struct hp_metadata *metadata, const char *text)
{
	int error = 0;

	while (text && *text && !error) {
		size_t length = strcspn(text, ","), key = strcspn(text, "=");
		if (key && key < length)
			error = hp_metadata_add(metadata, text, key, text + key + 1,
						length - key - 1);
		text += length + (text[length] == ',');
	}
	return error;
}

int hp_metadata_merge(struct hp_metadata *into, const struct hp_metadata *from)
{
	int error = 0;

	for (size_t i = 0; i < from->count && !error; i++) {
		const struct hp_datum *pair = &from->items[i];
		error = hp_metadata_add(into, pair->key, strlen(pair->key), pair->value,
					strlen(pair->value));
	}
	return error;
}

void hp_metadata_clear(struct hp_metadata *metadata)
{
	for (size_t i = 0; i < metadata->count; i++) {
		free(metadata->items[i].key);
		free(metadata->items[i].value);
	}
	free(metadata->items);
	*metadata = (struct hp_metadata){ NULL, 0 };
}
