/* SPDX-License-Identifier: MIT */
/* Allocations in lanes become the figures of functions and places. */
#include "compiled.h"
#include "read_model.h"

#include "elf_file.h"
#include "names/lines.h"

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_allocations(&made);
	return 0;
}

static const struct hp_live *live(const char *name)
{
	for (size_t i = 0; i < model->memory.live_count; i++)
		if (strcmp(model->memory.live[i].name, name) == 0)
			return &model->memory.live[i];
	fail_msg("nothing live of '%s'", name);
	return NULL;
}

static void forget_calls(void)
{
	for (unsigned i = 0; i < MADE_LANES; i++)
		made.lanes[i]->stats = 0;
}

/* Whatever is recorded, the rows have all of it. */
static void assert_rows_are_all(void)
{
	uint64_t bytes = 0, count = 0;

	for (size_t i = 0; i < model->function_count; i++) {
		bytes += model->functions[i].alloc.bytes;
		count += model->functions[i].alloc.count;
	}
	assert_int_equal(bytes, model->memory.bytes);
	assert_int_equal(count, model->memory.count);
}

/* ---- functions ---- */

static void sums_over_lanes(void **state)
{
	(void)state;
	read_model();
	const struct hp_alloc_figures *work = &row("work")->alloc;
	assert_int_equal(work->bytes, 6000);
	assert_int_equal(work->count, 60);
	assert_int_equal(work->freed_bytes, 3000);
	assert_int_equal(work->freed_count, 30);
	assert_int_equal(work->temporary_count, 15);
	assert_int_equal(work->inclusive_bytes, 6000);
	assert_int_equal(row("a \"block\"")->alloc.bytes, 1000);
	assert_int_equal(row("\xc2\xb5-op")->alloc.bytes, 0);
	assert_int_equal(model->memory.bytes, 7800);
	assert_int_equal(model->memory.count, 78);
	assert_rows_are_all();
}

static void outside_is_the_callers(void **state)
{
	(void)state;
	read_model();
	assert_true(row("main")->is_caller);
	assert_int_equal(row("main")->alloc.bytes, 800);
	assert_int_equal(row("main")->alloc.count, 8);
	assert_int_equal(row("main")->alloc.inclusive_bytes, 7800);
	assert_int_equal(row("main")->alloc.freed_count, 4);
}

/* The whole process is 100 %: it has a row of allocations, and no calls. */
static void outside_is_the_processs(void **state)
{
	(void)state;
	made_header(&made)->caller = 0;
	read_model();
	assert_int_equal(row("program")->alloc.bytes, 800);
	assert_int_equal(row("program")->alloc.inclusive_bytes, 7800);
	assert_int_equal(row("program")->calls, 0);
	assert_int_equal(row("main")->alloc.bytes, 0);
	assert_rows_are_all();
}

/* Calls of the present count from when they first allocated. */
static void calls_in_progress(void **state)
{
	(void)state;
	made.allocs[0]->is_open = 1;
	made.allocs[0]->open_bytes = 4200;
	made.allocs[0]->open_blocks = 42;
	read_model();
	assert_int_equal(row("work")->alloc.inclusive_bytes, 6000 + 800);
	assert_int_equal(row("work")->alloc.inclusive_count, 60 + 8);
	/* The call has ended meanwhile. */
	made.stats[0]->depth = 0;
	read_model();
	assert_int_equal(row("work")->alloc.inclusive_bytes, 6000);
	/* The call began with more bytes than the lane has. */
	made.stats[0]->depth = 1;
	made.allocs[0]->open_bytes = UINT64_MAX;
	read_model();
	assert_int_equal(row("work")->alloc.inclusive_bytes, 6000);
}

/* Whoever allocates now has what the lane has, less what others had. */
static void owners(void **state)
{
	(void)state;
	made.allocs[0]->bytes = made.allocs[0]->blocks = 0;
	made.allocs[0]->base_bytes = 1000;
	made.allocs[0]->base_blocks = 10;
	made.allocs[3]->bytes = made.allocs[3]->blocks = 0;
	made.allocs[3]->base_bytes = 2000;
	made.allocs[3]->base_blocks = 20;
	made.lanes[0]->owner = made.stats[0]->alloc;
	made.lanes[1]->owner = made.lanes[1]->outside;
	read_model();
	assert_int_equal(row("work")->alloc.bytes, 6000);
	assert_int_equal(row("work")->alloc.count, 60);
	assert_int_equal(row("main")->alloc.bytes, 800);
	assert_rows_are_all();
	/* The owner began with more bytes than the lane has. */
	made.allocs[0]->base_bytes = UINT64_MAX;
	read_model();
	assert_int_equal(row("work")->alloc.bytes, 2000);
}

/* Inner calls of a recursive function are in the histogram, and in the total once. */
static void recursion(void **state)
{
	uint32_t *counts;

	(void)state;
	made.allocs[1]->inclusive_bytes = 2000;
	counts =
		(uint32_t *)(void *)(made.bytes +
				     hp_octave_at(
					     made.allocs[1]->octaves[HP_ALLOC_INCLUSIVE_BYTES][1]));
	counts[hp_bucket(100) % HP_OCTAVE_BUCKETS] = 100;
	read_model();
	const struct hp_function *block = row("a \"block\"");
	assert_int_equal(block->alloc.inclusive_bytes, 2000);
	assert_int_equal(
		hp_alloc_percentile(&block->alloc, block->calls, HP_ALLOC_INCLUSIVE_BYTES, 50),
		100);
}

/* 100 calls, of which 10 have one block of 100 bytes: the others have none. */
static void percentiles_with_zeros(void **state)
{
	(void)state;
	read_model();
	const struct hp_function *block = row("a \"block\"");
	const struct hp_alloc_figures *alloc = &block->alloc;
	assert_int_equal(block->calls, 100);
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BYTES, 0), 0);
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BYTES, 90), 0);
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BYTES, 90.1), 100);
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BYTES, 100), 100);
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BLOCKS, 95), 1);
	/* The histogram has more calls than have ended: the picture was taken meanwhile. */
	assert_int_equal(hp_alloc_percentile(alloc, 5, HP_ALLOC_BYTES, 0), 100);
	/* Bytes of the caller are spread over its calls. */
	assert_int_equal(hp_alloc_percentile(&row("main")->alloc, 100, HP_ALLOC_BYTES, 50), 8);
}

/* Calls that all have the same have it exactly; 1000 and 1007 share a bucket. */
static void one_size_is_exact(void **state)
{
	unsigned bucket = hp_bucket(1001);
	uint32_t *octaves = made.allocs[1]->octaves[HP_ALLOC_BYTES];

	(void)state;
	memset(made.allocs[1]->octaves, 0, sizeof(made.allocs[1]->octaves));
	uint32_t *counts = made_octave(&made, &octaves[bucket / HP_OCTAVE_BUCKETS], HP_COUNTER_32);
	counts[bucket % HP_OCTAVE_BUCKETS] = 100;
	made.allocs[1]->bytes = 100100;
	read_model();
	const struct hp_alloc_figures *alloc = &row("a \"block\"")->alloc;
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BYTES, 95), 1001);
	/* Bytes of a call in progress are not of those that ended. */
	made.allocs[1]->bytes = 200000;
	read_model();
	alloc = &row("a \"block\"")->alloc;
	assert_int_equal(hp_alloc_percentile(alloc, 100, HP_ALLOC_BYTES, 95), 1004);
}

static void other_sessions(void **state)
{
	(void)state;
	made.lanes[1]->session = 7;
	read_model();
	assert_int_equal(model->memory.bytes, 5000);
	assert_int_equal(live("work")->blocks, 35);
	assert_int_equal(row("main")->alloc.bytes, 0);
}

/* ---- modes ---- */

static void not_recorded(void **state)
{
	static const uint32_t modes[] = { HP_ALLOC_NONE, HP_ALLOC_LIVE + 1, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		made_header(&made)->alloc_mode = modes[i];
		read_model();
		assert_int_equal(model->memory.mode, HP_ALLOC_NONE);
		assert_int_equal(model->memory.bytes, 0);
		assert_int_equal(model->memory.allocated_bytes, 0);
		assert_int_equal(model->memory.live_count, 0);
	}
}

static void rounded_bytes(void **state)
{
	(void)state;
	made_header(&made)->alloc_mode = HP_ALLOC_FREED;
	read_model();
	assert_int_equal(model->memory.bytes, 7800);
	assert_int_equal(model->memory.allocated_bytes, 112 * 78);
	assert_int_equal(model->memory.freed_bytes, 3900);
	assert_int_equal(model->memory.freed_count, 39);
	assert_int_equal(model->memory.live_count, 0);
}

/* ---- places ---- */

/* The second lane freed more than it allocated: that is the first one's. */
static void freed_by_another_lane(void **state)
{
	(void)state;
	made.origins[0]->peak_bytes = 4400;
	read_model();
	assert_int_equal(model->memory.live_count, 3);
	assert_int_equal(live("work")->blocks, 21);
	assert_int_equal(live("work")->bytes, 2100);
	assert_int_equal(live("work")->peak_bytes, 4400);
	assert_int_equal(live("a \"block\"")->bytes, 1000);
	/* The peak is at least the present size. */
	assert_int_equal(live("a \"block\"")->peak_bytes, 1000);
	assert_int_equal(live("<other call sites>")->blocks, 8);
	assert_null(live("<other call sites>")->location);
	assert_int_equal(model->memory.live_bytes, 3900);
	assert_int_equal(model->memory.live_blocks, 39);
	assert_int_equal(model->memory.peak_bytes, 6000);
}

static void more_freed_than_allocated(void **state)
{
	(void)state;
	made.holdings[2]->freed_blocks = 1000;
	made.holdings[2]->freed_bytes = 100000;
	made_header(&made)->peak_bytes = 0;
	read_model();
	assert_int_equal(live("work")->blocks, 0);
	assert_int_equal(live("work")->bytes, 0);
	assert_int_equal(model->memory.live_bytes, 1800);
	assert_int_equal(model->memory.peak_bytes, 1800);
}

/* Places with one name and no location are one. */
static void joined_places(void **state)
{
	(void)state;
	made.origins[1]->site = 2;
	made.origins[1]->peak_bytes = 3000;
	read_model();
	assert_int_equal(model->memory.live_count, 2);
	assert_int_equal(live("work")->blocks, 31);
	assert_int_equal(live("work")->peak_bytes, 5100);
}

/* ---- calls of malloc ---- */

static int compile(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	compiled_write("program.c", "#include <stdlib.h>\n"
				    "void *kept[3];\n"
				    "__attribute__((noinline)) void one(void)\n"
				    "{\n"
				    "	kept[0] = malloc(10);\n"
				    "	kept[1] = malloc(20); kept[2] = malloc(30);\n"
				    "}\n"
				    "int main(void) { one(); return !kept[0]; }\n");
	shell("cc -O1 -g -Wl,--build-id program.c -o program");
	shell("strip -o stripped program");
	return 0;
}

/* The address that the nth call in `one` returns to. */
static uint64_t return_address(unsigned nth)
{
	return strtoull(shell("objdump -d --no-show-raw-insn program | sed -n '/<one>:/,/^$/p' | "
			      "grep -A 1 '<malloc@plt>' | grep -v -e malloc -e '^--' | "
			      "sed -n '%up' | cut -d: -f1",
			      nth),
			NULL, 16);
}

static uint64_t entry_of_one(void)
{
	return strtoull(shell("nm program | awk '$3 == \"one\" { print $1 }'"), NULL, 16);
}

static uint32_t call_in(const char *file, unsigned nth)
{
	struct hp_module *module = made_module(&made, compiled(file), NULL);
	uint64_t address = return_address(nth);

	assert_true(address != 0);
	return made_call(&made, module, address);
}

static void lines_of_calls(void **state)
{
	(void)state;
	made.origins[0]->call = call_in("program", 1);
	made.origins[1]->call = call_in("program", 3);
	read_model();
	assert_non_null(strstr(live("work")->location, "program+0x"));
	assert_non_null(strstr(live("work")->location, " (one)"));
	hp_lines_fill(model);
	assert_string_equal(live("work")->location, "program.c:5");
	assert_string_equal(live("a \"block\"")->location, "program.c:6");
}

/* Origins that differ in their measured function have one stack in the model. One that is not valid is none. */
static void stacks_of_origins(void **state)
{
	(void)state;
	struct hp_module *module = made_module(&made, compiled("program"), NULL);
	const uint64_t frames[] = { hp_frame(HP_FRAME_CODE, 1, return_address(1)),
				    hp_frame(HP_FRAME_CODE, 1, return_address(3)), 0 };

	module->id = 1;
	struct hp_stack *stack = made_stack(&made, made.lanes[0], 0, frames);

	for (unsigned i = 0; i < 2; i++)
		made.origins[i]->stack = made_offset(&made, stack);
	read_model();
	assert_int_equal(model->allocations.stack_count, 1);
	const struct hp_cpu_stack *read = &model->allocations.stacks[0];
	assert_int_equal(read->depth, 2);
	assert_int_equal(read->memory.blocks, 70);
	assert_int_equal(read->memory.bytes, 7000);
	assert_int_equal(read->memory.live_blocks, 31);
	assert_int_equal(read->memory.live_bytes, 3100);
	const struct hp_cpu_frame *first = &model->allocations.frames[read->frames[0]];
	assert_string_equal(first->name, "one");
	assert_true(first->returns);
	assert_int_equal(first->address, return_address(1));
	assert_int_equal(model->allocations.thread_count, 1);
	assert_string_equal(model->allocations.threads[0].name, model->program);
	assert_non_null(strstr(live("work")->location, " (one)"));

	made.origins[0]->stack = 12;
	stack->depth = HP_STACK_DEPTH_MAX + 1;
	read_model();
	assert_int_equal(model->allocations.stack_count, 0);
}

/* Two calls in one line of one function are one place. */
static void calls_in_one_line(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		made.origins[i]->site = 0;
		made.origins[i]->call = call_in("program", 2 + i);
	}
	read_model();
	assert_int_equal(model->memory.live_count, 3);
	assert_null(strchr(live("one")->location, '('));
	hp_lines_fill(model);
	assert_int_equal(model->memory.live_count, 2);
	assert_int_equal(live("one")->blocks, 31);
	assert_string_equal(live("one")->location, "program.c:6");
}

static void without_symbols(void **state)
{
	char place[64], function[64];

	(void)state;
	made.origins[0]->call = call_in("stripped", 1);
	made.origins[1]->site = 0;
	made.origins[1]->call = call_in("stripped", 2);
	read_model();
	hp_lines_fill(model);
	snprintf(place, sizeof(place), "stripped+0x%llx", (unsigned long long)return_address(1));
	assert_string_equal(live("work")->location, place);
	snprintf(place, sizeof(place), "stripped+0x%llx", (unsigned long long)return_address(2));
	/* The function is known by where it begins. */
	snprintf(function, sizeof(function), "stripped+0x%llx", (unsigned long long)entry_of_one());
	assert_string_equal(live(function)->location, place);
	/* No note says that functions of libraries have no name. */
	assert_int_equal(model->note_count, 0);
}

/* Without measured functions, those that call malloc have rows, with all that was allocated. */
static void nothing_measured(void **state)
{
	(void)state;
	forget_calls();
	for (unsigned i = 0; i < 2; i++) {
		made.origins[i]->site = 0;
		made.origins[i]->call = call_in("program", 1 + i);
	}
	made.lanes[0]->bytes += 50;
	made.lanes[0]->blocks += 1;
	read_model();
	assert_false(hp_model_has_calls(model));
	assert_false(hp_model_is_empty(model));
	assert_int_equal(model->function_count, 2);
	assert_int_equal(row("one")->kind, HP_SITE_CALL);
	assert_int_equal(row("one")->alloc.bytes, 7000);
	assert_int_equal(row("one")->alloc.count, 70);
	assert_int_equal(row("one")->alloc.freed_count, 39);
	/* Blocks of no place, and one that could not be followed. */
	assert_int_equal(row("<other call sites>")->alloc.count, 9);
	assert_int_equal(row("<other call sites>")->alloc.bytes, 850);
	assert_rows_are_all();
	hp_lines_fill(model);
	assert_string_equal(row("one")->file, "program.c");
	assert_int_equal(row("one")->line, 3);
}

/* All calls in a function are one row, also when it has no symbol. */
static void nothing_measured_without_symbols(void **state)
{
	char function[64];

	(void)state;
	forget_calls();
	for (unsigned i = 0; i < 2; i++) {
		made.origins[i]->site = 0;
		made.origins[i]->call = call_in("stripped", 1 + i);
	}
	read_model();
	assert_int_equal(model->function_count, 2);
	snprintf(function, sizeof(function), "stripped+0x%llx", (unsigned long long)entry_of_one());
	assert_int_equal(row(function)->alloc.count, 70);
}

static void nothing_measured_nor_followed(void **state)
{
	(void)state;
	forget_calls();
	made_header(&made)->alloc_mode = HP_ALLOC_COUNT;
	made.allocs[3]->bytes = 7800;
	made.allocs[3]->blocks = 78;
	read_model();
	assert_int_equal(model->function_count, 1);
	assert_int_equal(row("program")->alloc.bytes, 7800);
	assert_rows_are_all();
}

/* ---- what the probe costs ---- */

/* 50 blocks of 20 ns, and 20 that were freed of 40 ns. */
static void cost_of_the_probe(void **state)
{
	(void)state;
	forget_calls();
	made_header(&made)->caller = 0;
	read_model();
	uint64_t cost = model->estimated_ns, elapsed = model->own_elapsed_ns;
	made.lanes[0]->alloc_cost = made.lanes[0]->free_cost = 0;
	read_model();
	assert_int_equal(cost - model->estimated_ns, 1800);
	assert_int_equal(model->own_elapsed_ns - elapsed, 1800);
}

/* ---- several processes ---- */

static void merging(void **state)
{
	struct hp_model *merged = calloc(1, sizeof(*merged));

	(void)state;
	read_model();
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hp_model_merge(merged, model), 0);
	hp_model_free(model);
	model = merged;
	assert_int_equal(model->memory.mode, HP_ALLOC_LIVE);
	assert_int_equal(model->memory.bytes, 15600);
	assert_int_equal(model->memory.live_count, 3);
	assert_int_equal(live("work")->blocks, 42);
	assert_int_equal(row("work")->alloc.inclusive_bytes, 12000);
	assert_int_equal(hp_points_calls(&row("work")->alloc.calls[HP_ALLOC_BYTES]), 120);
	assert_rows_are_all();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sums_over_lanes),
		TEST(outside_is_the_callers),
		TEST(outside_is_the_processs),
		TEST(calls_in_progress),
		TEST(owners),
		TEST(recursion),
		TEST(percentiles_with_zeros),
		TEST(one_size_is_exact),
		TEST(other_sessions),
		TEST(not_recorded),
		TEST(rounded_bytes),
		TEST(freed_by_another_lane),
		TEST(more_freed_than_allocated),
		TEST(joined_places),
		TEST(lines_of_calls),
		TEST(stacks_of_origins),
		TEST(calls_in_one_line),
		TEST(without_symbols),
		TEST(nothing_measured),
		TEST(nothing_measured_without_symbols),
		TEST(nothing_measured_nor_followed),
		TEST(cost_of_the_probe),
		TEST(merging),
	};

	return cmocka_run_group_tests(tests, compile, compiled_remove_folder);
}
