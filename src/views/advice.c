/* SPDX-License-Identifier: MIT */
/* Advice for when nothing was measured, easiest first. */
#include "advice.h"

#include <stddef.h>

/* What can be shown for an unchanged program; offered unless it was requested already. */
static const struct {
	size_t missing;
	const char *option;
	const char *what;
} as_it_is[] = {
	{ offsetof(struct hp_missing, cpu), "--cpu", "where its CPU time goes" },
	{ offsetof(struct hp_missing, alloc), "--alloc", "what it allocates" },
};

static bool is_asked_for(const struct hp_missing *missing, size_t nth)
{
	const char *const *why = (const void *)((const char *)missing + as_it_is[nth].missing);

	return *why;
}

static void put_as_it_is(const struct hp_model *model, const char *program, int *number,
			 struct hp_text *text)
{
	for (size_t i = 0; i < sizeof(as_it_is) / sizeof(*as_it_is); i++)
		if (!is_asked_for(&model->missing, i))
			hp_text_printf(text, "  %d. Unchanged: hotpath run %s %s shows %s.\n",
				       ++*number, as_it_is[i].option, program, as_it_is[i].what);
}

static void put_obstacle(const char *why, struct hp_text *text)
{
	hp_text_puts(text, "The recorder cannot be loaded into it: ");
	hp_text_put_printable(text, why);
	hp_text_puts(text, ".\n");
}

void hp_advice_write(const struct hp_model *model, struct hp_text *text)
{
	struct hp_text name = HP_TEXT_INIT;
	int number = 0;

	hp_text_put_printable(&name, model->program ? model->program : "the program");
	const char *program = name.bytes ? name.bytes : "";
	hp_text_printf(text, "\nNo measurements recorded from %s.\n", program);
	if (model->missing.loading)
		put_obstacle(model->missing.loading, text);
	else
		put_as_it_is(model, program, &number, text);
	hp_text_printf(text,
		       "  %d. Rebuilt: make CC=\"hotpath cc gcc\" measures all its functions.\n",
		       ++number);
	hp_text_printf(
		text,
		"  %d. In its source: HOTPATH_MEASURE(); in functions, HOTPATH_MAIN(); in main:\n"
		"     cc program.c $(pkg-config --cflags --libs hotpath)\n",
		++number);
	text->failed |= name.failed;
	hp_text_free(&name);
}
