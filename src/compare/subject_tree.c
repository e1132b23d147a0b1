/* SPDX-License-Identifier: MIT */
/* The call tree: a row is a function with its path, "main > parse > lex". */
#include "figures.h"
#include "function_row.h"
#include "names/intern.h"

#include <string.h>

#define ARROW " > "
/* Replaces the beginning of a path that is too long. */
#define ELLIPSIS "\xe2\x80\xa6" ARROW

enum {
	TEXT_SIZE = sizeof(((struct hp_subject_row *)NULL)->text),
	ELLIPSIS_SIZE = sizeof(ELLIPSIS) - 1,
};

static const struct hp_branch *branch_of(const struct hp_run *run, size_t at)
{
	return &run->report.model->branches[at];
}

HP_FIGURE(calls, (double)branch_of(run, at)->calls)
HP_FIGURE(self, (double)branch_of(run, at)->self_ns)
HP_FIGURE(total, (double)branch_of(run, at)->total_ns)

static const char *name_of(const struct hp_model *model, const struct hp_branch *branch)
{
	return branch->function >= 0 ? model->functions[branch->function].name : "<other>";
}

/* A path is written backwards from its end; what does not fit is cut off at its beginning. */
struct way {
	char *text;
	size_t begin;
	bool is_cut;
	uint64_t hash;
};

static void put_before(struct way *way, const char *string)
{
	size_t length = strlen(string);

	for (size_t i = 0; i < length; i++)
		way->hash = hp_hash(way->hash, (unsigned char)string[i]);
	if (way->is_cut || way->begin < length + ELLIPSIS_SIZE) {
		way->is_cut = true;
		return;
	}
	way->begin -= length;
	memcpy(way->text + way->begin, string, length);
}

/* If a single name is too long, write as much of it as fits. */
static void put_last(struct way *way, const char *name)
{
	size_t room = way->begin - ELLIPSIS_SIZE, length = strlen(name);

	put_before(way, name);
	if (length <= room)
		return;
	way->begin -= room;
	memcpy(way->text + way->begin, name, room);
}

static struct way write_way(const struct hp_model *model, const struct hp_branch *branch,
			    char text[TEXT_SIZE])
{
	struct way way = { .text = text, .begin = TEXT_SIZE - 1 };

	text[TEXT_SIZE - 1] = '\0';
	put_last(&way, name_of(model, branch));
	while (branch->parent != HP_NO_BRANCH) {
		branch = &model->branches[branch->parent];
		put_before(&way, ARROW);
		put_before(&way, name_of(model, branch));
	}
	if (!way.is_cut)
		return way;
	/* Remove an arrow whose name did not fit. */
	if (strncmp(text + way.begin, ARROW, strlen(ARROW)) == 0)
		way.begin += strlen(ARROW);
	way.begin -= ELLIPSIS_SIZE;
	memcpy(text + way.begin, ELLIPSIS, ELLIPSIS_SIZE);
	return way;
}

static bool has_tree(const struct hp_model *model)
{
	return model->has_tree && model->branch_count;
}

static size_t count(const struct hp_model *model)
{
	return model->branch_count;
}

static bool get(const struct hp_model *model, size_t at, struct hp_subject_row *row)
{
	const struct hp_branch *branch = &model->branches[at];
	struct way way = write_way(model, branch, row->text);

	if (branch->function >= 0)
		hp_function_row(model, &model->functions[branch->function], row);
	row->name = row->text + way.begin;
	row->is_program = false;
	/* Paths that look alike because they are cut must not be merged. */
	if (way.is_cut)
		row->kind = (unsigned)way.hash;
	row->share = hp_share_of(branch->self_ns, model->elapsed_ns);
	if (branch->function >= 0 && !hp_function_is_timed(&model->functions[branch->function]))
		row->share = -1;
	return true;
}

static const struct hp_metric metrics[] = {
	HP_METRIC("branch_calls", "Calls", EXACT, COUNT, calls, .rank = 2),
	HP_METRIC("branch_self", "Self", TIME, NS, self, .decides = true),
	HP_METRIC("branch_total", "Total", TIME, NS, total, .rank = 1),
	HP_METRICS_END,
};

const struct hp_subject hp_subject_tree = {
	.name = "tree",
	.title = "call tree",
	.noun = "branch",
	.rows = "call trees",
	.how = ": run it with --tree",
	.metrics = metrics,
	.order = 20,
	.is_optional = true,
	.is_recorded = has_tree,
	.count = count,
	.get = get,
};
