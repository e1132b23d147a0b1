/* SPDX-License-Identifier: MIT */
/* The stacks with which blocks were allocated, in the details of a function or of a place that has live blocks. */
#include "console_state.h"
#include "function_stacks.h"
#include "live_stacks.h"

#include <string.h>

enum { STACKS_SHOWN = 5 };

static void write_live(struct console *console, const struct hp_model *model,
		       const struct hp_live *live)
{
	struct hp_live_stacks *stacks = hp_live_stacks_open(model);

	if (stacks)
		hp_live_stacks_write(stacks, live, STACKS_SHOWN, &console->stacks_text);
	hp_live_stacks_close(stacks);
}

/* Stacks are part of complete models alone, which are read now and then. */
void allocated_read(struct console *console)
{
	const struct hp_function *function = console_function(console);
	const struct hp_live *live = console_live(console);
	const struct hp_model *present = console_model(console), *model = NULL;

	console->stacks_text.length = 0;
	if ((function || live) && present->memory.mode != HP_ALLOC_NONE)
		model = hp_watched_complete(console->watched);
	if (!model || !model->allocations.stack_count)
		return;
	if (live)
		write_live(console, model, live);
	else
		hp_function_stacks_write(model, function, STACKS_SHOWN, &console->stacks_text);
}

void allocated_draw(struct page *page, const struct console *console)
{
	const char *at = console->stacks_text.length ? console->stacks_text.bytes : "";

	/* The stacks of live blocks begin with an empty line. */
	if (*at && *at != '\n')
		page_line(page, STYLE_PLAIN, "%s", "");
	while (*at) {
		int length = (int)strcspn(at, "\n");
		page_line(page, STYLE_PLAIN, "%.*s", length, at);
		at += length + (at[length] == '\n');
	}
}
