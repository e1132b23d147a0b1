/* SPDX-License-Identifier: MIT */
/* The threads that are shown, as rows and columns. */
#include "thread_rows.h"

#include "format.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool has_ended(const struct hp_thread *thread)
{
	return thread->state == HP_THREAD_ENDED || !thread->tid;
}

static int by_work(const void *left, const void *right)
{
	const struct hp_thread *a = ((const struct hp_thread_row *)left)->thread;
	const struct hp_thread *b = ((const struct hp_thread_row *)right)->thread;
	uint64_t ours = hp_thread_cpu_ns(a), theirs = hp_thread_cpu_ns(b);
	int order = has_ended(a) - has_ended(b);

	if (!order)
		order = (ours < theirs) - (ours > theirs);
	if (!order)
		order = (a->allocated_bytes < b->allocated_bytes) -
			(a->allocated_bytes > b->allocated_bytes);
	return order ? order : (a->tid > b->tid) - (a->tid < b->tid);
}

bool hp_thread_rows_choose(struct hp_thread_rows *rows, const struct hp_model *model,
			   const struct hp_report_options *options, hp_limit *limit)
{
	const struct hp_threads *all = &model->threads;
	size_t ended = 0;

	/* One more, for the rest. */
	*rows = (struct hp_thread_rows){ .items = calloc(all->count + 1, sizeof(*rows->items)),
					 .count = all->count,
					 .rest = all->rest };
	if (!rows->items)
		return false;
	for (size_t i = 0; i < all->count; i++) {
		rows->items[i].thread = &all->items[i];
		ended += has_ended(&all->items[i]);
	}
	qsort(rows->items, all->count, sizeof(*rows->items), by_work);
	rows->shown = all->count - ended + limit(&hp_section_threads, options, ended);
	for (size_t i = rows->shown; i < all->count; i++)
		hp_thread_add(&rows->rest, rows->items[i].thread);
	rows->rest.cpu_now = rows->rest.cpu_avg = rows->rest.cpu_max = HP_CPU_PERCENT_UNKNOWN;
	return true;
}

void hp_thread_rows_free(struct hp_thread_rows *rows)
{
	free(rows->items);
}

/* ---- columns ---- */

static void put_name(const struct hp_thread *thread, struct hp_text *text)
{
	if (!thread->name) {
		hp_text_printf(text, "<ended: %" PRIu64 ">", thread->threads);
		return;
	}
	hp_text_puts(text, thread->name[0] ? thread->name : "?");
	if (thread->threads > 1)
		hp_text_printf(text, " (%" PRIu64 " threads)", thread->threads);
}

/* "Running"; "-" when nobody knows. */
static void put_state(const struct hp_thread *thread, struct hp_text *text)
{
	const char *name = hp_thread_state_name(thread->state);

	if (name)
		hp_text_printf(text, "%c%s", name[0] - 'a' + 'A', name + 1);
	else
		hp_text_putc(text, '-');
}

enum unit {
	UNIT_NAME,
	UNIT_TID,
	UNIT_STATE,
	UNIT_PERCENT,
	UNIT_TIME,
	/* Shown where it says something. */
	UNIT_QUEUE,
	/* Shown if allocations are recorded; the last two need recorded frees. */
	UNIT_BYTES,
	UNIT_FREED,
	UNIT_DIFFERENCE,
};

static const struct {
	const char *key;
	const char *header;
	uint8_t unit;
	uint8_t rank;
	/* Offset of the figure in struct hp_thread. */
	uint16_t offset;
} columns[] = {
	{ "thread", "Thread", UNIT_NAME, 0, 0 },
	{ "tid", "TID", UNIT_TID, 2, 0 },
	{ "state", "State", UNIT_STATE, 1, 0 },
	{ "cpu", "CPU", UNIT_PERCENT, 1, offsetof(struct hp_thread, cpu_now) },
	{ "cpu-avg", "Avg CPU", UNIT_PERCENT, 3, offsetof(struct hp_thread, cpu_avg) },
	{ "cpu-max", "Max CPU", UNIT_PERCENT, 4, offsetof(struct hp_thread, cpu_max) },
	{ "user", "User", UNIT_TIME, 2, offsetof(struct hp_thread, user_ns) },
	{ "system", "System", UNIT_TIME, 2, offsetof(struct hp_thread, system_ns) },
	{ "queue", "Queue", UNIT_QUEUE, 3, offsetof(struct hp_thread, queue_ns) },
	{ "allocated", "Allocated", UNIT_BYTES, 3, offsetof(struct hp_thread, allocated_bytes) },
	{ "freed", "Freed", UNIT_FREED, 4, offsetof(struct hp_thread, freed_bytes) },
	{ "difference", "Difference", UNIT_DIFFERENCE, 3, 0 },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

_Static_assert((int)COLUMNS <= (int)HP_TABLE_COLUMNS_MAX, "they fit into a table");

static uint64_t number_of(const struct hp_thread *thread, size_t column)
{
	const char *figure = (const char *)thread + columns[column].offset;

	return *(const uint64_t *)(const void *)figure;
}

static double percent_of(const struct hp_thread *thread, size_t column)
{
	const char *figure = (const char *)thread + columns[column].offset;

	return *(const double *)(const void *)figure;
}

static int64_t difference_of(const struct hp_thread *thread)
{
	return (int64_t)(thread->allocated_bytes - thread->freed_bytes);
}

/* What a column is sorted by. A time or a share of a core that is not known is negative. */
static double value_of(const struct hp_thread *thread, size_t column)
{
	switch (columns[column].unit) {
	case UNIT_TID:
		return thread->tid;
	case UNIT_STATE:
		return -(double)thread->state;
	case UNIT_PERCENT:
		return percent_of(thread, column);
	case UNIT_TIME:
	case UNIT_QUEUE:
		return thread->has_times ? (double)number_of(thread, column) : -1;
	case UNIT_DIFFERENCE:
		return (double)difference_of(thread);
	default:
		return (double)number_of(thread, column);
	}
}

static struct hp_figure figure_of(const struct hp_thread *thread, size_t column)
{
	switch (columns[column].unit) {
	case UNIT_TID:
		return hp_format_count(thread->tid);
	case UNIT_PERCENT:
		return hp_format_percent(percent_of(thread, column));
	case UNIT_TIME:
	case UNIT_QUEUE:
		return hp_format_duration(number_of(thread, column));
	case UNIT_DIFFERENCE:
		return hp_format_difference(difference_of(thread));
	default:
		return hp_format_bytes(number_of(thread, column));
	}
}

static bool is_known(const struct hp_model *model, const struct hp_thread *thread, size_t column)
{
	unsigned unit = columns[column].unit;

	if (unit == UNIT_TID)
		return thread->tid;
	if (unit == UNIT_FREED || unit == UNIT_DIFFERENCE)
		return model->memory.mode >= HP_ALLOC_FREED;
	return unit == UNIT_BYTES || value_of(thread, column) >= 0;
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct hp_thread_rows *rows = grid->rows;
	const struct hp_thread *thread = rows->items[row].thread;

	column = rows->columns[column];
	if (columns[column].unit == UNIT_NAME)
		put_name(thread, text);
	else if (columns[column].unit == UNIT_STATE)
		put_state(thread, text);
	else if (is_known(grid->model, thread, column))
		hp_text_puts(text, figure_of(thread, column).text);
	else
		hp_text_putc(text, '-');
	return HP_PAINT_PLAIN;
}

/* With its start, because the kernel may reuse the tid for a later thread. */
static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	const struct hp_thread_rows *rows = grid->rows;
	const struct hp_thread *thread = rows->items[row].thread;

	return ((uint64_t)thread->pid << 32 | thread->tid) ^ thread->since << 1;
}

static void close_rows(struct hp_grid *grid)
{
	struct hp_thread_rows *rows = grid->rows;

	if (rows)
		hp_thread_rows_free(rows);
	free(rows);
}

static const struct hp_grid_kind kind = { write_cell, identity_of, NULL, close_rows };

/* ---- in what order ---- */

static int by_key(const void *left, const void *right)
{
	const struct hp_thread_row *a = left, *b = right;
	int order = (a->key < b->key) - (a->key > b->key);

	return order ? order : by_work(left, right);
}

static int by_name(const void *left, const void *right)
{
	const struct hp_thread_row *a = left, *b = right;
	int order = strcmp(a->thread->name, b->thread->name);

	return order ? order : by_work(left, right);
}

static void sort_rows(struct hp_grid *grid, const struct hp_report_options *options)
{
	struct hp_thread_rows *rows = grid->rows;

	grid->sorted = -1;
	for (size_t i = 0; i < grid->column_count; i++)
		if (strcmp(grid->columns[i].key, options->sort) == 0)
			grid->sorted = (int)i;
	if (grid->sorted < 0)
		return;
	size_t column = rows->columns[grid->sorted];
	bool names = columns[column].unit == UNIT_NAME;
	for (size_t i = 0; !names && i < rows->shown; i++)
		rows->items[i].key = value_of(rows->items[i].thread, column);
	qsort(rows->items, rows->shown, sizeof(*rows->items), names ? by_name : by_key);
}

static void describe_column(struct hp_grid_column *into, size_t column)
{
	unsigned unit = columns[column].unit;
	bool is_word = unit == UNIT_NAME || unit == UNIT_STATE;

	*into = (struct hp_grid_column){ .align = is_word ? HP_ALIGN_LEFT : HP_ALIGN_RIGHT,
					 .rank = columns[column].rank };
	strcpy(into->key, columns[column].key);
	strcpy(into->header, columns[column].header);
}

/* Whether some thread queued for more than a hundredth of its time. */
static bool has_queued(const struct hp_model *model)
{
	for (size_t i = 0; i < model->threads.count; i++)
		if (model->threads.items[i].queue_ns > model->threads.items[i].recorded_ns / 100)
			return true;
	return false;
}

/* For an ended program, the last CPU share of its threads may not be known. */
static bool is_shown(const struct hp_model *model, size_t column)
{
	if (columns[column].unit >= UNIT_BYTES)
		return model->memory.mode != HP_ALLOC_NONE;
	if (columns[column].unit == UNIT_QUEUE)
		return has_queued(model);
	for (size_t i = 0; columns[column].unit == UNIT_PERCENT; i++) {
		if (i == model->threads.count)
			return false;
		if (percent_of(&model->threads.items[i], column) >= 0)
			break;
	}
	return true;
}

static void choose_columns(struct hp_grid *grid, struct hp_thread_rows *rows)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		if (is_shown(grid->model, i)) {
			rows->columns[grid->column_count] = (uint8_t)i;
			describe_column(&grid->columns[grid->column_count++], i);
		}
	}
}

static bool has_rest(const struct hp_thread *rest)
{
	return rest->threads || rest->allocated_bytes || rest->freed_bytes;
}

bool hp_thread_grid_open(struct hp_grid *grid, const struct hp_model *model,
			 const struct hp_report_options *options)
{
	struct hp_thread_rows *rows = calloc(1, sizeof(*rows));

	*grid = (struct hp_grid){ .kind = &kind, .model = model, .rows = rows };
	if (!rows || !hp_thread_rows_choose(rows, model, options, hp_section_limit))
		return false;
	choose_columns(grid, rows);
	sort_rows(grid, options);
	grid->is_limited = true;
	grid->left_out = rows->count - rows->shown;
	grid->tail = has_rest(&rows->rest);
	grid->row_count = rows->shown + grid->tail;
	rows->items[rows->shown].thread = &rows->rest;
	return true;
}
