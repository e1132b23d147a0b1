/* SPDX-License-Identifier: MIT */
/* Programs that a process executes one in place of the other. */
#include "run_images.h"

#include "arithmetic.h"

/* ---- what an image has used ---- */

static bool is_first_thread(const struct hp_thread *thread)
{
	return thread->tid && thread->tid == thread->pid;
}

/* The thread that executed the next program; of a program that was sampled from outside, the first one. */
static bool is_executor(const struct hp_model *model, const struct hp_thread *thread)
{
	return model->executor ? thread->tid == model->executor : is_first_thread(thread);
}

void image_add_use(struct image_use *use, const struct hp_model *model)
{
	use->images++;
	use->samples += model->cpu.total_samples;
	for (size_t i = 0; i < model->threads.count; i++) {
		const struct hp_thread *thread = &model->threads.items[i];
		if (!thread->has_times || !is_executor(model, thread))
			continue;
		use->user_ns += thread->user_ns;
		use->system_ns += thread->system_ns;
		use->queue_ns += thread->queue_ns;
	}
}

/* ---- without those before ---- */

/* Sampling calls all time before it began that of loading the program. */
static void take_off_samples(struct hp_cpu *cpu, uint64_t before)
{
	uint64_t less = hp_min(before, cpu->loading_samples);

	cpu->loading_samples -= less;
	cpu->unseen_samples = hp_minus(cpu->unseen_samples, less);
	cpu->total_samples = hp_minus(cpu->total_samples, less);
}

/*
 * The thread that executes a program becomes the first one of the process, with the time that it has used; that of the others
 * is of no thread any more.
 */
static void take_off_times(struct hp_thread *thread, const struct image_use *before)
{
	uint64_t user = hp_min(before->user_ns, UINT64_MAX / 2);
	uint64_t system = hp_min(before->system_ns, UINT64_MAX / 2), all = user + system;
	uint64_t less = hp_min(all, thread->first_ns);

	system = all ? hp_min((uint64_t)((double)less * ((double)system / (double)all)), less) : 0;
	thread->before_ns = hp_minus(thread->before_ns, less);
	thread->first_ns -= less;
	system = hp_min(system, thread->system_ns);
	hp_thread_set_times(thread, hp_minus(thread->user_ns, less - system),
			    thread->system_ns - system,
			    hp_minus(thread->queue_ns, before->queue_ns));
}

void image_take_off(struct hp_model *model, const struct image_use *before)
{
	model->image = before->images;
	take_off_samples(&model->cpu, before->samples);
	for (size_t i = 0; i < model->threads.count; i++) {
		struct hp_thread *thread = &model->threads.items[i];
		if (is_first_thread(thread) && thread->has_times)
			take_off_times(thread, before);
	}
}

/* ---- all of them ---- */

static const struct hp_process *process_of(const struct hp_processes *processes,
					   const struct hp_model *model)
{
	return hp_processes_at(processes, model->pid, model->start_unix_ns);
}

/* An image that is folded is known by its samples only: they stand for its user time. */
static struct image_use use_of_folded(const struct hp_process *process, uint64_t period_ns)
{
	return (struct image_use){ .images = process->samples > 0,
				   .samples = process->samples,
				   .user_ns = process->samples * period_ns };
}

static struct image_use use_before(const struct hp_processes *processes,
				   const struct models *models, size_t first, size_t at)
{
	const struct hp_model *model = models->items[at];
	const struct hp_process *process = process_of(processes, model);
	struct image_use use = { .images = 0 };

	if (!process)
		return use;
	use = use_of_folded(process, model->cpu.period_ns);
	for (size_t i = first; i < at; i++)
		if (models->items[i]->pid == model->pid &&
		    process_of(processes, models->items[i]) == process)
			image_add_use(&use, models->items[i]);
	return use;
}

/* A model that has a number was taken over from an earlier reading. */
void images_take_apart(const struct hp_processes *processes, const struct models *models,
		       size_t first)
{
	for (size_t i = first; i < models->count; i++) {
		struct image_use before = use_before(processes, models, first, i);
		if (before.images && !models->items[i]->image)
			image_take_off(models->items[i], &before);
	}
}

/* ---- their sum ---- */

/* The next older image of the same process among the members, which are in the order of their start; NULL for none. */
static const struct hp_model *older_image(const struct hp_model *sum, size_t at)
{
	const struct hp_model *image = sum->members[at];

	for (size_t i = at; i-- > 0;)
		if (sum->members[i]->pid == image->pid)
			return sum->members[i]->image < image->image ? sum->members[i] : NULL;
	return NULL;
}

/* The most memory that the images before one had, where it was seen when they ended. */
static uint64_t peak_before(const struct hp_model *sum, size_t at)
{
	uint64_t peak = 0;

	for (const struct hp_model *older = older_image(sum, at); older && at-- > 0;)
		if (sum->members[at] == older) {
			peak = hp_max(peak, older->memory.peak_rss_bytes);
			older = older_image(sum, at);
		}
	return peak;
}

/* A program that was executed in place of another has not its memory beside that of the other. */
static void take_off_memory(struct hp_model *sum, size_t at)
{
	const struct hp_model *older = older_image(sum, at), *image = sum->members[at];
	struct hp_memory *memory = &sum->memory;
	uint64_t less = hp_min(peak_before(sum, at), image->memory.peak_rss_bytes);

	memory->rss_bytes = hp_minus(memory->rss_bytes, older->memory.rss_bytes);
	memory->own_rss_bytes = hp_minus(memory->own_rss_bytes, older->memory.own_rss_bytes);
	memory->peak_rss_bytes = hp_minus(memory->peak_rss_bytes, less);
}

/* From the start of the first to the end of the last, which is that of the process. */
static bool describe_process(struct hp_model *sum)
{
	const struct hp_model *last = sum->members[sum->member_count - 1];
	uint64_t before_ns = hp_minus(last->start_unix_ns, sum->start_unix_ns);
	struct hp_process_name name = hp_model_process(last);

	sum->exit = last->exit;
	sum->elapsed_ns = before_ns + last->elapsed_ns;
	sum->own_elapsed_ns = before_ns + last->own_elapsed_ns;
	return run_rename(sum, &name, last->caller);
}

bool images_describe(struct hp_model *sum)
{
	for (size_t i = 0; i < sum->member_count; i++)
		if (older_image(sum, i)) {
			sum->processes -= sum->processes > 1;
			take_off_memory(sum, i);
		}
	return sum->processes != 1 || sum->member_count < 2 || describe_process(sum);
}
