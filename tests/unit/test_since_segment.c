/* SPDX-License-Identifier: MIT */
/* What happened between two reads of one segment: then + since = now, whatever the figure. */
#include "made_window.h"
#include "read_model.h"

/* ---- all fields of functions ---- */

static const struct hp_field *const field_lists[] = { hp_call_fields, hp_alloc_fields,
						      hp_sample_fields };

static bool is_count(const struct hp_field *field)
{
	return field->merge == HP_MERGE_SUM && !field->is_level;
}

static const struct hp_function *function_in(const struct hp_model *in,
					     const struct hp_function *like)
{
	for (size_t i = 0; i < in->function_count; i++)
		if (strcmp(in->functions[i].name, like->name) == 0 &&
		    in->functions[i].kind == like->kind)
			return &in->functions[i];
	return NULL;
}

static void assert_adds_up(const struct hp_field *fields, const void *now, const void *then,
			   const void *between)
{
	for (const struct hp_field *field = fields; !hp_field_is_end(field); field++) {
		uint64_t before = then ? hp_row_number(then, field->at) : 0;
		if (is_count(field) &&
		    hp_row_number(now, field->at) != before + hp_row_number(between, field->at))
			fail_msg("%s does not add up", field->key);
	}
}

static void functions_add_up(const struct hp_model *now, const struct hp_model *then)
{
	for (size_t i = 0; i < now->function_count; i++) {
		const struct hp_function *function = &now->functions[i];
		const struct hp_function *between = function_in(window, function);
		assert_non_null(between);
		for (size_t list = 0; list < 3; list++)
			assert_adds_up(field_lists[list], function, function_in(then, function),
				       between);
	}
}

/* ---- segments ---- */

static struct hp_model *read_once(void)
{
	struct hp_model *read = hp_model_read(made.bytes, made.size, NULL, true, &window_error);

	assert_non_null(read);
	return read;
}

/* The program goes on: calls and samples. */
static void go_on(void)
{
	struct hp_header *header = (struct hp_header *)(void *)made.bytes;

	for (unsigned i = 0; i < MADE_STATS; i++) {
		struct hp_stat *stat = made.stats[i];
		stat->calls += 100;
		stat->flushed += 100;
		stat->total += 100000;
		stat->self += 50000;
		stat->samples += 3;
		stat->inclusive_samples += 5;
	}
	made.stacks[0]->samples += 15;
	made.lanes[0]->samples += 15;
	made.lanes[0]->looks += 15;
	header->latest.ticks += 500000;
}

static void segments_add_up(void **state)
{
	(void)state;
	made_segment(&made);
	made_samples(&made);
	struct hp_model *then = read_once();
	go_on();
	model = read_once();
	since(model, then);
	functions_add_up(model, then);
	assert_int_equal(window->cpu.total_samples + then->cpu.total_samples,
			 model->cpu.total_samples);
	assert_int_equal(window->elapsed_ns + then->elapsed_ns, model->elapsed_ns);
	assert_int_equal(window->cpu.stack_count, 1);
	assert_int_equal(window->cpu.stacks[0].samples, 15);
	for (size_t i = 0; i < window->function_count; i++)
		assert_true(hp_points_calls(&window->functions[i].times) <=
			    window->functions[i].calls);
	hp_model_free(then);
	/* And from its start to now it is all. */
	struct hp_model start = start_of(model);
	since(model, &start);
	assert_same_report(window, model);
	since(model, model);
	functions_add_up(model, model);
	/* Calls in progress keep their branches. */
	for (size_t i = 0; i < window->branch_count; i++)
		assert_true(window->branches[i].calls == 0 && window->branches[i].total_ns == 0);
}

static int tear_down(void **state)
{
	close_window(state);
	return end(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(segments_add_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
