/* SPDX-License-Identifier: MIT */
/* What is special about threads when they are compared: those of the same name do the same work. */
#include "function_row.h"
#include "rows.h"

#include <string.h>

/* As much of a name as the kernel keeps. */
enum { NAME_MAX_LENGTH = 15 };

static bool has_threads(const struct hp_model *model)
{
	return model->threads.count || model->threads.rest.threads;
}

/* An unnamed thread has the name of the program, or the name it was started with. */
static bool is_unnamed(const struct hp_model *model, const char *name)
{
	struct hp_process_name process = hp_model_process(model);

	return strncmp(name, hp_file_name(process.program), NAME_MAX_LENGTH) == 0 ||
	       (hp_process_has_title(&process) &&
		strncmp(name, hp_file_name(process.title), NAME_MAX_LENGTH) == 0);
}

/* The sum of ended threads comes last. */
static bool get(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	const struct hp_thread *thread = hp_model_row(model, &hp_kind_threads, at);

	row->name = thread->name ? thread->name : "<ended>";
	row->is_program = thread->name && is_unnamed(model, thread->name);
	row->share = -1;
	return at < model->threads.count || thread->threads || thread->allocated_bytes;
}

const struct hp_subject hp_subject_special_threads = {
	.kind = &hp_kind_threads,
	.how = ": save it with --report all",
	.needs = &hp_subject_alloc,
	.adds_up = true,
	.is_recorded = has_threads,
	.get = get,
};
