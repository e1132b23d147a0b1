/* SPDX-License-Identifier: MIT */
/* The sites of channels, streams, futures and loops: those with one site per instance, and those that probes
   register. */
#include "flow.h"

#include "calls/sites.h"
#include "probe.h"
#include "process/clock.h"
#include "process/handover.h"
#include "process/lifecycle.h"
#include "process/platform.h"
#include "process/room.h"

#include <stdio.h>
#include <string.h>

enum {
	/* A power of two. */
	FOUND_MAX = 4096,
	LABELLERS = 8,
};

/* An entry of the hash table of sites that probes registered. The key is the address of the type's name, a literal
   of the probe; the address in the program; and the kind. */
struct found_site {
	const char *name;
	uintptr_t code;
	uint32_t kind;
	/* The site; 0 in an empty entry. Stored last, with RELEASE. */
	uint32_t id;
};

/* A site for one instance: "jobs", "jobs-2", and so on; above the limit, all share one site. */
static uint32_t instance_id(struct hotpath_site *site)
{
	struct recorder *recorder = hotpath__recorder;
	struct hotpath_site own = *site;
	char name[128];
	struct guard guard;

	own.kind %= HOTPATH_SITE_ITER;
	own.name = name;
	hotpath__lock(&guard);
	if (recorder->entries < hotpath__settings()->entries_limit) {
		store(&recorder->entries, recorder->entries + 1, RELAXED);
		uint32_t nth = ++site->reserved;
		snprintf(name, sizeof(name), nth > 1 ? "%.100s-%u" : "%.100s", site->name, nth);
	} else {
		own.name = "<other>";
	}
	uint32_t id = hotpath__site_register(&own);
	hotpath__unlock(&guard);
	if (!id)
		hotpath__count(HP_COUNTER_flows);
	return id;
}

/* Register a key, under the lock. It is looked up again, since another thread may have registered it meanwhile. */
uint32_t hotpath__limited_site(struct hotpath_site *own)
{
	struct recorder *recorder = hotpath__recorder;
	struct guard guard;

	hotpath__lock(&guard);
	uint32_t id = hotpath__site_find(own);
	if (!id && recorder->entries < hotpath__settings()->entries_limit)
		store(&recorder->entries, recorder->entries + 1, RELAXED);
	else if (!id)
		own->name = "<other>";
	if (!id)
		id = hotpath__site_register(own);
	hotpath__unlock(&guard);
	if (!id)
		hotpath__count(HP_COUNTER_flows);
	return id;
}

/* A known key is found without the lock, and so is the common site of all keys above the limit. */
uint32_t hotpath__key_site(const struct hotpath_site *site, const char *key)
{
	char name[128];
	struct hotpath_site own = { name, site->file, site->line, site->kind, 0, 0 };
	size_t length = key ? strnlen(key, sizeof(name) - 1) : 0;

	memcpy(name, key ? key : "", length);
	name[length] = '\0';
	uint32_t id = hotpath__site_find(&own);
	if (!id &&
	    load(&hotpath__recorder->entries, RELAXED) >= hotpath__settings()->entries_limit) {
		own.name = "<other>";
		id = hotpath__site_find(&own);
	}
	return id ? id : hotpath__limited_site(&own);
}

uint32_t hotpath__flow_site_id(struct hotpath_site *site)
{
	return site->kind & HOTPATH_SITE_ITER && !site->id ? instance_id(site)
							   : hotpath__site_id(site);
}

static struct found_site *find(const char *name, uintptr_t code, uint32_t kind)
{
	struct found_site *sites = load(&hotpath__recorder->found_sites, CONSUME);
	uint64_t mixed = (code ^ (uintptr_t)name << 20 ^ kind) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t)(mixed >> 40) % FOUND_MAX;

	for (unsigned i = 0; sites && i < FOUND_MAX; i++) {
		struct found_site *found = &sites[(at + i) % FOUND_MAX];
		/* ACQUIRE pairs with the RELEASE in learn. */
		if (!load(&found->id, ACQUIRE) ||
		    (load(&found->name, RELAXED) == name && load(&found->code, RELAXED) == code &&
		     load(&found->kind, RELAXED) == kind))
			return found;
	}
	return NULL;
}

static uint32_t id_of(uint32_t kind, const char *name, uintptr_t code)
{
	struct hotpath_site site = { name, NULL, 0, kind, 0, 0 };

	return code ? hotpath__site_of_code((enum hp_site_kind)kind, name, code)
		    : hotpath__site_register(&site);
}

/* Register a site for a probe. If the table is full, the site is looked up under the lock each time. */
static uint32_t learn(uint32_t kind, const char *name, uintptr_t code)
{
	struct recorder *recorder = hotpath__recorder;
	struct guard guard;

	hotpath__lock(&guard);
	if (!recorder->found_sites)
		store(&recorder->found_sites,
		      hotpath__private(FOUND_MAX * sizeof(struct found_site)), RELEASE);
	uint32_t id = id_of(kind, name, code);
	struct found_site *found = find(name, code, kind);
	if (id && found && !found->id) {
		store(&found->name, name, RELAXED);
		store(&found->code, code, RELAXED);
		store(&found->kind, kind, RELAXED);
		store(&found->id, id, RELEASE);
	}
	hotpath__unlock(&guard);
	return id;
}

uint32_t hotpath__flow_site(uint32_t kind, const char *name, uintptr_t code)
{
	if (hotpath__is_idle() || hotpath__ready() != STATE_RUNNING)
		return 0;
	const struct found_site *found = find(name, code, kind);
	uint32_t id = found ? load(&found->id, RELAXED) : 0;
	return id ? id : learn(kind, name, code);
}

void hotpath__forget_found(void)
{
	struct found_site *sites = hotpath__recorder->found_sites;

	for (unsigned i = 0; sites && i < FOUND_MAX; i++)
		store(&sites[i].id, 0, RELAXED);
}

uint32_t hotpath__labelled_site(uint32_t kind, const char *label)
{
	struct hotpath_site site = { label, NULL, 0, kind, 0, 0 };

	if (hotpath__is_idle() || hotpath__ready() != STATE_RUNNING)
		return 0;
	return hotpath__site_id(&site);
}

void hotpath__channel_rename(struct hotpath_channel *channel, uint32_t site)
{
	struct hp_queue *queue = channel->queue ? hotpath__queue(channel->queue) : NULL;
	struct hp_shared *from = hotpath__shared(channel->site), *to = hotpath__shared(site);
	uint64_t token = load(&channel->token, RELAXED);

	if (!from || !to || !hotpath__is_token(token, channel->site, channel->queue))
		return;
	fetch_add(&from->instances, -UINT64_C(1), RELAXED);
	fetch_add(&to->instances, 1, RELAXED);
	store(&to->capacity, from->capacity, RELAXED);
	store(&to->channel_kind, from->channel_kind, RELAXED);
	if (queue)
		store(&queue->site, site, RELEASE);
	store(&channel->token, 0, RELAXED);
	channel->site = site;
	store(&channel->token, hotpath__flow_token(site, channel->queue, (uint32_t)token), RELEASE);
}

/* Add to one word of a stat, or to two neighbouring ones. */
static void add_words(uint32_t site, unsigned word, uint64_t first, uint64_t second)
{
	struct thread *me = hotpath__flow_enter(hotpath__stack_pointer());
	struct hp_stat *stat = me ? hotpath__flow_stat(me, site) : NULL;

	if (stat) {
		add(&stat->flow[word], first);
		if (second)
			add(&stat->flow[word + 1], second);
	}
	if (me)
		hotpath__leave_busy(me);
}

void hotpath__channel_waited(struct hotpath_channel *channel, uint64_t ticks)
{
	if (channel->site)
		add_words(channel->site, HP_CHANNEL_WAITED, ticks, 0);
}

void hotpath__future_served(struct hotpath_future *future, uint64_t queued, uint64_t served)
{
	if (future->site)
		add_words(future->site, HP_FUTURE_QUEUED, queued, served);
}

void hotpath__probe_lost(void)
{
	hotpath__count(HP_COUNTER_flows);
}

static void (*labellers[LABELLERS])(const void *object, const char *label);

void hotpath__when_labelled(void (*call)(const void *object, const char *label))
{
	for (unsigned i = 0; i < LABELLERS; i++) {
		void (*none)(const void *, const char *) = NULL;
		if (__atomic_compare_exchange_n(&labellers[i], &none, call, false, __ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return;
	}
}

void hotpath_label(const void *object, const char *label)
{
	const struct hotpath__recorder_ops *other = hotpath__flow_other();

	if (other) {
		other->label(object, label);
		return;
	}
	for (unsigned i = 0; object && label && i < LABELLERS; i++) {
		void (*call)(const void *, const char *) = load(&labellers[i], ACQUIRE);
		if (call)
			call(object, label);
	}
}
