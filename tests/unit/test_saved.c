/* SPDX-License-Identifier: MIT */
/* A saved report becomes the model it was made of, and nothing else becomes one. */
#include "report.h"
#include "saved/saved.h"

#include <hotpath/version.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define REPORT "{\"type\":\"hotpath_report\",\"schema\":1,"
#define TREE REPORT "\"call_tree\":{\"data\":[{\"name\":\"f\","
#define ALLOC REPORT "\"functions_alloc\":{\"data\":[{\"name\":\"f\","

static char program[] = "demo \"quoted\" \xc2\xb5";
static char arguments[] = "-v\n--fast";
static char caller[] = "main";
static char work[] = "work";
static char file[] = "src/work.c";

static char module[] = "/bin/demo";
static char *notes[] = { (char[]){ "libfoo.so has no symbols" },
			 (char[]){ "\"quoted\" \xc2\xb5" } };

static struct hp_point points[] = {
	{ 10, 50 },
	{ 20, 40 },
	{ 3000, 9 },
	{ UINT64_C(1) << 62, 1 },
};

static struct hp_point alloc_points[] = { { 0, 20 }, { 64, 50 }, { 1 << 20, 30 } };

static struct hp_function functions[] = {
	{ .name = caller,
	  .kind = HP_SITE_MAIN,
	  .is_caller = true,
	  .calls = 1,
	  .total_ns = UINT64_MAX,
	  .self_ns = 1,
	  .sum_ns = UINT64_MAX,
	  .min_ns = UINT64_MAX,
	  .max_ns = UINT64_MAX },
	{ .name = work,
	  .file = file,
	  .line = 42,
	  .kind = HP_SITE_BLOCK,
	  .module = module,
	  .offset = UINT64_C(0x8000000000001234),
	  .calls = 100,
	  .open = 2,
	  .total_ns = 90000,
	  .self_ns = 80000,
	  .sum_ns = 100000,
	  .min_ns = 9,
	  .max_ns = UINT64_C(1) << 62,
	  .times.items = points,
	  .times.count = sizeof(points) / sizeof(*points),
	  .alloc = { .bytes = 7000,
		     .count = 80,
		     .inclusive_bytes = UINT64_MAX,
		     .inclusive_count = 81,
		     .freed_bytes = 40,
		     .freed_count = 2,
		     .temporary_count = 7,
		     .calls = { { alloc_points, 2 },
				{ alloc_points, 1 },
				{ alloc_points, 3 },
				{ alloc_points, 2 } } },
	  .cpu = { .samples = 70, .inclusive_samples = 90, .alloc_ns = UINT64_MAX } },
};

static struct hp_cpu_module cpu_modules[] = {
	{ .path = module, .build_id = { 0, 0xff, 0x1a }, .build_id_size = 3 },
	{ .path = (char[]){ "[vdso]" } },
};

static struct hp_cpu_thread cpu_threads[] = { { caller, 7, 4194304, 60 },
					      { (char[]){ "" }, 0, 4194304, UINT64_MAX } };

static struct hp_cpu_frame cpu_frames[] = {
	{ HP_FRAME_CODE, 1, UINT64_MAX, false, -1, (char[]){ "f(int) \"q\"" } },
	{ HP_FRAME_SITE, -1, 0, false, 1, work },
	{ HP_FRAME_CODE, 0, 0, true, -1, work },
	{ HP_FRAME_ADDRESS, -1, 0x7f00, false, -1, (char[]){ "0x7f00" } },
};

static struct hp_cpu_stack cpu_stacks[] = { { 1, 3, 60, true, (uint32_t[]){ 0, 1, 2 } },
					    { 0, 1, 8, false, (uint32_t[]){ 3 } },
					    { 0, 0, 2, false, (uint32_t[]){ 0 } } };

static struct hp_cpu_thread wait_thread = { caller, 7, 4194304, 44 };

static struct hp_cpu_frame wait_frames[] = {
	{ HP_FRAME_WAIT, -1, 0, false, -1, (char[]){ "lock \"gate\"" } },
	{ HP_FRAME_SITE, -1, 0, false, 1, work },
	{ HP_FRAME_CODE, 0, 16, true, -1, work },
};

static struct hp_cpu_stack wait_stack = { 0, 3, 43, true, (uint32_t[]){ 0, 1, 2 } };

static struct hp_live live[] = {
	{ .name = work, .location = file, .bytes = 10, .blocks = 2, .peak_bytes = 30 },
	{ .name = work, .location = (char[]){ "work.c:8" }, .peak_bytes = 70 },
	{ .name = (char[]){ "x" }, .bytes = UINT64_MAX, .blocks = 1 },
};

static struct hp_thread threads[] = {
	{ .name = caller,
	  .tid = 7,
	  .pid = 4194304,
	  .state = HP_THREAD_BLOCKED,
	  .threads = 1,
	  .has_times = true,
	  .user_ns = 3000,
	  .system_ns = 0,
	  .cpu_now = 12.5,
	  .cpu_avg = 0,
	  .cpu_max = 1600,
	  .allocated_bytes = 50,
	  .freed_bytes = 90 },
	{ .name = (char[]){ "" },
	  .tid = UINT32_MAX,
	  .pid = 4194304,
	  .threads = 1,
	  .cpu_now = -1,
	  .cpu_avg = -1,
	  .cpu_max = -1,
	  .allocated_bytes = UINT64_MAX },
};

static struct hp_branch branches[] = {
	{ HP_NO_BRANCH, 0, 0, 1, 0, UINT64_MAX, 1 },
	{ 0, 1, 1, 98, 2, 80000, 70000 },
	{ 0, HP_NO_FUNCTION, 1, 2, 0, 30, 20 },
	{ 1, HP_NO_FUNCTION, 2, 5, 0, 10, 10 },
};

static struct hp_model model = {
	.program = program,
	.arguments = arguments,
	.pid = 4194304,
	.processes = 3,
	.caller = caller,
	.elapsed_ns = UINT64_MAX,
	.start_unix_ns = UINT64_C(1794709033717273964),
	.exit = { .running = false, .clean = false, .status = -1, .signal = 9 },
	.span_ns = 12.3,
	.estimated_ns = 2460,
	.dropped = { [HP_COUNTER_abandoned] = 7, [HP_COUNTER_signals] = UINT64_MAX },
	.functions = functions,
	.function_count = sizeof(functions) / sizeof(*functions),
	.notes = notes,
	.note_count = 2,
	.has_tree = true,
	.branches = branches,
	.branch_count = sizeof(branches) / sizeof(*branches),
	.memory = { .mode = HP_ALLOC_LIVE,
		    .bytes = 7000,
		    .count = 80,
		    .allocated_bytes = 7001,
		    .freed_bytes = 90,
		    .freed_count = 2,
		    .live_bytes = 100,
		    .live_blocks = 3,
		    .peak_bytes = 200,
		    .rss_bytes = 4096,
		    .peak_rss_bytes = 8192,
		    .live = live,
		    .live_count = 3 },
	.threads = { .items = threads,
		     .count = 2,
		     .rest = { .threads = 9998,
			       .has_times = true,
			       .user_ns = 9000,
			       .system_ns = UINT64_MAX,
			       .allocated_bytes = 1,
			       .freed_bytes = 2 } },
	.cpu = { .source = HP_CPU_TIMER,
		 .end = HP_CPU_SIGNAL_TAKEN,
		 .rate_hz = 10000,
		 .period_ns = 100000,
		 .total_samples = 100,
		 .attributed_samples = 70,
		 .looks = 30,
		 .outside_alloc_ns = 5,
		 .modules = cpu_modules,
		 .module_count = 2,
		 .threads = cpu_threads,
		 .thread_count = 2,
		 .frames = cpu_frames,
		 .frame_count = 4,
		 .stacks = cpu_stacks,
		 .stack_count = 3 },
	.waits = { .period_ns = 100001,
		   .modules = cpu_modules,
		   .module_count = 2,
		   .threads = &wait_thread,
		   .thread_count = 1,
		   .frames = wait_frames,
		   .frame_count = 3,
		   .stacks = &wait_stack,
		   .stack_count = 1 },
};

static struct hp_text write_report(bool complete, const char *percentiles)
{
	struct hp_text text = HP_TEXT_INIT;
	struct hp_report_options options;
	char problem[256];

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = complete;
	assert_int_equal(hp_report_option_set(&options, "percentiles", percentiles, problem,
					      sizeof(problem)),
			 0);
	hp_report_write(&model, &options, &text);
	assert_false(text.failed);
	return text;
}

static struct hp_saved load(const struct hp_text *text)
{
	struct hp_error error = { "" };
	struct hp_saved saved;

	assert_int_equal(hp_saved_read(text->bytes, text->length, &saved, &error), 0);
	return saved;
}

static const struct hp_function *row(const struct hp_model *loaded, const char *name)
{
	for (size_t i = 0; i < loaded->function_count; i++)
		if (strcmp(loaded->functions[i].name, name) == 0)
			return &loaded->functions[i];
	fail_msg("no row %s", name);
	return NULL;
}

static void assert_same_function(const struct hp_function *a, const struct hp_function *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->file ? a->file : "-", b->file ? b->file : "-");
	assert_int_equal(a->line, b->line);
	assert_string_equal(a->module ? a->module : "-", b->module ? b->module : "-");
	assert_true(a->offset == b->offset);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->is_caller, b->is_caller);
	assert_true(a->calls == b->calls && a->open == b->open);
	assert_true(a->total_ns == b->total_ns && a->self_ns == b->self_ns);
	assert_true(a->sum_ns == b->sum_ns);
	assert_true(a->min_ns == b->min_ns && a->max_ns == b->max_ns);
}

static void test_round_trip(void **state)
{
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	const struct hp_model *loaded = saved.model;

	(void)state;
	assert_true(saved.complete);
	assert_string_equal(loaded->program, program);
	assert_string_equal(loaded->arguments, arguments);
	assert_string_equal(loaded->caller, caller);
	assert_int_equal(loaded->pid, model.pid);
	assert_int_equal(loaded->processes, 3);
	assert_true(loaded->elapsed_ns == UINT64_MAX);
	assert_true(loaded->start_unix_ns == model.start_unix_ns);
	assert_memory_equal(&loaded->exit, &model.exit, sizeof(model.exit));
	assert_true(loaded->span_ns == 12.3 && loaded->estimated_ns == 2460);
	assert_memory_equal(loaded->dropped, model.dropped, sizeof(model.dropped));
	assert_int_equal(loaded->note_count, 2);
	assert_string_equal(loaded->notes[0], notes[0]);
	assert_string_equal(loaded->notes[1], notes[1]);
	assert_int_equal(loaded->function_count, 2);
	assert_same_function(row(loaded, "main"), &functions[0]);
	assert_same_function(row(loaded, "work"), &functions[1]);
	assert_int_equal(row(loaded, "work")->times.count, functions[1].times.count);
	assert_memory_equal(row(loaded, "work")->times.items, points, sizeof(points));
	hp_model_free(saved.model);
	hp_text_free(&text);
}

static void assert_same_memory(const struct hp_memory *a, const struct hp_memory *b)
{
	assert_memory_equal(a, b, offsetof(struct hp_memory, live));
	assert_int_equal(a->live_count, b->live_count);
	for (size_t i = 0; i < a->live_count; i++) {
		assert_string_equal(a->live[i].name, b->live[i].name);
		assert_string_equal(a->live[i].location ? a->live[i].location : "-",
				    b->live[i].location ? b->live[i].location : "-");
		assert_true(a->live[i].bytes == b->live[i].bytes &&
			    a->live[i].blocks == b->live[i].blocks &&
			    a->live[i].peak_bytes == b->live[i].peak_bytes);
	}
}

static void assert_same_thread(const struct hp_thread *a, const struct hp_thread *b)
{
	assert_string_equal(a->name ? a->name : "", b->name ? b->name : "");
	assert_true(a->tid == b->tid && a->pid == b->pid && a->state == b->state);
	assert_true(a->threads == b->threads && a->has_times == b->has_times);
	assert_true(a->user_ns == b->user_ns && a->system_ns == b->system_ns);
	assert_true(a->cpu_now == b->cpu_now && a->cpu_avg == b->cpu_avg);
	assert_true(a->cpu_max == b->cpu_max);
	assert_true(a->allocated_bytes == b->allocated_bytes && a->freed_bytes == b->freed_bytes);
}

static void test_threads(void **state)
{
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	const struct hp_threads *loaded = &saved.model->threads;

	(void)state;
	assert_int_equal(loaded->count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_same_thread(&loaded->items[i], &threads[i]);
	assert_same_thread(&loaded->rest, &model.threads.rest);
	hp_model_free(saved.model);
	hp_text_free(&text);
}

/* Before there were times, threads that had used one lane were a row. */
static void test_old_threads(void **state)
{
	struct hp_saved saved;
	struct hp_error error = { "" };
	const char *old = REPORT
		"\"pid\":5,\"threads\":{\"allocated_bytes\":70,\"freed_bytes\":null,"
		"\"data\":[{\"name\":\"worker\",\"tid\":null,\"threads\":3,"
		"\"allocated_bytes\":70,\"freed_bytes\":null}]}}";

	(void)state;
	assert_int_equal(hp_saved_read(old, strlen(old), &saved, &error), 0);
	assert_int_equal(saved.model->memory.mode, HP_ALLOC_COUNT);
	assert_int_equal(saved.model->threads.count, 1);
	assert_int_equal(saved.model->threads.items[0].threads, 3);
	assert_int_equal(saved.model->threads.items[0].pid, 5);
	assert_int_equal(saved.model->threads.items[0].state, HP_THREAD_UNKNOWN);
	assert_true(saved.model->threads.items[0].cpu_now < 0);
	assert_int_equal(saved.model->threads.rest.threads, 0);
	hp_model_free(saved.model);
}

static void test_memory(void **state)
{
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	const struct hp_alloc_figures *alloc = &row(saved.model, "work")->alloc;

	(void)state;
	assert_true(saved.complete);
	assert_same_memory(&saved.model->memory, &model.memory);
	assert_memory_equal(alloc, &functions[1].alloc, offsetof(struct hp_alloc_figures, calls));
	for (unsigned i = 0; i < HP_ALLOC_HISTOGRAMS; i++) {
		size_t count = functions[1].alloc.calls[i].count;
		assert_int_equal(alloc->calls[i].count, count);
		assert_memory_equal(alloc->calls[i].items, alloc_points,
				    count * sizeof(*alloc_points));
	}
	hp_model_free(saved.model);
	hp_text_free(&text);
}

static void assert_same_frame(const struct hp_model *loaded, size_t nth)
{
	const struct hp_cpu_frame *a = &loaded->cpu.frames[nth], *b = &cpu_frames[nth];

	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->module, b->module);
	assert_true(a->address == b->address && a->returns == b->returns);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->function >= 0, b->function >= 0);
	if (a->function >= 0)
		assert_same_function(&loaded->functions[a->function], &functions[b->function]);
}

static void test_cpu(void **state)
{
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	const struct hp_cpu *cpu = &saved.model->cpu;

	(void)state;
	assert_memory_equal(cpu, &model.cpu, offsetof(struct hp_cpu, modules));
	assert_memory_equal(&row(saved.model, "work")->cpu, &functions[1].cpu,
			    sizeof(functions[1].cpu));
	assert_int_equal(cpu->module_count, 2);
	assert_string_equal(cpu->modules[1].path, "[vdso]");
	assert_int_equal(cpu->modules[0].build_id_size, 3);
	assert_memory_equal(cpu->modules[0].build_id, cpu_modules[0].build_id, HP_BUILD_ID_MAX);
	assert_int_equal(cpu->thread_count, 2);
	assert_int_equal(cpu->threads[0].tid, 7);
	assert_true(cpu->threads[1].samples == UINT64_MAX);
	assert_int_equal(cpu->frame_count, 4);
	for (size_t i = 0; i < cpu->frame_count; i++)
		assert_same_frame(saved.model, i);
	assert_int_equal(cpu->stack_count, 3);
	assert_int_equal(cpu->stacks[0].depth, 3);
	assert_memory_equal(cpu->stacks[0].frames, cpu_stacks[0].frames, 3 * sizeof(uint32_t));
	assert_true(cpu->stacks[0].whole && !cpu->stacks[1].whole);
	assert_int_equal(cpu->stacks[0].thread, 1);
	assert_int_equal(cpu->stacks[1].samples, 8);
	hp_model_free(saved.model);
	hp_text_free(&text);
}

static void test_waits(void **state)
{
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	const struct hp_cpu *waits = &saved.model->waits;

	(void)state;
	assert_int_equal(waits->period_ns, 100001);
	assert_int_equal(waits->total_samples, 44);
	assert_int_equal(waits->frame_count, 3);
	assert_int_equal(waits->frames[0].kind, HP_FRAME_WAIT);
	assert_string_equal(waits->frames[0].name, "lock \"gate\"");
	assert_int_equal(waits->frames[0].address, hp_cpu_wait_address("lock \"gate\""));
	assert_true(waits->frames[1].function >= 0 && waits->frames[2].returns);
	assert_int_equal(waits->stack_count, 1);
	assert_int_equal(waits->stacks[0].samples, 43);
	assert_memory_equal(waits->stacks[0].frames, wait_stack.frames, 3 * sizeof(uint32_t));
	hp_model_free(saved.model);
	hp_text_free(&text);
}

/* What was not recorded stays so. */
static void test_modes(void **state)
{
	struct hp_model original = model;

	(void)state;
	for (unsigned mode = HP_ALLOC_NONE; mode < HP_ALLOC_LIVE; mode++) {
		model.memory.mode = (enum hp_alloc_mode)mode;
		struct hp_text text = write_report(true, "95");
		struct hp_saved saved = load(&text);
		assert_int_equal(saved.model->memory.mode, mode);
		assert_int_equal(saved.model->memory.live_count, 0);
		assert_int_equal(saved.model->threads.count, 2);
		hp_model_free(saved.model);
		hp_text_free(&text);
	}
	model = original;
}

/* Without histograms, there are the percentiles that were shown. */
static void test_plain_memory(void **state)
{
	struct hp_text text = write_report(false, "10,50,90");
	struct hp_saved saved = load(&text);
	const struct hp_function *function = row(saved.model, "work");

	(void)state;
	assert_false(saved.complete);
	assert_false(saved.alloc_cumulative);
	for (unsigned i = 0; i < saved.known.count; i++)
		assert_int_equal(hp_alloc_percentile(&function->alloc, function->calls,
						     HP_ALLOC_BYTES, saved.known.items[i]),
				 hp_alloc_percentile(&functions[1].alloc, functions[1].calls,
						     HP_ALLOC_BYTES, saved.known.items[i]));
	assert_true(function->alloc.bytes == 7000 && function->alloc.temporary_count == 7);
	hp_model_free(saved.model);
	hp_text_free(&text);
}

/* Rows of the allocating functions alone, and places that are the same. */
static void test_sparse_memory(void **state)
{
	static const char text[] = ALLOC
		"\"kind\":\"call\",\"calls\":5,\"bytes\":9,\"count\":5},"
		"{\"name\":\"g\",\"calls\":2,\"p50_bytes\":3,\"p50_count\":1},"
		"{\"name\":\"g\",\"bytes\":4,\"p50_bytes\":3,\"p50_count\":1}],"
		"\"percentiles\":[50],\"cumulative\":true},"
		"\"memory_live\":{\"data\":[{\"name\":\"f\",\"blocks\":2},"
		"{\"name\":\"f\",\"blocks\":3}]}}";
	struct hp_error error = { "" };
	struct hp_saved saved;

	(void)state;
	assert_int_equal(hp_saved_read(text, strlen(text), &saved, &error), 0);
	assert_true(saved.alloc_cumulative);
	assert_int_equal(saved.known.count, 1);
	assert_int_equal(row(saved.model, "f")->calls, 0);
	assert_int_equal(row(saved.model, "f")->alloc.count, 5);
	assert_int_equal(row(saved.model, "g")->calls, 2);
	assert_int_equal(row(saved.model, "g")->alloc.bytes, 4);
	assert_int_equal(saved.model->memory.live_count, 1);
	assert_int_equal(saved.model->memory.live[0].blocks, 5);
	hp_model_free(saved.model);
}

/* Which branch a function has under a parent. */
static int32_t find_branch(const struct hp_model *loaded, int32_t parent, int32_t function)
{
	for (size_t i = 0; i < loaded->branch_count; i++)
		if (loaded->branches[i].parent == parent &&
		    loaded->branches[i].function == function)
			return (int32_t)i;
	fail_msg("no branch of %d under %d", function, parent);
	return 0;
}

static void test_tree(void **state)
{
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	const struct hp_model *loaded = saved.model;
	int32_t places[4];

	(void)state;
	assert_true(loaded->has_tree);
	assert_int_equal(loaded->branch_count, 4);
	for (size_t i = 0; i < 4; i++) {
		int32_t parent = branches[i].parent, function = branches[i].function;
		if (function != HP_NO_FUNCTION)
			function = (int32_t)(row(loaded, functions[function].name) -
					     loaded->functions);
		places[i] = find_branch(loaded, parent < 0 ? parent : places[parent], function);
		struct hp_branch found = loaded->branches[places[i]];
		found.parent = parent;
		found.function = branches[i].function;
		assert_memory_equal(&found, &branches[i], offsetof(struct hp_branch, calls));
		assert_true(found.calls == branches[i].calls && found.open == branches[i].open);
		assert_true(found.total_ns == branches[i].total_ns);
		assert_true(found.self_ns == branches[i].self_ns);
	}
	hp_model_free(saved.model);
	hp_text_free(&text);
}

/* The rows of a plain report are not all there are. */
static void test_tree_of_unknown_functions(void **state)
{
	static const char text[] = TREE "\"calls\":3,\"total_ns\":5,\"children\":["
					"{\"name\":\"g\",\"total_ns\":4},"
					"{\"name\":\"f\",\"self_ns\":4},"
					"{\"name\":\"g\",\"kind\":\"block\",\"total_ns\":3}]}]}}";
	struct hp_error error = { "" };
	struct hp_saved saved;

	(void)state;
	assert_int_equal(hp_saved_read(text, strlen(text), &saved, &error), 0);
	assert_int_equal(saved.model->function_count, 3);
	assert_int_equal(saved.model->functions[0].calls, 0);
	assert_int_equal(saved.model->branch_count, 3);
	assert_int_equal(saved.model->branches[0].total_ns, 7);
	assert_int_equal(saved.model->branches[0].self_ns, 4);
	hp_model_free(saved.model);
}

static void test_saved_again_is_the_same(void **state)
{
	struct hp_text first = write_report(true, "50,99.9");
	struct hp_saved saved = load(&first);
	struct hp_model original = model;

	(void)state;
	model = *saved.model;
	struct hp_text second = write_report(true, "50,99.9");
	model = original;
	assert_string_equal(first.bytes, second.bytes);
	hp_model_free(saved.model);
	hp_text_free(&first);
	hp_text_free(&second);
}

/* Without histograms, the percentiles that were written down are what they were. */
static void test_plain_report(void **state)
{
	static const double percents[] = { 0, 0.1, 50, 90, 99, 99.9, 100 };
	struct hp_text text = write_report(false, "0,0.1,50,90,99,99.9,100");
	struct hp_saved saved = load(&text);

	(void)state;
	assert_false(saved.complete);
	assert_int_equal(saved.known.count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_true(saved.known.items[i] == percents[i]);
		assert_true(hp_function_percentile(row(saved.model, "work"), percents[i]) ==
			    hp_function_percentile(&functions[1], percents[i]));
	}
	assert_same_function(row(saved.model, "work"), &functions[1]);
	hp_model_free(saved.model);
	hp_text_free(&text);
}

/* Whatever the number of calls, the ranks are those the percentiles were computed with. */
static void test_plain_ranks(void **state)
{
	(void)state;
	for (uint64_t calls = 1; calls < 300; calls++) {
		struct hp_point spread[300];
		struct hp_function original = functions[1];
		for (uint64_t i = 0; i < calls; i++)
			spread[i] = (struct hp_point){ 100 + i, 1 };
		functions[1].calls = functions[1].times.count = calls;
		functions[1].times.items = spread;
		functions[1].min_ns = 100;
		functions[1].max_ns = 99 + calls;

		struct hp_text text = write_report(false, "1,33.3,50,95,99,99.9");
		struct hp_saved saved = load(&text);
		for (unsigned i = 0; i < saved.known.count; i++)
			assert_int_equal(
				hp_function_percentile(row(saved.model, "work"),
						       saved.known.items[i]),
				hp_function_percentile(&functions[1], saved.known.items[i]));
		hp_model_free(saved.model);
		hp_text_free(&text);
		functions[1] = original;
	}
}

/* Every beginning of a report is refused or read, and never more than is there. */
static void test_truncated(void **state)
{
	struct hp_text text = write_report(true, "95");

	(void)state;
	for (size_t size = 0; size < text.length - 1; size++) {
		struct hp_error error = { "" };
		struct hp_saved saved;
		char *copy = malloc(size ? size : 1);
		memcpy(copy, text.bytes, size);
		assert_int_equal(hp_saved_read(copy, size, &saved, &error), -EINVAL);
		free(copy);
	}
	hp_text_free(&text);
}

/* A newer form is read as far as it is known; who must know all of it asks. */
static void test_schema(void **state)
{
	static const char newer[] = "{\"type\":\"hotpath_report\",\"schema\":18446744073709551615,"
				    "\"version\":\"9.9\",\"pid\":7,\"later\":1}";
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	struct hp_error error = { "" };

	(void)state;
	assert_int_equal(saved.schema, HP_SAVED_SCHEMA);
	assert_string_equal(saved.version, HOTPATH_VERSION);
	assert_int_equal(hp_saved_check_schema(&saved, &error), 0);
	hp_model_free(saved.model);
	hp_text_free(&text);

	assert_int_equal(hp_saved_read(newer, strlen(newer), &saved, &error), 0);
	assert_true(saved.schema == UINT64_MAX);
	assert_string_equal(saved.version, "9.9");
	assert_int_equal(saved.model->pid, 7);
	assert_int_equal(hp_saved_check_schema(&saved, &error), -ENOTSUP);
	assert_non_null(strstr(error.text, "schema 18446744073709551615; this hotpath reads 1"));
	hp_model_free(saved.model);
}

/* It is there if whoever wrote the report knew it; words that are too long are cut. */
static void test_machine(void **state)
{
	static const char long_words[] = REPORT
		"\"machine\":{\"arch\":\"0123456789abcdefgh\",\"cpu\":null,\"cores\":4294967295}}";
	static const struct hp_machine known = { "x86_64", "Fast (R) \"9\" @ 4 GHz", "6.1", 8 };
	struct hp_report_options options;
	struct hp_text text = write_report(true, "95");
	struct hp_saved saved = load(&text);
	struct hp_error error = { "" };

	(void)state;
	assert_null(strstr(text.bytes, "\"machine\""));
	assert_string_equal(saved.model->machine.arch, "");
	hp_model_free(saved.model);
	hp_text_free(&text);

	hp_report_options_init(&options);
	options.format = HP_FORMAT_JSON;
	options.complete = true;
	model.machine = known;
	hp_report_write(&model, &options, &text);
	model.machine = (struct hp_machine){ 0 };
	saved = load(&text);
	assert_memory_equal(&saved.model->machine, &known, sizeof(known));
	hp_model_free(saved.model);
	hp_text_free(&text);

	assert_int_equal(hp_saved_read(long_words, strlen(long_words), &saved, &error), 0);
	assert_string_equal(saved.model->machine.arch, "0123456789abcde");
	assert_string_equal(saved.model->machine.cpu, "");
	assert_true(saved.model->machine.cores == UINT32_MAX);
	hp_model_free(saved.model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_old_threads),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(test_plain_memory),
		cmocka_unit_test(test_sparse_memory),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_tree_of_unknown_functions),
		cmocka_unit_test(test_saved_again_is_the_same),
		cmocka_unit_test(test_plain_report),
		cmocka_unit_test(test_plain_ranks),
		cmocka_unit_test(test_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
