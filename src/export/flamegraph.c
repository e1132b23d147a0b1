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
#include "flame_tree.h"
#include "format.h"

#include "flamegraph_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

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
	struct hp_flame_tree tree;
	struct hp_flame_lines lines;
	/* State while drawing: the position of the next child of each call. */
	uint64_t *filled;
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
	double percent = (double)frame->width * 100 / (double)drawing->tree.total;
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
	double pixels = (double)frame->width * WIDTH / (double)drawing->tree.total;
	size_t room = pixels > 6 ? (size_t)((pixels - 6) * 10 / LETTER_TENTHS) : 0;
	size_t letters = hp_utf8_count(frame->name);

	if (room < 3)
		return;
	hp_text_puts(text, "<text x=\"");
	put_share(text, frame->begin, drawing->tree.total);
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
	put_share(text, frame->begin, drawing->tree.total);
	hp_text_printf(text, "\" y=\"%u\" width=\"", HEAD + frame->row * ROW);
	put_share(text, frame->width, drawing->tree.total);
	hp_text_printf(text, "\" height=\"%d\" fill=\"%s\"/>", ROW - 1,
		       hp_flame_colour(drawing->profile, frame->code).text);
	put_label(drawing, frame);
	hp_text_puts(text, "</g>\n");
	hp_sink_pass(drawing->sink);
}

static bool is_too_narrow(const struct drawing *drawing, uint64_t width)
{
	return width == 0 || width < drawing->tree.total / NARROWEST;
}

static void put_call(struct drawing *drawing, uint32_t call, uint64_t begin)
{
	struct hp_flame_tree *tree = &drawing->tree;
	const struct hp_call *it = &tree->calls.calls[call];
	const struct hp_code *code = hp_flame_tree_code(tree, call);
	struct frame frame = { .name = hp_flame_tree_name(tree, call),
			       .code = code,
			       .begin = begin,
			       .width = hp_flame_tree_width(tree, call),
			       .values = &tree->totals[call],
			       .own = &it->values,
			       .row = it->depth + tree->with_threads };

	drawing->filled[call] = begin;
	hp_flame_tree_enter(tree, call);
	if (code || tree->with_threads)
		put_frame(drawing, &frame);
}

/* The next child to draw, and its position; HP_INDEX_NONE if there is none. */
static uint32_t next_inside(struct drawing *drawing, uint32_t call, uint64_t *begin)
{
	uint32_t child = hp_flame_tree_next(&drawing->tree, call);

	while (child != HP_INDEX_NONE) {
		uint64_t width = hp_flame_tree_width(&drawing->tree, child);
		*begin = drawing->filled[call];
		drawing->filled[call] += width;
		if (!is_too_narrow(drawing, width))
			break;
		child = hp_flame_tree_next(&drawing->tree, call);
	}
	return child;
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
		call = inside != HP_INDEX_NONE ? inside : drawing->tree.calls.calls[call].parent;
	}
}

static void put_frames(struct drawing *drawing)
{
	static const struct hp_values none = { { 0 } };
	struct frame all = { .name = hp_profile_program(drawing->profile),
			     .width = drawing->tree.total,
			     .values = &drawing->profile->total,
			     .own = &none };
	uint64_t begin = 0;

	hp_text_puts(drawing->sink->text, "<g id=\"frames\">\n");
	put_frame(drawing, &all);
	for (uint32_t i = 0; i < drawing->tree.calls.count; i++) {
		if (drawing->tree.calls.calls[i].depth > 0)
			continue;
		put_thread(drawing, i, begin);
		begin += hp_flame_tree_width(&drawing->tree, i);
	}
	hp_text_puts(drawing->sink->text, "</g>\n");
}

static void count_rows(struct drawing *drawing)
{
	const struct hp_flame_tree *tree = &drawing->tree;

	for (uint32_t i = 0; i < tree->calls.count; i++) {
		uint32_t rows = tree->calls.calls[i].depth + 1 + tree->with_threads;
		if (rows > drawing->rows && !is_too_narrow(drawing, hp_flame_tree_width(tree, i)))
			drawing->rows = rows;
	}
}

/* ---- the file ---- */

static void put_legend(const struct drawing *drawing)
{
	struct hp_flame_legend legend[LEGEND_MAX];
	unsigned count = hp_flame_legend(drawing->profile, &drawing->tree.calls, legend,
					 LEGEND_MAX);
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
	hp_text_puts(text, flamegraph_file_js);
	hp_text_puts(text, "]]></script>\n</svg>\n");
}

static int write_flamegraph(const struct hp_profile *profile, struct hp_sink *sink)
{
	struct drawing drawing = { .profile = profile, .sink = sink };
	int error = hp_flame_tree_make(&drawing.tree, profile);

	drawing.filled = calloc((size_t)drawing.tree.calls.count + 1, sizeof(*drawing.filled));
	if (!drawing.filled)
		error = -ENOMEM;
	if (!error)
		error = hp_flame_lines_read(&drawing.lines, profile);
	if (!error) {
		count_rows(&drawing);
		put_file(&drawing);
	}
	free(drawing.filled);
	hp_flame_tree_free(&drawing.tree);
	hp_flame_lines_free(&drawing.lines);
	return error;
}

const struct hp_export_format hp_export_flamegraph = {
	.name = "flamegraph",
	.extension = "svg",
	.write = write_flamegraph,
};
