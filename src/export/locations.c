/* SPDX-License-Identifier: MIT */
/* Locations: code addresses with the measured functions and blocks that were open there. */
#include "locations.h"

#include "array.h"
#include "names/demangle.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const void *things, uint32_t number, const void *key)
{
	const struct hp_profile *profile = things;
	const struct hp_location *a = &profile->locations[number], *b = key;

	return a->frame == b->frame && a->site_count == b->site_count &&
	       (a->site_count == 0 ||
		memcmp(a->sites, b->sites, a->site_count * sizeof(*a->sites)) == 0);
}

static uint64_t hash_of(const struct hp_location *location)
{
	uint64_t hash = hp_hash(0, location->frame);

	for (uint32_t i = 0; i < location->site_count; i++)
		hash = hp_hash(hash, location->sites[i]);
	return hash;
}

/* ---- levels ---- */

static const struct hp_function *row_of(const struct hp_profile *profile, uint32_t site)
{
	int32_t row = profile->cpu->frames[site].function;

	return row < 0 || (size_t)row >= profile->model->function_count
		       ? NULL
		       : &profile->model->functions[row];
}

/* Compilers append suffixes to clones of a function: "parse.constprop.0". */
static bool is_called(const char *function, const char *name)
{
	size_t length = strlen(name);

	if (strncmp(function, name, length) == 0 &&
	    (function[length] == '\0' || function[length] == '.'))
		return true;
	/* C++ names can be written in several ways. */
	if (!strchr(name, '(') && !strstr(function, "::"))
		return false;
	char *func = hp_func_of_pretty(name);
	bool same = func && hp_is_func(function, func);
	free(func);
	return same;
}

static bool is_function(const struct hp_profile *profile, uint32_t site)
{
	const struct hp_function *row = row_of(profile, site);

	return !row || (row->kind != HP_SITE_BLOCK && row->kind != HP_SITE_SPAN);
}

/* The first level, from one on, that is the measured function; the number of levels if none is. */
static uint32_t find_level(const struct hp_profile *profile, const struct hp_levels *levels,
			   uint32_t from, uint32_t site)
{
	const char *name = profile->cpu->frames[site].name;
	uint32_t at = is_function(profile, site) ? from : levels->count;

	while (at < levels->count &&
	       !is_called(profile->functions.items[levels->items[at].function].name, name))
		at++;
	return at;
}

/* A measured block, as a function of its own. */
static uint32_t block_of(struct hp_profile *profile, uint32_t frame, uint32_t site)
{
	const struct hp_cpu *cpu = profile->cpu;
	const struct hp_function *row = row_of(profile, site);
	struct hp_code code = { .name = cpu->frames[site].name,
				.file = row ? row->file : NULL,
				.line = row ? row->line : 0,
				.module =
					cpu->frames[frame == HP_INDEX_NONE ? site : frame].module };

	return hp_functions_add(&profile->functions, &code);
}

struct making {
	struct hp_profile *profile;
	/* The levels of the frame, and how many were added to the location so far. */
	const struct hp_levels *from;
	uint32_t taken;
	struct hp_location *location;
	bool failed;
};

static void take(struct making *making, uint32_t up_to)
{
	while (making->taken < up_to)
		making->failed |= !hp_levels_push(&making->location->levels,
						  making->from->items[making->taken++]);
}

static void take_site(struct making *making, uint32_t site)
{
	struct hp_profile *profile = making->profile;
	uint32_t at = find_level(profile, making->from, making->taken, site);
	uint32_t function;

	if (at < making->from->count) {
		take(making, at + 1);
		function = making->from->items[at].function;
	} else {
		/* A block is at least inside the outermost function of its code. */
		take(making, making->taken || !making->from->count ? making->taken : 1);
		function = block_of(profile, making->location->frame, site);
		making->failed |= function == HP_INDEX_NONE ||
				  !hp_levels_push(&making->location->levels,
						  (struct hp_level){ function, 0 });
	}
	if (!making->failed)
		profile->functions.items[function].measured = true;
}

static bool make_levels(struct hp_profile *profile, struct hp_location *location)
{
	static const struct hp_levels none = { NULL, 0 };
	struct making making = { .profile = profile, .from = &none, .location = location };

	if (location->frame != HP_INDEX_NONE)
		making.from = &profile->levels[location->frame];
	for (uint32_t i = 0; i < location->site_count && !making.failed; i++)
		take_site(&making, location->sites[i]);
	take(&making, making.from->count);
	return !making.failed;
}

bool hp_locations_has(struct hp_profile *profile, uint32_t location, uint32_t frame, uint32_t site)
{
	const struct hp_levels *own = &profile->levels[frame];
	const struct hp_levels *outer = &profile->locations[location].levels;
	uint32_t at = find_level(profile, own, 0, site) < own->count
			      ? outer->count
			      : find_level(profile, outer, 0, site);

	if (at == outer->count)
		return false;
	profile->functions.items[outer->items[at].function].measured = true;
	return true;
}

/* ---- locations ---- */

static bool reserve(struct hp_profile *profile)
{
	return hp_array_reserve(&profile->locations, profile->location_count,
				&profile->location_room, sizeof(*profile->locations));
}

static bool append(struct hp_profile *profile, const struct hp_location *like)
{
	struct hp_location *location = &profile->locations[profile->location_count++];

	*location = (struct hp_location){ .frame = like->frame };
	location->sites = calloc((size_t)like->site_count + 1, sizeof(*like->sites));
	if (!location->sites)
		return false;
	if (like->site_count)
		memcpy(location->sites, like->sites, like->site_count * sizeof(*like->sites));
	location->site_count = like->site_count;
	return make_levels(profile, location);
}

uint32_t hp_locations_add(struct hp_profile *profile, uint32_t frame, uint32_t *sites,
			  uint32_t site_count)
{
	struct hp_location wanted = { .frame = frame, .sites = sites, .site_count = site_count };
	uint32_t next = profile->location_count, number;

	profile->location_index.is_same = is_same;
	if (!reserve(profile) ||
	    !hp_intern(&profile->location_index, hash_of(&wanted), profile, &wanted, next, &number))
		return HP_INDEX_NONE;
	return number < next || append(profile, &wanted) ? number : HP_INDEX_NONE;
}

/* Locations that are only a name are few, and not in the index. */
uint32_t hp_locations_add_name(struct hp_profile *profile, const char *name)
{
	struct hp_code code = { .name = (char *)(uintptr_t)name, .module = HP_CPU_NOT_KNOWN };
	uint32_t function = hp_functions_add(&profile->functions, &code);
	if (function == HP_INDEX_NONE || !reserve(profile))
		return HP_INDEX_NONE;

	struct hp_location *location = &profile->locations[profile->location_count++];
	*location = (struct hp_location){ .frame = HP_INDEX_NONE };
	bool done = hp_levels_push(&location->levels, (struct hp_level){ function, 0 });
	return done ? profile->location_count - 1 : HP_INDEX_NONE;
}
