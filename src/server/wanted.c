/* SPDX-License-Identifier: MIT */
/* What the user wants to be served: by a process id, the name of a program, or a run. */
#include "wanted.h"

#include "process/found_run.h"

#include <stdlib.h>
#include <string.h>

/* The segment by which a user means a whole run: by its name, or by the process that it began with. NULL if it is no run. */
static const struct hp_found *named_run(const struct hp_found_list *list, const char *name)
{
	const struct hp_found *found = hp_found_run(list, name);
	bool is_pid = hp_is_process_id(name);

	for (size_t i = 0; !found && is_pid && i < list->count; i++)
		if (list->items[i].pid == strtoul(name, NULL, 10))
			found = &list->items[i];
	if (!found || hp_found_processes(list, found) < 2)
		return NULL;
	return !is_pid || hp_found_is_root(list, found) ? found : NULL;
}

static bool find_run(const char *name, char run[HP_RUN_MAX])
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error ignored;
	const struct hp_found *found = NULL;

	if (hp_find_segments(&list, &ignored) == 0)
		found = named_run(&list, name);
	if (found)
		memcpy(run, found->run, HP_RUN_MAX);
	hp_found_list_free(&list);
	return found;
}

/* Of a run that is named, nothing needs to be running. */
int hp_wanted_find(struct hp_wanted *wanted, const char *name, struct hp_error *error)
{
	struct hp_error ignored;

	*wanted = (struct hp_wanted){ .by_name = !hp_is_process_id(name) };
	bool is_run = find_run(name, wanted->run);
	int failed = hp_target_find(&wanted->target, name, is_run ? &ignored : error);

	return is_run ? 0 : failed;
}

bool hp_wanted_means(const struct hp_wanted *wanted, const struct hp_found *found)
{
	const struct hp_target *target = &wanted->target;

	if (wanted->run[0] && strcmp(found->run, wanted->run) == 0)
		return true;
	return target->program && strcmp(found->program, target->program) == 0 &&
	       strcmp(found->executable, target->executable) == 0 &&
	       (found->start_unix_ns >= target->start_unix_ns || (wanted->by_name && found->live));
}
