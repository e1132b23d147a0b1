/* SPDX-License-Identifier: MIT */
/* The table of a section before it is drawn. */
#include "grid.h"

static void add_row(struct hp_table *table, const struct hp_grid *grid, size_t row,
		    struct hp_text *cell)
{
	for (size_t i = 0; i < grid->column_count; i++) {
		enum hp_paint paint = grid->kind->cell(grid, row, i, cell);
		hp_table_text_cell(table, cell, paint);
	}
}

static unsigned rank_of(const struct hp_grid_column *column)
{
	return (column->rank + 1) * HP_GRID_LESSER + column->lesser;
}

void hp_grid_write(const struct hp_grid *grid, size_t shown,
		   const struct hp_report_options *options, struct hp_text *text)
{
	struct hp_text cell = HP_TEXT_INIT;
	struct hp_table table;

	hp_table_init(&table, grid->column_count);
	for (size_t i = 0; i < grid->column_count; i++) {
		table.align[i] = grid->columns[i].align;
		table.rank[i] = i == grid->name ? 0 : rank_of(&grid->columns[i]);
		hp_table_cell(&table, grid->columns[i].header, HP_PAINT_BOLD);
	}
	for (size_t row = 0; row < grid->row_count; row++)
		if (row < shown || row >= grid->row_count - grid->tail)
			add_row(&table, grid, row, &cell);
	hp_table_write(&table, options->width, options->colour, text);
	hp_table_free(&table);
	hp_text_free(&cell);
}

uint64_t hp_grid_identity(const char *name, uint32_t line)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * UINT64_C(1099511628211);
	return hash ^ (uint64_t)line << 32;
}

void hp_grid_close(struct hp_grid *grid)
{
	if (grid->kind)
		grid->kind->close(grid);
	if (grid->base && grid->free_base)
		grid->free_base(grid->base);
	*grid = (struct hp_grid){ .kind = NULL };
}
