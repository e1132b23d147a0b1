/* SPDX-License-Identifier: MIT */
/*
 * Sites: from a static struct in the program to an id and a copy of its names in the segment; or from the
 * address of a function in a module to an id.
 *
 * A site that is registered twice gets the same id: an inline function in a header, compiled into many
 * files, is one row; so is a function of a library that was closed and opened again.
 */
#include "sites.h"

#include "modules.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/recorder_state.h"
#include "process/room.h"
#include "process/segment_file.h"

#include <string.h>

enum {
	BUCKETS = 4096,
};

static struct hp_site *site_at(char *base, uint32_t id)
{
	uint32_t place;
	unsigned chunk = hp_site_place(id, &place);
	uint64_t at = ((struct hp_header *)base)->sites[chunk];

	return at ? (struct hp_site *)(void *)(base + at) + place : NULL;
}

static const char *string_at(const char *base, uint64_t at)
{
	return at ? ((const struct hp_string *)(const void *)(base + at))->bytes : NULL;
}

static uint32_t hash_string(uint32_t hash, const char *string)
{
	for (; string && *string; string++)
		hash = (hash ^ (unsigned char)*string) * UINT32_C(16777619);
	return (hash ^ 0xff) * UINT32_C(16777619);
}

/* Values and gauges are identified by their key alone, not by file and line. */
static bool is_key(uint32_t kind)
{
	return kind == HP_SITE_VAL || kind == HP_SITE_GAUGE;
}

static uint32_t hash_site(const struct hotpath_site *site)
{
	uint32_t hash = hash_string(UINT32_C(2166136261), site->name);

	if (is_key(site->kind))
		return hash ^ site->kind;
	return hash_string(hash, site->file) ^ (site->line * UINT32_C(2654435761)) ^ site->kind;
}

static bool same_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool is_site(const struct hp_site *known, const struct hotpath_site *site)
{
	const char *base = hotpath__recorder->base;

	if (known->kind != site->kind || known->module ||
	    !same_string(string_at(base, known->name), site->name))
		return false;
	return is_key(site->kind) ||
	       (known->line == site->line && same_string(string_at(base, known->file), site->file));
}

static uint32_t find(const struct hotpath_site *site, uint32_t hash)
{
	struct recorder *recorder = hotpath__recorder;
	/* Pairs with the RELEASE in publish. */
	uint32_t id = load(&recorder->buckets[hash % BUCKETS], ACQUIRE);

	while (id) {
		const struct hp_site *known = site_at(recorder->base, id);
		if (known->hash == hash && is_site(known, site))
			return id;
		id = known->next;
	}
	return 0;
}

/* The struct for the site with the next id; allocates the chunk if it is the first one in it. */
static struct hp_site *next_site(uint32_t id)
{
	struct hp_header *header = hotpath__header();
	uint32_t place;
	unsigned chunk = hp_site_place(id, &place);

	if (id > HP_SITES_MAX - 1)
		return NULL;
	if (!header->sites[chunk]) {
		uint64_t size = ((uint64_t)HP_SITE_CHUNK << chunk) * sizeof(struct hp_site);
		uint64_t at = hotpath__segment_take(size);
		if (!at)
			return NULL;
		/* Published, with the site, by site_count. */
		store(&header->sites[chunk], at, RELAXED);
	}
	return site_at(hotpath__recorder->base, id);
}

/* Publish a complete site: it can be found by its id, and readers see it. */
static void publish(struct hp_site *site, uint32_t id, uint32_t hash)
{
	struct recorder *recorder = hotpath__recorder;

	site->hash = hash;
	site->next = recorder->buckets[hash % BUCKETS];
	/* Pairs with the ACQUIRE in find, which works without the lock. */
	store(&recorder->buckets[hash % BUCKETS], id, RELEASE);
	/* Pairs with the reader's ACQUIRE: sites up to this id are complete. */
	store(&hotpath__header()->site_count, id, RELEASE);
}

static uint32_t add_site(const struct hotpath_site *site, uint32_t hash)
{
	uint32_t id = hotpath__header()->site_count + 1;
	struct hp_site *new = next_site(id);
	uint64_t name = new ? hotpath__segment_string(site->name) : 0;

	if (!name)
		return 0;
	new->kind = site->kind;
	new->line = site->line;
	new->name = name;
	new->file = hotpath__segment_string(site->file);
	publish(new, id, hash);
	return id;
}

static bool make_buckets(struct recorder *recorder)
{
	if (!recorder->buckets)
		/* Pairs with the CONSUME in hotpath__site_find. */
		store(&recorder->buckets, hotpath__private(BUCKETS * sizeof(uint32_t)), RELEASE);
	return recorder->buckets != NULL;
}

uint32_t hotpath__site_find(const struct hotpath_site *site)
{
	return load(&hotpath__recorder->buckets, CONSUME) ? find(site, hash_site(site)) : 0;
}

uint32_t hotpath__site_register(const struct hotpath_site *site)
{
	uint32_t hash = hash_site(site);

	if (!make_buckets(hotpath__recorder))
		return 0;
	uint32_t id = find(site, hash);
	return id ? id : add_site(site, hash);
}

static uint32_t find_address(const struct hp_site *site, const char *name)
{
	struct recorder *recorder = hotpath__recorder;
	uint32_t id = recorder->buckets[site->hash % BUCKETS];

	while (id) {
		const struct hp_site *known = site_at(recorder->base, id);
		if (known->kind == site->kind && known->module == site->module &&
		    known->offset == site->offset &&
		    same_string(string_at(recorder->base, known->name), name))
			return id;
		id = known->next;
	}
	return 0;
}

static uint32_t add_address(const struct hp_site *site, const char *name)
{
	uint32_t id = hotpath__header()->site_count + 1;
	struct hp_site *new = next_site(id);
	uint64_t copy = new &&name ? hotpath__segment_string(name) : 0;

	if (!new || (name && !copy))
		return 0;
	*new = *site;
	new->name = copy;
	publish(new, id, site->hash);
	return id;
}

uint32_t hotpath__site_of_address(enum hp_site_kind kind, const char *name, uint64_t module,
				  uint64_t offset)
{
	struct hp_site site = {
		.kind = kind,
		.module = module,
		.offset = offset,
		.hash = (uint32_t)((offset + module) * UINT64_C(0x9e3779b97f4a7c15) >> 32)
	};

	if (!make_buckets(hotpath__recorder))
		return 0;
	uint32_t id = find_address(&site, name);
	return id ? id : add_address(&site, name);
}

uint32_t hotpath__poll_site(uint32_t future)
{
	const char *base = hotpath__recorder->base;
	const struct hp_site *known = site_at(hotpath__recorder->base, future);

	if (known->kind != HP_SITE_FUTURE)
		return 0;
	struct hotpath_site site = { string_at(base, known->name),
				     string_at(base, known->file),
				     known->line,
				     HP_SITE_POLL,
				     0,
				     0 };
	return known->module ? hotpath__site_of_address(HP_SITE_POLL, site.name, known->module,
							known->offset)
			     : hotpath__site_register(&site);
}

/* The first twin stays. RELAXED: readers compare the two names anyway. */
void hotpath__site_twin(uint32_t id, uint32_t twin)
{
	char *base = hotpath__recorder->base;
	struct hp_site *site = site_at(base, id);
	bool may_be = site->kind == HP_SITE_FUNCTION || site->kind == HP_SITE_MAIN;

	if (may_be && !load(&site->twin, RELAXED) && site_at(base, twin)->kind == HP_SITE_ADDRESS)
		store(&site->twin, twin, RELAXED);
}

/* Count the place once, and each of its calls. */
static void count_unregistered(struct hotpath_site *site)
{
	if (exchange(&site->reserved, 1, RELAXED) == 0)
		hotpath__count(HP_COUNTER_sites);
	hotpath__count(HP_COUNTER_functions);
}

/* The quote that is open after another one was found; inside of quotes, the other kind is an ordinary character. */
static char other_quote(char quote, char found)
{
	if (!quote)
		return found;
	if (quote == found)
		return '\0';
	return quote;
}

/* Find the nth of several expressions, separated by commas that are not in parentheses or quotes. */
static const char *nth_begin(const char *text, uint32_t nth, const char **end)
{
	char quote = 0;
	int depth = 0;

	for (const char *at = text;; at++) {
		if (!*at || (*at == ',' && !quote && !depth && --nth == 0)) {
			*end = at;
			return text + strspn(text, " ");
		}
		if (*at == ',' && !quote && !depth)
			text = at + 1;
		else if (quote && *at == '\\' && at[1])
			at++;
		else if (*at == '"' || *at == '\'')
			quote = other_quote(quote, *at);
		else if (!quote)
			depth += (*at == '(') - (*at == ')');
	}
}

static void copy_nth(const char *text, uint32_t nth, char *name, size_t size)
{
	const char *end, *from = nth_begin(text, nth, &end);
	size_t length = (size_t)(end - from);

	if (length >= size)
		length = size - 1;
	memcpy(name, from, length);
	name[length] = '\0';
}

/* Register a site without the flags in its kind. If it is one of several expressions, its name is that expression. The
   name is read RELAXED: HOTPATH_VAL stores a literal there before each use, the same on all threads. */
static uint32_t register_kind(const struct hotpath_site *site)
{
	struct hotpath_site own = { .name = load(&site->name, RELAXED),
				    .file = site->file,
				    .line = site->line,
				    .kind = site->kind % HOTPATH_SITE_ITER };
	char name[256];

	if (site->kind >= HOTPATH_SITE_NTH) {
		copy_nth(own.name, site->kind / HOTPATH_SITE_NTH, name, sizeof(name));
		own.name = name;
	}
	return hotpath__site_register(&own);
}

uint32_t hotpath__site_id(struct hotpath_site *site)
{
	/* ACQUIRE pairs with the RELEASE below: the slow path also reads what was registered, such as the kind. */
	uint32_t id = load(&site->id, ACQUIRE);
	struct guard guard;

	if (id)
		return id;
	hotpath__lock(&guard);
	id = register_kind(site);
	if (id)
		store(&site->id, id, RELEASE);
	hotpath__unlock(&guard);
	if (!id)
		count_unregistered(site);
	return id;
}

void hotpath__site_unmeasured(uint32_t id, uint32_t now)
{
	struct hp_site *site = site_at(hotpath__recorder->base, id);
	uint32_t before = site->unmeasured;
	uint32_t past = before & (HP_UNMEASURED_COUNTED | HP_UNMEASURED_OFF);
	uint32_t all = past | now | now << HP_UNMEASURED_NOW_SHIFT;

	if (all != before)
		store(&site->unmeasured, all, RELAXED);
}

bool hotpath__is_restrained(uint32_t id)
{
	const struct hp_site *site = site_at(hotpath__recorder->base, id);

	return load(&site->unmeasured, RELAXED) &
	       (HP_UNMEASURED_COUNTED_NOW | HP_UNMEASURED_OFF_NOW);
}

void hotpath__site_measured(uint32_t id)
{
	store(&site_at(hotpath__recorder->base, id)->unmeasured, 0, RELAXED);
}

/* The first one stays. RELAXED: a reader that does not see it yet shows the lock without it. */
void hotpath__site_place(uint32_t id, uint32_t place)
{
	struct hp_site *site = site_at(hotpath__recorder->base, id);

	if (!load(&site->place, RELAXED))
		store(&site->place, place, RELAXED);
}

static uint32_t copy_site(const char *parent, const struct hp_site *old)
{
	struct hotpath_site site = { string_at(parent, old->name),
				     string_at(parent, old->file),
				     old->line,
				     old->kind,
				     0,
				     0 };

	if (old->kind == HP_SITE_ADDRESS || old->kind == HP_SITE_CALL || old->module)
		return hotpath__site_of_address((enum hp_site_kind)old->kind, site.name,
						hotpath__module_copy(parent, old->module),
						old->offset);
	return hotpath__site_register(&site);
}

bool hotpath__sites_copy(const char *parent)
{
	const struct hp_header *from = (const struct hp_header *)(const void *)parent;
	/* Pairs with the RELEASE in publish: the parent may have been registering when it forked. */
	uint32_t count = load(&from->site_count, ACQUIRE);

	for (uint32_t id = 1; id <= count; id++) {
		uint32_t place;
		unsigned chunk = hp_site_place(id, &place);
		const struct hp_site *old =
			(const struct hp_site *)(const void *)(parent + from->sites[chunk]) + place;
		if (copy_site(parent, old) != id)
			return false;
		hotpath__site_place(id, load(&old->place, RELAXED));
		hotpath__site_unmeasured(id, load(&old->unmeasured, RELAXED) >>
						     HP_UNMEASURED_NOW_SHIFT);
	}
	return true;
}
