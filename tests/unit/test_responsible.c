/* SPDX-License-Identifier: MIT */
/* The function of a stack that is responsible for what was allocated, and what is shown of it. */
#include "memory/responsible.h"

#include "allocated_table.h"
#include "memory/wrappers.h"
#include "written_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

enum {
	XMALLOC,
	XSTRDUP,
	LOAD,
	MAIN,
	STRDUP,
	BUFFER,
	PUTS,
	START,
	NEW_IN_LOAD,
	HELPER_IN_XMALLOC,
	RECEIPT_IN_LOAD,
	TAKE,
	OWN,
	NAMELESS,
	NAMELESS_OUTER,
	LIBRARY,
	MEASURED,
	XMALLOC_IN_PARSE_IN_LOAD,
	FRAMES
};

static struct hp_cpu_module modules[] = { { .path = (char[]){ "/bin/program" } },
					  { .path = (char[]){ "/lib/libc.so.6" } },
					  { .path = (char[]){ "/lib/libjq.so.1" } } };

#define CODE(nth, in, text, ...)                                                                   \
	{                                                                                          \
		.kind = HP_FRAME_CODE, .module = in, .address = 0x1000 + (nth), .returns = true,   \
		.function = HP_CPU_NOT_KNOWN, .name = (char[]){ text }, __VA_ARGS__                \
	}
#define AT(text)                                                                                   \
	.location = (char[])                                                                       \
	{                                                                                          \
		text                                                                               \
	}

static struct hp_cpu_frame frames[FRAMES] = {
	[XMALLOC] = CODE(XMALLOC, 0, "xmalloc.part.0", AT("src/xmalloc.c:9")),
	[XSTRDUP] = CODE(XSTRDUP, 0, "xstrdup", AT("src/xmalloc.c:20")),
	[LOAD] = CODE(LOAD, 0, "load", AT("src/load.c:33")),
	[MAIN] = CODE(MAIN, 0, "main", AT("src/main.c:7")),
	[STRDUP] = CODE(STRDUP, 1, "strdup", ),
	[BUFFER] = CODE(BUFFER, 1, "_IO_file_doallocate", ),
	[PUTS] = CODE(PUTS, 1, "puts", ),
	[START] = CODE(START, 0, "_start", ),
	[NEW_IN_LOAD] = CODE(NEW_IN_LOAD, 0, "load", AT("new.h:3"),
			     .inlined = (char[]){ "operator new (in load)" },
			     .outer_location = (char[]){ "src/load.c:50" }),
	[HELPER_IN_XMALLOC] = CODE(HELPER_IN_XMALLOC, 0, "xmalloc",
				   .inlined = (char[]){ "check (in xmalloc)" }),
	[RECEIPT_IN_LOAD] = CODE(RECEIPT_IN_LOAD, 0, "load",
				 .inlined = (char[]){ "make_receipt (in load)" }),
	[XMALLOC_IN_PARSE_IN_LOAD] = CODE(
		XMALLOC_IN_PARSE_IN_LOAD, 0, "load", AT("src/xmalloc.c:9"),
		.inlined = (char[]){ "xmalloc (in load)" },
		.between = { (struct hp_between[]){ { (char[]){ "xstrdup (in load)" },
						      (char[]){ "src/xmalloc.c:20" }, NULL, 0 },
						    { (char[]){ "parse (in load)" },
						      (char[]){ "src/load.c:12" },
						      (char[]){ "src/load.c" }, 10 } },
			     2 },
		.outer_location = (char[]){ "src/load.c:50" }),
	[TAKE] = CODE(TAKE, 0, "pool_take", ),
	[OWN] = CODE(OWN, 0, HP_CPU_OWN, ),
	[NAMELESS] = CODE(NAMELESS, 2, "libjq.so.1+0x1590", ),
	[NAMELESS_OUTER] = CODE(NAMELESS_OUTER, 2, "libjq.so.1+0x2590", ),
	[LIBRARY] = CODE(LIBRARY, 2, "jv_parse", ),
	[MEASURED] = { .kind = HP_FRAME_SITE, .module = -1, .name = (char[]){ "load" } },
};

static struct hp_cpu cpu = {
	.modules = modules, .module_count = 3, .frames = frames, .frame_count = FRAMES
};

#define STACK(...)                                                                                 \
	{                                                                                          \
		.depth = sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t),                   \
		.frames = (uint32_t[]){ __VA_ARGS__ }, .whole = true                               \
	}
#define FIND(...) find(&(struct hp_cpu_stack)STACK(__VA_ARGS__))

static struct hp_responsible find(const struct hp_cpu_stack *stack)
{
	uint8_t *roles = hp_frame_roles(&cpu);

	assert_non_null(roles);
	struct hp_responsible found = hp_find_responsible(&cpu, roles, stack);
	free(roles);
	return found;
}

static void names(void **state)
{
	(void)state;
	assert_true(hp_is_wrapper("xmalloc"));
	assert_true(hp_is_wrapper("xmalloc.isra.0"));
	assert_true(hp_is_wrapper("xmalloc (in load)"));
	assert_true(hp_is_wrapper("operator new[]"));
	assert_true(hp_is_wrapper("operator new(unsigned long)"));
	assert_true(hp_is_wrapper("std::vector<int, std::allocator<int> >::reserve"));
	assert_true(hp_is_wrapper("sqlite3DbMallocRawNN"));
	assert_true(hp_is_wrapper("ztrymalloc_usable"));
	assert_false(hp_is_wrapper("xmalloc_statistics"));
	assert_false(hp_is_wrapper("my_xmalloc"));
	assert_false(hp_is_wrapper("load (in xmalloc)"));
	assert_false(hp_is_wrapper("malloc_report"));
	assert_false(hp_is_wrapper(""));
}

static void named_by_the_user(void **state)
{
	char long_list[HP_WRAPPERS_SIZE + 1];

	(void)state;
	assert_false(hp_wrappers_are_named());
	assert_false(hp_is_wrapper("pool_take"));
	assert_true(hp_wrappers_name(" arena_* , pool_take"));
	assert_true(hp_wrappers_are_named());
	assert_true(hp_is_wrapper("pool_take"));
	assert_true(hp_is_wrapper("arena_get.cold"));
	assert_true(hp_is_wrapper("xmalloc"));
	assert_false(hp_is_wrapper("arena"));
	assert_false(hp_is_wrapper("pool_take_all"));
	memset(long_list, 'a', sizeof(long_list));
	long_list[HP_WRAPPERS_SIZE] = '\0';
	assert_false(hp_wrappers_name(long_list));
	assert_true(hp_is_wrapper("pool_take"));
	/* Empty names are no pattern that fits all. */
	assert_true(hp_wrappers_name(", ,,"));
	assert_false(hp_is_wrapper("load"));
}

static int name_none(void **state)
{
	hp_wrappers_name("");
	return tear_down(state);
}

static void choice(void **state)
{
	(void)state;
	assert_ptr_equal(FIND(LOAD, MAIN).frame, &frames[LOAD]);
	assert_ptr_equal(FIND(XMALLOC, LOAD, MAIN).frame, &frames[LOAD]);
	assert_ptr_equal(FIND(XMALLOC, XSTRDUP, LOAD, MAIN).frame, &frames[LOAD]);
	assert_string_equal(FIND(XMALLOC, XSTRDUP, LOAD, MAIN).location, "src/load.c:33");
	/* Wrappers are found across a measured function and our own code, too. */
	assert_ptr_equal(FIND(OWN, XMALLOC, MEASURED, LOAD).frame, &frames[LOAD]);
	/* The C library, of which some is its own. */
	assert_ptr_equal(FIND(STRDUP, LOAD, MAIN).frame, &frames[LOAD]);
	assert_false(FIND(STRDUP, LOAD, MAIN).of_libc);
	assert_ptr_equal(FIND(BUFFER, PUTS, MAIN).frame, &frames[BUFFER]);
	assert_true(FIND(BUFFER, PUTS, MAIN).of_libc);
	assert_ptr_equal(FIND(TAKE, LOAD).frame, &frames[TAKE]);
	hp_wrappers_name("pool_*");
	assert_ptr_equal(FIND(TAKE, LOAD).frame, &frames[LOAD]);
}

static void inlined(void **state)
{
	struct hp_responsible found = FIND(NEW_IN_LOAD, MAIN);

	(void)state;
	assert_ptr_equal(found.frame, &frames[NEW_IN_LOAD]);
	assert_string_equal(found.name, "load");
	assert_string_equal(found.location, "src/load.c:50");
	assert_string_equal(FIND(RECEIPT_IN_LOAD, MAIN).name, "make_receipt (in load)");
	/* Of several, the first that is no wrapper. */
	found = FIND(XMALLOC_IN_PARSE_IN_LOAD, MAIN);
	assert_string_equal(found.name, "parse (in load)");
	assert_string_equal(found.location, "src/load.c:12");
	assert_ptr_equal(FIND(HELPER_IN_XMALLOC, MAIN).frame, &frames[MAIN]);
}

static void only_wrappers(void **state)
{
	(void)state;
	assert_ptr_equal(FIND(XMALLOC, XSTRDUP).frame, &frames[XSTRDUP]);
	assert_ptr_equal(FIND(STRDUP, PUTS).frame, &frames[PUTS]);
	assert_ptr_equal(FIND(STRDUP, PUTS, START).frame, &frames[PUTS]);
	assert_ptr_equal(FIND(START).frame, &frames[START]);
	assert_null(FIND(MEASURED).frame);
	assert_string_equal(hp_responsible_name(&(struct hp_responsible){ .frame = NULL }),
			    "<other call sites>");
}

/* A name in the same file is better than none; a caller elsewhere is somebody else. */
static void nameless(void **state)
{
	(void)state;
	assert_ptr_equal(FIND(NAMELESS, NAMELESS_OUTER, LIBRARY, MAIN).frame, &frames[LIBRARY]);
	assert_ptr_equal(FIND(XMALLOC, NAMELESS, LIBRARY).frame, &frames[LIBRARY]);
	assert_ptr_equal(FIND(NAMELESS, STRDUP, LIBRARY).frame, &frames[LIBRARY]);
	assert_ptr_equal(FIND(NAMELESS, NAMELESS_OUTER, MAIN).frame, &frames[NAMELESS]);
	assert_ptr_equal(FIND(NAMELESS, NAMELESS_OUTER, START).frame, &frames[NAMELESS]);
	assert_ptr_equal(FIND(NAMELESS, NAMELESS_OUTER).frame, &frames[NAMELESS]);
	assert_ptr_equal(FIND(LIBRARY, NAMELESS, MAIN).frame, &frames[LIBRARY]);
}

/* ---- a model ---- */

static void add_memory(struct hp_cpu_stack *stack, uint64_t bytes, uint64_t live)
{
	stack->memory = (struct hp_stack_memory){ .bytes = bytes,
						  .blocks = 4,
						  .live_bytes = live,
						  .live_blocks = live ? 2 : 0,
						  .peak_bytes = bytes };
}

static struct hp_cpu_stack stacks[] = { STACK(XMALLOC, LOAD, MAIN),
					STACK(XMALLOC, XSTRDUP, LOAD, MAIN), STACK(TAKE, MAIN),
					STACK(BUFFER, PUTS, MAIN) };

static void make_model(void)
{
	model = (struct hp_model){ .program = (char[]){ "program" },
				   .memory = { .mode = HP_ALLOC_LIVE, .bytes = 9120, .count = 16 },
				   .allocations = cpu };
	model.allocations.stacks = stacks;
	model.allocations.stack_count = 4;
	add_memory(&stacks[0], 1000, 500);
	add_memory(&stacks[1], 3000, 2048);
	add_memory(&stacks[2], 4096, 4096);
	add_memory(&stacks[3], 1024, 1024);
	stacks[2].whole = false;
	assert_true(hp_responsible_rows(&model));
	hp_report_options_init(&options);
}

static void free_rows(void)
{
	hp_memory_clear(&model.memory);
	for (size_t i = 0; i < model.function_count; i++)
		hp_function_clear(&model.functions[i]);
	free(model.functions);
}

static const struct hp_function *function(const char *name)
{
	for (size_t i = 0; i < model.function_count; i++)
		if (strcmp(model.functions[i].name, name) == 0)
			return &model.functions[i];
	return NULL;
}

static void rows(void **state)
{
	(void)state;
	make_model();
	assert_int_equal(model.memory.live_bytes, 7668);
	assert_int_equal(model.memory.live_blocks, 8);
	assert_int_equal(model.memory.live_count, 3);
	assert_int_equal(function("load")->alloc.bytes, 4000);
	assert_int_equal(function("load")->alloc.freed_bytes, 1452);
	assert_int_equal(function("pool_take")->alloc.count, 4);
	assert_null(function("xstrdup"));

	/* Naming another wrapper makes the rows again. */
	hp_wrappers_name("pool_take");
	assert_true(hp_responsible_rows(&model));
	assert_int_equal(model.memory.live_bytes, 7668);
	assert_int_equal(function("pool_take")->alloc.bytes, 0);
	assert_int_equal(function("main")->alloc.bytes, 4096);
	assert_int_equal(function("_IO_file_doallocate")->alloc.bytes, 1024);
	assert_int_equal(function("load")->alloc.bytes, 4000);
	free_rows();
}

/* Stacks make no rows if functions are measured: which one was open is not in the stacks. */
static void measured(void **state)
{
	struct hp_function called = { .name = (char[]){ "load" }, .calls = 1 };

	(void)state;
	model = (struct hp_model){ .functions = &called, .function_count = 1, .allocations = cpu };
	model.allocations.stacks = stacks;
	model.allocations.stack_count = 4;
	assert_true(hp_responsible_rows(&model));
	assert_int_equal(model.memory.live_count, 0);
	assert_int_equal(model.function_count, 1);
}

static void stacks_of_live_rows(void **state)
{
	(void)state;
	make_model();
	section("live");
	assert_false(has("allocated in"));
	set("stacks", "1");
	section("live");
	assert_true(has("\nload, src/load.c:33:\n"
			"  2.0 KB in 2 blocks, allocated in\n"
			"    xmalloc.part.0  xmalloc.c:9\n"
			"    xstrdup         xmalloc.c:20\n"
			"    load            load.c:33\n"
			"    main            main.c:7\n"));
	assert_false(has("500 B in 2 blocks, allocated in"));
	assert_true(has("\npool_take, program+0x100b:\n"
			"  4.0 KB in 2 blocks, allocated in\n"
			"    pool_take\n"
			"    main       main.c:7\n"
			"    ...\n"));
	set("stacks", "9");
	section("live");
	assert_true(has("  500 B in 2 blocks, allocated in\n"));
	free_rows();
}

static struct json_object *member(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);

	assert_non_null(value);
	return value;
}

static void stacks_in_json(void **state)
{
	(void)state;
	make_model();
	set("report", "live");
	set("format", "json");
	report();
	assert_false(has("\"stacks\":[{\"bytes\""));
	set("stacks", "1");
	struct json_object *report_object = json_tokener_parse(report());
	struct json_object *row = json_object_array_get_idx(
		member(member(report_object, "memory_live"), "data"), 1);
	assert_string_equal(json_object_get_string(member(row, "name")), "load");
	assert_int_equal(json_object_array_length(member(row, "stacks")), 1);
	struct json_object *stack = json_object_array_get_idx(member(row, "stacks"), 0);
	assert_int_equal(json_object_get_int(member(stack, "bytes")), 2048);
	struct json_object *frame = json_object_array_get_idx(member(stack, "frames"), 2);
	assert_string_equal(json_object_get_string(member(frame, "location")), "src/load.c:33");
	json_object_put(report_object);
	/* A complete report has all stacks. */
	options.stacks = 0;
	options.complete = true;
	report();
	assert_true(has("{\"bytes\":2048"));
	assert_true(has("{\"bytes\":500"));
	free_rows();
}

static void callers(void **state)
{
	(void)state;
	make_model();
	hp_text_free(&text);
	assert_int_equal(hp_allocated_write(&model, HP_CALLERS, "load", true, &options, &text), 0);
	assert_string_equal(
		text.bytes,
		"Callers of load, by allocations; 100 % is its 3.9 KB in 8 blocks, of which 2.5 KB are live.\n"
		"+--------+--------+--------+---------+----------+\n"
		"|  Bytes | Blocks |   Live | % Total | Function |\n"
		"+--------+--------+--------+---------+----------+\n"
		"| 3.9 KB |      8 | 2.5 KB | 100.00% | main     |\n"
		"+--------+--------+--------+---------+----------+\n");
	hp_text_free(&text);
	assert_int_equal(hp_allocated_write(&model, HP_CALLEES, "load", true, &options, &text), 0);
	assert_true(has("| 2.9 KB |      4 | 2.0 KB |  75.00% | xstrdup        |\n"));
	assert_true(has("| 1000 B |      4 |  500 B |  25.00% | xmalloc.part.0 |\n"));
	hp_text_free(&text);
	assert_int_equal(hp_allocated_write(&model, HP_CALLEES, "none", true, &options, &text),
			 -ENOENT);
	assert_int_equal(text.length, 0);
	assert_int_equal(hp_allocated_write(&model, HP_CALLEES, "pool_take", true, &options, &text),
			 0);
	assert_true(has("It calls the allocator itself.\n"));
	free_rows();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test_teardown(named_by_the_user, name_none),
		cmocka_unit_test_teardown(choice, name_none),
		cmocka_unit_test(inlined),
		cmocka_unit_test(only_wrappers),
		cmocka_unit_test(nameless),
		cmocka_unit_test_teardown(rows, name_none),
		cmocka_unit_test(measured),
		cmocka_unit_test_teardown(stacks_of_live_rows, tear_down),
		cmocka_unit_test_teardown(stacks_in_json, tear_down),
		cmocka_unit_test_teardown(callers, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
