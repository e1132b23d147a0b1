/* SPDX-License-Identifier: MIT */
/* Explains why requested measurements are missing. */
#include "missing.h"

#include "format.h"
#include "kind.h"
#include "library_path.h"
#include "obstacle.h"
#include "place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	/* With less CPU time than this many sampling periods, there may be no sample. */
	SAMPLES_FEW = 5,
};

static bool is_library_there(const char *name)
{
	char path[PATH_MAX];

	return library_find(name, path);
}

/* The CPU time that one sample stands for. */
static uint64_t period_ns(void)
{
	return UINT64_C(1000000000) / (uint64_t)recording_rate();
}

/* ---- where segments are ---- */

/* Try with a name that is the run's own: its register is there, or can be made. */
static bool can_make_file(int folder, const char *run)
{
	char name[64];
	if (!hp_place_register(name, sizeof(name), run))
		return true;

	int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool can = file >= 0 || errno == EEXIST;
	if (file >= 0) {
		close(file);
		unlinkat(folder, name, 0);
	}
	return can;
}

/* A folder that is not there is made by who needs it. */
static bool can_use(const char *path, const char *run)
{
	int folder = hp_place_open(path, geteuid());
	bool is_absent = folder < 0 && errno == ENOENT;
	bool can = is_absent ? mkdir(path, 0700) == 0 : folder >= 0 && can_make_file(folder, run);

	if (folder >= 0)
		close(folder);
	if (is_absent && can)
		rmdir(path);
	return can;
}

/* Whether there is no place for the segments of a run; then with the first of those that were tried. */
static bool has_no_place(const char *run, char first[HP_PATH_MAX])
{
	char path[HP_PATH_MAX];

	if (!hp_place_folder(0, first))
		return false;
	for (unsigned nth = 0; hp_place_folder(nth, path); nth++)
		if (can_use(path, run))
			return false;
	return true;
}

/* ---- reasons ---- */

static uint64_t cpu_of(const struct child *child)
{
	return child->user_ns + child->system_ns;
}

static bool is_short(const struct child *child)
{
	return cpu_of(child) < SAMPLES_FEW * period_ns();
}

/* The obstacle to sampling, if any. One that is sampled from outside may be too short for that. */
static enum obstacle obstacle_to_samples(const char *path, const struct measured *measured)
{
	enum obstacle obstacle = path ? (enum obstacle)hp_loading_find(path) : OBSTACLE_NONE;
	bool is_outside = measured->asked.is_outside && is_short(&measured->child);

	return obstacle && (is_outside || obstacle_has_recorder(path)) ? OBSTACLE_NONE : obstacle;
}

static void explain_cpu(struct hp_model *model, const char *path, const struct measured *measured)
{
	static const char none[] = "No CPU time was sampled";
	enum obstacle obstacle = obstacle_to_samples(path, measured);
	const struct child *child = &measured->child;
	bool is_child = model->pid == (uint32_t)child->pid;
	char text[OBSTACLE_TEXT], folder[HP_PATH_MAX];

	if (recording_is_off()) {
		hp_model_miss(&model->missing.cpu, "%s: HOTPATH_OFF=1 switches all recording off",
			      none);
	} else if (obstacle) {
		obstacle_text(obstacle, "hotpath", text);
		hp_model_miss(&model->missing.cpu, "%s: %s", none, text);
	} else if (!is_library_there("libhotpath.so")) {
		hp_model_miss(&model->missing.cpu, "%s: libhotpath.so was not found", none);
	} else if (is_child && is_short(child)) {
		hp_model_miss(&model->missing.cpu,
			      "%s: the program used only %s, and a sample stands for %s", none,
			      hp_format_duration(cpu_of(child)).text,
			      hp_format_duration(period_ns()).text);
	} else if (has_no_place(measured->run, folder)) {
		hp_model_miss(&model->missing.cpu, "%s: no segment can be kept in %.300s", none,
			      folder);
	} else {
		hp_model_miss(&model->missing.cpu,
			      "%s: its processes were too short for a sample, or ran without "
			      "libhotpath.so",
			      none);
	}
}

static void explain_alloc(struct hp_model *model, const char *path)
{
	static const char none[] = "No allocations were recorded";
	enum obstacle obstacle = path ? obstacle_find(path) : OBSTACLE_NONE;
	char text[OBSTACLE_TEXT];

	if (obstacle && obstacle_avoided(path, PROBE_OF_ALLOCATIONS) == PROBE_NONE) {
		obstacle_text(obstacle, "hotpath-alloc", text);
		hp_model_miss(&model->missing.alloc, "%s: %s", none, text);
	} else if (!is_library_there("libhotpath-alloc.so")) {
		hp_model_miss(&model->missing.alloc, "%s: libhotpath-alloc.so was not found", none);
	} else {
		hp_model_miss(&model->missing.alloc,
			      "%s: the program made none, or was started without "
			      "libhotpath-alloc.so",
			      none);
	}
}

/* Locks, waits, or what else the probe of waits records. */
static bool has_waits(const struct hp_model *model)
{
	for (size_t i = 0; i < model->entries.count; i++) {
		uint8_t site = model->entries.items[i].kind->first_site;
		if (site >= HP_SITE_MUTEX && site <= HP_SITE_IO)
			return true;
	}
	return false;
}

/* The note is about the program itself: the waits of those that it starts may not have been asked for. */
static void explain_waits(struct hp_model *model, const struct child *child)
{
	static const char none[] = "no lock and no wait was recorded";

	if (model->pid != (uint32_t)child->pid && !hp_model_is_empty(model))
		return;
	if (!is_library_there("libhotpath-waits.so"))
		hp_model_note(model, "%s: libhotpath-waits.so was not found", none);
	else
		hp_model_note(model,
			      "%s: the program had none that can be seen, or was started "
			      "without libhotpath-waits.so",
			      none);
}

/* Add a note about a program that recorded nothing, although it could have. */
static void note_silence(struct hp_model *model, const char *path)
{
	if (recording_is_off() && !model->missing.cpu)
		hp_model_note(model, "HOTPATH_OFF=1 switches all recording off");
	else if (path && obstacle_has_recorder(path))
		hp_model_note(
			model,
			"the program is linked with hotpath, but called no measured function, or "
			"could not write a segment");
}

void missing_explain(struct hp_model *model, const char *path, const struct measured *measured)
{
	enum obstacle obstacle = obstacle_to_samples(path, measured);
	char text[OBSTACLE_TEXT];

	if (measured->asked.cpu && !hp_cpu_was_asked_for(&model->cpu))
		explain_cpu(model, path, measured);
	if (measured->asked.alloc != HP_ALLOC_NONE && model->memory.mode == HP_ALLOC_NONE)
		explain_alloc(model, path);
	if (measured->asked.waits && !has_waits(model))
		explain_waits(model, &measured->child);
	if (hp_model_is_empty(model))
		note_silence(model, path);
	if (!obstacle)
		return;
	obstacle_text(obstacle, "hotpath", text);
	hp_model_miss(&model->missing.loading, "%s", text);
}
