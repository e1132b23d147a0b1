/* SPDX-License-Identifier: MIT */
/* Which row of base is which row of head, and what figures the runs have of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "comparison_by_hand.h"
#include "match.h"

enum { MANY = 10000, RUNS = 10 };

static struct hp_comparison comparison;

static int set_up(void **state)
{
	(void)state;
	comparison = new_comparison();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hp_comparison_clear(&comparison);
	return 0;
}

static void match(void)
{
	assert_int_equal(hp_match(&comparison), 0);
	assert_true(comparison.section_count > 0);
	assert_ptr_equal(comparison.sections[0].subject, &hp_subject_program);
	assert_int_equal(comparison.sections[0].row_count, 1);
}

static const struct hp_compared_section *timing(void)
{
	const struct hp_compared_section *section = section_of(&comparison, &hp_subject_timing);

	assert_non_null(section);
	return section;
}

/* Both values of the first run of each side. */
static void assert_calls(const char *name, uint32_t line, enum hp_presence presence, double before,
			 double after)
{
	const struct hp_compared_row *row = row_of(timing(), name, line);
	const struct hp_compared_cell *cell = cell_of(timing(), row, "calls");

	assert_non_null(cell);
	assert_int_equal(row->presence, presence);
	assert_true(cell->before[0] == before);
	assert_true(cell->after[0] == after);
}

/* ---- the same ---- */

static void folders_do_not_matter(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("f", "/old/src/a.c", 10, 3), CALLED("g", "b.c", 5, 1));
	ADD(&comparison.head, CALLED("g", "/x/b.c", 7, 1), CALLED("f", "/new/a.c", 30, 4));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_calls("f", 30, HP_PRESENT, 3, 4);
	assert_calls("g", 7, HP_PRESENT, 1, 1);
	assert_string_equal(row_of(timing(), "f", 0)->file, "/new/a.c");
}

static void files_tell_static_functions_apart(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("init", "a.c", 1, 10), CALLED("init", "b.c", 1, 20));
	ADD(&comparison.head, CALLED("init", "b.c", 2, 21), CALLED("init", "a.c", 3, 11));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_calls("init", 3, HP_PRESENT, 10, 11);
	assert_calls("init", 2, HP_PRESENT, 20, 21);
}

static void lines_tell_blocks_apart(void **state)
{
	struct hp_function base[] = { CALLED("loop", "a.c", 20, 2), CALLED("loop", "a.c", 10, 1) };
	struct hp_function head[] = { CALLED("loop", "a.c", 15, 1), CALLED("loop", "a.c", 25, 3) };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		base[i].kind = head[i].kind = HP_SITE_BLOCK;
	add_model(&comparison.base, model_of(base, 2));
	add_model(&comparison.head, model_of(head, 2));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_calls("loop", 15, HP_PRESENT, 1, 1);
	assert_calls("loop", 25, HP_PRESENT, 2, 3);
}

/* One that a run did not reach does not make another out of the one behind it. */
static void a_block_may_be_missing_in_a_run(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("loop", "a.c", 20, 2));
	ADD(&comparison.base, CALLED("loop", "a.c", 10, 1), CALLED("loop", "a.c", 20, 2));
	ADD(&comparison.head, CALLED("loop", "a.c", 11, 1), CALLED("loop", "a.c", 21, 2));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_calls("loop", 11, HP_PRESENT, 0, 1);
	assert_calls("loop", 21, HP_PRESENT, 2, 2);
	assert_true(cell_of(timing(), row_of(timing(), "loop", 11), "calls")->before[1] == 1);
}

/* Reports of a side may come from sources that differ: then it is the order of lines. */
static void lines_may_differ_within_a_side(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("loop", "a.c", 10, 1), CALLED("loop", "a.c", 20, 2));
	ADD(&comparison.base, CALLED("loop", "a.c", 12, 1), CALLED("loop", "a.c", 22, 2));
	ADD(&comparison.head, CALLED("loop", "a.c", 11, 1), CALLED("loop", "a.c", 21, 2));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_true(cell_of(timing(), row_of(timing(), "loop", 21), "calls")->before[1] == 2);
}

static void blocks_may_share_a_line(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("twin", "a.c", 5, 1), CALLED("twin", "a.c", 5, 2));
	ADD(&comparison.base, CALLED("twin", "a.c", 5, 1), CALLED("twin", "a.c", 6, 9));
	ADD(&comparison.head, CALLED("twin", "a.c", 5, 1), CALLED("twin", "a.c", 5, 2));
	match();
	assert_int_equal(timing()->row_count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(cell_of(timing(), &timing()->rows[i], "calls")->before[0] ==
			    (double)(i + 1));
}

static void names_that_are_alone_may_move(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("f", "a.c", 10, 3), CALLED("g", NULL, 0, 2));
	ADD(&comparison.head, CALLED("f", "b.c", 4, 3), CALLED("g", "c.c", 5, 2));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_calls("f", 4, HP_PRESENT, 3, 3);
	assert_calls("g", 5, HP_PRESENT, 2, 2);
}

static void names_that_are_not_alone_do_not(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("init", "a.c", 1, 1), CALLED("init", "b.c", 2, 2));
	ADD(&comparison.head, CALLED("init", "a.c", 1, 1), CALLED("init", "c.c", 3, 3));
	match();
	assert_int_equal(timing()->row_count, 3);
	assert_calls("init", 2, HP_REMOVED, 2, 0);
	assert_calls("init", 3, HP_NEW, 0, 3);
}

static void a_block_is_no_function(void **state)
{
	struct hp_function block = CALLED("f", "a.c", 1, 1);

	(void)state;
	block.kind = HP_SITE_BLOCK;
	ADD(&comparison.base, CALLED("f", "a.c", 1, 5));
	add_model(&comparison.head, model_of(&block, 1));
	match();
	assert_int_equal(timing()->row_count, 2);
}

/* Programs that are compared have different names, and so have what is called after them. */
static void the_program_may_have_another_name(void **state)
{
	struct hp_thread thread = { .threads = 1, .has_times = true, .user_ns = 5 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const char *name = i ? "new" : "old";
		struct hp_function all = { .name = (char *)name,
					   .kind = HP_SITE_MAIN,
					   .is_caller = true,
					   .alloc = { .count = 2 } };
		struct hp_model *model = add_model(i ? &comparison.head : &comparison.base,
						   model_of(&all, 1));
		free(model->program);
		model->program = strdup(name);
		model->memory = (struct hp_memory){ .mode = HP_ALLOC_COUNT, .count = 2 };
		thread.name = strdup(name);
		assert_true(hp_threads_append(&model->threads, thread));
	}
	match();
	const struct hp_subject *const subjects[] = { &hp_subject_program, &hp_subject_alloc,
						      subject_of("threads") };
	for (size_t i = 0; i < 3; i++) {
		const struct hp_compared_section *section = section_of(&comparison, subjects[i]);
		assert_non_null(section);
		assert_int_equal(section->row_count, 1);
		assert_string_equal(section->rows[0].name, "new");
		assert_null(section->rows[0].old_name);
		assert_int_equal(section->rows[0].presence, HP_PRESENT);
	}
}

/* ---- renamed ---- */

static void renamed_functions_are_found(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("parse_line", "a.c", 1, 1000), CALLED("print", "b.c", 5, 7),
	    CALLED("main", "a.c", 9, 1));
	ADD(&comparison.head, CALLED("parse_row", "a.c", 1, 1000), CALLED("write", "b.c", 6, 7),
	    CALLED("main", "a.c", 9, 1));
	match();
	assert_int_equal(timing()->row_count, 3);
	assert_calls("parse_row", 0, HP_RENAMED, 1000, 1000);
	assert_calls("write", 0, HP_RENAMED, 7, 7);
	assert_calls("main", 0, HP_PRESENT, 1, 1);
	assert_string_equal(row_of(timing(), "parse_row", 0)->old_name, "parse_line");
	assert_null(row_of(timing(), "main", 0)->old_name);
}

static void what_may_be_one_or_another_is_not(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("a", "a.c", 1, 5), CALLED("b", "a.c", 2, 5));
	ADD(&comparison.head, CALLED("c", "a.c", 1, 5));
	match();
	assert_int_equal(timing()->row_count, 3);
	assert_calls("c", 0, HP_NEW, 0, 5);
	assert_calls("a", 0, HP_REMOVED, 5, 0);
}

static void other_files_or_kinds_or_calls_are_not_renamed(void **state)
{
	struct hp_function base[] = { CALLED("a", "a.c", 1, 5), CALLED("b", "b.c", 2, 6),
				      CALLED("c", "c.c", 2, 7), CALLED("d", "d.c", 2, 8) };
	struct hp_function head[] = { CALLED("e", "z.c", 1, 5), CALLED("f", "b.c", 2, 6),
				      CALLED("g", "c.c", 2, 9) };

	(void)state;
	head[1].kind = HP_SITE_BLOCK;
	add_model(&comparison.base, model_of(base, 4));
	add_model(&comparison.head, model_of(head, 3));
	match();
	assert_int_equal(timing()->row_count, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_not_equal(timing()->rows[i].presence, HP_RENAMED);
}

/* The calls must be the same in every run, or they say nothing. */
static void calls_that_vary_are_no_name(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("a", "a.c", 1, 5));
	ADD(&comparison.base, CALLED("a", "a.c", 1, 6));
	ADD(&comparison.head, CALLED("b", "a.c", 1, 5));
	ADD(&comparison.head, CALLED("b", "a.c", 1, 5));
	match();
	assert_int_equal(timing()->row_count, 2);
	assert_calls("b", 0, HP_NEW, 0, 5);
}

static void what_is_cut_is_not_gone(void **state)
{
	(void)state;
	ADD(&comparison.base, CALLED("a", "a.c", 1, 5), CALLED("m", "a.c", 1, 1));
	ADD(&comparison.head, CALLED("b", "a.c", 1, 5), CALLED("m", "a.c", 1, 1));
	comparison.head.runs[0].report.is_cut = true;
	match();
	assert_int_equal(timing()->row_count, 3);
	assert_int_equal(row_of(timing(), "a", 0)->presence, HP_PRESENT);
	/* Base was not cut. */
	assert_int_equal(row_of(timing(), "b", 0)->presence, HP_NEW);
	/* Not known, rather than none. */
	assert_true(isnan(cell_of(timing(), row_of(timing(), "a", 0), "calls")->after[0]));
}

/* A model in which a function of some name is called by main, allocates, and has CPU time. */
static void add_whole(struct hp_side *side, const char *name)
{
	struct hp_function functions[] = { CALLED("main", "a.c", 9, 1),
					   CALLED(name, "a.c", 1, 1000) };
	struct hp_branch branches[] = { { HP_NO_BRANCH, 0, 0, 1, 0, 9, 1, false },
					{ 0, 1, 1, 1000, 0, 8, 8, false } };

	functions[1].alloc = (struct hp_alloc_figures){ .count = 3, .bytes = 30 };
	functions[1].cpu = (struct hp_cpu_figures){ 4, 4, 0 };
	struct hp_model *model = add_model(side, model_of(functions, 2));
	model->memory = (struct hp_memory){
		.mode = HP_ALLOC_LIVE,
		.count = 3,
		.bytes = 30,
		.peak_bytes = 30,
		.live = calloc(1, sizeof(struct hp_live)),
		.live_count = 1,
	};
	model->memory.live[0] = (struct hp_live){
		.name = strdup(name), .location = strdup("a.c:3"), .bytes = 10, .blocks = 1
	};
	model->cpu = (struct hp_cpu){
		.source = HP_CPU_PERF, .period_ns = 10, .total_samples = 4, .attributed_samples = 4
	};
	model->has_tree = true;
	model->branches = calloc(2, sizeof(*branches));
	memcpy(model->branches, branches, sizeof(branches));
	model->branch_count = 2;
}

/* One rename is one rename in every section. */
static void a_rename_counts_everywhere(void **state)
{
	const struct {
		const struct hp_subject *subject;
		const char *name;
		const char *old_name;
	} expected[] = {
		{ &hp_subject_timing, "parse_row", "parse_line" },
		{ &hp_subject_alloc, "parse_row", "parse_line" },
		{ &hp_subject_cpu, "parse_row", "parse_line" },
		{ subject_of("live"), "parse_row", "parse_line" },
		{ &hp_subject_tree, "main > parse_row", "main > parse_line" },
	};

	(void)state;
	add_whole(&comparison.base, "parse_line");
	add_whole(&comparison.head, "parse_row");
	comparison.options.subjects = UINT32_MAX;
	match();
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct hp_compared_section *section = section_of(&comparison,
								       expected[i].subject);
		const struct hp_compared_row *row = row_of(section, expected[i].name, 0);
		assert_non_null(row);
		assert_int_equal(row->presence, HP_RENAMED);
		assert_string_equal(row->old_name, expected[i].old_name);
		for (size_t j = 0; j < section->row_count; j++)
			assert_true(section->rows[j].presence == HP_PRESENT ||
				    section->rows[j].presence == HP_RENAMED);
	}
}

/* ---- figures ---- */

static void a_function_may_be_missing_in_some_runs(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		if (i < 3)
			ADD(&comparison.base, CALLED("main", "a.c", 1, 1),
			    CALLED("retry", "a.c", 2, i + 1));
		else
			ADD(&comparison.base, CALLED("main", "a.c", 1, 1));
		ADD(&comparison.head, CALLED("main", "a.c", 1, 1), CALLED("retry", "a.c", 2, 2));
	}
	match();
	const struct hp_compared_row *row = row_of(timing(), "retry", 0);
	const double expected[] = { 1, 2, 3, 0, 0 };
	assert_int_equal(row->presence, HP_PRESENT);
	assert_memory_equal(cell_of(timing(), row, "calls")->before, expected, sizeof(expected));
	/* A mean of nothing is not 0. */
	assert_true(cell_of(timing(), row, "avg")->before[2] == 100);
	assert_true(isnan(cell_of(timing(), row, "avg")->before[4]));
	/* The middle of what base has is 100 ns in 1 ms; head has 200. */
	assert_true(fabs(row->share - 0.02) < 1e-12);
}

static void runs_without_a_subject_know_nothing(void **state)
{
	(void)state;
	struct hp_model *model = ADD(&comparison.base, CALLED("f", "a.c", 1, 1));
	model->memory = (struct hp_memory){ .mode = HP_ALLOC_COUNT, .count = 5 };
	model->functions[0].alloc.count = 5;
	ADD(&comparison.base, CALLED("f", "a.c", 1, 1));
	model = ADD(&comparison.head, CALLED("f", "a.c", 1, 1));
	model->memory = (struct hp_memory){ .mode = HP_ALLOC_COUNT, .count = 0 };
	match();
	const struct hp_compared_section *section = section_of(&comparison, &hp_subject_alloc);
	assert_non_null(section);
	const struct hp_compared_cell *cell = cell_of(section, &section->rows[0], "alloc_count");
	assert_true(cell->before[0] == 5);
	assert_true(isnan(cell->before[1]));
	assert_true(cell->after[0] == 0);
	assert_true(section->rows[0].share == 100);
}

static void what_one_side_lacks_has_no_section(void **state)
{
	(void)state;
	struct hp_model *model = ADD(&comparison.base, CALLED("f", "a.c", 1, 1));
	model->memory = (struct hp_memory){ .mode = HP_ALLOC_COUNT, .count = 5 };
	ADD(&comparison.head, CALLED("f", "a.c", 1, 1));
	match();
	assert_null(section_of(&comparison, &hp_subject_alloc));
	assert_null(section_of(&comparison, &hp_subject_tree));
	assert_non_null(section_of(&comparison, &hp_subject_timing));
	/* What nobody knows has no column. */
	assert_null(cell_of(&comparison.sections[0], comparison.sections[0].rows, "peak_rss"));
	/* What one side knows has. */
	const struct hp_compared_cell *cell = cell_of(
		&comparison.sections[0], comparison.sections[0].rows, "program_alloc_count");
	assert_non_null(cell);
	assert_true(cell->before[0] == 5);
	assert_true(isnan(cell->after[0]));
}

static void only_what_is_asked_for_is_compared(void **state)
{
	(void)state;
	add_whole(&comparison.base, "f");
	add_whole(&comparison.head, "f");
	for (size_t i = 0; hp_subjects[i]; i++)
		if (hp_subjects[i] == &hp_subject_tree || hp_subjects[i] == &hp_subject_cpu)
			comparison.options.subjects |= UINT32_C(1) << i;
	match();
	assert_int_equal(comparison.section_count, 3);
	assert_non_null(section_of(&comparison, &hp_subject_tree));
	assert_non_null(section_of(&comparison, &hp_subject_cpu));
}

static void places_add_up(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		add_whole(i ? &comparison.head : &comparison.base, "f");
		struct hp_model *model =
			(i ? &comparison.head : &comparison.base)->runs[0].report.model;
		model->memory.live = reallocarray(model->memory.live, 2, sizeof(struct hp_live));
		model->memory.live[model->memory.live_count++] =
			(struct hp_live){ .name = strdup("f"),
					  .location = strdup("src/a.c:77"),
					  .bytes = i + 1,
					  .blocks = 1 };
	}
	match();
	const struct hp_compared_section *section = section_of(&comparison, subject_of("live"));
	assert_int_equal(section->row_count, 1);
	assert_true(cell_of(section, section->rows, "live_bytes")->before[0] == 11);
	assert_true(cell_of(section, section->rows, "live_bytes")->after[0] == 12);
	assert_true(section->rows[0].share < 0);
}

/* ---- reports ---- */

#define PLAIN                                                                                      \
	"{\"type\":\"hotpath_report\",\"schema\":1,\"elapsed_ns\":100,\"functions_timing\":{"      \
	"\"percentiles\":[50,95],\"data\":[{\"name\":\"f\",\"calls\":4,\"sum_ns\":40,"             \
	"\"self_ns\":40,\"total_ns\":40,\"max_ns\":20,\"p50_ns\":8,\"p95_ns\":20}]}}"
#define COMPLETE                                                                                   \
	"{\"type\":\"hotpath_report\",\"schema\":1,\"elapsed_ns\":100,\"functions_timing\":{"      \
	"\"percentiles\":[99],\"data\":[{\"name\":\"f\",\"calls\":4,\"sum_ns\":40,"                \
	"\"self_ns\":40,\"total_ns\":40,\"max_ns\":20,\"p99_ns\":20,"                              \
	"\"histogram\":[[5,1],[7,2],[20,1]]}]}}"

/* A plain report knows some percentiles, a complete one all of them. */
static void plain_reports_compare_with_complete_ones(void **state)
{
	const double percentiles[] = { 50, 95, 99 };

	(void)state;
	add_report(&comparison.base, PLAIN);
	add_report(&comparison.head, COMPLETE);
	memcpy(comparison.options.percentiles, percentiles, sizeof(percentiles));
	comparison.options.percentile_count = 3;
	match();
	const struct hp_compared_row *row = row_of(timing(), "f", 0);
	assert_non_null(row);
	assert_true(cell_of(timing(), row, "p50")->before[0] == 8);
	assert_true(cell_of(timing(), row, "p50")->after[0] == 7);
	assert_true(isnan(cell_of(timing(), row, "p99")->before[0]));
	assert_true(cell_of(timing(), row, "p99")->after[0] == 20);
}

static void percentiles_that_nobody_knows_have_no_column(void **state)
{
	(void)state;
	add_report(&comparison.base, PLAIN);
	add_report(&comparison.head, PLAIN);
	comparison.options.percentiles[0] = 99.9;
	match();
	assert_null(cell_of(timing(), timing()->rows, "p99.9"));
	assert_non_null(cell_of(timing(), timing()->rows, "max"));
	for (size_t i = 0; i < timing()->column_count; i++)
		assert_false(timing()->columns[i].metric->is_percentile);
}

static void columns_have_names_and_headers(void **state)
{
	(void)state;
	add_report(&comparison.base, COMPLETE);
	add_report(&comparison.head, COMPLETE);
	comparison.options.percentiles[0] = 99.9;
	match();
	assert_string_equal(timing()->columns[4].name, "p99.9");
	assert_string_equal(timing()->columns[4].header, "P99.9");
	assert_string_equal(timing()->columns[1].name, "self");
	assert_string_equal(timing()->columns[1].header, "Self");
}

static void an_empty_report_has_a_program(void **state)
{
	(void)state;
	add_report(&comparison.base, "{\"type\":\"hotpath_report\",\"schema\":1}");
	add_report(&comparison.head, "{\"type\":\"hotpath_report\",\"schema\":1}");
	match();
	assert_int_equal(comparison.section_count, 1);
	assert_int_equal(comparison.sections[0].column_count, 0);
}

/* ---- hostile and many ---- */

static void any_name_is_a_name(void **state)
{
	static char long_name[100000];
	const char *const names[] = { "",	  " > ",       "a > b", "%s%n",	  "\x1b[31m",
				      "\xff\xfe", "<outside>", "app",	long_name };

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	for (unsigned side = 0; side < 2; side++) {
		struct hp_function functions[9];
		for (unsigned i = 0; i < 9; i++)
			functions[i] = (struct hp_function)CALLED(names[i], "a.c", i, i + 1);
		struct hp_model *model = add_model(side ? &comparison.head : &comparison.base,
						   model_of(functions, 9));
		model->has_tree = true;
		model->branches = calloc(9, sizeof(*model->branches));
		for (int i = 0; i < 9; i++)
			model->branches[i] = (struct hp_branch){ i - 1, i, (uint32_t)i, 1,
								 0,	1, 1,		false };
		model->branch_count = 9;
	}
	comparison.options.subjects = UINT32_MAX;
	match();
	assert_int_equal(timing()->row_count, 9);
	assert_int_equal(section_of(&comparison, &hp_subject_tree)->row_count, 9);
	for (size_t i = 0; i < 9; i++)
		assert_int_equal(timing()->rows[i].presence, HP_PRESENT);
}

static void add_many(struct hp_side *side, bool same_name, const char *prefix)
{
	struct hp_function *functions = calloc(MANY, sizeof(*functions));
	char(*names)[16] = calloc(MANY, sizeof(*names));

	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(names[i], sizeof(names[i]), "%s%u", prefix, same_name ? 0 : i);
		functions[i] = (struct hp_function)CALLED(names[i], "a.c", i, i + 1);
	}
	add_model(side, model_of(functions, MANY));
	free(functions);
	free(names);
}

static void many_functions_in_many_runs(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		add_many(&comparison.base, false, "f");
		add_many(&comparison.head, false, "f");
	}
	match();
	assert_int_equal(timing()->row_count, MANY);
}

static void many_functions_of_one_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		add_many(&comparison.base, true, "f");
		add_many(&comparison.head, true, "f");
	}
	match();
	assert_int_equal(timing()->row_count, MANY);
	assert_int_equal(timing()->rows[MANY - 1].presence, HP_PRESENT);
}

static void many_renamed_functions(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		add_many(&comparison.base, false, "f");
		add_many(&comparison.head, false, "g");
	}
	match();
	assert_int_equal(timing()->row_count, MANY);
	assert_int_equal(timing()->rows[MANY / 2].presence, HP_RENAMED);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(folders_do_not_matter),
		TEST(files_tell_static_functions_apart),
		TEST(lines_tell_blocks_apart),
		TEST(a_block_may_be_missing_in_a_run),
		TEST(lines_may_differ_within_a_side),
		TEST(blocks_may_share_a_line),
		TEST(names_that_are_alone_may_move),
		TEST(names_that_are_not_alone_do_not),
		TEST(a_block_is_no_function),
		TEST(the_program_may_have_another_name),
		TEST(renamed_functions_are_found),
		TEST(what_may_be_one_or_another_is_not),
		TEST(other_files_or_kinds_or_calls_are_not_renamed),
		TEST(calls_that_vary_are_no_name),
		TEST(what_is_cut_is_not_gone),
		TEST(a_rename_counts_everywhere),
		TEST(a_function_may_be_missing_in_some_runs),
		TEST(runs_without_a_subject_know_nothing),
		TEST(what_one_side_lacks_has_no_section),
		TEST(only_what_is_asked_for_is_compared),
		TEST(places_add_up),
		TEST(plain_reports_compare_with_complete_ones),
		TEST(percentiles_that_nobody_knows_have_no_column),
		TEST(columns_have_names_and_headers),
		TEST(an_empty_report_has_a_program),
		TEST(any_name_is_a_name),
		TEST(many_functions_in_many_runs),
		TEST(many_functions_of_one_name),
		TEST(many_renamed_functions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
