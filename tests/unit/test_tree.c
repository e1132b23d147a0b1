/* SPDX-License-Identifier: MIT */
/* The nodes of all lanes become one call tree, whatever they say. */
#include "../fuzz/made_segment.h"

#include "calls/branches.h"
#include "calls/lane_tree.h"
#include "reader.h"
#include "text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CALIBRATION = MADE_SITES + 1, UNKNOWN };

static struct made_segment made;
static struct hp_text text;

/* The stats of the first lane. */
enum { WORK, BLOCK, MAIN = MADE_STATS - 1 };

/* Two lanes without a tree, with nothing in progress and nothing waiting; a tick is a nanosecond. */
static int set_up(void **state)
{
	struct hp_header *header = made_header(&made);

	(void)state;
	made_segment(&made);
	header->ticks_per_second = UINT64_C(1000000000);
	header->end_ticks = 20000;
	made.sites[CALIBRATION].kind = HP_SITE_CALIBRATION;
	header->site_count = CALIBRATION;
	for (unsigned i = 0; i < MADE_LANES; i++)
		made.lanes[i]->nodes = 0;
	for (unsigned i = 0; i < MADE_STATS; i++) {
		made.stats[i]->depth = 0;
		made.stats[i]->open = 0;
		made.stats[i]->flushed = MADE_CALLS;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hp_text_free(&text);
	return 0;
}

static struct hp_node *node(unsigned lane, const struct hp_node *parent, uint32_t site,
			    uint64_t total, int64_t self)
{
	return made_node(&made, made.lanes[lane], parent, site, total, self);
}

/* Calls of a site are in progress. */
static void open_calls(unsigned stat, uint32_t depth, uint64_t since)
{
	made.stats[stat]->depth = depth;
	made.stats[stat]->open_since = since;
}

/* Whatever a segment says, this holds. */
static void assert_sound(const struct hp_model *model)
{
	for (size_t i = 0; i < model->branch_count; i++) {
		const struct hp_branch *branch = &model->branches[i];
		uint64_t inside = 0;
		for (size_t j = i + 1; j < model->branch_count; j++) {
			if (model->branches[j].parent != (int32_t)i)
				continue;
			assert_int_not_equal(model->branches[j].function, branch->function);
			assert_int_equal(model->branches[j].depth, branch->depth + 1);
			inside += model->branches[j].total_ns;
		}
		assert_true(branch->recursive || branch->total_ns >= inside);
		assert_true(branch->parent < (int32_t)i && branch->parent >= HP_NO_BRANCH);
		assert_true(branch->function < (int32_t)model->function_count);
		assert_true(branch->depth <= HP_BRANCH_DEPTH_MAX);
	}
}

static void dump(const struct hp_model *model, int32_t parent)
{
	for (size_t i = 0; i < model->branch_count; i++) {
		const struct hp_branch *branch = &model->branches[i];
		if (branch->parent != parent)
			continue;
		hp_text_printf(&text, "%*s%s %" PRIu64 "+%" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
			       (int)(2 * branch->depth), "",
			       branch->function < 0 ? "<other>"
						    : model->functions[branch->function].name,
			       branch->calls, branch->open, branch->total_ns, branch->self_ns);
		dump(model, (int32_t)i);
	}
}

static struct hp_model *read_model(void)
{
	struct hp_error error = { "" };
	struct hp_model *model = hp_model_read(made.bytes, made.size, NULL, true, &error);

	assert_non_null(model);
	assert_sound(model);
	return model;
}

/* A line for each branch: its name, calls and those in progress, total, self. */
static const char *tree(void)
{
	struct hp_model *model = read_model();

	hp_text_free(&text);
	dump(model, HP_NO_BRANCH);
	hp_model_free(model);
	return text.length ? text.bytes : "";
}

static void lanes_become_one(void **state)
{
	struct hp_node *first = node(0, NULL, 1, 1000, 100);
	struct hp_node *second = node(1, NULL, 1, 500, 50);
	struct hp_node *work = node(1, second, 2, 300, 200);

	(void)state;
	node(0, first, 2, 700, 700);
	node(0, first, 3, 200, 150);
	node(1, work, 3, 100, 90);
	node(1, NULL, 2, 40, 30);
	assert_string_equal(tree(), "main 4+0 1500 150\n"
				    "  work 4+0 1000 900\n"
				    "    a \"block\" 2+0 100 90\n"
				    "  a \"block\" 2+0 200 150\n"
				    "work 2+0 40 30\n");
}

static void no_tree_was_kept(void **state)
{
	static const uint32_t sizes[] = { 0, 8, sizeof(struct hp_node) - 1 };

	(void)state;
	node(0, NULL, 1, 1000, 100);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		made_header(&made)->node_size = sizes[i];
		struct hp_model *model = read_model();
		assert_false(model->has_tree);
		assert_int_equal(model->branch_count, 0);
		hp_model_free(model);
	}
	made_header(&made)->node_size = sizeof(struct hp_node) + 8;
	assert_string_equal(tree(), "main 2+0 1000 100\n");
}

static void another_session(void **state)
{
	(void)state;
	node(0, NULL, 1, 1000, 100);
	made.lanes[0]->session = 7;
	assert_string_equal(tree(), "");
}

static void what_did_not_fit(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);

	(void)state;
	node(0, main, 0, 900, 900);
	node(0, NULL, UNKNOWN, 30, 30);
	node(0, main, UINT32_MAX, 10, 10);
	assert_string_equal(tree(), "main 2+0 1000 100\n"
				    "  <other> 4+0 910 910\n"
				    "<other> 2+0 30 30\n");
}

static void empty_nodes_are_dropped(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 0, 0);
	struct hp_node *work = node(0, main, 2, 0, 0);
	struct hp_node *block = node(0, work, 3, 50, 50);

	(void)state;
	main->calls = work->calls = 0;
	node(0, main, 4, 0, 0)->calls = 0;
	assert_string_equal(tree(), "main 0+0 50 0\n"
				    "  work 0+0 50 0\n"
				    "    a \"block\" 2+0 50 50\n");
	block->calls = 0;
	assert_string_equal(tree(), "");
}

static void calls_in_progress(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 0, 0);
	struct hp_node *work = node(0, main, 2, 500, -3);
	struct hp_node *block = node(0, work, 3, 20, 20);

	(void)state;
	main->calls = 0;
	open_calls(MAIN, 1, 5000);
	open_calls(WORK, 1, 9000);
	assert_string_equal(tree(), "main 0+1 15000 0\n"
				    "  work 2+1 11500 0\n"
				    "    a \"block\" 2+0 20 20\n");

	/* The inner calls of a function that calls itself. */
	open_calls(WORK, 4, 9000);
	block->site = 2;
	block->parent = made_offset(&made, main);
	assert_string_equal(tree(), "main 0+1 15000 0\n"
				    "  work 4+4 11520 17\n");

	/* What began cannot be told. */
	open_calls(MAIN, 1, 20001);
	open_calls(WORK, 4, 20002);
	assert_string_equal(tree(), "main 0+1 520 0\n"
				    "  work 4+4 520 17\n");
}

static uint64_t total_of(const char *name, bool with_tree)
{
	struct hp_error error = { "" };
	struct hp_model *model = hp_model_read(made.bytes, made.size, NULL, with_tree, &error);
	uint64_t total = 0;

	assert_non_null(model);
	for (size_t i = 0; i < model->function_count; i++)
		if (strcmp(model->functions[i].name, name) == 0)
			total = model->functions[i].total_ns;
	hp_model_free(model);
	return total;
}

/* The cost of measuring is an estimate, which may be more than what passed: a call is no less than what it called. */
static void calls_in_progress_hold_their_callees(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 3000, 1000);
	struct hp_node *work = node(0, main, 2, 7000, 6980);

	(void)state;
	node(0, work, 3, 20, 20);
	made_header(&made)->caller = 0;
	made.stats[MAIN]->total = 3000;
	open_calls(MAIN, 1, 10000);
	made.lanes[0]->cost = 1000000;
	/* Of the 7000 ns in work, 2000 were in the calls of main that ended. */
	assert_string_equal(tree(), "main 2+1 8000 1000\n"
				    "  work 2+0 7000 6980\n"
				    "    a \"block\" 2+0 20 20\n");
	assert_int_equal(total_of("main", true), 8000);
	assert_int_equal(total_of("main", false), 8000);
}

/* Calls inside a function are counted once, however often it is above them; its own are not among them. */
static void inner_calls(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 3000, 1000);
	struct hp_node *work = node(0, main, 2, 2000, 1000);
	struct hp_node *again = node(0, work, 1, 1000, 500);

	(void)state;
	node(0, again, 3, 500, 500);
	struct hp_model *model = read_model();
	for (size_t i = 0; i < model->function_count; i++) {
		const struct hp_function *function = &model->functions[i];
		bool is_main = strcmp(function->name, "main") == 0;
		bool is_work = strcmp(function->name, "work") == 0;
		assert_int_equal(function->inner_calls, is_main || is_work ? 4 : 0);
	}
	hp_model_free(model);
}

/* The cost of measuring is no more than the time that each thread had. */
static void cost_is_within_the_time(void **state)
{
	struct hp_error error = { "" };

	(void)state;
	made_header(&made)->caller = 0;
	made.lanes[0]->cost = 1000000;
	struct hp_model *model = hp_model_read(made.bytes, made.size, NULL, true, &error);
	assert_non_null(model);
	assert_true(model->estimated_ns <= MADE_LANES * model->elapsed_ns);
	hp_model_free(model);
}

/* When the inner one of two began is not known: it is there when something is in progress in it. */
static void open_in_itself(void **state)
{
	struct hp_node *work = node(0, NULL, 2, 0, 0);
	struct hp_node *main = node(0, work, 1, 0, 0);
	struct hp_node *again = node(0, main, 2, 10, 10);
	struct hp_node *block = node(0, again, 3, 0, 0);

	(void)state;
	work->calls = main->calls = block->calls = 0;
	open_calls(WORK, 2, 9000);
	open_calls(MAIN, 1, 9100);
	assert_string_equal(tree(), "work 0+2 11000 0\n"
				    "  main 0+1 10900 0\n"
				    "    work 2+0 10 10\n");
	open_calls(BLOCK, 1, 9200);
	assert_string_equal(tree(), "work 0+1 11000 0\n"
				    "  main 0+1 10900 0\n"
				    "    work 2+1 10810 10\n"
				    "      a \"block\" 0+1 10800 0\n");
	/* Not when it cannot be. */
	open_calls(WORK, 1, 9000);
	assert_string_equal(tree(), "work 0+1 11000 0\n"
				    "  main 0+1 10900 0\n"
				    "    work 2+0 10 10\n");
}

/* Several ways lead there: it is the one that began in this order, by those that are in progress. */
static void the_way_that_is_open(void **state)
{
	struct hp_node *first = node(0, node(0, NULL, 1, 100, 0), 2, 50, 50);
	struct hp_node *second = node(0, node(0, NULL, 2, 100, 0), 1, 50, 50);

	(void)state;
	node(0, first, 3, 10, 10);
	node(0, second, 3, 10, 10);
	node(0, NULL, 3, 10, 10);
	open_calls(WORK, 1, 9000);
	open_calls(MAIN, 1, 9000);
	open_calls(BLOCK, 1, 9100);
	assert_non_null(strstr(tree(), "    a \"block\" 2+1 10910 10\n"));
	open_calls(MAIN, 1, 9001);
	assert_string_equal(tree(), "main 2+0 100 0\n"
				    "  work 2+0 50 50\n"
				    "    a \"block\" 2+0 10 10\n"
				    "work 2+1 11100 0\n"
				    "  main 2+1 11049 50\n"
				    "    a \"block\" 2+1 10910 10\n"
				    "a \"block\" 2+0 10 10\n");
	open_calls(MAIN, 0, 9001);
	open_calls(WORK, 0, 9001);
	assert_non_null(strstr(tree(), "\na \"block\" 2+1 10910 10\n"));
}

/* The caller may be on no stack, but is there all the same. */
static void the_caller_is_open(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 0, 0);

	(void)state;
	node(0, main, 2, 10, 10);
	main->calls = 0;
	made.stats[MAIN]->open = 1;
	made.stats[MAIN]->open_since = 8000;
	open_calls(WORK, 1, 9000);
	assert_string_equal(tree(), "main 0+1 12000 0\n"
				    "  work 2+1 11010 10\n");
	made.stats[MAIN]->open = -1;
	assert_string_equal(tree(), "main 0+0 10 0\n"
				    "  work 2+0 10 10\n");
}

/* What is in progress where the tree was cut has no other place. */
static void open_where_it_was_cut(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 0, 0);

	(void)state;
	node(0, main, 0, 0, 0)->calls = 0;
	open_calls(MAIN, 1, 9000);
	assert_string_equal(tree(), "main 2+1 11000 0\n");
	open_calls(WORK, 1, 9100);
	assert_string_equal(tree(), "main 2+1 11000 0\n"
				    "  <other> 0+1 0 0\n");
}

/* Calls that are in the ring alone. */
static void calls_that_wait(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 0, 0);
	struct hp_node *work = node(0, main, 2, 100, 60);
	struct hp_stat *stat = made.stats[WORK];

	(void)state;
	stat->calls = 70;
	stat->flushed = 64;
	for (unsigned i = 0; i < 6; i++) {
		stat->ring[i].duration = 5 | (i == 3 ? HP_CALL_NESTED | HP_CALL_SAME_NODE : 0);
		stat->places[i] = (uint64_t)(i == 1 ? main : work)->number << HP_NODE_SHIFT | 4;
	}
	stat->places[2] = 4;
	stat->places[4] = UINT64_MAX << HP_NODE_SHIFT | 4;
	assert_string_equal(tree(), "main 3+0 110 4\n"
				    "  work 5+0 110 72\n");
}

static void totals_hold_their_children(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 100, 5);
	struct hp_node *work = node(0, main, 2, 60, 10);

	(void)state;
	node(0, work, 3, 70, 70);
	node(0, main, 4, 50, 90);
	assert_string_equal(tree(), "main 2+0 120 5\n"
				    "  work 2+0 70 10\n"
				    "    a \"block\" 2+0 70 70\n"
				    "  \xc2\xb5-op 2+0 50 50\n");
}

/* Where recursion comes back to, the children are inside each other. */
static void recursion_holds_its_children_once(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 100, 5);
	struct hp_node *work = node(0, main, 2, 95, 10);

	(void)state;
	work->recursive = 1;
	node(0, work, 3, 90, 20);
	node(0, work, 4, 80, 60);
	assert_string_equal(tree(), "main 2+0 100 5\n"
				    "  work 2+0 95 10\n"
				    "    a \"block\" 2+0 90 20\n"
				    "    \xc2\xb5-op 2+0 80 60\n");
}

static void selves_may_be_negative(void **state)
{
	(void)state;
	node(0, NULL, 2, 100, -30);
	assert_string_equal(tree(), "work 2+0 100 0\n");
	node(1, NULL, 2, 100, 70);
	assert_string_equal(tree(), "work 4+0 200 40\n");
}

static void calibration_is_not_shown(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);
	struct hp_node *hidden = node(0, main, CALIBRATION, 500, 400);
	struct hp_node *top = node(0, NULL, CALIBRATION, 500, 400);

	(void)state;
	node(0, hidden, 2, 100, 100);
	node(0, top, 3, 50, 50);
	assert_string_equal(tree(), "main 2+0 1000 100\n"
				    "  work 2+0 100 100\n"
				    "a \"block\" 2+0 50 50\n");
}

/* The recorder does not do that, but the calls are no fewer then, and the time is no more. */
static void a_function_in_itself(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);
	struct hp_node *outer = node(0, main, 2, 500, 30);
	struct hp_node *inner = node(0, outer, 2, 470, 70);

	(void)state;
	node(0, inner, 3, 400, 400);
	node(0, outer, 3, 10, 10);
	assert_string_equal(tree(), "main 2+0 1000 100\n"
				    "  work 4+0 500 100\n"
				    "    a \"block\" 4+0 410 410\n");
	open_calls(MAIN, 1, 9000);
	open_calls(WORK, 2, 9000);
	assert_string_equal(tree(), "main 2+1 12000 100\n"
				    "  work 4+2 11500 100\n"
				    "    a \"block\" 4+0 410 410\n");
}

/* ---- twins ---- */

/* The tree when "work" and the block are two sites of one function. */
static const char *tree_of_twins(void)
{
	static const uint32_t rows[CALIBRATION + 1] = { 0, 1, 2, 2, 4 };
	struct hp_model *model = read_model();
	struct hp_stat_index index = { .sites = NULL };
	struct hp_snapshot snapshot;

	free(model->branches);
	model->branches = NULL;
	model->branch_count = 0;
	assert_null(hp_snapshot_open(&snapshot, made.bytes, made.size, false));
	assert_true(hp_tree_read(&snapshot, &index, rows, model));
	assert_sound(model);
	hp_text_free(&text);
	dump(model, HP_NO_BRANCH);
	hp_model_free(model);
	return text.length ? text.bytes : "";
}

/* Their calls are the same ones, seen twice; where only one of them saw some, these count. */
static void twins(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);
	struct hp_node *outer = node(0, main, 2, 500, 30);
	struct hp_node *inner = node(0, outer, 3, 470, 60);

	(void)state;
	node(0, inner, 4, 400, 400);
	node(0, outer, 4, 10, 10);
	assert_string_equal(tree_of_twins(), "main 2+0 1000 100\n"
					     "  work 2+0 500 90\n"
					     "    \xc2\xb5-op 4+0 410 410\n");
	node(0, main, 3, 50, 50);
	assert_string_equal(tree_of_twins(), "main 2+0 1000 100\n"
					     "  work 4+0 550 140\n"
					     "    \xc2\xb5-op 4+0 410 410\n");
}

/* A chain of nodes of both in turn, the first with one call, the next two with two, and so on. */
static struct hp_node *nodes_in_turn(uint32_t first, unsigned count)
{
	struct hp_node *last = NULL;

	for (unsigned i = 0; i < count; i++) {
		last = node(0, last, i % 2 ? 5 - first : first, 1000 - 10 * i, 10);
		last->calls = 1 + (i + 1) / 2;
	}
	return last;
}

/* The function calls itself: calls of the site that comes first are further ones, the other's are not. */
static void twins_in_themselves(void **state)
{
	struct hp_node *last = nodes_in_turn(2, 6);

	(void)state;
	node(0, last, 4, 5, 5);
	assert_string_equal(tree_of_twins(), "work 6+0 1000 60\n"
					     "  \xc2\xb5-op 2+0 5 5\n");
	made.lanes[0]->nodes = 0;
	nodes_in_turn(3, 3);
	assert_string_equal(tree_of_twins(), "work 3+0 1000 30\n");
}

static void twins_in_progress(void **state)
{
	struct hp_node *last = nodes_in_turn(2, 4);

	(void)state;
	open_calls(WORK, 2, 9000);
	open_calls(BLOCK, 2, 9100);
	assert_string_equal(tree_of_twins(), "work 3+2 12000 40\n");
	/* What is in progress below tells the whole way. */
	node(0, last, 1, 0, 0)->calls = 0;
	open_calls(MAIN, 1, 9200);
	assert_string_equal(tree_of_twins(), "work 3+2 12000 40\n"
					     "  main 0+1 10800 0\n");
	open_calls(WORK, 3, 9000);
	open_calls(BLOCK, 3, 9100);
	assert_string_equal(tree_of_twins(), "work 3+3 12000 40\n"
					     "  main 0+1 10800 0\n");
}

/* ---- hostile ---- */

static void parents_that_are_none(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);
	struct hp_node *work = node(0, main, 2, 500, 30);
	struct hp_node *elsewhere = node(1, NULL, 3, 5, 5);
	const uint64_t bad[] = { 1,
				 8,
				 made.size,
				 UINT64_MAX,
				 UINT64_C(1) << 63,
				 made_offset(&made, elsewhere),
				 made_offset(&made, made.stats[0]),
				 made_offset(&made, main) + 8 };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		work->parent = bad[i];
		assert_string_equal(tree(), "a \"block\" 2+0 5 5\n"
					    "main 2+0 1000 100\n"
					    "work 2+0 500 30\n");
	}
}

/* A younger node as a parent is odd, but no harm. */
static void parents_that_follow(void **state)
{
	struct hp_node *work = node(0, NULL, 2, 500, 30);
	struct hp_node *main = node(0, NULL, 1, 1000, 100);

	(void)state;
	work->parent = made_offset(&made, main);
	assert_string_equal(tree(), "main 2+0 1000 100\n"
				    "  work 2+0 500 30\n");
}

static void circles(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);
	struct hp_node *work = node(0, main, 2, 500, 30);
	struct hp_node *block = node(0, work, 3, 20, 20);

	(void)state;
	open_calls(WORK, 2, 9000);
	open_calls(BLOCK, 2, 9100);
	work->parent = made_offset(&made, work);
	tree();
	main->parent = made_offset(&made, block);
	work->parent = made_offset(&made, main);
	tree();

	/* The list itself; each node counts once. */
	main->parent = 0;
	open_calls(WORK, 0, 0);
	open_calls(BLOCK, 0, 0);
	main->next = made_offset(&made, block);
	assert_string_equal(tree(), "main 2+0 1000 100\n"
				    "  work 2+0 500 30\n"
				    "    a \"block\" 2+0 20 20\n");
	block->next = made_offset(&made, block);
	assert_string_equal(tree(), "a \"block\" 2+0 20 20\n");
	made.lanes[0]->next = made_offset(&made, made.lanes[1]);
	tree();
}

static void too_deep(void **state)
{
	struct hp_node *above = NULL;
	uint32_t deepest = 0;

	(void)state;
	for (unsigned i = 0; i < 5 * HP_NODE_DEPTH_MAX; i++)
		above = node(0, above, 2 + i % 2, 1000 - i, 1);
	open_calls(WORK, UINT32_MAX, 1);
	open_calls(BLOCK, UINT32_MAX, 2);
	struct hp_model *model = read_model();
	for (size_t i = 0; i < model->branch_count; i++)
		if (model->branches[i].depth > deepest)
			deepest = model->branches[i].depth;
	assert_int_equal(deepest, HP_BRANCH_DEPTH_MAX);
	hp_model_free(model);
}

static void huge_figures(void **state)
{
	struct hp_node *main = node(0, NULL, 1, UINT64_MAX, INT64_MIN);
	struct hp_node *other = node(1, NULL, 1, UINT64_MAX, INT64_MIN);

	(void)state;
	main->calls = other->calls = UINT64_MAX;
	open_calls(MAIN, UINT32_MAX, 1);
	hp_model_free(read_model());
	node(0, main, 2, 5, INT64_MAX);
	assert_non_null(strstr(tree(), "work 2+0 5 5\n"));
}

/* ---- merging ---- */

static void models_become_one(void **state)
{
	struct hp_node *main = node(0, NULL, 1, 1000, 100);

	(void)state;
	node(0, main, 2, 700, 700);
	struct hp_model *one = read_model();
	node(0, main, 3, 200, 200);
	node(0, main, 0, 10, 10);
	/* Rows have other numbers there. */
	made.stats[MADE_STATS - 1]->site = 0;
	struct hp_model *two = read_model();
	struct hp_model *merged = calloc(1, sizeof(*merged));
	assert_int_equal(hp_model_merge(merged, one), 0);
	assert_int_equal(hp_model_merge(merged, two), 0);
	assert_sound(merged);
	assert_true(merged->has_tree);
	dump(merged, HP_NO_BRANCH);
	assert_string_equal(text.bytes, "main 2+0 1000 100\n"
					"  work 2+0 700 700\n"
					"<other> 2+0 1000 110\n"
					"  work 2+0 700 700\n"
					"  a \"block\" 2+0 200 200\n");
	hp_model_free(merged);
	hp_model_free(two);
	hp_model_free(one);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lanes_become_one),
		TEST(no_tree_was_kept),
		TEST(another_session),
		TEST(what_did_not_fit),
		TEST(empty_nodes_are_dropped),
		TEST(calls_in_progress),
		TEST(calls_in_progress_hold_their_callees),
		TEST(inner_calls),
		TEST(cost_is_within_the_time),
		TEST(open_in_itself),
		TEST(the_way_that_is_open),
		TEST(the_caller_is_open),
		TEST(open_where_it_was_cut),
		TEST(calls_that_wait),
		TEST(totals_hold_their_children),
		TEST(recursion_holds_its_children_once),
		TEST(selves_may_be_negative),
		TEST(calibration_is_not_shown),
		TEST(a_function_in_itself),
		TEST(twins),
		TEST(twins_in_themselves),
		TEST(twins_in_progress),
		TEST(parents_that_are_none),
		TEST(parents_that_follow),
		TEST(circles),
		TEST(too_deep),
		TEST(huge_figures),
		TEST(models_become_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
