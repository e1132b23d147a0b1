/* SPDX-License-Identifier: MIT */
/* A program that is looked at again and again while it runs. */
#include "watch.h"

#include "cache.h"
#include "lines.h"
#include "target.h"
#include "tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STALE_NS UINT64_C(2000000000)

struct hp_watch {
	struct hp_target target;
	struct hp_image image;
	struct hp_model *model;
	struct hp_task_history tasks;
	uint64_t seen_ns;
	unsigned restarts;
	bool ended;
	size_t quota;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int out_of_memory(struct hp_error *error)
{
	snprintf(error->text, sizeof(error->text), "out of memory");
	return -ENOMEM;
}

/* Watch another segment from now on; the target is taken over. */
static int change(struct hp_watch *watch, struct hp_target *target, struct hp_error *error)
{
	struct hp_image image;
	int failed = hp_image_read(target->path, &image, error);

	if (failed) {
		hp_target_free(target);
		return failed;
	}
	hp_image_free(&watch->image);
	hp_target_free(&watch->target);
	watch->image = image;
	watch->target = *target;
	watch->ended = false;
	return 0;
}

int hp_watch_choose(struct hp_watch *watch, const struct hp_found *found, struct hp_error *error)
{
	struct hp_target target;

	if (hp_target_take(&target, found))
		return out_of_memory(error);
	watch->restarts = 0;
	return change(watch, &target, error);
}

int hp_watch_open(struct hp_watch **watch, const char *target, struct hp_error *error)
{
	struct hp_target found;

	*watch = calloc(1, sizeof(**watch));
	if (!*watch)
		return out_of_memory(error);
	if (!target)
		return 0;
	int failed = hp_target_find(&found, target, error);
	if (!failed)
		failed = change(*watch, &found, error);
	if (failed) {
		hp_watch_free(*watch);
		*watch = NULL;
	}
	return failed;
}

static void follow(struct hp_watch *watch)
{
	struct hp_error ignored;
	struct hp_target next;

	if (hp_target_next(&watch->target, &next) && change(watch, &next, &ignored) == 0)
		watch->restarts++;
}

static struct hp_model *read_model(struct hp_watch *watch, bool whole, struct hp_error *error)
{
	static const struct hp_exit running = { .running = true, .status = -1 };
	const struct hp_header *header = watch->image.bytes;
	bool runs = !watch->ended && hp_process_writes(header->pid, watch->target.path);
	struct hp_image image;

	if (!watch->ended && hp_image_read(watch->target.path, &image, error) == 0) {
		hp_image_free(&watch->image);
		watch->image = image;
	}
	watch->ended = !runs;
	struct hp_model *model = hp_model_read(watch->image.bytes, watch->image.size,
					       runs ? &running : NULL, whole, error);
	if (model && runs && !hp_tasks_read(model, &watch->tasks)) {
		hp_model_free(model);
		out_of_memory(error);
		return NULL;
	}
	return model;
}

int hp_watch_look(struct hp_watch *watch, const uint32_t *visible, size_t count,
		  struct hp_error *error)
{
	(void)visible;
	(void)count;
	if (watch->ended)
		follow(watch);
	if (!watch->image.bytes || (watch->ended && watch->model))
		return 0;
	struct hp_model *model = read_model(watch, false, error);
	if (!model)
		return -EINVAL;
	hp_model_free(watch->model);
	model->watched = true;
	watch->model = model;
	watch->seen_ns = now_ns();
	return 0;
}

const struct hp_model *hp_watch_model(const struct hp_watch *watch)
{
	return watch->model;
}

enum hp_watch_state hp_watch_state(const struct hp_watch *watch)
{
	if (!watch->model)
		return HP_WATCH_WAITING;
	if (watch->ended)
		return HP_WATCH_ENDED;
	return now_ns() - watch->seen_ns > STALE_NS ? HP_WATCH_STALE : HP_WATCH_LIVE;
}

uint64_t hp_watch_seen_ns(const struct hp_watch *watch)
{
	return watch->seen_ns;
}

unsigned hp_watch_restarts(const struct hp_watch *watch)
{
	return watch->restarts;
}

static int nothing_yet(struct hp_error *error)
{
	snprintf(error->text, sizeof(error->text), "there is nothing to look at yet");
	return -ENOENT;
}

ssize_t hp_watch_recent(struct hp_watch *watch, const char *name, struct hp_recent **recent,
			struct hp_error *error)
{
	*recent = NULL;
	if (!watch->image.bytes)
		return nothing_yet(error);
	return hp_recent_calls(watch->image.bytes, watch->image.size, name, recent, error);
}

ssize_t hp_watch_calling(struct hp_watch *watch, uint32_t id, struct hp_calling **calling,
			 struct hp_error *error)
{
	const struct hp_glance glance = { .quota = 0 };
	struct hp_cache *cache = watch->image.bytes ? hp_cache_new() : NULL;
	ssize_t count = -ENOMEM;

	*calling = NULL;
	if (!cache)
		return nothing_yet(error);
	struct hp_model *model = hp_cache_read(cache, watch->image.bytes, watch->image.size, NULL,
					       &glance, error);
	if (model)
		count = hp_cache_calling(cache, watch->image.bytes, watch->image.size,
					 !watch->ended, id, calling, error);
	hp_model_free(model);
	hp_cache_free(cache);
	return count;
}

struct hp_model *hp_watch_whole(struct hp_watch *watch, struct hp_error *error)
{
	struct hp_model *model = NULL;

	if (watch->image.bytes)
		model = read_model(watch, true, error);
	else
		nothing_yet(error);
	if (model)
		hp_lines_fill(model);
	return model;
}

void hp_watch_set_quota(struct hp_watch *watch, size_t stats)
{
	watch->quota = stats;
}

void hp_watch_free(struct hp_watch *watch)
{
	if (!watch)
		return;
	hp_model_free(watch->model);
	hp_image_free(&watch->image);
	hp_target_free(&watch->target);
	hp_task_history_clear(&watch->tasks);
	free(watch);
}
