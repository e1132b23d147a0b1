/* SPDX-License-Identifier: MIT */
/*
 * A flame graph: one self-contained SVG.
 *
 * The program is at the top, callees are below their callers, and widths are in proportion to the main value. It works
 * without its script, which adds zoom and search. Names are always escaped.
 */
#include "export.h"
#include "flame_colours.h"
#include "flame_lines.h"
#include "format.h"

#include "flamegraph_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROW = 18,
	/* Pixels above the graph, for title, tools, legend and details. */
	HEAD = 104,
	/* Assumed window width until the script knows it; and the width of a letter in tenths of a pixel. */
	WIDTH = 1200,
	LETTER_TENTHS = 72,
	/* Narrower frames are left out: a tenth of a pixel. */
	NARROWEST = WIDTH * 10,
	/* Widths are percentages with this many parts. */
	PARTS = 1000000,
	LEGEND_MAX = 8,
};

struct drawing {
	const struct hp_profile *profile;
	struct hp_sink *sink;
	struct hp_call_tree tree;
	struct hp_flame_lines lines;
	/* Inclusive values of each call. */
	struct hp_values *totals;
	/* The calls, grouped by parent and sorted by name; and where the children of each parent begin. */
	uint32_t *order;
	uint32_t *children;
	/* State while drawing: the next child of each call, and its position. */
	uint32_t *next;
	uint64_t *filled;
	uint64_t total;
	/* Each thread has a row of its own, because there are several. */
	bool with_threads;
	uint32_t rows;
};

/* ---- text ---- */

/* Escape a name for XML. */
static void put_escaped(struct hp_text *text, const char *string, size_t letters)
{
	while (*string && letters-- > 0) {
		uint32_t code = 0;
		size_t length = hp_utf8_read(string, &code);
		if (!length || hp_utf8_is_control(code) || code == 0xfffe || code == 0xffff)
			hp_text_puts(text, "\xef\xbf\xbd");
		else if (*string == '<')
			hp_text_puts(text, "&lt;");
		else if (*string == '>')
			hp_text_puts(text, "&gt;");
		else if (*string == '&')
			hp_text_puts(text, "&amp;");
		else if (*string == '"')
			hp_text_puts(text, "&quot;");
		else
			hp_text_add(text, string, length);
		string += length ? length : 1;
	}
}

/* A share of all, in percent. */
static void put_share(struct hp_text *text, uint64_t value, uint64_t total)
{
	uint64_t parts = (uint64_t)((double)value / (double)total * 100 * PARTS + 0.5);

	hp_text_printf(text, "%" PRIu64 ".%06" PRIu64 "%%", parts / PARTS, parts % PARTS);
}

/* ---- frames ---- */

/* A frame as it is drawn. */
struct frame {
	const char *name;
	/* NULL for the program and threads. */
	const struct hp_code *code;
	uint64_t begin;
	/* The main value. */
	uint64_t width;
	/* Values of the frame, with and without those of its callees. */
	const struct hp_values *values;
	const struct hp_values *own;
	uint32_t row;
};

static void put_source(struct hp_text *text, const struct drawing *drawing,
		       const struct hp_code *code)
{
	const struct hp_profile *profile = drawing->profile;
	const char *module = code->module == HP_CPU_NOT_KNOWN
				     ? NULL
				     : profile->cpu->modules[code->module].path;

	if (code->file) {
		hp_text_putc(text, '\n');
		put_escaped(text, code->file, SIZE_MAX);
		hp_text_printf(text, ":%" PRIu32, code->line);
		hp_flame_lines_put(&drawing->lines, (uint32_t)(code - profile->functions.items),
				   text);
	}
	if (module) {
		hp_text_putc(text, '\n');
		put_escaped(text, hp_profile_base(module), SIZE_MAX);
	}
	if (code->measured)
		hp_text_puts(text, "\nmeasured");
}

static void put_title(const struct drawing *drawing, const struct frame *frame)
{
	struct hp_text *text = drawing->sink->text;
	double percent = (double)frame->width * 100 / (double)drawing->total;
	struct hp_figure share = hp_format_percent(percent);

	hp_text_puts(text, "<title>");
	put_escaped(text, frame->name, SIZE_MAX);
	hp_text_putc(text, '\n');
	drawing->profile->subject->put_figures(text, frame->values, frame->own, share.text);
	if (frame->code)
		put_source(text, drawing, frame->code);
	hp_text_puts(text, "</title>");
}

static void put_label(const struct drawing *drawing, const struct frame *frame)
{
	struct hp_text *text = drawing->sink->text;
	double pixels = (double)frame->width * WIDTH / (double)drawing->total;
	size_t room = pixels > 6 ? (size_t)((pixels - 6) * 10 / LETTER_TENTHS) : 0;
	size_t letters = hp_utf8_count(frame->name);

	if (room < 3)
		return;
	hp_text_puts(text, "<text x=\"");
	put_share(text, frame->begin, drawing->total);
	hp_text_printf(text, "\" y=\"%u\" dx=\"3\">", HEAD + frame->row * ROW + 13);
	put_escaped(text, frame->name, letters <= room ? letters : room - 1);
	hp_text_puts(text, letters <= room ? "</text>" : "…</text>");
}

static void put_frame(const struct drawing *drawing, const struct frame *frame)
{
	struct hp_text *text = drawing->sink->text;

	hp_text_puts(text, "<g>");
	put_title(drawing, frame);
	hp_text_puts(text, "<rect x=\"");
	put_share(text, frame->begin, drawing->total);
	hp_text_printf(text, "\" y=\"%u\" width=\"", HEAD + frame->row * ROW);
	put_share(text, frame->width, drawing->total);
	hp_text_printf(text, "\" height=\"%d\" fill=\"%s\"/>", ROW - 1,
		       hp_flame_colour(drawing->profile, frame->code).text);
	put_label(drawing, frame);
	hp_text_puts(text, "</g>\n");
	hp_sink_pass(drawing->sink);
}

static uint64_t width_of(const struct drawing *drawing, uint32_t call)
{
	return hp_profile_main(drawing->profile, &drawing->totals[call]);
}

static bool is_too_narrow(const struct drawing *drawing, uint64_t width)
{
	return width == 0 || width < drawing->total / NARROWEST;
}

static void put_call(struct drawing *drawing, uint32_t call, uint64_t begin)
{
	const struct hp_profile *profile = drawing->profile;
	const struct hp_call *it = &drawing->tree.calls[call];
	const struct hp_code *code = it->depth ? &profile->functions.items[it->key] : NULL;
	struct frame frame = { .name = code ? code->name : hp_profile_thread(profile, it->key),
			       .code = code,
			       .begin = begin,
			       .width = width_of(drawing, call),
			       .values = &drawing->totals[call],
			       .own = &it->values,
			       .row = it->depth + drawing->with_threads };

	drawing->filled[call] = begin;
	drawing->next[call] = drawing->children[call];
	if (code || drawing->with_threads)
		put_frame(drawing, &frame);
}

/* The next child to draw, and its position; HP_INDEX_NONE if there is none. */
static uint32_t next_inside(struct drawing *drawing, uint32_t call, uint64_t *begin)
{
	while (drawing->next[call] < drawing->children[call + 1]) {
		uint32_t child = drawing->order[drawing->next[call]++];
		*begin = drawing->filled[call];
		drawing->filled[call] += width_of(drawing, child);
		if (!is_too_narrow(drawing, width_of(drawing, child)))
			return child;
	}
	return HP_INDEX_NONE;
}

/* Draw a thread in depth-first order, without recursion, because the tree may be very deep. */
static void put_thread(struct drawing *drawing, uint32_t root, uint64_t begin)
{
	uint32_t call = root;

	put_call(drawing, root, begin);
	while (call != HP_INDEX_NONE) {
		uint32_t inside = next_inside(drawing, call, &begin);
		if (inside != HP_INDEX_NONE)
			put_call(drawing, inside, begin);
		call = inside != HP_INDEX_NONE ? inside : drawing->tree.calls[call].parent;
	}
}

static void put_frames(struct drawing *drawing)
{
	static const struct hp_values none = { { 0 } };
	struct frame all = { .name = hp_profile_program(drawing->profile),
			     .width = drawing->total,
			     .values = &drawing->profile->total,
			     .own = &none };
	uint64_t begin = 0;

	hp_text_puts(drawing->sink->text, "<g id=\"frames\">\n");
	put_frame(drawing, &all);
	for (uint32_t i = 0; i < drawing->tree.count; i++) {
		if (drawing->tree.calls[i].depth > 0)
			continue;
		put_thread(drawing, i, begin);
		begin += width_of(drawing, i);
	}
	hp_text_puts(drawing->sink->text, "</g>\n");
}

/* ---- the tree, to be drawn ---- */

static int by_name(const void *left, const void *right, void *context)
{
	const struct drawing *drawing = context;
	uint32_t numbers[] = { *(const uint32_t *)left, *(const uint32_t *)right };
	const struct hp_call *a = &drawing->tree.calls[numbers[0]];
	const struct hp_call *b = &drawing->tree.calls[numbers[1]];
	const struct hp_code *functions = drawing->profile->functions.items;

	/* The parent of roots is HP_INDEX_NONE, the highest number: they come last. */
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	int order = a->depth ? strcmp(functions[a->key].name, functions[b->key].name) : 0;
	return order ? order : (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
}

static void sort_calls(struct drawing *drawing)
{
	const struct hp_call_tree *tree = &drawing->tree;

	for (uint32_t i = 0; i < tree->count; i++)
		drawing->order[i] = i;
	qsort_r(drawing->order, tree->count, sizeof(*drawing->order), by_name, drawing);
	for (uint32_t call = 0, at = 0; call <= tree->count; call++) {
		while (at < tree->count && tree->calls[drawing->order[at]].parent < call)
			at++;
		drawing->children[call] = at;
	}
}

/* Parents have lower indexes than their children, so going backwards adds up the totals. */
static void add_up(struct drawing *drawing)
{
	const struct hp_call_tree *tree = &drawing->tree;
	uint32_t roots = 0;

	for (uint32_t i = tree->count; i-- > 0;) {
		uint32_t parent = tree->calls[i].parent;
		hp_values_add(&drawing->totals[i], &tree->calls[i].values);
		if (parent == HP_INDEX_NONE)
			roots++;
		else
			hp_values_add(&drawing->totals[parent], &drawing->totals[i]);
	}
	drawing->total = hp_profile_main(drawing->profile, &drawing->profile->total);
	drawing->with_threads = roots > 1;
}

static void count_rows(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->tree.count; i++) {
		uint32_t rows = drawing->tree.calls[i].depth + 1 + drawing->with_threads;
		if (rows > drawing->rows && !is_too_narrow(drawing, width_of(drawing, i)))
			drawing->rows = rows;
	}
}

/* ---- the file ---- */

static void put_legend(const struct drawing *drawing)
{
	struct hp_flame_legend legend[LEGEND_MAX];
	unsigned count = hp_flame_legend(drawing->profile, &drawing->tree, legend, LEGEND_MAX);
	struct hp_text *text = drawing->sink->text;
	size_t x = 10;

	for (unsigned i = 0; i < count; i++) {
		hp_text_printf(text,
			       "<rect x=\"%zu\" y=\"64\" width=\"11\" height=\"11\" "
			       "fill=\"%s\"/><text x=\"%zu\" y=\"74\">",
			       x, legend[i].colour.text, x + 16);
		put_escaped(text, legend[i].name, SIZE_MAX);
		hp_text_puts(text, "</text>\n");
		x += 16 + hp_utf8_count(legend[i].name) * 15 / 2 + 20;
	}
}

static void put_heading(const struct drawing *drawing)
{
	const struct hp_profile *profile = drawing->profile;
	struct hp_text *text = drawing->sink->text;

	hp_text_printf(text,
		       "<g id=\"head\">\n<rect class=\"paper\" width=\"100%%\" height=\"%d\"/>\n",
		       HEAD - 2);
	hp_text_puts(text, "<text id=\"title\" x=\"10\" y=\"22\">");
	put_escaped(text, hp_profile_program(profile), SIZE_MAX);
	hp_text_puts(text, ": ");
	profile->subject->put_total(text, profile->model, &profile->total);
	hp_text_puts(text,
		     "</text>\n"
		     "<foreignObject x=\"10\" y=\"30\" width=\"800\" height=\"28\">"
		     "<div id=\"tools\" xmlns=\"http://www.w3.org/1999/xhtml\">"
		     "<input id=\"search\" placeholder=\"Search: regular expression (Ctrl-F)\"/>"
		     "<button id=\"reset\">Reset zoom</button><span id=\"matched\"></span></div>"
		     "</foreignObject>\n");
	put_legend(drawing);
	hp_text_puts(text, "<text id=\"details\" x=\"10\" y=\"95\"> </text>\n</g>\n");
}

static void put_file(struct drawing *drawing)
{
	struct hp_text *text = drawing->sink->text;

	hp_text_printf(text,
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%%\" height=\"%u\">\n"
		       "<style><![CDATA[\n%s]]></style>\n",
		       HEAD + drawing->rows * ROW + ROW, flamegraph_css);
	put_frames(drawing);
	put_heading(drawing);
	hp_text_puts(text, "<script><![CDATA[\n");
	hp_text_puts(text, flamegraph_js);
	hp_text_puts(text, "]]></script>\n</svg>\n");
}

static int write_flamegraph(const struct hp_profile *profile, struct hp_sink *sink)
{
	struct drawing drawing = { .profile = profile, .sink = sink };
	int error = hp_profile_functions(profile, true, &drawing.tree);
	size_t room = (size_t)drawing.tree.count + 1;

	drawing.totals = calloc(room, sizeof(*drawing.totals));
	drawing.order = calloc(room, sizeof(*drawing.order));
	drawing.children = calloc(room, sizeof(*drawing.children));
	drawing.next = calloc(room, sizeof(*drawing.next));
	drawing.filled = calloc(room, sizeof(*drawing.filled));
	if (!drawing.totals || !drawing.order || !drawing.children || !drawing.next ||
	    !drawing.filled)
		error = -ENOMEM;
	if (!error)
		error = hp_flame_lines_read(&drawing.lines, profile);
	if (!error) {
		add_up(&drawing);
		sort_calls(&drawing);
		count_rows(&drawing);
		put_file(&drawing);
	}
	free(drawing.totals);
	free(drawing.order);
	free(drawing.children);
	free(drawing.next);
	free(drawing.filled);
	hp_call_tree_free(&drawing.tree);
	hp_flame_lines_free(&drawing.lines);
	return error;
}

const struct hp_export_format hp_export_flamegraph = {
	.name = "flamegraph",
	.extension = "svg",
	.write = write_flamegraph,
};
