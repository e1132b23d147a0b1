/* SPDX-License-Identifier: MIT */
/*
 * Any two texts in place of saved reports, and one in place of budgets: reports that can be read can be compared, and
 * told in every format.
 *
 * The three are in one input, with a NUL between them.
 */
#include "compare_write.h"
#include "read_all.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct piece {
	const char *bytes;
	size_t size;
};

/* What is before the next NUL, which is taken off. */
static struct piece next_piece(struct piece *rest)
{
	const char *end = rest->size ? memchr(rest->bytes, '\0', rest->size) : NULL;
	struct piece piece = { rest->bytes, end ? (size_t)(end - rest->bytes) : rest->size };
	size_t taken = piece.size + (end ? 1 : 0);

	*rest = (struct piece){ rest->bytes + taken, rest->size - taken };
	return piece;
}

static bool add_run(struct hp_side *side, struct piece piece)
{
	struct hp_error error = { "" };
	struct hp_run run = { .label = NULL };

	if (hp_saved_read(piece.bytes, piece.size, &run.report, &error))
		return false;
	run.label = strdup("report");
	must(run.label && hp_side_append(side, run));
	return true;
}

static void check_cell(const struct hp_compared_cell *cell)
{
	/* Of values below zero, as gauges may have, it is known that they are the same, but there is no ratio. */
	bool is_judged = cell->judged != HP_JUDGED_NOT &&
			 !(cell->judged == HP_JUDGED_SAME && isnan(cell->ratio.estimate));

	must(!is_judged || cell->ratio.estimate >= cell->ratio.low);
	must(!is_judged || cell->ratio.estimate <= cell->ratio.high);
}

static void check(const struct hp_comparison *comparison)
{
	must(comparison->section_count > 0 && comparison->sections[0].row_count == 1);
	for (size_t i = 0; i < comparison->section_count; i++) {
		const struct hp_compared_section *section = &comparison->sections[i];
		for (size_t row = 0; row < section->row_count; row++)
			for (size_t column = 0; column < section->column_count; column++)
				check_cell(&section->rows[row].cells[column]);
	}
}

static void write_all(const struct hp_comparison *comparison)
{
	static const struct hp_compare_style styles[] = {
		{ .width = 80, .colour = true, .id = "a -- <b>\n" },
		{ .width = 0 },
	};

	for (const struct hp_compare_format *const *format = hp_compare_formats; *format; format++)
		for (size_t i = 0; i < sizeof(styles) / sizeof(*styles); i++) {
			struct hp_text text = HP_TEXT_INIT;
			(*format)->write(comparison, &styles[i], &text);
			must(text.failed || text.length > 0);
			hp_text_free(&text);
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct piece rest = { (const char *)data, size };
	struct hp_comparison comparison = { .section_count = 0 };
	struct hp_error error = { "" };

	struct piece base = next_piece(&rest), head = next_piece(&rest);
	hp_compare_options_init(&comparison.options);
	if (add_run(&comparison.base, base) && add_run(&comparison.head, head)) {
		int failed = hp_budgets_read(rest.bytes, rest.size, &comparison.budgets, &error);
		must(!failed == !error.text[0]);
		must(hp_compare(&comparison) == 0);
		check(&comparison);
		write_all(&comparison);
	}
	hp_comparison_clear(&comparison);
	return 0;
}
