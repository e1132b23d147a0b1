/* SPDX-License-Identifier: MIT */
/* What a model knows of async work and data flow, as a list. */
#include "flows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hp_flow_is_kind(enum hp_site_kind kind)
{
	return kind >= HP_SITE_CHANNEL && kind <= HP_SITE_LOOP && kind != HP_SITE_POLL;
}

/* Room is doubled: it is there up to the next power of two. */
bool hp_flows_append(struct hp_flows *flows, struct hp_flow flow)
{
	size_t count = flows->count;

	if ((count & (count - 1)) == 0) {
		struct hp_flow *items = reallocarray(flows->items, count ? count * 2 : 1,
						     sizeof(*items));
		if (!items)
			return false;
		flows->items = items;
	}
	flows->items[flows->count++] = flow;
	return true;
}

enum hp_flow_state hp_flow_oneshot_state(const struct hp_flow *flow)
{
	/* What was sent before recording began is received all the same. */
	uint64_t messages = flow->sent > flow->received ? flow->sent : flow->received;

	if (flow->instances && messages >= flow->instances)
		return HP_FLOW_NOTIFIED;
	return flow->instances && flow->closed >= flow->instances ? HP_FLOW_CLOSED : HP_FLOW_ACTIVE;
}

static int compare_strings(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* What makes two rows one. */
static int by_place(const void *left, const void *right)
{
	const struct hp_flow *a = left, *b = right;
	int order = compare_numbers(b->is_labelled, a->is_labelled);

	if (!order)
		order = compare_strings(a->name, b->name);
	if (!order)
		order = compare_strings(a->file, b->file);
	if (!order)
		order = compare_numbers(a->line, b->line);
	return order ? order : compare_numbers(a->kind, b->kind);
}

static int by_place_and_site(const void *left, const void *right)
{
	const struct hp_flow *a = left, *b = right;
	int order = by_place(a, b);

	return order ? order : compare_numbers(a->id, b->id);
}

void hp_flows_sort(struct hp_flows *flows)
{
	if (flows->count)
		qsort(flows->items, flows->count, sizeof(*flows->items), by_place_and_site);
}

/* Figures of which the sum is told, and those of which the largest is. */
#define FIGURE(field) offsetof(struct hp_flow, field)
static const uint16_t sums[] = {
	FIGURE(instances),    FIGURE(closed),	    FIGURE(sent),	 FIGURE(received),
	FIGURE(bytes),	      FIGURE(queued),	    FIGURE(waited_ns),	 FIGURE(times.count),
	FIGURE(times.sum_ns), FIGURE(cancelled),    FIGURE(polls.count), FIGURE(polls.total_ns),
	FIGURE(polls.bytes),  FIGURE(polls.blocks), FIGURE(queued_ns),	 FIGURE(served_ns),
	FIGURE(idle_ns),      FIGURE(callback_ns),  FIGURE(callbacks),	 FIGURE(updates),
};
static const uint16_t largest[] = {
	FIGURE(most_queued),  FIGURE(capacity),	  FIGURE(times.max_ns),
	FIGURE(polls.max_ns), FIGURE(slowest_ns),
};

static uint64_t *figure(struct hp_flow *flow, uint16_t at)
{
	return (uint64_t *)(void *)((char *)flow + at);
}

static uint64_t figure_of(const struct hp_flow *flow, uint16_t at)
{
	return *(const uint64_t *)(const void *)((const char *)flow + at);
}

static void merge_figures(struct hp_flow *into, const struct hp_flow *from)
{
	for (size_t i = 0; i < sizeof(sums) / sizeof(*sums); i++)
		*figure(into, sums[i]) += figure_of(from, sums[i]);
	for (size_t i = 0; i < sizeof(largest) / sizeof(*largest); i++)
		if (figure_of(from, largest[i]) > *figure(into, largest[i]))
			*figure(into, largest[i]) = figure_of(from, largest[i]);
}

/* Before the sums are: they tell whether there was any. A gauge may be no number, which is neither less nor more. */
static void merge_extremes(struct hp_flow *into, const struct hp_flow *from)
{
	if (from->times.count && (!into->times.count || from->times.min_ns < into->times.min_ns))
		into->times.min_ns = from->times.min_ns;
	if (from->updates && (!into->updates || from->min < into->min || into->min != into->min))
		into->min = from->min;
	if (from->updates && (!into->updates || from->max > into->max || into->max != into->max))
		into->max = from->max;
}

/* All are closed if those here and those there are; one is full if it is in either. */
static void merge_state(struct hp_flow *into, const struct hp_flow *from)
{
	bool is_full = into->state == HP_FLOW_FULL || from->state == HP_FLOW_FULL;

	if (into->state != from->state)
		into->state = is_full ? HP_FLOW_FULL : HP_FLOW_ACTIVE;
}

static bool copy_string(char **to, const char *from)
{
	char *copy = from ? strdup(from) : NULL;
	if (from && !copy)
		return false;

	free(*to);
	*to = copy;
	return true;
}

/* Which of two values was the last is not known: that which is there stays. */
static bool merge_value(struct hp_flow *into, const struct hp_flow *from)
{
	if (into->value_kind != HP_VALUE_NONE)
		return true;
	into->value_kind = from->value_kind;
	into->value = from->value;
	return copy_string(&into->text, from->text);
}

static int merge_row(struct hp_flow *into, const struct hp_flow *from)
{
	if (from->slowest_ns > into->slowest_ns && !copy_string(&into->slowest, from->slowest))
		return -ENOMEM;
	if (!merge_value(into, from))
		return -ENOMEM;
	merge_state(into, from);
	merge_extremes(into, from);
	merge_figures(into, from);
	into->is_oneshot |= from->is_oneshot;
	if (into->is_oneshot)
		into->state = hp_flow_oneshot_state(into);
	return hp_points_merge(&into->times.points, &from->times.points);
}

/* A row of no site, and nobody watches it. */
static int append_copy(struct hp_flows *into, const struct hp_flow *from)
{
	struct hp_flow copy = { .kind = from->kind,
				.is_labelled = from->is_labelled,
				.line = from->line,
				.state = from->state };
	bool done = copy_string(&copy.name, from->name) && copy_string(&copy.file, from->file) &&
		    merge_row(&copy, from) == 0 && hp_flows_append(into, copy);

	if (!done)
		hp_flow_clear(&copy);
	return done ? 0 : -ENOMEM;
}

int hp_flows_merge(struct hp_flows *into, const struct hp_flows *from)
{
	size_t known = into->count;
	int error = 0;

	hp_flows_sort(into);
	for (size_t i = 0; i < from->count && !error; i++) {
		const struct hp_flow *flow = &from->items[i];
		struct hp_flow *same =
			known ? bsearch(flow, into->items, known, sizeof(*flow), by_place) : NULL;
		error = same ? merge_row(same, flow) : append_copy(into, flow);
	}
	hp_flows_sort(into);
	return error;
}

void hp_flow_clear(struct hp_flow *flow)
{
	free(flow->name);
	free(flow->file);
	free(flow->slowest);
	free(flow->text);
	free(flow->times.points.items);
	*flow = (struct hp_flow){ .name = NULL };
}

void hp_flows_clear(struct hp_flows *flows)
{
	for (size_t i = 0; i < flows->count; i++)
		hp_flow_clear(&flows->items[i]);
	free(flows->items);
	*flows = (struct hp_flows){ NULL, 0 };
}
