/* SPDX-License-Identifier: MIT */
/* Watches a run of several processes: their sum is read again and again. */
#include "run_watch.h"

#include "arithmetic.h"
#include "now.h"
#include "process/found_run.h"

/* Reading complete models may take 1/COMPLETE_PART of a processor; and each is used for so long at least. */
#define COMPLETE_PART 20
#define COMPLETE_NS UINT64_C(250000000)

uint64_t hp_use_until(uint64_t now, uint64_t cpu_ns)
{
	return now + hp_max(COMPLETE_NS, cpu_ns * COMPLETE_PART);
}

/* Add a segment to a number for all of them, which are always in the same order. */
static uint64_t version_of(uint64_t version, const struct hp_found *found)
{
	return version * 31 + found->start_unix_ns + found->pid + (uint64_t)found->state * 2 +
	       found->live;
}

void hp_run_watch_found(struct hp_run_watch *watch, const struct hp_found_list *list,
			const struct hp_found *found)
{
	uint64_t version = 0;

	for (size_t i = 0; i < list->count; i++)
		if (hp_found_same_run(&list->items[i], found))
			version = version_of(version, &list->items[i]);
	watch->found_version = version;
	watch->is_live = hp_found_run_is_live(list, found) || watch->reader->goes_on(watch->run);
}

/* Whether there may be something new: always while it runs; then until all that is written at its end was read. */
static bool can_change(const struct hp_run_watch *watch, uint64_t version)
{
	return !watch->model || watch->is_live || version != watch->read_version;
}

static struct hp_model *read_again(struct hp_run_watch *watch, uint64_t version,
				   struct hp_error *error)
{
	uint64_t begin = hp_own_cpu_ns();
	struct hp_model *model = watch->reader->read(&watch->reading, watch->run, error);

	watch->read_ns = hp_now_ns();
	watch->until_ns = hp_use_until(watch->read_ns, hp_own_cpu_ns() - begin);
	watch->read_version = version;
	watch->error = model ? (struct hp_error){ "" } : *error;
	if (model)
		watch->model = model;
	return watch->model;
}

struct hp_model *hp_run_watch_read(struct hp_run_watch *watch, uint64_t due_ns,
				   struct hp_error *error)
{
	uint64_t version = watch->found_version ^ watch->reader->version(watch->run);
	bool is_last = !watch->is_live && version != watch->read_version;

	if ((hp_now_ns() < due_ns && !is_last) || !can_change(watch, version)) {
		if (!watch->model)
			*error = watch->error;
		return watch->model;
	}
	return read_again(watch, version, error);
}

void hp_run_watch_forget(struct hp_run_watch *watch)
{
	if (watch->reading)
		watch->reader->forget(watch->reading);
	watch->reading = NULL;
	watch->model = NULL;
	watch->until_ns = 0;
}
