/* SPDX-License-Identifier: MIT */
/* The rows of a kind in a model. A kind whose rows are no entries has a line in the table. */
#include "rows.h"

#include <stdlib.h>

/* Where rows of a kind are. */
struct list {
	/* NULL for entries. */
	const struct hp_kind *kind;
	size_t (*count)(const struct hp_model *model);
	const void *(*at)(const struct hp_model *model, const struct hp_kind *kind, size_t at);
	union hp_row (*make)(const struct hp_model *model, const struct hp_kind *kind);
	bool (*append)(struct hp_model *model, const union hp_row *row);
	void (*clear)(union hp_row *row);
	void (*sort)(struct hp_model *model);
};

/* ---- entries ---- */

static size_t count_entries(const struct hp_model *model)
{
	return model->entries.count;
}

/* Entries of all kinds are in one list. */
static const void *entry_at(const struct hp_model *model, const struct hp_kind *kind, size_t at)
{
	const struct hp_entries *entries = &model->entries;

	return at < entries->count && entries->items[at].kind == kind ? &entries->items[at] : NULL;
}

static union hp_row make_entry(const struct hp_model *model, const struct hp_kind *kind)
{
	(void)model;
	return (union hp_row){ .entry = { .kind = kind, .site_kind = kind->first_site } };
}

static bool append_entry(struct hp_model *model, const union hp_row *row)
{
	return hp_entries_append(&model->entries, row->entry);
}

static void clear_entry(union hp_row *row)
{
	hp_entry_clear(&row->entry);
}

static void sort_entries(struct hp_model *model)
{
	hp_entries_sort(&model->entries);
}

/* ---- processes ---- */

static size_t count_processes(const struct hp_model *model)
{
	return model->tree.count;
}

static const void *process_at(const struct hp_model *model, const struct hp_kind *kind, size_t at)
{
	(void)kind;
	return at < model->tree.count ? &model->tree.items[at] : NULL;
}

static union hp_row make_process(const struct hp_model *model, const struct hp_kind *kind)
{
	(void)model, (void)kind;
	return (union hp_row){ .process = { .count = 1 } };
}

static bool append_process(struct hp_model *model, const union hp_row *row)
{
	return hp_processes_append(&model->tree, row->process);
}

static void clear_process(union hp_row *row)
{
	hp_process_clear(&row->process);
}

/* They are saved in the order of the tree. */
static void keep_processes(struct hp_model *model)
{
	(void)model;
}

/* ---- threads ---- */

static size_t count_threads(const struct hp_model *model)
{
	return model->threads.count;
}

static const void *thread_at(const struct hp_model *model, const struct hp_kind *kind, size_t at)
{
	(void)kind;
	return at < model->threads.count ? &model->threads.items[at] : &model->threads.rest;
}

static union hp_row make_thread(const struct hp_model *model, const struct hp_kind *kind)
{
	(void)kind;
	return (union hp_row){ .thread = hp_thread_new(model->pid, 0) };
}

static bool append_thread(struct hp_model *model, const union hp_row *row)
{
	if (row->thread.name)
		return hp_threads_append(&model->threads, row->thread);
	model->threads.rest = row->thread;
	return true;
}

static void clear_thread(union hp_row *row)
{
	free(row->thread.name);
}

static void sort_threads(struct hp_model *model)
{
	hp_threads_sort(&model->threads);
}

/* ---- threads that wait ---- */

static size_t count_blocked(const struct hp_model *model)
{
	return model->blocked.count;
}

static const void *blocked_at(const struct hp_model *model, const struct hp_kind *kind, size_t at)
{
	(void)kind;
	return at < model->blocked.count ? &model->blocked.items[at] : NULL;
}

static union hp_row make_blocked(const struct hp_model *model, const struct hp_kind *kind)
{
	(void)kind;
	return (union hp_row){ .blocked = { .pid = model->pid } };
}

static bool append_blocked(struct hp_model *model, const union hp_row *row)
{
	return hp_blocked_append(&model->blocked, row->blocked);
}

static void clear_blocked(union hp_row *row)
{
	hp_blocked_thread_clear(&row->blocked);
}

static void sort_blocked(struct hp_model *model)
{
	hp_blocked_sort(&model->blocked);
}

/* ---- live blocks ---- */

static size_t count_live(const struct hp_model *model)
{
	return model->memory.live_count;
}

static const void *live_at(const struct hp_model *model, const struct hp_kind *kind, size_t at)
{
	(void)kind;
	return at < model->memory.live_count ? &model->memory.live[at] : NULL;
}

static union hp_row make_live(const struct hp_model *model, const struct hp_kind *kind)
{
	(void)model, (void)kind;
	return (union hp_row){ .live = { .name = NULL } };
}

static bool append_live(struct hp_model *model, const union hp_row *row)
{
	return hp_memory_append(&model->memory, row->live);
}

static void clear_live(union hp_row *row)
{
	hp_live_clear(&row->live);
}

static void sort_live(struct hp_model *model)
{
	hp_memory_join(&model->memory);
}

/* ---- all ---- */

static const struct list lists[] = {
	{ &hp_kind_processes, count_processes, process_at, make_process, append_process,
	  clear_process, keep_processes },
	{ &hp_kind_threads, count_threads, thread_at, make_thread, append_thread, clear_thread,
	  sort_threads },
	{ &hp_kind_blocked, count_blocked, blocked_at, make_blocked, append_blocked, clear_blocked,
	  sort_blocked },
	{ &hp_kind_live, count_live, live_at, make_live, append_live, clear_live, sort_live },
	{ NULL, count_entries, entry_at, make_entry, append_entry, clear_entry, sort_entries },
};

static const struct list *list_of(const struct hp_kind *kind)
{
	const struct list *list = lists;

	while (list->kind && list->kind != kind)
		list++;
	return list;
}

size_t hp_model_row_count(const struct hp_model *model, const struct hp_kind *kind)
{
	return list_of(kind)->count(model);
}

const void *hp_model_row(const struct hp_model *model, const struct hp_kind *kind, size_t at)
{
	return list_of(kind)->at(model, kind, at);
}

union hp_row hp_model_row_new(const struct hp_model *model, const struct hp_kind *kind)
{
	return list_of(kind)->make(model, kind);
}

bool hp_model_row_append(struct hp_model *model, const struct hp_kind *kind,
			 const union hp_row *row)
{
	return list_of(kind)->append(model, row);
}

void hp_model_row_clear(const struct hp_kind *kind, union hp_row *row)
{
	list_of(kind)->clear(row);
}

void hp_model_rows_sort(struct hp_model *model, const struct hp_kind *kind)
{
	list_of(kind)->sort(model);
}

struct hp_totals hp_model_totals(const struct hp_model *model)
{
	const struct hp_trend *recent = model->cpu.trends[HP_CPU_TREND_TOTAL];

	return (struct hp_totals){ .elapsed_ns = model->elapsed_ns,
				   .bytes = model->memory.bytes,
				   .blocks = model->memory.count,
				   .samples = model->cpu.total_samples,
				   .period_ns = model->cpu.period_ns,
				   .call_ns = model->span_ns,
				   .processes = model->processes,
				   .mode = model->memory.mode,
				   .recent_samples = recent ? (uint64_t)(recent->recent * 1000) : 0,
				   .has_recent = recent && model->watched,
				   .watched = model->watched };
}

bool hp_model_knows(const struct hp_model *model, const struct hp_field *field)
{
	struct hp_totals totals = hp_model_totals(model);

	return hp_totals_know(&totals, field);
}
