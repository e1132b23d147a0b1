/* SPDX-License-Identifier: MIT */
/*
 * Loads our libraries into programs by LD_PRELOAD.
 *
 * A program with a different C library would not start with ours. AddressSanitizer insists on being loaded first;
 * libhotpath.so turns that check off, unless the program defines its own options.
 */
#include "preload.h"

#include "library_path.h"
#include "obstacle.h"
#include "output.h"
#include "probes.h"
#include "program_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECORDER_LOSS "only programs linked with hotpath can be measured"
#define PROBE_LOSS "allocations are recorded only for programs linked with hotpath-alloc"

#define WAITS_LOSS "waits are recorded only for programs linked with hotpath-waits"

/* Prepend a value to a variable, separated by a colon. */
static void put_first(const char *variable, const char *value)
{
	const char *before = getenv(variable);
	char *both = NULL;

	if (!before || !*before)
		setenv(variable, value, 1);
	else if (asprintf(&both, "%s:%s", value, before) >= 0)
		setenv(variable, both, 1);
	free(both);
}

/* Append our option, because the last one wins, also over the user's. */
static void calm_sanitizer(const char *path)
{
	const char *before = getenv("ASAN_OPTIONS");
	char *both = NULL;

	if (hp_loading_asks_first(path) && asprintf(&both, "%s%s" HP_LOADING_ASAN_OPTION,
						    before ? before : "", before ? ":" : "") >= 0)
		setenv("ASAN_OPTIONS", both, 1);
	free(both);
}

/* Preload a library. If that is not possible, print what is lost, if anything is. Returns whether it is loaded. */
static bool preload(const char *name, const char *loss)
{
	char path[PATH_MAX];
	bool found = library_find(name, path), usable = found && !strpbrk(path, " :");

	if (!usable && loss)
		complain("%s %s: %s", name,
			 found ? "has a space or a colon in its path" : "was not found", loss);
	/* If they were built with a sanitizer, our libraries only work in programs that were, too. */
	if (!usable || HOTPATH_SANITIZED)
		return false;
	put_first("LD_PRELOAD", path);
	return true;
}

/* A program's own malloc does not prevent recording its calls and CPU time. */
static bool hides_calls(enum obstacle obstacle)
{
	return obstacle && obstacle != OBSTACLE_MALLOC;
}

static bool hides_cpu(enum obstacle obstacle, const char *path)
{
	return hides_calls(obstacle) && !obstacle_has_recorder(path);
}

static void complain_of(enum obstacle obstacle, const char *program, const char *what,
			const char *package)
{
	char text[OBSTACLE_TEXT];

	obstacle_text(obstacle, package, text);
	complain("cannot record %s of '%s': %s", what, program, text);
}

static void complain_of_probes(unsigned wanted, enum obstacle obstacle, const char *program)
{
	for (unsigned i = 0; probes[i].name; i++)
		if (wanted & 1U << i)
			complain_of(obstacle, program, probes[i].calls,
				    obstacle == OBSTACLE_STATIC ? NULL : probes[i].package);
}

static void preload_probes(unsigned wanted)
{
	for (unsigned i = 0; probes[i].name; i++)
		if (wanted & 1U << i)
			preload(probes[i].library, "calls to its library are not recorded");
}

/* Its own malloc is looked for only if it would matter: every look into the program's file delays its start. */
static enum obstacle obstacle_to(const char *path, bool alloc)
{
	return alloc ? obstacle_find(path) : (enum obstacle)hp_loading_find(path);
}

/*
 * Each library is put in front of the others, so the allocation probe, added last, comes first, before an allocator
 * that was preloaded already.
 */
bool preload_libraries(const char *program, struct recording *recording)
{
	char path[PATH_MAX];
	bool found = program_find(program, path), alloc = recording->alloc != HP_ALLOC_NONE;
	enum obstacle obstacle = found ? obstacle_to(path, alloc) : OBSTACLE_NONE;
	enum linked_probe linked = found && alloc ? obstacle_avoided(path, PROBE_OF_ALLOCATIONS)
						  : PROBE_NONE;
	enum linked_probe waits = found && recording->waits ? obstacle_avoided(path, PROBE_OF_WAITS)
							    : PROBE_NONE;
	bool hopeless = alloc && obstacle && !linked;

	if (hopeless)
		complain_of(obstacle, program, "allocations", "hotpath-alloc");
	bool is_hidden = recording->cpu && hides_cpu(obstacle, path);
	recording->is_outside = is_hidden && recording->may_be_outside && !recording_is_off();
	if (is_hidden && !recording->is_outside && !recording->cpu_is_default)
		complain_of(obstacle, program, "CPU time", "hotpath");
	if (recording->waits && hides_calls(obstacle) && !waits)
		complain_of(obstacle, program, "waits", "hotpath-waits");
	if (hides_calls(obstacle))
		complain_of_probes(recording->probes, obstacle, program);
	if (found)
		calm_sanitizer(path);
	if (hp_loading_harms((enum hp_loading)obstacle))
		return false;
	if (!preload("libhotpath.so", hopeless ? NULL : RECORDER_LOSS))
		return false;
	preload_probes(recording->probes);
	if (recording->waits && waits != PROBE_STATIC)
		preload("libhotpath-waits.so", waits ? NULL : WAITS_LOSS);
	return alloc && linked != PROBE_STATIC &&
	       preload("libhotpath-alloc.so", hopeless || linked ? NULL : PROBE_LOSS);
}

static const char *const variables[] = { "LD_PRELOAD", "ASAN_OPTIONS" };

bool preload_keep(struct preload *kept)
{
	bool whole = true;

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);
		kept->values[i] = value ? strdup(value) : NULL;
		whole &= !value == !kept->values[i];
	}
	return whole;
}

bool preload_restore(const struct preload *kept)
{
	bool done = true;

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		done &= kept->values[i] ? !setenv(variables[i], kept->values[i], 1)
					: !unsetenv(variables[i]);
	return done;
}

void preload_free(struct preload *kept)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		free(kept->values[i]);
	*kept = (struct preload){ { NULL } };
}
