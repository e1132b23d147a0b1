/* SPDX-License-Identifier: MIT */
/* Whatever a segment says, nothing outside it is read, and every list has an end. */
#include "../fuzz/made_segment.h"

#include "calls/stat_index.h"
#include "check.h"
#include "place.h"
#include "process/snapshot.h"
#include "reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct made_segment made;

static struct hp_bytes bytes_of(const struct made_segment *segment)
{
	return (struct hp_bytes){ (const char *)segment->bytes, segment->size };
}

static int make(void **state)
{
	(void)state;
	made_segment(&made);
	made_allocations(&made);
	return 0;
}

/* ---- the header ---- */

static const char *problem(void)
{
	return hp_check_header(made.bytes, made.size);
}

static void a_good_header(void **state)
{
	(void)state;
	assert_null(problem());
	assert_null(hp_check_header(made.bytes, HP_HEADER_SIZE));
	for (uint32_t running = HP_STATE_RUNNING; running <= HP_STATE_EXITED; running++) {
		made_header(&made)->state = running;
		assert_null(problem());
	}
}

static void no_segment(void **state)
{
	static const char *const no = "it is not a hotpath segment";

	(void)state;
	assert_string_equal(hp_check_header(made.bytes, HP_HEADER_SIZE - 1), no);
	assert_string_equal(hp_check_header(made.bytes, 8), no);
	assert_string_equal(hp_check_header(made.bytes, 0), no);
	for (size_t i = 0; i < sizeof(HP_MAGIC); i++) {
		made_segment(&made);
		made.bytes[i] ^= 1;
		assert_string_equal(problem(), no);
	}
}

static void other_versions(void **state)
{
	static const uint16_t majors[] = { 0, HP_VERSION_MAJOR + 1, UINT16_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++) {
		made_header(&made)->version_major = majors[i];
		assert_string_equal(problem(), "it was written by another version of hotpath");
	}
}

static void the_other_byte_order(void **state)
{
	(void)state;
	made_header(&made)->byte_order = __builtin_bswap32(HP_BYTE_ORDER);
	/* Even when all else is turned around too. */
	made_header(&made)->version_major = __builtin_bswap16(HP_VERSION_MAJOR);
	assert_string_equal(problem(), "it was written on a machine of the other byte order");
}

static void damaged_headers(void **state)
{
	uint32_t *const sizes[] = { &made_header(&made)->header_size,
				    &made_header(&made)->lane_size,
				    &made_header(&made)->stat_size };
	const uint32_t least[] = { HP_HEADER_SIZE, offsetof(struct hp_lane, tenants),
				   sizeof(struct hp_stat) };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		made_segment(&made);
		*sizes[i] = 0;
		assert_string_equal(problem(), "its header is damaged");
		made_segment(&made);
		*sizes[i] = least[i] - 8;
		assert_string_equal(problem(), "its header is damaged");
	}
	made_segment(&made);
	made_header(&made)->ticks_per_second = 0;
	assert_string_equal(problem(), "its header is damaged");
}

static void an_unfinished_header(void **state)
{
	(void)state;
	made_header(&made)->state = HP_STATE_NEW;
	assert_string_equal(problem(), "it is just being made");
}

/* A minor version adds fields in reserved room or at the end of a struct whose size is in the header. */
static void a_later_minor_version(void **state)
{
	(void)state;
	made_header(&made)->version_minor = HP_VERSION_MINOR + 1;
	assert_null(problem());
	made_header(&made)->lane_size += 64;
	made_header(&made)->stat_size += 64;
	assert_null(problem());
}

/* ---- offsets ---- */

/* Offsets that cannot be: inside the header, misaligned, at the end, far beyond, around the corner. */
static uint64_t bad_offset(unsigned nth, size_t size)
{
	const uint64_t offsets[] = {
		0,
		8,
		HP_HEADER_SIZE - 8,
		HP_HEADER_SIZE + 1,
		HP_HEADER_SIZE + 2,
		made.size - size + 8,
		made.size - 8,
		made.size,
		made.size + 8,
		made.size + (UINT64_C(1) << 32),
		UINT64_C(1) << 63,
		UINT64_MAX - size,
		(UINT64_MAX - size) & ~UINT64_C(7),
		UINT64_MAX & ~UINT64_C(7),
		UINT64_MAX,
	};

	return nth < sizeof(offsets) / sizeof(*offsets) ? offsets[nth] : 1;
}

enum { BAD_OFFSETS = 15 };

static void lanes_stats_and_nodes(void **state)
{
	struct hp_bytes bytes = bytes_of(&made);

	(void)state;
	assert_ptr_equal(hp_check_lane(bytes, made_header(&made)->lanes), made.lanes[1]);
	assert_ptr_equal(hp_check_stat(bytes, made.lanes[1]->stats), made.stats[3]);
	assert_ptr_equal(hp_check_node(bytes, made.lanes[1]->nodes), made.nodes[5]);
	assert_non_null(hp_check_lane(bytes, made.size - sizeof(struct hp_lane)));
	assert_non_null(hp_check_stat(bytes, made.size - sizeof(struct hp_stat)));
	for (unsigned i = 0; i < BAD_OFFSETS; i++) {
		assert_null(hp_check_lane(bytes, bad_offset(i, sizeof(struct hp_lane))));
		assert_null(hp_check_stat(bytes, bad_offset(i, sizeof(struct hp_stat))));
		assert_null(hp_check_node(bytes, bad_offset(i, sizeof(struct hp_node))));
	}
}

static void allocations(void **state)
{
	struct hp_bytes bytes = bytes_of(&made);

	(void)state;
	assert_ptr_equal(hp_check_alloc(bytes, made.stats[0]->alloc), made.allocs[0]);
	assert_ptr_equal(hp_check_origin(bytes, made_header(&made)->origins), made.origins[1]);
	assert_ptr_equal(hp_check_holding(bytes, made.lanes[1]->holdings), made.holdings[3]);
	for (unsigned i = 0; i < BAD_OFFSETS; i++) {
		assert_null(hp_check_alloc(bytes, bad_offset(i, sizeof(struct hp_alloc))));
		assert_null(hp_check_origin(bytes, bad_offset(i, sizeof(struct hp_origin))));
		assert_null(hp_check_holding(bytes, bad_offset(i, sizeof(struct hp_holding))));
	}
}

static void blocks_of_a_stat(void **state)
{
	struct hp_bytes bytes = bytes_of(&made);
	struct hp_stat *stat = made.stats[0];

	(void)state;
	assert_int_equal(hp_check_values(bytes, stat)[99 % HP_RING], 99);
	assert_string_equal(hp_check_texts(bytes, stat) + 99 % HP_RING * HP_TEXT_SIZE, "text 99");
	for (unsigned i = 0; i < BAD_OFFSETS; i++) {
		stat->values = bad_offset(i, HP_RING * sizeof(uint64_t));
		stat->texts = bad_offset(i, HP_RING * HP_TEXT_SIZE);
		assert_null(hp_check_values(bytes, stat));
		assert_null(hp_check_texts(bytes, stat));
	}
}

static void octaves(void **state)
{
	const uint32_t bad[] = { 0, 64, HP_HEADER_SIZE - 64, (uint32_t)made.size, UINT32_MAX };
	struct hp_bytes bytes = bytes_of(&made);
	struct hp_stat *stat = made.stats[0];

	(void)state;
	assert_int_equal(((const uint16_t *)hp_check_octave(bytes, stat->octaves, 0).counts)[0],
			 20);
	assert_int_equal(((const uint32_t *)hp_check_octave(bytes, stat->octaves, 4).counts)[1],
			 21);
	struct hp_counters last = hp_check_octave(bytes, stat->octaves, HP_OCTAVES - 1);
	assert_int_equal(((const uint64_t *)last.counts)[2], 22);
	assert_int_equal(last.counter, HP_COUNTER_64);
	assert_null(hp_check_octave(bytes, stat->octaves, 1).counts);
	for (unsigned counter = HP_COUNTER_16; counter <= HP_COUNTER_64; counter++) {
		stat->octaves[4] = hp_octave_make(made.size - hp_counters_size(counter), counter);
		assert_non_null(hp_check_octave(bytes, stat->octaves, 4).counts);
		stat->octaves[4] += 64;
		assert_null(hp_check_octave(bytes, stat->octaves, 4).counts);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		stat->octaves[4] = bad[i] | HP_COUNTER_16;
		assert_null(hp_check_octave(bytes, stat->octaves, 4).counts);
	}
	/* Counters of no size that there is. */
	stat->octaves[4] = hp_octave_make(HP_HEADER_SIZE, 0);
	assert_null(hp_check_octave(bytes, stat->octaves, 4).counts);
	stat->octaves[4] = hp_octave_make(HP_HEADER_SIZE, HP_COUNTER_64 + 1);
	assert_null(hp_check_octave(bytes, stat->octaves, 4).counts);
}

/* ---- sites and strings ---- */

static void sites(void **state)
{
	struct hp_bytes bytes = bytes_of(&made);
	struct hp_header *header = made_header(&made);

	(void)state;
	assert_null(hp_check_site(bytes, 0));
	assert_int_equal(hp_check_site(bytes, 1)->kind, HP_SITE_MAIN);
	assert_int_equal(hp_check_site(bytes, MADE_SITES)->line, 10 + MADE_SITES - 1);
	assert_null(hp_check_site(bytes, MADE_SITES + 1));
	assert_null(hp_check_site(bytes, UINT32_MAX));

	/* More are said to be there than can be. */
	header->site_count = UINT32_MAX;
	assert_non_null(hp_check_site(bytes, HP_SITE_CHUNK - 1));
	assert_null(hp_check_site(bytes, HP_SITE_CHUNK));
	assert_null(hp_check_site(bytes, HP_SITES_MAX - 1));
	assert_null(hp_check_site(bytes, HP_SITES_MAX));
	assert_null(hp_check_site(bytes, UINT32_MAX));
	for (unsigned chunk = 0; chunk < HP_SITE_CHUNKS; chunk++) {
		uint32_t first = HP_SITE_CHUNK * ((UINT32_C(1) << chunk) - 1) + !chunk;
		for (unsigned i = 0; i < BAD_OFFSETS; i++) {
			header->sites[chunk] = bad_offset(
				i, (sizeof(struct hp_site) * HP_SITE_CHUNK) << chunk);
			assert_null(hp_check_site(bytes, first));
		}
	}
}

/* Every id has its own place, in the order of ids. */
static void places_of_sites(void **state)
{
	unsigned chunk = 0;
	uint32_t place = 0;

	(void)state;
	for (uint32_t id = 0; id < HP_SITES_MAX; id++) {
		uint32_t found;
		if (place == (uint32_t)HP_SITE_CHUNK << chunk) {
			chunk++;
			place = 0;
		}
		assert_int_equal(hp_site_place(id, &found), chunk);
		assert_int_equal(found, place++);
	}
	assert_int_equal(chunk, HP_SITE_CHUNKS - 1);
}

static void strings(void **state)
{
	struct hp_bytes bytes = bytes_of(&made);
	uint64_t at = made_header(&made)->program;
	struct hp_string *string = (struct hp_string *)(void *)(made.bytes + at);
	size_t length = 99;

	(void)state;
	assert_memory_equal(hp_check_string(bytes, at, &length), "program", 7);
	assert_int_equal(length, 7);
	for (unsigned i = 0; i < BAD_OFFSETS; i++) {
		uint64_t bad = bad_offset(i, sizeof(uint32_t));
		/* Strings need less of a place than other things: these two are fine. */
		if (bad == made.size - 8 || bad == made.size - sizeof(uint32_t) + 8)
			continue;
		assert_null(hp_check_string(bytes, bad, &length));
	}

	/* Up to the last byte, and one more. */
	struct hp_bytes cut = { bytes.base, at + sizeof(*string) + 10 };
	string->length = 10;
	assert_non_null(hp_check_string(cut, at, &length));
	assert_int_equal(length, 10);
	string->length++;
	assert_null(hp_check_string(cut, at, &length));
	string->length = HP_PATH_MAX;
	assert_non_null(hp_check_string(bytes, at, &length));
	string->length++;
	assert_null(hp_check_string(bytes, at, &length));
	string->length = UINT32_MAX;
	assert_null(hp_check_string(bytes, at, &length));
}

/* ---- lists ---- */

static uint64_t visits(void)
{
	struct hp_stat_index index = { .sites = NULL };
	struct hp_snapshot snapshot;

	assert_null(hp_snapshot_open(&snapshot, made.bytes, made.size, false));
	assert_true(hp_stat_index_update(&index, &snapshot));
	uint64_t count = index.entry_count;
	hp_stat_index_free(&index);
	return count;
}

/* Read all of it: it comes to an end, whatever the lists do. */
static void assert_readable(void)
{
	struct hp_error error = { "" };
	struct hp_recent *recent = NULL;
	struct hp_model *model = hp_model_read(made.bytes, made.size, NULL, true, &error);

	assert_non_null(model);
	hp_model_free(model);
	hp_recent_calls(made.bytes, made.size, "work", &recent, &error);
	free(recent);
}

static void every_stat_is_visited_once(void **state)
{
	(void)state;
	assert_int_equal(visits(), MADE_STATS);
	assert_readable();
}

static void circles_of_stats(void **state)
{
	uint64_t most = hp_check_most(bytes_of(&made), sizeof(struct hp_stat));

	(void)state;
	for (unsigned i = 0; i < MADE_STATS; i++) {
		for (unsigned j = 0; j < MADE_STATS; j++) {
			made_segment(&made);
			made.stats[i]->next = made_offset(&made, made.stats[j]);
			assert_in_range(visits(), 1, most);
			assert_readable();
		}
	}
}

static void circles_of_lanes(void **state)
{
	uint64_t most = hp_check_most(bytes_of(&made), sizeof(struct hp_stat));

	(void)state;
	made.lanes[1]->next = made_offset(&made, made.lanes[1]);
	assert_in_range(visits(), MADE_STATS, most);
	assert_readable();
	made_segment(&made);
	made.lanes[0]->next = made_offset(&made, made.lanes[1]);
	assert_in_range(visits(), MADE_STATS, most);
	assert_readable();

	/* Lanes without a stat are in no circle of stats. */
	made.lanes[0]->stats = made.lanes[1]->stats = 0;
	assert_int_equal(visits(), 0);
	assert_readable();
}

static void circles_of_allocations(void **state)
{
	struct hp_error error = { "" };

	(void)state;
	for (unsigned i = 0; i < MADE_HOLDINGS; i++) {
		make(NULL);
		made.holdings[i]->next = made_offset(&made, made.holdings[i]);
		made.origins[i % MADE_ORIGINS]->next = made_offset(&made, made.origins[0]);
		struct hp_model *model = hp_model_read(made.bytes, made.size, NULL, true, &error);
		assert_non_null(model);
		assert_in_range(model->memory.live_count, 1, MADE_ORIGINS + 1);
		hp_model_free(model);
	}
}

/* Ids that no origin has, or several have. */
static void ids_of_origins(void **state)
{
	static const uint32_t ids[] = { 0, 1, MADE_ORIGINS + 1, HP_ORIGINS_MAX, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		make(NULL);
		made.origins[1]->id = ids[i];
		made.holdings[0]->origin = ids[i];
		made_header(&made)->origin_count = ids[i];
		assert_readable();
		made.origins[1]->site = ids[i];
		made.origins[1]->call = ids[i];
		assert_readable();
	}
}

/* One lies across the other: no matter, it is all inside. */
static void overlapping(void **state)
{
	(void)state;
	made.lanes[1]->next = made_offset(&made, made.stats[0]) + 8;
	made.stats[1]->next = made_offset(&made, made.stats[2]) + 64;
	assert_true(visits() >= 2);
	assert_readable();
}

static void cut_short(void **state)
{
	struct made_segment *whole = malloc(sizeof(*whole));
	struct hp_error error = { "" };

	(void)state;
	*whole = made;
	for (size_t size = 0; size <= whole->size; size += 32) {
		/* Memory of this size, so that a sanitizer sees a read past it. */
		void *cut = malloc(size ? size : 1);
		memcpy(cut, whole->bytes, size);
		struct hp_model *model = hp_model_read(cut, size, NULL, true, &error);
		assert_true(size < HP_HEADER_SIZE ? !model : !!model);
		hp_model_free(model);
		free(cut);
	}
	free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_good_header, make),
		cmocka_unit_test_setup(no_segment, make),
		cmocka_unit_test_setup(other_versions, make),
		cmocka_unit_test_setup(the_other_byte_order, make),
		cmocka_unit_test_setup(damaged_headers, make),
		cmocka_unit_test_setup(an_unfinished_header, make),
		cmocka_unit_test_setup(a_later_minor_version, make),
		cmocka_unit_test_setup(lanes_stats_and_nodes, make),
		cmocka_unit_test_setup(allocations, make),
		cmocka_unit_test_setup(blocks_of_a_stat, make),
		cmocka_unit_test_setup(octaves, make),
		cmocka_unit_test_setup(sites, make),
		cmocka_unit_test_setup(places_of_sites, make),
		cmocka_unit_test_setup(strings, make),
		cmocka_unit_test_setup(every_stat_is_visited_once, make),
		cmocka_unit_test_setup(circles_of_stats, make),
		cmocka_unit_test_setup(circles_of_lanes, make),
		cmocka_unit_test_setup(circles_of_allocations, make),
		cmocka_unit_test_setup(ids_of_origins, make),
		cmocka_unit_test_setup(overlapping, make),
		cmocka_unit_test_setup(cut_short, make),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
