/* SPDX-License-Identifier: MIT */
/* Why a section has nothing to show. */
#include "nothing.h"

#include "format.h"

bool hp_nothing_measured(const struct hp_model *model, struct hp_text *text)
{
	if (hp_model_has_calls(model))
		return false;
	if (model->dropped[HP_COUNTER_unpatched]) {
		hp_text_puts(text, "No function was measured: code may not be changed here, which "
				   "'hotpath cc' needs; 'hotpath cc --hooks' does not.");
		return true;
	}
	hp_text_puts(text,
		     "No function was measured: build with 'hotpath cc' to measure all functions, "
		     "or mark some with HOTPATH_MEASURE().");
	return true;
}

bool hp_nothing_in_tree(const struct hp_model *model, struct hp_text *text)
{
	if (hp_nothing_measured(model, text))
		return true;
	if (!model->has_tree)
		hp_text_puts(text, "No call tree was recorded (HOTPATH_TREE=0).");
	else if (!model->branch_count)
		hp_text_puts(text, "No call was recorded in the tree.");
	return !model->has_tree || !model->branch_count;
}

/* Write the known reason, or else how to record it. */
static void put_missing(const char *why, const char *otherwise, struct hp_text *text)
{
	if (why)
		hp_text_put_printable(text, why);
	else
		hp_text_puts(text, otherwise);
	hp_text_putc(text, '.');
}

bool hp_nothing_allocated(const struct hp_model *model, struct hp_text *text)
{
	if (model->memory.mode == HP_ALLOC_NONE)
		put_missing(model->missing.alloc,
			    "No allocations were recorded: use 'hotpath run --alloc', or link the "
			    "program with hotpath-alloc",
			    text);
	else if (!model->memory.count)
		hp_text_puts(text, "The program allocated nothing.");
	return model->memory.mode == HP_ALLOC_NONE || !model->memory.count;
}

bool hp_nothing_followed(const struct hp_model *model, struct hp_text *text)
{
	if (hp_nothing_allocated(model, text))
		return true;
	if (model->memory.mode == HP_ALLOC_LIVE)
		return false;
	hp_text_puts(text, "Blocks were counted, but not tracked one by one: use --alloc=live.");
	return true;
}

static void put_end(enum hp_cpu_end end, struct hp_text *text)
{
	if (end == HP_CPU_SIGNAL_TAKEN)
		hp_text_puts(text, "No CPU time was sampled: the program itself uses the signals "
				   "that sampling needs.");
	else if (end == HP_CPU_FILTERED)
		hp_text_puts(text, "No CPU time was sampled: the program has set a seccomp filter "
				   "that does not allow it.");
	else if (end == HP_CPU_REFUSED)
		hp_text_puts(text,
			     "No CPU time was sampled: the kernel refused both perf events and "
			     "CPU timers.");
	else
		hp_text_puts(text, "No CPU time was sampled: another copy of libhotpath in the "
				   "process samples instead.");
}

bool hp_nothing_sampled(const struct hp_model *model, struct hp_text *text)
{
	const struct hp_cpu *cpu = &model->cpu;

	if (hp_cpu_has_samples(cpu))
		return false;
	if (cpu->end != HP_CPU_GOES_ON)
		put_end(cpu->end, text);
	else if (cpu->source != HP_CPU_NONE)
		hp_text_printf(text,
			       "No CPU time was sampled: the program used less than the %s that a "
			       "sample stands for.",
			       hp_format_duration(cpu->period_ns).text);
	else
		put_missing(
			model->missing.cpu,
			"No CPU time was sampled: use 'hotpath run --cpu', or set HOTPATH_CPU=1",
			text);
	return true;
}

bool hp_nothing_waits(const struct hp_model *model, struct hp_text *text)
{
	if (model->blocked.count)
		return false;
	hp_text_puts(
		text,
		model->exit.running
			? "No thread waits for anything that is recorded: use 'hotpath run --waits'."
			: "No thread was waiting when the program ended, or it was not recorded.");
	return true;
}

bool hp_nothing_but_waiting(const struct hp_kind *kind, const struct hp_model *model,
			    struct hp_text *text)
{
	size_t count = kind->first_reason ? hp_blocked_count(&model->blocked,
							     (enum hp_reason)kind->first_reason,
							     (enum hp_reason)kind->last_reason)
					  : 0;

	if (!count)
		return false;
	hp_text_printf(text, "No %s has ended: ", kind->noun);
	hp_put_waiting(model, count, "", text);
	hp_text_putc(text, '.');
	return true;
}

void hp_put_waiting(const struct hp_model *model, size_t count, const char *what,
		    struct hp_text *text)
{
	bool is_now = model->exit.running;

	hp_text_printf(text, "%zu %s %s%s %s (section blocked)", count,
		       count == 1 ? "thread" : "threads",
		       !is_now	    ? "waited"
		       : count == 1 ? "waits"
				    : "wait",
		       what, is_now ? "now" : "when the program ended");
}

bool hp_no_threads(const struct hp_model *model, struct hp_text *text)
{
	if (model->threads.count || model->threads.rest.threads)
		return false;
	hp_text_puts(text, "No thread was seen: none has measured, allocated or been sampled.");
	return true;
}
