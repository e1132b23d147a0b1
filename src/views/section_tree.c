/* SPDX-License-Identifier: MIT */
/*
 * What is special about the section "tree": functions under those that call them.
 *
 * If a tree has too many branches, the largest are shown. No child is larger than its parent, so these form a tree
 * too.
 */
#include "branch_table.h"
#include "nothing.h"
#include "prune.h"
#include "section.h"

#include <stdlib.h>
#include <string.h>

/* A branch, while it is sorted into place. */
struct leaf {
	int32_t branch;
	int32_t parent;
	uint64_t total_ns;
	const char *name;
};

/* The tree as it is shown. */
struct view {
	/* Copy of the model with the branches that remain after filtering. */
	struct hp_model model;
	/* The shown branches: siblings are adjacent, largest first. */
	struct leaf *leaves;
	size_t count;
	/* For each branch, where its children begin and end in leaves; item 0 is for the root. */
	size_t *first;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The largest first; of the same size, the one that stands above. */
static int by_size(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;
	int order = compare(b->total_ns, a->total_ns);

	return order ? order : (a->branch > b->branch) - (a->branch < b->branch);
}

static int by_place(const void *left, const void *right)
{
	const struct leaf *a = left, *b = right;
	int order = (a->parent > b->parent) - (a->parent < b->parent);

	if (order == 0)
		order = compare(b->total_ns, a->total_ns);
	if (order == 0)
		order = strcmp(a->name, b->name);
	return order ? order : by_size(left, right);
}

static void gather_leaves(struct view *view)
{
	for (size_t i = 0; i < view->model.branch_count; i++) {
		const struct hp_branch *branch = &view->model.branches[i];
		view->leaves[i] = (struct leaf){
			.branch = (int32_t)i,
			.parent = branch->parent,
			.total_ns = branch->total_ns,
			.name = hp_branch_function(&view->model, branch).name,
		};
	}
}

static void index_leaves(struct view *view)
{
	size_t branches = view->model.branch_count;

	for (size_t i = 0; i < view->count; i++)
		view->first[view->leaves[i].parent + 2]++;
	for (size_t i = 1; i < branches + 2; i++)
		view->first[i] += view->first[i - 1];
}

static void close_view(struct view *view)
{
	free(view->model.branches);
	free(view->leaves);
	free(view->first);
}

/* Filter the tree according to the options; false when memory ran out. */
static bool open_view(struct view *view, const struct hp_model *model,
		      const struct hp_report_options *options, bool fold_small)
{
	*view = (struct view){ .leaves = NULL };
	if (hp_prune(model, options, fold_small, &view->model))
		return false;
	view->count = view->model.branch_count;
	view->leaves = calloc(view->count + 1, sizeof(*view->leaves));
	view->first = calloc(view->count + 2, sizeof(*view->first));
	if (view->leaves && view->first)
		return true;
	close_view(view);
	*view = (struct view){ .leaves = NULL };
	return false;
}

/* Arrange the first `shown` branches. */
static void arrange(struct view *view, size_t shown)
{
	gather_leaves(view);
	if (view->count)
		qsort(view->leaves, view->count, sizeof(*view->leaves), by_size);
	view->count = shown;
	if (view->count)
		qsort(view->leaves, view->count, sizeof(*view->leaves), by_place);
	index_leaves(view);
}

/* ---- as a grid ---- */

struct row {
	const struct hp_branch *branch;
	/* Where the lines that lead to it from the left begin, in the texts. */
	size_t before;
	/* Of the names from the root down to it. */
	uint64_t identity;
};

struct tree {
	struct view view;
	struct hp_branch_table table;
	struct row *rows;
	size_t count;
	struct hp_text texts;
};

static const struct row *row_of(const struct hp_grid *grid, size_t row)
{
	return &((const struct tree *)grid->rows)->rows[row];
}

static enum hp_paint write_cell(const struct hp_grid *grid, size_t row, size_t column,
				struct hp_text *text)
{
	const struct tree *tree = grid->rows;

	return hp_branch_cell(&tree->table, tree->rows[row].branch,
			      tree->texts.bytes + tree->rows[row].before, column, text);
}

static uint64_t identity_of(const struct hp_grid *grid, size_t row)
{
	return row_of(grid, row)->identity;
}

static const struct hp_function *function_of(const struct hp_grid *grid, size_t row)
{
	int32_t function = row_of(grid, row)->branch->function;

	return function >= 0 ? &grid->model->functions[function] : NULL;
}

static void close_tree(struct hp_grid *grid)
{
	struct tree *tree = grid->rows;

	if (!tree)
		return;
	close_view(&tree->view);
	hp_branch_table_free(&tree->table);
	hp_text_free(&tree->texts);
	free(tree->rows);
	free(tree);
}

static void add_row(struct tree *tree, const struct leaf *leaf, uint64_t parent_identity,
		    const struct hp_text *lines)
{
	uint64_t identity = hp_grid_identity(leaf->name, 0) + parent_identity * 31;

	tree->rows[tree->count++] = (struct row){ &tree->view.model.branches[leaf->branch],
						  tree->texts.length, identity };
	hp_text_add(&tree->texts, lines->bytes, lines->length);
	hp_text_add(&tree->texts, "", 1);
}

/* Add what is below a parent; `lines` leads down to it from the left. */
static void add_rows(struct tree *tree, int32_t parent, uint64_t identity, struct hp_text *lines)
{
	const struct view *view = &tree->view;
	size_t last = view->first[parent + 2], length = lines->length;

	for (size_t i = view->first[parent + 1]; i < last; i++) {
		bool at_root = parent == HP_NO_BRANCH, at_end = i + 1 == last;

		hp_text_puts(lines, at_root ? "" : at_end ? "└─ " : "├─ ");
		add_row(tree, &view->leaves[i], identity, lines);
		lines->length = length;
		hp_text_puts(lines, at_root ? "" : at_end ? "   " : "│  ");
		add_rows(tree, view->leaves[i].branch, tree->rows[tree->count - 1].identity, lines);
		lines->length = length;
	}
}

/* The first `shown` branches, in the order of the tree. False when memory ran out. */
static bool fill_tree(struct tree *tree, size_t shown)
{
	struct hp_text lines = HP_TEXT_INIT;

	arrange(&tree->view, shown);
	hp_branch_table_init(&tree->table, &tree->view.model);
	tree->rows = calloc(tree->view.count + 1, sizeof(*tree->rows));
	if (!tree->rows)
		return false;
	/* Allocates the buffers, so that bytes is not NULL when they are empty. */
	hp_text_add(&lines, "", 1);
	hp_text_add(&tree->texts, "", 1);
	lines.length = 0;
	if (!lines.failed)
		add_rows(tree, HP_NO_BRANCH, 0, &lines);
	bool done = !lines.failed && !tree->texts.failed && !tree->table.cell.failed;
	hp_text_free(&lines);
	return done;
}

static bool open_grid(const struct hp_section *section, struct hp_grid *grid,
		      const struct hp_model *model, const struct hp_report_options *options)
{
	static const struct hp_grid_kind kind = { write_cell, identity_of, function_of,
						  close_tree };
	struct tree *tree = calloc(1, sizeof(*tree));

	*grid = (struct hp_grid){ .kind = &kind, .model = model, .rows = tree, .sorted = -1 };
	if (!tree || !open_view(&tree->view, model, options, true))
		return false;
	size_t all = tree->view.count;
	size_t shown = options->in_console ? all : hp_section_limit(section, options, all);
	if (!fill_tree(tree, shown))
		return false;
	grid->row_count = tree->count;
	grid->is_limited = grid->keeps_order = true;
	grid->left_out = all - shown;
	grid->column_count = hp_branch_columns(grid->columns, &grid->name);
	return true;
}

/* ---- JSON ---- */

static void put_branches(struct hp_json *json, const struct view *view, int32_t parent)
{
	hp_json_begin_array(json);
	for (size_t i = view->first[parent + 1]; i < view->first[parent + 2]; i++) {
		hp_json_begin_object(json);
		hp_branch_json(json, &view->model, &view->model.branches[view->leaves[i].branch]);
		hp_json_key(json, "children");
		put_branches(json, view, view->leaves[i].branch);
		hp_json_end_object(json);
	}
	hp_json_end_array(json);
}

static void write_json(const struct hp_section *section, const struct hp_model *model,
		       const struct hp_report_options *options, struct hp_json *json)
{
	struct view view;
	if (!model->has_tree || !open_view(&view, model, options, false)) {
		json->text->failed |= model->has_tree;
		hp_json_null(json);
		return;
	}

	size_t rows = view.count;
	arrange(&view, hp_section_json_limit(section, options, rows));
	hp_json_begin_object(json);
	hp_json_key(json, "total_count");
	hp_json_u64(json, rows);
	hp_json_key(json, "included_count");
	hp_json_u64(json, view.count);
	hp_json_key(json, "data");
	put_branches(json, &view, HP_NO_BRANCH);
	hp_json_end_object(json);
	close_view(&view);
}

static bool is_automatic(const struct hp_model *model, const struct hp_report_options *options)
{
	(void)model, (void)options;
	return false;
}

const struct hp_section hp_section_special_tree = {
	.kind = &hp_kind_tree,
	.is_automatic = is_automatic,
	.open_grid = open_grid,
	.why_nothing = hp_nothing_in_tree,
	.write_json = write_json,
};
