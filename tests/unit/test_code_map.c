/* SPDX-License-Identifier: MIT */
/* The code that a process has mapped: new mappings take the place of old ones, and addresses find their module. */
#include "code_map.h"

#include "unwind.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct hp_segment_writer writer;
static char folder[] = "/tmp/hotpath-test-XXXXXX";

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("HOTPATH_DIR", folder, 1), 0);
	return hp_segment_writer_create(&writer, (uint32_t)getpid());
}

static int end(void **state)
{
	(void)state;
	unlink(writer.path);
	hp_segment_writer_close(&writer);
	return rmdir(folder);
}

static struct hp_code_map empty(void)
{
	return (struct hp_code_map){ .writer = &writer, .pid = (uint32_t)getpid() };
}

/* The value of the frame of an executed address; UINT64_MAX when there is no code. Reading mappings again is kept off. */
static uint64_t value_at(struct hp_code_map *map, uint64_t address)
{
	map->read_ns = UINT64_MAX / 2;
	uint64_t frame = hp_code_map_frame(map, HP_FRAME_CODE, address, true);
	return frame ? hp_frame_value(frame) : UINT64_MAX;
}

static void add(struct hp_code_map *map, uint64_t start, uint64_t end_at, const char *path)
{
	const struct hp_mapped mapped = { start, end_at, 0, true, path };

	assert_true(hp_code_map_add(map, &mapped));
}

/* Code of no file is known by its address in memory. */
static void generated_code_has_its_address(void **state)
{
	struct hp_code_map map = empty();

	(void)state;
	add(&map, 0x1000, 0x2000, "//anon");
	assert_int_equal(value_at(&map, 0x1800), 0x1800);
	assert_int_equal(value_at(&map, 0x2000), UINT64_MAX);
	assert_int_equal(value_at(&map, 0xfff), UINT64_MAX);
	hp_code_map_free(&map);
}

/* A return address just after the end of a mapping belongs to the call before it. */
static void return_addresses_belong_to_their_call(void **state)
{
	struct hp_code_map map = empty();

	(void)state;
	add(&map, 0x1000, 0x2000, "//anon");
	assert_int_not_equal(hp_code_map_frame(&map, HP_FRAME_CODE, 0x2000, false), 0);
	assert_int_equal(hp_code_map_frame(&map, HP_FRAME_CODE, 0x1000, false), 0);
	hp_code_map_free(&map);
}

/* A file that cannot be opened has offsets for addresses. */
static void new_mappings_replace_old_ones(void **state)
{
	struct hp_code_map map = empty();

	(void)state;
	add(&map, 0x1000, 0x9000, "/missing/old");
	add(&map, 0x3000, 0x4000, "/missing/inside");
	assert_int_equal(map.count, 3);
	assert_int_equal(value_at(&map, 0x2fff), 0x1fff);
	assert_int_equal(value_at(&map, 0x3010), 0x10);
	assert_int_equal(value_at(&map, 0x4000), 0x3000);
	add(&map, 0x800, 0x3800, "/missing/over");
	assert_int_equal(value_at(&map, 0x1000), 0x800);
	assert_int_equal(value_at(&map, 0x3800), 0x800);
	add(&map, 0, 0x10000, "/missing/all");
	assert_int_equal(map.count, 1);
	hp_code_map_free(&map);
}

/* A file is one module, however often it is mapped. */
static void files_are_modules(void **state)
{
	struct hp_code_map map = empty();

	(void)state;
	add(&map, 0x10000, 0x11000, "/missing/a");
	add(&map, 0x20000, 0x21000, "/missing/b");
	add(&map, 0x30000, 0x31000, "/missing/a");
	assert_int_equal(map.ranges[0].module, map.ranges[2].module);
	assert_int_not_equal(map.ranges[0].module, map.ranges[1].module);
	hp_code_map_free(&map);
}

/* The mappings of this process have this function at its address in the file, where its page begins. */
static void own_mappings_are_read(void **state)
{
	struct hp_code_map map = empty();
	uint64_t here = (uint64_t)(uintptr_t)own_mappings_are_read;

	(void)state;
	assert_true(hp_code_map_read(&map));
	uint64_t frame = hp_code_map_frame(&map, HP_FRAME_CODE, here, true);
	assert_int_equal(hp_frame_kind(frame), HP_FRAME_CODE);
	assert_int_equal(hp_frame_value(frame) % 4096, here % 4096);
	hp_code_map_free(&map);
}

/* A rule for unwinding is that of the file which is mapped now. */
static void rules_are_of_the_present_mapping(void **state)
{
	struct hp_code_map map = empty();
	uint64_t here = (uintptr_t)rules_are_of_the_present_mapping;
	uint64_t page = here & ~UINT64_C(4095);

	(void)state;
	assert_int_equal(hp_code_map_rule(&map, here, false), HP_RULE_NONE);
	assert_true(hp_code_map_read(&map));
	uint64_t rule = hp_code_map_rule(&map, here, false);
	assert_int_not_equal(rule, HP_RULE_NONE);
	assert_int_equal(hp_code_map_rule(&map, here, false), rule);
	add(&map, page, page + 4096, "//anon");
	assert_int_equal(hp_code_map_rule(&map, here, false), HP_RULE_NONE);
	hp_code_map_free(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generated_code_has_its_address),
		cmocka_unit_test(return_addresses_belong_to_their_call),
		cmocka_unit_test(new_mappings_replace_old_ones),
		cmocka_unit_test(files_are_modules),
		cmocka_unit_test(own_mappings_are_read),
		cmocka_unit_test(rules_are_of_the_present_mapping),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
