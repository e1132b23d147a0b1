/* SPDX-License-Identifier: MIT */
/* One line in place of a report that has nothing to show: why, or what to do. */
#include "advice.h"

#include "nothing.h"

static void put_program(const struct hp_model *model, struct hp_text *text)
{
	hp_text_put_printable(text, model->program ? model->program : "the program");
}

void hp_advice_write(const struct hp_model *model, struct hp_text *text)
{
	hp_text_putc(text, '\n');
	if (model->missing.loading) {
		hp_text_puts(text, "No measurements recorded from ");
		put_program(model, text);
		hp_text_puts(text, ": ");
		hp_text_put_printable(text, model->missing.loading);
		hp_text_putc(text, '.');
	} else if (model->missing.cpu || hp_cpu_was_asked_for(&model->cpu)) {
		(void)hp_nothing_sampled(model, text);
	} else {
		hp_text_puts(text, "No measurements recorded from ");
		put_program(model, text);
		hp_text_puts(text, ": use 'hotpath run --cpu' to see where its CPU time goes.");
	}
	hp_text_putc(text, '\n');
}
