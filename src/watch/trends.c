/* SPDX-License-Identifier: MIT */
/*
 * Recent call rates of functions.
 *
 * Reads do not happen at full seconds, nor cover every function. Calls between two reads are assumed to be evenly
 * distributed, and are split at the seconds since the first read:
 *
 *	read        read             read                  read
 *	 ├─── 8/s ───┼───── 20/s ─────┼──────── 0/s ────────┤
 *	 ├────────────────┼────────────────┼────────────────┼╌╌╌
 *	       11                7.5               0          not over yet
 */
#include "trends.h"

#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

struct hp_trend_of {
	struct hp_trend trend;
	bool is_known;
	/* When it was last read, and its calls then. */
	uint64_t seen_ns;
	uint64_t calls;
	/* The current second: when it ends, and its calls so far. */
	uint64_t end_ns;
	double so_far;
};

bool hp_trends_reserve(struct hp_trends *trends, uint32_t id)
{
	if (id < trends->room)
		return true;
	size_t room = (size_t)id + id / 4 + 16;
	struct hp_trend_of *items = reallocarray(trends->items, room, sizeof(*items));
	if (!items || room > UINT32_MAX)
		return false;
	memset(items + trends->room, 0, (room - trends->room) * sizeof(*items));
	trends->items = items;
	trends->room = (uint32_t)room;
	return true;
}

static void add_second(struct hp_trend *trend, double calls)
{
	memmove(&trend->seconds[0], &trend->seconds[1],
		(HP_TREND_SECONDS - 1) * sizeof(trend->seconds[0]));
	trend->seconds[HP_TREND_SECONDS - 1] = calls;
	if (trend->seen < HP_TREND_SECONDS)
		trend->seen++;
}

static void begin(struct hp_trend_of *of, uint64_t calls, uint64_t now_ns)
{
	*of = (struct hp_trend_of){
		.is_known = true, .seen_ns = now_ns, .calls = calls, .end_ns = now_ns + SECOND_NS
	};
}

static double seconds(uint64_t ns)
{
	return (double)ns / (double)SECOND_NS;
}

/* Skip seconds that are too old to be shown. */
static void skip(struct hp_trend_of *of, uint64_t now_ns)
{
	uint64_t over = now_ns > of->end_ns ? (now_ns - of->end_ns) / SECOND_NS : 0;

	if (over <= HP_TREND_SECONDS)
		return;
	of->end_ns += (over - HP_TREND_SECONDS) * SECOND_NS;
	of->seen_ns = of->end_ns - SECOND_NS;
	of->so_far = 0;
}

/* The rate over some of the last seconds and the current one: between two reads, slow functions have one call or none. */
static double lately(const struct hp_trend_of *of, unsigned whole_seconds)
{
	double sum = of->so_far, time = seconds(of->seen_ns - (of->end_ns - SECOND_NS));

	for (unsigned i = 0; i < whole_seconds && i < of->trend.seen; i++) {
		sum += of->trend.seconds[HP_TREND_SECONDS - 1 - i];
		time += 1;
	}
	return sum / time;
}

void hp_trends_see(struct hp_trends *trends, uint32_t id, uint64_t calls, uint64_t now_ns)
{
	struct hp_trend_of *of = &trends->items[id];

	/* Fewer calls than before: a new session has begun. */
	if (!of->is_known || calls < of->calls) {
		begin(of, calls, now_ns);
		return;
	}
	if (now_ns <= of->seen_ns)
		return;
	double rate = (double)(calls - of->calls) / seconds(now_ns - of->seen_ns);
	skip(of, now_ns);
	for (; of->end_ns <= now_ns; of->end_ns += SECOND_NS) {
		add_second(&of->trend, of->so_far + rate * seconds(of->end_ns - of->seen_ns));
		of->seen_ns = of->end_ns;
		of->so_far = 0;
	}
	of->so_far += rate * seconds(now_ns - of->seen_ns);
	of->seen_ns = now_ns;
	of->calls = calls;
	of->trend.rate = of->trend.seen ? lately(of, 1) : rate;
	of->trend.recent = lately(of, HP_TREND_RECENT);
}

const struct hp_trend *hp_trends_of(const struct hp_trends *trends, uint32_t id)
{
	return &trends->items[id].trend;
}

void hp_trends_clear(struct hp_trends *trends)
{
	free(trends->items);
	*trends = (struct hp_trends){ NULL, 0 };
}
