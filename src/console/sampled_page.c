/* SPDX-License-Identifier: MIT */
/* Callers, callees and source lines of a function in its details, from the stacks that were sampled. */
#include "console_state.h"
#include "curses_library.h"
#include "lines_list.h"
#include "now.h"
#include "page.h"
#include "sampled_table.h"

#include <inttypes.h>
#include <string.h>

enum {
	ROWS_SHOWN = 20,
	LINES_SHOWN = 20,
	/* Looking up lines may take at most 1/LINES_PART of a processor. */
	LINES_PART = 20,
};

/* The model that has stacks: the ordinary one if no function is measured. */
static const struct hp_cpu *find_stacks(const struct console *console)
{
	const struct hp_cpu *cpu = &console_model(console)->cpu;

	if (cpu->source == HP_CPU_NONE || cpu->stack_count)
		return cpu;
	const struct hp_model *complete = hp_watched_complete(console->watched);
	return complete ? &complete->cpu : cpu;
}

/* Source texts are read here, and not each time that the screen is drawn. */
static void list_lines(struct console *console, const struct hp_cpu *cpu)
{
	const struct hp_report_options plain = { .width = COLS > 2 ? (unsigned)COLS - 2 : 0 };

	console->lines_text.length = 0;
	console->lines_hidden = hp_lines_list(&console->sampled_lines, cpu, LINES_SHOWN, &plain,
					      &console->lines_text);
}

/* Looking up lines takes time, so that is done now and then. What was found stays valid until then. */
static void read_lines(struct console *console, const struct hp_cpu *cpu, const char *name,
		       const char *module)
{
	uint64_t now = hp_now_ns(), begin = hp_own_cpu_ns();

	if (console->lines_of == console->opened && now < console->lines_ns)
		return;
	hp_sampled_lines_free(&console->sampled_lines);
	hp_sampled_lines_read(&console->sampled_lines, cpu, name, module);
	list_lines(console, cpu);
	console->lines_of = console->opened;
	console->lines_ns = now + (hp_own_cpu_ns() - begin) * LINES_PART;
}

static void read_rows(struct console *console, const struct hp_cpu *cpu,
		      const struct hp_native *native, const struct hp_function *function)
{
	/* A measured function may have another file than its code: it is known by its name. */
	const char *module = hp_function_was_called(function) ? NULL : function->module;

	console->period_ns = cpu->period_ns;
	if (hp_sampled_read(&console->sampled, cpu, native, function->name, module) == 0)
		read_lines(console, cpu, function->name, module);
}

/* The names of neighbours belong to the model, so this is done after each read. */
void sampled_read(struct console *console)
{
	const struct hp_function *function = console_function(console);
	struct hp_native made = { .functions = NULL };

	hp_sampled_free(&console->sampled);
	const struct hp_cpu *cpu = function ? find_stacks(console) : NULL;
	if (!cpu || !cpu->stack_count)
		return;
	if (cpu->native)
		read_rows(console, cpu, cpu->native, function);
	else if (hp_native_read(&made, cpu))
		read_rows(console, cpu, &made, function);
	hp_native_free(&made);
}

void sampled_free(struct console *console)
{
	hp_sampled_free(&console->sampled);
	hp_sampled_lines_free(&console->sampled_lines);
	hp_text_free(&console->lines_text);
}

static void draw_rows(struct page *page, const struct console *console,
		      const struct hp_sampled_rows *rows, const char *header)
{
	const struct hp_report_options plain = { .width = COLS > 2 ? (unsigned)COLS - 2 : 0 };
	struct hp_text text = HP_TEXT_INIT;
	char *rest = NULL;

	if (!rows->count)
		return;
	page_line(page, STYLE_PLAIN, "%s", "");
	hp_sampled_table(&console->sampled, rows, ROWS_SHOWN, header, console->period_ns, &plain,
			 &text);
	char *line = text.length ? strtok_r(text.bytes, "\n", &rest) : NULL;
	for (; line; line = strtok_r(NULL, "\n", &rest))
		page_line(page, STYLE_PLAIN, "  %s", line);
	if (rows->count > ROWS_SHOWN)
		page_line(page, STYLE_FAINT, "  and %zu more", rows->count - ROWS_SHOWN);
	hp_text_free(&text);
}

static bool knows_lines(const struct hp_sampled_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->items[i].line)
			return true;
	return false;
}

/* Lines are not wrapped: each is a line of the page, also an empty one of the source. */
static void draw_lines(struct page *page, const struct console *console)
{
	const char *at = console->lines_text.length ? console->lines_text.bytes : "";

	page_line(page, STYLE_PLAIN, "%s", "");
	if (!knows_lines(&console->sampled_lines))
		page_line(page, STYLE_FAINT,
			  "  Source lines are not known: there is no debug information.");
	while (*at) {
		int length = (int)strcspn(at, "\n");
		page_line(page, STYLE_PLAIN, "  %.*s", length, at);
		at += length + (at[length] == '\n');
	}
	if (console->lines_hidden)
		page_line(page, STYLE_FAINT, "  and %" PRIu32 " more", console->lines_hidden);
}

void sampled_draw(struct page *page, const struct console *console)
{
	const struct hp_sampled *sampled = &console->sampled;

	if (!sampled->samples)
		return;
	draw_rows(page, console, &sampled->callers, "Caller");
	draw_rows(page, console, &sampled->callees, "Callee");
	draw_lines(page, console);
}
