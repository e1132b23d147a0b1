/* SPDX-License-Identifier: MIT */
/* Stacks of samples: our own one is walked to its end, and any other, however broken, without harm. */
#include "stack_walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>

enum {
	COPY = 16 * 1024,
	ROUNDS = 20000,
	CHAIN = 127,
};

static struct hp_segment_writer writer;
static struct hp_code_map map = { .writer = &writer };
static char folder[] = "/tmp/hotpath-test-XXXXXX";
static uint64_t copy[COPY / sizeof(uint64_t)];

static int begin(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(setenv("HOTPATH_DIR", folder, 1), 0);
	map.pid = (uint32_t)getpid();
	assert_int_equal(hp_segment_writer_create(&writer, map.pid), 0);
	return hp_code_map_read(&map) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	hp_code_map_free(&map);
	unlink(writer.path);
	hp_segment_writer_close(&writer);
	return rmdir(folder);
}

static struct hp_registers registers_of(const ucontext_t *context)
{
#if defined(__aarch64__)
	return (struct hp_registers){ context->uc_mcontext.pc, context->uc_mcontext.sp,
				      context->uc_mcontext.regs[29],
				      context->uc_mcontext.regs[30] };
#else
	return (struct hp_registers){ (uintptr_t)context->uc_mcontext.gregs[REG_RIP],
				      (uintptr_t)context->uc_mcontext.gregs[REG_RSP],
				      (uintptr_t)context->uc_mcontext.gregs[REG_RBP], 0 };
#endif
}

/* A sample of this function. The first thread's stack may end inside the copy; the name of the program is near its end. */
__attribute__((noinline)) static struct hp_perf_sample sample_here(void)
{
	ucontext_t context;

	assert_int_equal(getcontext(&context), 0);
	struct hp_perf_sample sample = { .registers = registers_of(&context),
					 .stack = (const unsigned char *)copy };
	uintptr_t size = getauxval(AT_EXECFN) - sample.registers.sp;
	sample.stack_size = size < COPY ? size : COPY;
	/* As another process would read it: not all of it is for us. */
	const struct iovec local = { copy, sample.stack_size };
	const struct iovec remote = { (void *)sample.registers.sp, sample.stack_size };
	assert_int_equal(process_vm_readv(getpid(), &local, 1, &remote, 1, 0), sample.stack_size);
	return sample;
}

static void walk(const struct hp_perf_sample *sample, struct hp_sampled_stack *stack)
{
	hp_stack_walk(&map, sample, CHAIN, stack);
	assert_true(stack->depth <= HP_STACK_DEPTH_MAX);
}

static void our_own_stack_is_whole(void **state)
{
	const struct hp_perf_sample sample = sample_here();
	struct hp_sampled_stack stack;

	(void)state;
	walk(&sample, &stack);
	/* This test, some functions of cmocka, main, and what calls it. */
	assert_int_equal(stack.end, HP_STACK_WHOLE | HP_STACK_BY_RULES);
	assert_true(stack.depth >= 5);
}

/* What is not in the copy is not guessed. */
static void a_shorter_copy_has_the_innermost_functions(void **state)
{
	struct hp_perf_sample sample = sample_here();
	struct hp_sampled_stack whole, stack;
	size_t all = sample.stack_size;
	bool was_cut = false;

	(void)state;
	walk(&sample, &whole);
	for (sample.stack_size = 1; sample.stack_size < all; sample.stack_size++) {
		walk(&sample, &stack);
		assert_true(stack.depth >= 1 && stack.depth <= whole.depth);
		assert_memory_equal(stack.frames, whole.frames,
				    stack.depth * sizeof(*stack.frames));
		assert_true(stack.depth == whole.depth || stack.end != whole.end);
		was_cut |= stack.depth > 1 && stack.depth < whole.depth;
	}
	assert_true(was_cut);
}

/* Behind the copy, the kernel's walk goes on, if it came to the same place. */
static void frame_pointers_go_on_behind_the_copy(void **state)
{
	struct hp_perf_sample sample = sample_here();
	struct hp_sampled_stack stack = { .depth = 0 };
	uint64_t addresses[] = { sample.registers.pc, 0, sample.registers.pc, sample.registers.pc };

	(void)state;
	sample.addresses = addresses;
	sample.count = 4;
	for (sample.stack_size = 0; stack.depth < 2 && sample.stack_size < COPY;) {
		sample.stack_size += sizeof(*copy);
		walk(&sample, &stack);
	}
	assert_int_equal(stack.depth, 2);
	addresses[1] = hp_frame_value(stack.frames[1]) - hp_frame_value(stack.frames[0]) +
		       sample.registers.pc;
	walk(&sample, &stack);
	assert_int_equal(stack.depth, 4);
	assert_int_equal(stack.end, HP_STACK_BROKEN);
	/* So it does if the copy ends in the first function. */
	sample.stack_size = 1;
	walk(&sample, &stack);
	assert_int_equal(stack.depth, 4);
	/* The kernel may have come elsewhere. */
	addresses[0]++;
	walk(&sample, &stack);
	assert_int_equal(stack.depth, 1);
}

static void without_a_copy_there_are_frame_pointers(void **state)
{
	struct hp_perf_sample sample = sample_here();
	const uint64_t addresses[] = { sample.registers.pc, sample.registers.pc };
	struct hp_sampled_stack stack;

	(void)state;
	sample.stack_size = 0;
	walk(&sample, &stack);
	assert_int_equal(stack.depth, 0);
	sample.addresses = addresses;
	sample.count = 2;
	walk(&sample, &stack);
	assert_int_equal(stack.depth, 2);
	assert_int_equal(stack.end, HP_STACK_BROKEN);
}

static uint64_t random_word(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 16;
}

/* Any word may be on a stack, or in a register: one of the code, of the stack, or none of both. */
static uint64_t hostile_word(const struct hp_perf_sample *sample)
{
	const struct hp_code_range *range = &map.ranges[random_word() % map.count];

	switch (random_word() % 4) {
	case 0:
		return range->start + random_word() % (range->end - range->start);
	case 1:
		return sample->registers.sp + random_word() % (2 * (uint64_t)COPY) / 8 * 8;
	case 2:
		return random_word() << 16;
	default:
		return random_word() % 64;
	}
}

static void any_words_do_no_harm(void **state)
{
	struct hp_perf_sample sample = { .stack = (const unsigned char *)copy };
	struct hp_sampled_stack stack;
	uint32_t deepest = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		sample.registers = (struct hp_registers){ .sp = random_word() << 16 &
								~UINT64_C(7) };
		sample.registers.pc = hostile_word(&sample);
		sample.registers.fp = hostile_word(&sample);
		sample.registers.link = hostile_word(&sample);
		sample.stack_size = random_word() % (COPY + 1);
		for (unsigned i = 0; i < 64; i++)
			copy[random_word() % (COPY / sizeof(*copy))] = hostile_word(&sample);
		walk(&sample, &stack);
		deepest = stack.depth > deepest ? stack.depth : deepest;
	}
	/* Some have led somewhere. */
	assert_true(deepest > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_own_stack_is_whole),
		cmocka_unit_test(a_shorter_copy_has_the_innermost_functions),
		cmocka_unit_test(frame_pointers_go_on_behind_the_copy),
		cmocka_unit_test(without_a_copy_there_are_frame_pointers),
		cmocka_unit_test(any_words_do_no_harm),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
