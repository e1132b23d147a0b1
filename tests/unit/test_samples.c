/* SPDX-License-Identifier: MIT */
/* Samples of lanes become CPU time of functions and threads, and stacks of named frames. */
#include "compiled.h"
#include "read_model.h"

#include "elf_file.h"
#include "names/module_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/auxv.h>

/* A program that was compiled, and where its functions begin. */
static struct hp_module *program;
static uint64_t leaf, caller, start;

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	compiled_write(
		"program.c",
		"int __attribute__((noinline)) leaf(int a) { return a * 3 / (a + 1); }\n"
		"int __attribute__((noinline)) caller(int a) { return leaf(a) + leaf(a + 1); }\n"
		"int main(int c, char **v) { (void)v; return caller(c) == 4; }\n");
	shell("cc -O1 -g -fno-omit-frame-pointer -Wl,--build-id program.c -o program");
	shell("cp program stripped && strip stripped");
	return 0;
}

static uint64_t address_of(const char *name)
{
	const char *text = shell("nm program | awk '$3 == \"%s\" { print $1; exit }'", name);
	uint64_t address = strtoull(text, NULL, 16);

	assert_true(address != 0);
	return address;
}

static struct hp_module *module_of(const char *path, uint32_t id)
{
	struct hp_module *module = made_module(&made, path, NULL);

	module->id = id;
	return module;
}

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_samples(&made);
	program = module_of(compiled("program"), 2);
	leaf = address_of("leaf");
	caller = address_of("caller");
	start = address_of("main");
	return 0;
}

static void assert_cpu(const char *name, uint64_t samples, uint64_t inclusive)
{
	assert_int_equal(row(name)->cpu.samples, samples);
	assert_int_equal(row(name)->cpu.inclusive_samples, inclusive);
}

/* The names of a stack's frames, innermost first: "leaf < caller"; measured ones are in brackets. */
static const char *path_in(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	static char text[512];
	size_t length = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < stack->depth; i++) {
		const struct hp_cpu_frame *frame = &cpu->frames[stack->frames[i]];
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   frame->kind == HP_FRAME_SITE ? "%s[%s]" : "%s%s",
					   i ? " < " : "", frame->name);
	}
	return text;
}

static const char *path_of(const struct hp_cpu_stack *stack)
{
	return path_in(&model->cpu, stack);
}

/* The stack that was seen in the first lane, and no other. */
static void only_stack(uint64_t samples, const uint64_t *frames)
{
	made.lanes[0]->stacks = made.lanes[1]->stacks = 0;
	made_stack(&made, made.lanes[0], samples, frames);
	read_model();
	assert_int_equal(model->cpu.stack_count, 1);
}

static void assert_path(const uint64_t *frames, const char *expected)
{
	only_stack(1, frames);
	assert_string_equal(path_of(&model->cpu.stacks[0]), expected);
}

#define CODE(address) hp_frame(HP_FRAME_CODE, 2, address)
#define LINK(address) hp_frame(HP_FRAME_LINK, 2, address)
#define STACK(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

/* ---- figures ---- */

static void of_functions(void **state)
{
	(void)state;
	read_model();
	assert_cpu("work", 100, 120);
	assert_cpu("a \"block\"", 20, 20);
	/* Nobody else is open around what its thread does outside of functions. */
	assert_cpu("main", 10, 100);
	assert_int_equal(row("work")->cpu.alloc_ns, 10 * 1000000);
}

/* The handler of the sampling signal is a part of what the profiler costs. */
static void of_the_profiler(void **state)
{
	(void)state;
	made_header(&made)->end_ticks += made_header(&made)->ticks_per_second;
	read_model();
	uint64_t before = model->estimated_ns;
	made.lanes[0]->look_ticks = made_header(&made)->ticks_per_second / 1000;
	read_model();
	assert_int_equal(model->estimated_ns - before, 1000000);
}

static void of_the_process(void **state)
{
	(void)state;
	made_header(&made)->cpu_unseen_ns = 7500000;
	read_model();
	assert_int_equal(model->cpu.source, HP_CPU_PERF);
	assert_int_equal(model->cpu.rate_hz, 1000);
	assert_int_equal(model->cpu.period_ns, 1000000);
	assert_int_equal(model->cpu.total_samples, 157);
	assert_int_equal(model->cpu.attributed_samples, 130);
	assert_int_equal(model->cpu.looks, 130);
}

/* What no sample stands for, by where it was. */
static void unseen(uint32_t source, uint64_t system_ms, uint64_t kernel, uint64_t loading)
{
	struct hp_header *header = made_header(&made);

	header->cpu_source = source;
	header->cpu_unseen_ns = 50000000;
	header->cpu_loading_ns = 10000000;
	header->cpu_system_ns = system_ms * 1000000;
	read_model();
	assert_int_equal(model->cpu.total_samples, 200);
	assert_int_equal(model->cpu.kernel_samples, kernel);
	assert_int_equal(model->cpu.loading_samples, loading);
}

static void without_samples(void **state)
{
	(void)state;
	/* Events leave over what was in the kernel; timers a part of everything. */
	unseen(HP_CPU_PERF, 100, 40, 10);
	unseen(HP_CPU_PERF, 30, 30, 10);
	unseen(HP_CPU_PERF, 0, 0, 10);
	unseen(HP_CPU_TIMER, 100, 20, 10);
	/* What cannot be is no more than there is. */
	unseen(HP_CPU_TIMER, UINT64_MAX / 1000000, 40, 10);
	made_header(&made)->cpu_unseen_ns = 7500000;
	read_model();
	assert_int_equal(model->cpu.loading_samples, 7);
	assert_int_equal(model->cpu.kernel_samples, 0);
}

static void of_threads(void **state)
{
	(void)state;
	read_model();
	assert_int_equal(model->cpu.thread_count, 2);
	assert_int_equal(model->cpu.threads[0].tid, 101);
	assert_int_equal(model->cpu.threads[0].pid, 1);
	assert_int_equal(model->cpu.threads[0].samples, 50);
	assert_string_equal(model->cpu.threads[0].name, "thread");
	/* A thread can have two lanes; threads that have ended are not one because of that. */
	made.lanes[1]->tid = made.lanes[0]->tid;
	read_model();
	assert_int_equal(model->cpu.thread_count, 1);
	assert_int_equal(model->cpu.threads[0].samples, 150);
	made.lanes[1]->tid = made.lanes[0]->tid = 0;
	read_model();
	assert_int_equal(model->cpu.thread_count, 2);
}

static void of_the_past(void **state)
{
	(void)state;
	made.lanes[0]->session = 7;
	read_model();
	assert_int_equal(model->cpu.total_samples, 50);
	assert_int_equal(model->cpu.stack_count, 1);
}

static void without_sampling(void **state)
{
	(void)state;
	made_segment(&made);
	read_model();
	assert_false(hp_cpu_was_asked_for(&model->cpu));
	made.lanes[0]->stats = made.lanes[1]->stats = 0;
	read_model();
	assert_true(hp_model_is_empty(model));
	made_header(&made)->cpu_end = HP_CPU_REFUSED;
	read_model();
	assert_false(hp_model_is_empty(model));
}

static void without_calls(void **state)
{
	(void)state;
	made.lanes[0]->stats = made.lanes[1]->stats = 0;
	read_model();
	assert_false(hp_model_is_empty(model));
	assert_int_equal(model->cpu.attributed_samples, 0);
	assert_int_equal(model->cpu.total_samples, 150);
	/* Sites that have no row are not in the stacks either. */
	for (size_t i = 0; i < model->cpu.frame_count; i++)
		assert_int_not_equal(model->cpu.frames[i].kind, HP_FRAME_SITE);
}

/* ---- stacks ---- */

static void named_by_symbol(void **state)
{
	(void)state;
	assert_path(STACK(CODE(leaf + 4), CODE(caller + 8), CODE(start + 8)),
		    "leaf < caller < main");
	const struct hp_cpu *cpu = &model->cpu;
	assert_int_equal(cpu->module_count, 1);
	assert_string_equal(cpu->modules[0].path, compiled("program"));
	assert_false(cpu->frames[0].returns);
	assert_true(cpu->frames[1].returns);
	assert_int_equal(cpu->frames[1].address, caller + 8);
	assert_int_equal(cpu->frames[1].module, 0);
}

/* A call can be the last instruction of its function: where it returns to is in the next one. */
static void named_by_the_call(void **state)
{
	(void)state;
	assert_path(STACK(CODE(leaf), CODE(caller)), "leaf < leaf");
	assert_path(STACK(CODE(caller), CODE(caller)), "caller < leaf");
}

static void without_symbols(void **state)
{
	(void)state;
	module_of(compiled("stripped"), 3);
	assert_path(STACK(hp_frame(HP_FRAME_CODE, 3, 0x10), hp_frame(HP_FRAME_CODE, 3, 0x14)),
		    "stripped+0x10 < stripped+0x14");
	/* All of a function has one name, if the file tells where it begins. */
	char expected[64];
	snprintf(expected, sizeof(expected), "stripped+0x%llx < stripped+0x%llx",
		 (unsigned long long)leaf, (unsigned long long)caller);
	assert_path(
		STACK(hp_frame(HP_FRAME_CODE, 3, leaf + 4), hp_frame(HP_FRAME_LINK, 3, caller + 8)),
		expected);
	assert_int_equal(model->cpu.frames[0].address, leaf + 4);
	assert_path(STACK(hp_frame(HP_FRAME_ADDRESS, 0, 0x7f0012345678)), HP_CPU_GENERATED);
	/* Of a module that nobody has heard of, it is no more than an address. */
	assert_path(STACK(hp_frame(HP_FRAME_CODE, 9, 0x1234)), HP_CPU_GENERATED);
	assert_int_equal(model->cpu.frames[0].kind, HP_FRAME_ADDRESS);
	assert_int_equal(model->cpu.frames[0].module, HP_CPU_NOT_KNOWN);
}

/* As it is in our own memory: a function that every kernel's has. */
static void named_in_the_vdso(void **state)
{
	const unsigned char *bytes = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct hp_symbol symbol = { NULL, 0, 0, 0 };
	struct hp_elf elf;
	uint64_t address = 0;
	char name[64];

	(void)state;
	if (!bytes || hp_elf_view(&elf, bytes, 8192))
		skip();
	while (address < 8192 && !hp_elf_function_at(&elf, address, &symbol))
		address += 4;
	assert_non_null(symbol.name);
	struct hp_module *module = module_of("[vdso]", 3);
	only_stack(1, STACK(hp_frame(HP_FRAME_CODE, 3, address)));
	const char *path = path_of(&model->cpu.stacks[0]), *of = strstr(path, "@vdso");
	assert_non_null(of);
	assert_string_equal(of, "@vdso");
	/* Of several names, the one that programs call. */
	snprintf(name, sizeof(name), "%.*s", (int)(of - path), path);
	assert_non_null(strstr(symbol.name, name));
	/* That of another kernel has other symbols. */
	module->build_id_size = 4;
	read_model();
	assert_ptr_equal(strstr(path_of(&model->cpu.stacks[0]), "[vdso]+0x"),
			 path_of(&model->cpu.stacks[0]));
}

static void measured_functions(void **state)
{
	(void)state;
	assert_path(STACK(hp_frame(HP_FRAME_SITE, 0, 3), CODE(leaf), hp_frame(HP_FRAME_SITE, 0, 2),
			  CODE(caller + 8)),
		    "[a \"block\"] < leaf < [work] < caller");
	assert_int_equal(model->cpu.frames[0].function, row("a \"block\"") - model->functions);
	assert_int_equal(model->cpu.frames[1].function, HP_CPU_NOT_KNOWN);
	/* What was executed is the first frame of code, wherever it stands. */
	assert_false(model->cpu.frames[1].returns);
	assert_path(STACK(hp_frame(HP_FRAME_SITE, 0, 4000), CODE(leaf)), "leaf");
}

/* A function that is measured twice has one row, and one frame. */
static void twins(void **state)
{
	(void)state;
	uint32_t id = made_address(&made, program, leaf);
	made.sites[2].name = made_string(&made, "leaf");
	made.sites[2].twin = id;
	((struct hp_stat *)(void *)(made.bytes + made.lanes[0]->stats))->samples = 5;
	((struct hp_stat *)(void *)(made.bytes + made.lanes[0]->stats))->inclusive_samples = 125;
	assert_path(
		STACK(hp_frame(HP_FRAME_SITE, 0, 2), hp_frame(HP_FRAME_SITE, 0, id), CODE(leaf)),
		"[leaf] < leaf");
	assert_cpu("leaf", 105, 125);
}

/* ---- link registers ---- */

static void a_link_is_the_caller(void **state)
{
	(void)state;
	assert_path(STACK(CODE(leaf + 4), LINK(caller + 8), CODE(start + 8)),
		    "leaf < caller < main");
	assert_int_equal(model->cpu.frames[1].kind, HP_FRAME_CODE);
	assert_true(model->cpu.frames[1].returns);
	/* In another file it is another function, whatever the symbols are. */
	assert_path(STACK(hp_frame(HP_FRAME_ADDRESS, 0, 0x7f000000), LINK(caller + 8)),
		    HP_CPU_GENERATED " < caller");
}

static void a_link_is_no_caller(void **state)
{
	(void)state;
	/* The function has called another since. */
	assert_path(STACK(CODE(caller + 12), LINK(caller + 8), CODE(start + 8)), "caller < main");
	/* It is in its frame already. */
	assert_path(STACK(CODE(leaf + 4), LINK(caller + 8), CODE(caller + 8)), "leaf < caller");
	/* Nobody knows where functions begin. */
	module_of(compiled("stripped"), 3);
	assert_path(STACK(hp_frame(HP_FRAME_CODE, 3, 0x10), hp_frame(HP_FRAME_LINK, 3, 0x20)),
		    "stripped+0x10");
	assert_int_equal(model->cpu.frame_count, 1);
	/* There is one such register. */
	assert_path(STACK(CODE(leaf + 4), LINK(caller + 8), LINK(start + 8)),
		    "leaf < caller < main");
	/* There is nothing that it could be the caller of. */
	assert_path(STACK(LINK(caller + 8), CODE(start + 8)), "main");
}

/* Whether a measured call is open in the first frame or in its caller, the link tells. */
static void measured_calls_around_a_link(void **state)
{
	const uint64_t open = hp_frame(HP_FRAME_SITE, 0, 2);

	(void)state;
	assert_path(STACK(open, CODE(leaf + 4), LINK(caller + 8), CODE(start + 8)),
		    "leaf < [work] < caller < main");
	assert_path(STACK(CODE(leaf + 4), open, LINK(caller + 8), CODE(start + 8)),
		    "leaf < [work] < caller < main");
	assert_path(STACK(open, CODE(caller + 12), LINK(caller + 8), CODE(start + 8)),
		    "[work] < caller < main");
	assert_path(STACK(CODE(caller + 12), open, LINK(caller + 8), CODE(start + 8)),
		    "[work] < caller < main");
	assert_path(STACK(CODE(caller + 12), open, CODE(start + 8)), "caller < [work] < main");
#if defined(__x86_64__)
	/* What is on top of the stack of a function with a frame is no caller, whether it is code or not. */
	assert_path(STACK(CODE(caller + 12), open, LINK(leaf + 4), CODE(start + 8)),
		    "[work] < caller < main");
	assert_path(STACK(CODE(caller + 12), open, hp_frame(HP_FRAME_LINK, 0, 0), CODE(start + 8)),
		    "[work] < caller < main");
	/* Just before it has one, its caller is not to be seen. */
	assert_path(STACK(CODE(caller + 1), open, hp_frame(HP_FRAME_LINK, 0, 0), CODE(start + 8)),
		    "caller < [work] < main");
	assert_false(model->cpu.stacks[0].whole);
#endif
}

/* Stacks that differ by what is left out are one; those of another thread are not. */
static void equal_stacks_are_one(void **state)
{
	(void)state;
	only_stack(1, STACK(CODE(caller + 12), LINK(caller + 4)));
	made_stack(&made, made.lanes[0], 2, STACK(CODE(caller + 12), LINK(caller + 8)));
	made_stack(&made, made.lanes[1], 4, STACK(CODE(caller + 12), LINK(caller + 8)));
	read_model();
	assert_int_equal(model->cpu.stack_count, 2);
	assert_int_equal(model->cpu.stacks[0].samples, 4);
	assert_int_equal(model->cpu.stacks[1].samples, 3);
	assert_int_equal(model->cpu.stacks[1].thread, 1);
	assert_int_equal(model->cpu.frame_count, 1);
}

/* ---- whole or not ---- */

static void assert_whole(const uint64_t *frames, enum hp_stack_end end_of, bool whole)
{
	made.lanes[0]->stacks = made.lanes[1]->stacks = 0;
	made_stack(&made, made.lanes[0], 1, frames)->end = end_of;
	read_model();
	assert_int_equal(model->cpu.stacks[0].whole, whole);
}

static void whole_stacks(void **state)
{
	(void)state;
	assert_whole(STACK(CODE(leaf + 4), CODE(caller + 8)), HP_STACK_WHOLE, true);
	assert_whole(STACK(CODE(leaf + 4), CODE(caller + 8)), HP_STACK_BROKEN, false);
	assert_whole(STACK(CODE(leaf + 4), CODE(caller + 8)), HP_STACK_DEEP, false);
	assert_whole(STACK(CODE(leaf + 4), CODE(start + 8)), HP_STACK_BROKEN, true);
	assert_whole(STACK(CODE(leaf + 4), CODE(start + 8), hp_frame(HP_FRAME_SITE, 0, 2)),
		     HP_STACK_BROKEN, true);
	/* A measured main is not the code of main. */
	assert_whole(STACK(CODE(leaf + 4), hp_frame(HP_FRAME_SITE, 0, 1), CODE(caller + 8)),
		     HP_STACK_BROKEN, false);
}

/* ---- damage, and several processes ---- */

static void damaged(void **state)
{
	(void)state;
	only_stack(1, STACK(CODE(leaf)));
	struct hp_stack *stack = (void *)(made.bytes + made.lanes[0]->stacks);
	stack->next = made.lanes[0]->stacks;
	read_model();
	assert_int_equal(model->cpu.stack_count, 1);
	stack->depth = HP_STACK_DEPTH_MAX + 1;
	read_model();
	assert_int_equal(model->cpu.stack_count, 0);
	stack->depth = 1;
	program->id = 70000;
	read_model();
	assert_int_equal(model->cpu.stack_count, 1);
	program->next = made_offset(&made, program);
	made_header(&made)->cpu_source = 77;
	read_model();
	assert_int_equal(model->cpu.source, HP_CPU_NONE);
}

static void merging(void **state)
{
	struct hp_model *merged = calloc(1, sizeof(*merged));

	(void)state;
	made_stack(&made, made.lanes[0], 3, STACK(CODE(leaf + 4), CODE(caller + 8)));
	read_model();
	size_t frames = model->cpu.frame_count, stacks = model->cpu.stack_count;
	assert_int_equal(hp_model_merge(merged, model), 0);
	assert_int_equal(hp_model_merge(merged, model), 0);
	assert_int_equal(merged->cpu.total_samples, 300);
	assert_int_equal(merged->cpu.attributed_samples, 260);
	assert_int_equal(merged->cpu.period_ns, 1000000);
	assert_int_equal(merged->cpu.frame_count, frames);
	assert_int_equal(merged->cpu.stack_count, 2 * stacks);
	assert_int_equal(merged->cpu.thread_count, 4);
	assert_int_equal(merged->cpu.module_count, 2);
	assert_int_equal(merged->cpu.stacks[stacks].thread, model->cpu.stacks[0].thread + 2);
	hp_model_free(model);
	model = merged;
	assert_cpu("work", 200, 240);
	assert_string_equal(path_of(&model->cpu.stacks[stacks + 1]), "leaf < caller");
}

/* ---- waits ---- */

#define WAIT(reason, site) hp_frame(HP_FRAME_WAIT, HP_REASON_##reason, site)

/* What a stack of a wait says; frames of code are return addresses, also the first. */
static void stacks_of_waits(void **state)
{
	const struct hp_cpu *waits;

	(void)state;
	made_wait(&made, made.lanes[0], 30,
		  STACK(WAIT(SLEEP, 0), CODE(caller + 20), CODE(start + 12)));
	made_wait(&made, made.lanes[0], 5, STACK(WAIT(LOCK, 2), hp_frame(HP_FRAME_SITE, 0, 3)));
	made_wait(&made, made.lanes[1], 10, STACK(WAIT(NONE, 9999), CODE(leaf + 4)));
	/* Of two there is no stack. */
	made.lanes[1]->waited.samples += 2;
	read_model();
	waits = &model->waits;
	assert_int_equal(waits->period_ns, 100000);
	assert_int_equal(waits->total_samples, 47);
	assert_int_equal(waits->thread_count, 2);
	assert_int_equal(waits->threads[1].samples + waits->threads[0].samples, 47);
	assert_int_equal(waits->stack_count, 3);
	for (size_t i = 0; i < waits->stack_count; i++) {
		const struct hp_cpu_stack *stack = &waits->stacks[i];
		const char *path = path_in(waits, stack);
		assert_string_equal(path, stack->samples == 30	? "sleep < caller < main"
					  : stack->samples == 5 ? "lock work < [a \"block\"]"
								: "wait < leaf");
		assert_int_equal(stack->whole, stack->samples == 30);
	}
	assert_int_equal(model->cpu.stack_count, 2);
}

/* Sites have other ids in another process: what was waited for is known by its name. */
static void merging_waits(void **state)
{
	struct hp_model *merged = calloc(1, sizeof(*merged));

	(void)state;
	made_wait(&made, made.lanes[0], 3, STACK(WAIT(LOCK, 2), CODE(leaf + 4)));
	read_model();
	assert_int_equal(hp_model_merge(merged, model), 0);
	made.lanes[0]->waited = (struct hp_wait_profile){ 0 };
	made_wait(&made, made.lanes[0], 4, STACK(WAIT(LOCK, 3), CODE(leaf + 4)));
	read_model();
	assert_int_equal(hp_model_merge(merged, model), 0);
	assert_int_equal(hp_model_merge(merged, model), 0);
	assert_int_equal(merged->waits.total_samples, 11);
	assert_int_equal(merged->waits.frame_count, 3);
	assert_string_equal(path_in(&merged->waits, &merged->waits.stacks[0]), "lock work < leaf");
	hp_model_free(merged);
}

/* ---- files that are kept ---- */

/* Frames of the second process are named as those of the first, and those of a file that has changed anew. */
static void names_of_kept_files(void **state)
{
	char expected[64];

	(void)state;
	snprintf(expected, sizeof(expected), "program+0x%llx", (unsigned long long)leaf);
	hp_module_files_keep();
	for (unsigned i = 0; i < 2; i++) {
		assert_path(STACK(CODE(leaf + 4), CODE(start + 8)), "leaf < main");
		assert_path(STACK(CODE(leaf + 4), CODE(caller + 8), CODE(start + 8)),
			    "leaf < caller < main");
		assert_path(STACK(CODE(leaf), LINK(caller + 8), CODE(start + 8)),
			    "leaf < caller < main");
	}
	shell("mv program whole && cp stripped program && ln program again");
	assert_path(STACK(CODE(leaf + 4)), expected);
	/* A file of two names. */
	module_of(compiled("again"), 3);
	snprintf(expected, sizeof(expected), "again+0x%llx", (unsigned long long)leaf);
	assert_path(STACK(hp_frame(HP_FRAME_CODE, 3, leaf + 4)), expected);
	shell("mv whole program");
	assert_path(STACK(CODE(leaf + 4)), "leaf");
}

/* ---- a segment that changes while it is read ---- */

static atomic_bool is_read;

static void *change_build_id(void *unused)
{
	for (unsigned i = 0; !is_read; i++)
		__atomic_store_n(&program->build_id_size, i % 2 ? 0 : 4000, __ATOMIC_RELAXED);
	return unused;
}

/* A module may be good when it is found, and damaged when it is copied. */
static void changing_modules(void **state)
{
	pthread_t thread;

	(void)state;
	made.lanes[0]->stacks = made.lanes[1]->stacks = 0;
	made_stack(&made, made.lanes[0], 1, STACK(CODE(leaf), CODE(caller + 8)));
	is_read = false;
	assert_int_equal(pthread_create(&thread, NULL, change_build_id, NULL), 0);
	for (unsigned i = 0; i < 500; i++) {
		struct hp_error error = { "" };
		hp_model_free(model);
		model = hp_model_read(made.bytes, made.size, NULL, true, &error);
		if (!model || (model->cpu.module_count &&
			       model->cpu.modules[0].build_id_size > HP_BUILD_ID_MAX))
			break;
	}
	is_read = true;
	pthread_join(thread, NULL);
	assert_non_null(model);
	assert_int_equal(model->cpu.stack_count, 1);
	for (size_t i = 0; i < model->cpu.module_count; i++)
		assert_in_range(model->cpu.modules[i].build_id_size, 0, HP_BUILD_ID_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_functions),
		TEST(of_the_profiler),
		TEST(of_the_process),
		TEST(without_samples),
		TEST(of_threads),
		TEST(of_the_past),
		TEST(without_sampling),
		TEST(without_calls),
		TEST(named_by_symbol),
		TEST(named_by_the_call),
		TEST(without_symbols),
		TEST(named_in_the_vdso),
		TEST(measured_functions),
		TEST(twins),
		TEST(a_link_is_the_caller),
		TEST(a_link_is_no_caller),
		TEST(measured_calls_around_a_link),
		TEST(equal_stacks_are_one),
		TEST(whole_stacks),
		TEST(damaged),
		TEST(merging),
		TEST(stacks_of_waits),
		TEST(merging_waits),
		TEST(changing_modules),
		/* From here on, files are kept. */
		TEST(names_of_kept_files),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
