/* SPDX-License-Identifier: MIT */
/* The subjects of an export: stacks of CPU time, of allocations and of waits, and the call tree. */
#include "subject.h"

#include "format.h"
#include "measured_tree.h"

#include <inttypes.h>
#include <string.h>

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* ---- CPU time ---- */

enum { CPU_SAMPLES, CPU_NS };

static const struct hp_cpu *cpu_stacks(const struct hp_model *model)
{
	return &model->cpu;
}

static struct hp_values cpu_values(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	return (struct hp_values){ { stack->samples, stack->samples * cpu->period_ns } };
}

static struct hp_values cpu_in(const struct hp_model *model, uint32_t thread)
{
	uint64_t samples = model->cpu.threads[thread].samples;

	return (struct hp_values){ { samples, samples * model->cpu.period_ns } };
}

static void cpu_figures(struct hp_text *text, const struct hp_values *all,
			const struct hp_values *own, const char *share)
{
	uint64_t samples = all->of[CPU_SAMPLES];

	(void)own;
	hp_text_printf(text, "%" PRIu64 " sample%s, %s, %s", samples, plural(samples), share,
		       hp_format_duration(all->of[CPU_NS]).text);
}

static void cpu_total(struct hp_text *text, const struct hp_model *model,
		      const struct hp_values *total)
{
	hp_text_printf(text, "%s of CPU time, %" PRIu64 " samples at %" PRIu32 " Hz",
		       hp_format_duration(total->of[CPU_NS]).text, total->of[CPU_SAMPLES],
		       model->cpu.rate_hz);
}

/* ---- waits ---- */

enum { WAIT_NS };

static const struct hp_cpu *wait_stacks(const struct hp_model *model)
{
	return &model->waits;
}

static struct hp_values wait_values(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	return (struct hp_values){ { stack->samples * cpu->period_ns } };
}

static struct hp_values waits_in(const struct hp_model *model, uint32_t thread)
{
	return (struct hp_values){ { model->waits.threads[thread].samples *
				     model->waits.period_ns } };
}

static void wait_figures(struct hp_text *text, const struct hp_values *all,
			 const struct hp_values *own, const char *share)
{
	(void)own;
	hp_text_printf(text, "waited %s, %s", hp_format_duration(all->of[WAIT_NS]).text, share);
}

static void wait_total(struct hp_text *text, const struct hp_model *model,
		       const struct hp_values *total)
{
	(void)model;
	hp_text_printf(text, "its threads waited %s", hp_format_duration(total->of[WAIT_NS]).text);
}

/* ---- allocations ---- */

enum { ALLOC_BLOCKS, ALLOC_BYTES, LIVE_BLOCKS, LIVE_BYTES };

static const struct hp_cpu *alloc_stacks(const struct hp_model *model)
{
	return &model->allocations;
}

static bool live_is_recorded(const struct hp_model *model)
{
	return model->memory.mode == HP_ALLOC_LIVE && model->allocations.stack_count;
}

static struct hp_values alloc_values(const struct hp_cpu *cpu, const struct hp_cpu_stack *stack)
{
	const struct hp_stack_memory *memory = &stack->memory;

	(void)cpu;
	return (struct hp_values){ { memory->blocks, memory->bytes, memory->live_blocks,
				     memory->live_bytes } };
}

static struct hp_values allocs_in(const struct hp_model *model, uint32_t thread)
{
	const struct hp_memory *memory = &model->memory;

	if (thread > 0)
		return (struct hp_values){ { 0 } };
	return (struct hp_values){ { memory->count, memory->bytes, memory->live_blocks,
				     memory->live_bytes } };
}

static void put_blocks(struct hp_text *text, uint64_t bytes, const char *share, uint64_t blocks)
{
	hp_text_printf(text, "%s, %s, %" PRIu64 " block%s", hp_format_bytes(bytes).text, share,
		       blocks, plural(blocks));
}

static void alloc_figures(struct hp_text *text, const struct hp_values *all,
			  const struct hp_values *own, const char *share)
{
	(void)own;
	put_blocks(text, all->of[ALLOC_BYTES], share, all->of[ALLOC_BLOCKS]);
}

static void live_figures(struct hp_text *text, const struct hp_values *all,
			 const struct hp_values *own, const char *share)
{
	(void)own;
	put_blocks(text, all->of[LIVE_BYTES], share, all->of[LIVE_BLOCKS]);
}

static void alloc_total(struct hp_text *text, const struct hp_model *model,
			const struct hp_values *total)
{
	uint64_t blocks = total->of[ALLOC_BLOCKS];

	(void)model;
	hp_text_printf(text, "%s allocated, %" PRIu64 " block%s",
		       hp_format_bytes(total->of[ALLOC_BYTES]).text, blocks, plural(blocks));
}

static void live_total(struct hp_text *text, const struct hp_model *model,
		       const struct hp_values *total)
{
	uint64_t blocks = total->of[LIVE_BLOCKS];

	(void)model;
	hp_text_printf(text, "%s not freed, %" PRIu64 " block%s",
		       hp_format_bytes(total->of[LIVE_BYTES]).text, blocks, plural(blocks));
}

/* ---- measured time ---- */

/* A function's calls are its own: those of the functions that it calls are not added. */
static void time_figures(struct hp_text *text, const struct hp_values *all,
			 const struct hp_values *own, const char *share)
{
	uint64_t calls = own->of[HP_BRANCH_CALLS];

	hp_text_printf(text, "%s, %s", hp_format_duration(all->of[HP_BRANCH_NS]).text, share);
	if (calls)
		hp_text_printf(text, ", %" PRIu64 " call%s", calls, plural(calls));
}

static void time_total(struct hp_text *text, const struct hp_model *model,
		       const struct hp_values *total)
{
	uint64_t calls = total->of[HP_BRANCH_CALLS];

	(void)model;
	hp_text_printf(text, "%s in measured functions, %" PRIu64 " call%s",
		       hp_format_duration(total->of[HP_BRANCH_NS]).text, calls, plural(calls));
}

/* ---- the table ---- */

/* Go names the values of its own profiles so; that of the heap has all four in each. */
#define HEAP_TYPES                                                                                 \
	{                                                                                          \
		[ALLOC_BLOCKS] = { "alloc_objects", "count" },                                     \
		[ALLOC_BYTES] = { "alloc_space", "bytes" },                                        \
		[LIVE_BLOCKS] = { "inuse_objects", "count" }, [LIVE_BYTES] = {                     \
			"inuse_space",                                                             \
			"bytes"                                                                    \
		}                                                                                  \
	}

const struct hp_export_subject hp_export_subjects[] = {
	{ .name = "cpu",
	  .help = "where CPU time goes (the default)",
	  .missing = "samples; take them with 'hotpath run PROGRAM'",
	  .suffix = "",
	  .types = { [CPU_SAMPLES] = { "samples", "count" }, [CPU_NS] = { "cpu", "nanoseconds" } },
	  .main = CPU_NS,
	  .weight = CPU_SAMPLES,
	  .period = { "cpu", "nanoseconds" },
	  .firefox_weight = "samples",
	  .is_cpu_time = true,
	  .stacks = cpu_stacks,
	  .values_of = cpu_values,
	  .values_in = cpu_in,
	  .put_figures = cpu_figures,
	  .put_total = cpu_total },
	{ .name = "alloc",
	  .help = "what was allocated, by bytes; 'hotpath run --alloc' records it",
	  .missing = "stacks of allocations; record them with 'hotpath run --alloc PROGRAM'",
	  .suffix = "-alloc",
	  .title = "what it allocated",
	  .types = HEAP_TYPES,
	  .main = ALLOC_BYTES,
	  .weight = ALLOC_BYTES,
	  .period = { "space", "bytes" },
	  .firefox_weight = "bytes",
	  .stacks = alloc_stacks,
	  .values_of = alloc_values,
	  .is_of_all_threads = true,
	  .values_in = allocs_in,
	  .put_figures = alloc_figures,
	  .put_total = alloc_total },
	{ .name = "live",
	  .help = "what was allocated and not freed; 'hotpath run --alloc=live' records it",
	  .missing = "stacks of blocks that were not freed; record them with "
		     "'hotpath run --alloc=live PROGRAM'",
	  .zero = "blocks that were not freed",
	  .suffix = "-live",
	  .title = "what it did not free",
	  .types = HEAP_TYPES,
	  .main = LIVE_BYTES,
	  .weight = LIVE_BYTES,
	  .period = { "space", "bytes" },
	  .firefox_weight = "bytes",
	  .is_recorded = live_is_recorded,
	  .stacks = alloc_stacks,
	  .values_of = alloc_values,
	  .is_of_all_threads = true,
	  .values_in = allocs_in,
	  .put_figures = live_figures,
	  .put_total = live_total },
	{ .name = "waits",
	  .help = "what threads wait for; 'hotpath run --waits' records it",
	  .missing = "stacks of waits; record them with 'hotpath run --waits PROGRAM'",
	  .suffix = "-waits",
	  .title = "what it waited for",
	  .types = { [WAIT_NS] = { "wait", "nanoseconds" } },
	  .main = WAIT_NS,
	  .weight = WAIT_NS,
	  .period = { "wait", "nanoseconds" },
	  .firefox_weight = "tracing-ms",
	  .stacks = wait_stacks,
	  .values_of = wait_values,
	  .values_in = waits_in,
	  .put_figures = wait_figures,
	  .put_total = wait_total },
	{ .name = "time",
	  .help = "the call tree of measured functions, by wall clock time",
	  .missing = "call tree; build the program with 'hotpath cc', or mark functions with "
		     "HOTPATH_MEASURE()",
	  .zero = "time in its call tree",
	  .suffix = "-time",
	  .title = "time in measured functions",
	  .types = { [HP_BRANCH_CALLS] = { "calls", "count" },
		     [HP_BRANCH_NS] = { "wall", "nanoseconds" } },
	  .main = HP_BRANCH_NS,
	  .weight = HP_BRANCH_NS,
	  .period = { "wall", "nanoseconds" },
	  .firefox_weight = "tracing-ms",
	  .is_recorded = hp_measured_tree_is_recorded,
	  .put_figures = time_figures,
	  .put_total = time_total },
	{ .name = NULL },
};

const struct hp_export_subject *hp_export_subject_find(const char *name)
{
	for (const struct hp_export_subject *subject = hp_export_subjects; subject->name; subject++)
		if (strcmp(subject->name, name) == 0)
			return subject;
	return NULL;
}

bool hp_export_subject_is_recorded(const struct hp_export_subject *subject,
				   const struct hp_model *model)
{
	return subject->is_recorded ? subject->is_recorded(model)
				    : subject->stacks(model)->stack_count > 0;
}
