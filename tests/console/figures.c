/* SPDX-License-Identifier: MIT */
/*
 * Writes a segment whose figures are the same everywhere, so that screens can be compared as a whole.
 *
 *	figures all FILE      timing, a call tree, allocations, CPU time, values; three threads, two of them ended
 *	figures flows FILE    channels, streams, futures, a loop and values
 *	figures none FILE     a program that has measured nothing
 *	figures later FILE    as all, by a recorder of a later version
 *
 * The program was killed when it had run for 12 minutes and 34 seconds, in the midst of main and of a call of
 * write_index. A tick is a nanosecond.
 */
#include "../fuzz/made_flows.h"

#include <stdbool.h>
#include <stdlib.h>

enum {
	US = 1000,
	MS = 1000000,
	FUNCTIONS = 9,
	LANES = 3,
	MAIN = 1,
	WRITE_INDEX = 6,
	LOOK_UP = 7,
};

#define BEGIN UINT64_C(1000000000)
#define END (BEGIN + UINT64_C(754) * 1000 * MS)

/* Calls that last from a half to twice as long as the usual one, in each thread; of their time, and in per cent,
   what is spent in no other function. */
struct calls {
	uint64_t usual;
	unsigned count[LANES];
	unsigned self;
	/* Allocated in the calls, in blocks of 100 bytes; and samples of CPU time. */
	unsigned blocks;
	unsigned samples;
};

static const struct {
	enum hp_site_kind kind;
	const char *name;
	const char *file;
	uint32_t line;
	struct calls calls;
} functions[FUNCTIONS] = {
	{ HP_SITE_MAIN, "main", "src/main.c", 210, { 0, { 0 }, 0, 3, 20 } },
	{ HP_SITE_FUNCTION,
	  "parse_document",
	  "src/parse.c",
	  88,
	  { 900 * MS, { 200, 100 }, 5, 90, 1500 } },
	{ HP_SITE_FUNCTION,
	  "parse_element",
	  "src/parse.c",
	  41,
	  { 2 * US, { 48000, 24000, 100 }, 90, 7200, 4000 } },
	{ HP_SITE_FUNCTION, "read_block", "src/input.c", 17, { 3 * MS, { 0, 7000 }, 100, 0, 40 } },
	{ HP_SITE_FUNCTION,
	  "compress_block",
	  "src/output.c",
	  60,
	  { 12 * MS, { 0, 0, 2500 }, 100, 2500, 29000 } },
	{ HP_SITE_FUNCTION, "write_index", "src/output.c", 133, { 700 * MS, { 7 }, 40, 14, 2000 } },
	{ HP_SITE_FUNCTION, "look_up", "src/index.c", 9, { 350, { 5000, 1000 }, 100, 0, 2 } },
	{ HP_SITE_SPAN,
	  "gr\xc3\xb6\xc3\x9f"
	  "e_pr\xc3\xbc"
	  "fen",
	  "src/check.c",
	  5,
	  { 40 * US, { 120 }, 100, 1, 5 } },
	{ HP_SITE_BLOCK,
	  "a_function_with_a_name_that_is_longer_than_most_and_does_not_fit_a_narrow_screen",
	  "src/generated/very/deep/in/the/tree/of/sources/long.c",
	  4321,
	  { 5 * US, { 10 }, 100, 0, 0 } },
};

static struct made_segment made;
static struct hp_lane *lanes[LANES];
static struct hp_stat *stats[FUNCTIONS][LANES];

/* ---- who called ---- */

static void make_sites(void)
{
	struct hp_site *sites = made_take(&made, HP_SITE_CHUNK * sizeof(*sites));

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		sites[i + 1] = (struct hp_site){ .kind = functions[i].kind,
						 .line = functions[i].line };
		sites[i + 1].name = made_string(&made, functions[i].name);
		sites[i + 1].file = made_string(&made, functions[i].file);
	}
	made.sites = sites;
	made_header(&made)->sites[0] = made_offset(&made, sites);
	made_header(&made)->site_count = FUNCTIONS;
	made_header(&made)->caller = MAIN;
}

static void make_lane(unsigned nth, const char *name, uint32_t tid)
{
	struct hp_lane *lane = made_take(&made, sizeof(*lane));

	*lane = (struct hp_lane){
		.next = made_header(&made)->lanes, .generation = 1, .tid = tid, .since = BEGIN
	};
	memcpy(lane->name, name, strlen(name));
	made_header(&made)->lanes = made_offset(&made, lane);
	made_header(&made)->lane_count++;
	lanes[nth] = lane;
}

/* ---- calls ---- */

static void count(struct hp_stat *stat, uint64_t duration, uint32_t calls)
{
	unsigned bucket = hp_bucket(duration), octave = bucket / HP_OCTAVE_BUCKETS;

	if (!stat->octaves[octave])
		made_octave(&made, &stat->octaves[octave], HP_COUNTER_32);
	uint32_t *counts = (void *)(made.bytes + hp_octave_at(stat->octaves[octave]));
	counts[bucket % HP_OCTAVE_BUCKETS] += calls;
	stat->total += calls * duration;
	stat->calls += calls;
	stat->min = stat->min && stat->min < duration ? stat->min : duration;
	stat->max = stat->max > duration ? stat->max : duration;
}

/* The durations of calls, in turn: most are about as usual. */
static uint64_t duration_of(uint64_t usual, unsigned nth)
{
	static const unsigned sixteenths[] = { 16, 15, 17, 14, 16, 18, 13, 19,
					       16, 12, 21, 15, 10, 24, 8,  32 };

	return usual * sixteenths[nth % 16] / 16;
}

static void make_ring(struct hp_stat *stat, uint64_t usual, uint64_t last)
{
	uint64_t kept = stat->calls < HP_RING ? stat->calls : HP_RING;

	for (uint64_t i = stat->calls - kept; i < stat->calls; i++) {
		stat->ring[i % HP_RING].duration = duration_of(usual, (unsigned)(i % 16));
		stat->ring[i % HP_RING].end = last - (stat->calls - 1 - i) * 2 * usual;
	}
	stat->flushed = stat->calls;
}

static void make_stat(uint32_t site, unsigned nth)
{
	const struct calls *calls = &functions[site - 1].calls;
	struct hp_stat *stat = made_take(&made, sizeof(*stat));

	*stat = (struct hp_stat){ .next = lanes[nth]->stats, .site = site };
	for (unsigned i = 0; i < 16 && i < calls->count[nth]; i++)
		count(stat, duration_of(calls->usual, i),
		      calls->count[nth] / 16 + (i < calls->count[nth] % 16));
	stat->self = stat->total / 100 * calls->self;
	make_ring(stat, calls->usual, END - (nth + 1) * UINT64_C(1500) * MS);
	lanes[nth]->stats = made_offset(&made, stat);
	stats[site - 1][nth] = stat;
}

static void make_open(struct hp_stat *stat, uint64_t since)
{
	stat->depth = 1;
	stat->open_since = since;
}

static void make_stats(void)
{
	make_stat(MAIN, 0);
	make_open(stats[MAIN - 1][0], BEGIN);
	for (uint32_t site = MAIN + 1; site <= FUNCTIONS; site++)
		for (unsigned nth = 0; nth < LANES; nth++)
			if (functions[site - 1].calls.count[nth])
				make_stat(site, nth);
	make_open(stats[WRITE_INDEX - 1][0], END - 250 * MS);
}

/* ---- what calls returned ---- */

static void log_value(struct hp_stat *stat, uint64_t back, enum hp_value kind, uint64_t value)
{
	uint64_t place = (stat->calls - 1 - back) % HP_RING;
	uint64_t *values = (void *)(made.bytes + stat->values);

	stat->ring[place].duration |= (uint64_t)kind << HP_CALL_VALUE_SHIFT;
	values[place] = value;
}

static void log_text(struct hp_stat *stat, uint64_t back, const char *text)
{
	uint64_t place = (stat->calls - 1 - back) % HP_RING;

	log_value(stat, back, HP_VALUE_STRING, 0);
	strncpy((char *)made.bytes + stat->texts + place * HP_TEXT_SIZE, text, HP_TEXT_SIZE - 1);
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

static void make_values(struct hp_stat *stat)
{
	stat->values = made_offset(&made, made_take(&made, HP_RING * sizeof(uint64_t)));
	stat->texts = made_offset(&made, made_take(&made, HP_RING * HP_TEXT_SIZE));
	log_value(stat, 0, HP_VALUE_INT, (uint64_t)-42);
	log_value(stat, 1, HP_VALUE_UINT, 18446744073709551615u);
	log_value(stat, 2, HP_VALUE_DOUBLE, bits_of(2.5));
	log_value(stat, 3, HP_VALUE_BOOL, 1);
	log_value(stat, 4, HP_VALUE_POINTER, 0xffff1234);
	log_text(stat, 5, "caf\xc3\xa9 \"au lait\"");
	log_text(stat, 6, "");
	log_text(stat, 7, "two\nlines, and a \x1b[31mcolour");
}

/* ---- async work and data flow ---- */

#include "figure_flows.h"

/* ---- what they allocated and computed ---- */

static void make_memory(void)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		unsigned nth = stats[i][0] ? 0 : stats[i][1] ? 1 : 2;
		uint64_t blocks = functions[i].calls.blocks;
		if (!blocks)
			continue;
		stats[i][nth]->alloc = made_offset(&made, made_alloc(&made, blocks));
		made_holding(&made, lanes[nth], made_origin(&made, i + 1, 0), blocks, blocks / 2);
		lanes[nth]->bytes += 100 * blocks;
		lanes[nth]->blocks += blocks;
		lanes[nth]->tenants.freed_bytes += 100 * (blocks / 2);
		all += blocks;
	}
	made_header(&made)->alloc_mode = HP_ALLOC_LIVE;
	made_header(&made)->peak_bytes = 60 * all;
}

static void make_samples(void)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		unsigned nth = stats[i][0] ? 0 : stats[i][1] ? 1 : 2;
		made_stat_samples(stats[i][nth], functions[i].calls.samples,
				  functions[i].calls.samples);
		lanes[nth]->samples += functions[i].calls.samples;
		lanes[nth]->looks += functions[i].calls.samples;
	}
	made_header(&made)->cpu_source = HP_CPU_PERF;
	made_header(&made)->cpu_rate = 1000;
	made_header(&made)->cpu_period_ns = MS;
}

/* ---- who called whom ---- */

static struct hp_node *make_node(unsigned nth, const struct hp_node *parent, uint32_t site)
{
	const struct hp_stat *stat = stats[site - 1][nth];
	struct hp_node *node = made_node(&made, lanes[nth], parent, site, stat->total,
					 (int64_t)stat->self);

	node->calls = stat->calls;
	return node;
}

static void make_tree(void)
{
	make_node(0, make_node(0, NULL, MAIN + 1), MAIN + 2);
	make_node(0, NULL, LOOK_UP);
	make_node(1, make_node(1, NULL, MAIN + 1), MAIN + 3);
	make_node(2, NULL, MAIN + 4);
	made_header(&made)->node_size = sizeof(struct hp_node);
}

/* ---- the threads that have ended ---- */

static void end_thread(struct hp_ended *row, uint32_t tid, struct hp_lane *lane, uint64_t user_ms)
{
	struct hp_tenants *tenants = &lane->tenants;

	*row = (struct hp_ended){ .tid = tid,
				  .since = BEGIN,
				  .until = END - tid * UINT64_C(10) * MS,
				  .user_ns = user_ms * MS,
				  .system_ns = user_ms * MS / 10,
				  .bytes = lane->bytes,
				  .freed_bytes = tenants->freed_bytes };
	memcpy(row->name, lane->name, sizeof(row->name));
	tenants->ended = 1;
	tenants->ended_user_ns = row->user_ns;
	tenants->ended_system_ns = row->system_ns;
	tenants->ended_bytes = row->bytes;
	tenants->ended_freed_bytes = row->freed_bytes;
}

static void make_ended(void)
{
	struct hp_ended *rows = made_take(&made, HP_ENDED_MAX * sizeof(*rows));

	end_thread(&rows[0], 4243, lanes[1], 1500);
	end_thread(&rows[1], 4244, lanes[2], 29000);
	made_header(&made)->ended = made_offset(&made, rows);
}

/* ---- all of it ---- */

static void make_header(void)
{
	struct hp_header *header = made_header(&made);

	made.size = HP_HEADER_SIZE;
	*header = (struct hp_header){ .magic = HP_MAGIC,
				      .version_major = HP_VERSION_MAJOR,
				      .version_minor = HP_VERSION_MINOR,
				      .byte_order = HP_BYTE_ORDER,
				      .header_size = HP_HEADER_SIZE,
				      .lane_size = sizeof(struct hp_lane),
				      .stat_size = sizeof(struct hp_stat),
				      .state = HP_STATE_RUNNING,
				      .capacity = MADE_SIZE,
				      .pid = 4242,
				      .clock = HP_CLOCK_MONOTONIC,
				      .logs_limit = 50,
				      .ticks_per_second = UINT64_C(1000) * MS,
				      .start = { BEGIN, BEGIN },
				      .latest = { END, END },
				      .start_unix_ns = UINT64_C(1700000000000000000),
				      .span_cost = 15 * 256 };
	header->program = made_string(&made, "indexer");
	header->arguments = made_string(&made, "--threads 2 words.xml");
	header->executable = made_string(&made, "/usr/bin/indexer");
}

static void make_all(void)
{
	make_sites();
	make_lane(0, "indexer", 4242);
	make_lane(1, "reader", 0);
	make_lane(2, "compressor", 0);
	make_stats();
	make_values(stats[LOOK_UP - 1][0]);
	make_memory();
	make_samples();
	make_tree();
	make_ended();
}

static void make_with_flows(void)
{
	make_sites();
	make_lane(0, "indexer", 4242);
	make_stat(MAIN, 0);
	make_open(stats[MAIN - 1][0], BEGIN);
	make_flows();
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";

	make_header();
	if (strcmp(what, "flows") == 0)
		make_with_flows();
	else if (strcmp(what, "none") != 0)
		make_all();
	if (strcmp(what, "later") == 0)
		made_header(&made)->version_major++;
	made_header(&made)->used = made.size;
	FILE *file = argc == 3 ? fopen(argv[2], "we") : NULL;
	if (!file)
		return 2;
	fwrite(made.bytes, 1, made.size, file);
	return fclose(file) != 0;
}
