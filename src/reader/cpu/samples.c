/* SPDX-License-Identifier: MIT */
/* From the samples of lanes to the CPU time of a process, and to the stacks of its waits. */
#include "samples.h"

#include "arithmetic.h"
#include "array.h"
#include "atomic.h"
#include "stacks.h"

#include <stdlib.h>
#include <string.h>

struct work {
	const struct hp_snapshot *snapshot;
	struct hp_cpu *cpu;
	struct hp_stacks stacks;
	bool with_stacks;
	/* Threads by their tid: one whose signal handlers interrupted the recorder has two lanes. */
	struct hp_intern known;
	size_t thread_room;
};

static bool is_thread(const void *threads, uint32_t number, const void *tid)
{
	return ((const struct hp_cpu_thread *)threads)[number].tid == *(const uint32_t *)tid;
}

/* The last byte of the array is never written, so it is the NUL. */
static char *name_of(const struct hp_lane *lane)
{
	char name[HP_NAME_MAX] = "";

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = load(&lane->name[i], RELAXED);
	return strdup(name);
}

static bool append_thread(struct work *work, const struct hp_lane *lane, uint32_t tid)
{
	struct hp_cpu *cpu = work->cpu;

	if (!hp_array_reserve(&cpu->threads, cpu->thread_count, &work->thread_room,
			      sizeof(*cpu->threads)))
		return false;
	struct hp_cpu_thread thread = { name_of(lane), tid, work->snapshot->header->pid, 0 };
	if (thread.name)
		cpu->threads[cpu->thread_count++] = thread;
	return thread.name != NULL;
}

/* Threads that have ended have no tid to identify them by. */
static bool find_thread(struct work *work, const struct hp_lane *lane, uint32_t *thread)
{
	uint32_t tid = load(&lane->tid, RELAXED), next = (uint32_t)work->cpu->thread_count;

	*thread = next;
	if (tid && !hp_intern(&work->known, tid, work->cpu->threads, &tid, next, thread))
		return false;
	return *thread < next || append_thread(work, lane, tid);
}

static bool add_lane(struct work *work, const struct hp_lane *lane)
{
	uint64_t samples = load(&lane->samples, RELAXED);
	uint64_t allocating = load(&lane->outside_alloc_samples, RELAXED);
	uint32_t thread;

	work->cpu->outside_alloc_ns += allocating * work->cpu->period_ns;
	work->cpu->looks += load(&lane->looks, RELAXED);
	work->cpu->own_samples += load(&lane->own_samples, RELAXED);
	work->cpu->outside_system_samples += load(&lane->outside_system_samples, RELAXED);
	if (samples == 0)
		return true;
	if (!find_thread(work, lane, &thread))
		return false;
	work->cpu->threads[thread].samples += samples;
	work->cpu->total_samples += samples;
	/* ACQUIRE pairs with the RELEASE that published the stack. */
	return !work->with_stacks ||
	       hp_stacks_add(&work->stacks, load(&lane->stacks, ACQUIRE), thread);
}

static bool add_waits(struct work *work, const struct hp_lane *lane)
{
	const struct hp_wait_profile *waited = &lane->waited;
	uint64_t samples = load(&waited->samples, RELAXED);
	/* Rounded. */
	uint64_t period_ns =
		(hp_snapshot_ns(work->snapshot, 16 * load(&waited->period, RELAXED)) + 8) / 16;
	uint32_t thread;

	if (samples == 0)
		return true;
	if (!find_thread(work, lane, &thread))
		return false;
	/* In all lanes it is the same but for a tick. */
	work->cpu->period_ns = hp_max(work->cpu->period_ns, period_ns);
	work->cpu->threads[thread].samples += samples;
	work->cpu->total_samples += samples;
	/* ACQUIRE as above. */
	return hp_stacks_add(&work->stacks, load(&waited->stacks, ACQUIRE), thread);
}

/*
 * How much of the unsampled time was in the kernel. Perf events are in proportion to the program's own code, so the
 * unsampled rest was in system calls too short for a sample. With timers, the rest is some of both.
 */
static uint64_t in_kernel(const struct hp_cpu *cpu, const struct hp_header *header, uint64_t left)
{
	uint64_t all = load(&header->cpu_unseen_ns, RELAXED) + cpu->total_samples * cpu->period_ns;
	uint64_t system = load(&header->cpu_system_ns, RELAXED);

	if (cpu->source == HP_CPU_TIMER)
		return all > system ? (uint64_t)((double)left / (double)all * (double)system)
				    : left;
	return hp_min(left, system);
}

/* Unsampled CPU time counts for no function. */
static void add_unseen(struct hp_cpu *cpu, const struct hp_header *header)
{
	uint64_t unseen = load(&header->cpu_unseen_ns, RELAXED);
	uint64_t loading = load(&header->cpu_loading_ns, RELAXED);

	if (loading > unseen)
		loading = unseen;
	cpu->kernel_samples = in_kernel(cpu, header, unseen - loading) / cpu->period_ns;
	cpu->loading_samples = loading / cpu->period_ns;
	cpu->unseen_samples = unseen / cpu->period_ns;
	cpu->total_samples += cpu->unseen_samples;
}

static void complete(struct hp_cpu *cpu, const struct hp_snapshot *snapshot,
		     const struct hp_model *model)
{
	if (cpu->period_ns)
		add_unseen(cpu, snapshot->header);
	for (size_t i = 0; i < model->function_count; i++)
		cpu->attributed_samples += model->functions[i].cpu.samples;
	/* A snapshot taken while the program runs may have a sample of a function, but not yet of its thread. */
	if (cpu->total_samples < cpu->attributed_samples + cpu->own_samples)
		cpu->total_samples = cpu->attributed_samples + cpu->own_samples;
}

static bool read_lanes(struct work *work, bool (*add_one)(struct work *, const struct hp_lane *))
{
	struct hp_lanes lanes = hp_snapshot_lanes(work->snapshot);

	for (const struct hp_lane *lane; (lane = hp_lanes_next(&lanes));)
		if (!add_one(work, lane))
			return false;
	return !work->with_stacks || hp_stacks_finish(&work->stacks);
}

static bool read_header(struct hp_cpu *cpu, const struct hp_header *header)
{
	uint32_t source = load(&header->cpu_source, RELAXED);
	uint32_t end = load(&header->cpu_end, RELAXED);

	cpu->source = source <= HP_CPU_TIMER ? (enum hp_cpu_source)source : HP_CPU_NONE;
	cpu->end = end <= HP_CPU_FILTERED ? (enum hp_cpu_end)end : HP_CPU_GOES_ON;
	cpu->rate_hz = load(&header->cpu_rate, RELAXED);
	cpu->period_ns = load(&header->cpu_period_ns, RELAXED);
	return cpu->source != HP_CPU_NONE;
}

/*
 * If there are samples, they show what the profiler really cost in this program, which may be more than the
 * calibration loop measured.
 */
static void raise_cost(struct hp_model *model)
{
	/* Fewer may be chance. */
	enum { SAMPLES = 25 };
	uint64_t seen_ns = model->cpu.own_samples * model->cpu.period_ns;

	if (model->cpu.own_samples >= SAMPLES && model->estimated_ns < seen_ns)
		model->estimated_ns = seen_ns;
}

static struct work *begin(const struct hp_build *build, struct hp_cpu *cpu, bool with_stacks)
{
	struct work *work = calloc(1, sizeof(*work));
	if (!work)
		return NULL;
	work->snapshot = build->snapshot;
	work->cpu = cpu;
	work->with_stacks = with_stacks;
	work->known.is_same = is_thread;
	hp_stacks_begin(&work->stacks, build, cpu);
	return work;
}

static void end(struct work *work)
{
	hp_stacks_free(&work->stacks);
	hp_intern_free(&work->known);
	free(work);
}

bool hp_samples_read(const struct hp_build *build)
{
	struct hp_model *model = build->model;
	if (!read_header(&model->cpu, build->snapshot->header))
		return true;
	struct work *work = begin(build, &model->cpu, build->with_stacks);
	if (!work)
		return false;

	bool done = read_lanes(work, add_lane);
	complete(&model->cpu, build->snapshot, model);
	raise_cost(model);
	end(work);
	return done;
}

bool hp_waits_read(const struct hp_build *build)
{
	struct hp_cpu *waits = &build->model->waits;
	if (!build->with_stacks)
		return true;
	struct work *work = begin(build, waits, true);
	if (!work)
		return false;

	bool done = read_lanes(work, add_waits);
	end(work);
	return done;
}
