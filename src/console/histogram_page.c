/* SPDX-License-Identifier: MIT */
/* A histogram, drawn with bars. */
#include "histogram_page.h"

#include "bars.h"
#include "format.h"

#include <math.h>
#include <string.h>

enum {
	HEIGHT = 6,
	WIDTH_MAX = 120,
};

/* The axis: the natural logarithms of the shortest and longest duration in ns, and its width in columns. */
struct scale {
	double low;
	double high;
	int width;
};

static struct scale scale_of(const struct hp_points *times, int width)
{
	double low = (double)times->items[0].value;
	double high = (double)times->items[times->count - 1].value;

	return (struct scale){ log(low > 1 ? low : 1), log(high > 1 ? high : 1),
			       width < WIDTH_MAX ? width : WIDTH_MAX };
}

static int column_of(const struct scale *scale, uint64_t value)
{
	double at = log(value > 1 ? (double)value : 1) - scale->low;
	double share = scale->high > scale->low ? at / (scale->high - scale->low) : 0;

	return (int)(share * (scale->width - 1) + 0.5);
}

/* Compute the height of each bar, in fractions of a line. Returns the count of the tallest one. */
static uint64_t find_heights(const struct hp_points *times, const struct scale *scale,
			     unsigned heights[WIDTH_MAX])
{
	uint64_t counts[WIDTH_MAX] = { 0 }, most = 0;

	for (size_t i = 0; i < times->count; i++) {
		int column = column_of(scale, times->items[i].value);
		counts[column] += times->items[i].count;
		most = counts[column] > most ? counts[column] : most;
	}
	for (int i = 0; i < scale->width; i++) {
		double part = (double)counts[i] / (double)most * HEIGHT * HP_BAR_LEVELS;
		heights[i] = counts[i] && part < 1 ? 1 : (unsigned)part;
	}
	return most;
}

static void draw_line(struct page *page, const unsigned *heights, int width, unsigned above)
{
	struct hp_text line = HP_TEXT_INIT;

	for (int i = 0; i < width; i++) {
		unsigned level = heights[i] > above ? heights[i] - above : 0;
		hp_text_puts(&line, hp_bar(level));
	}
	page_line(page, STYLE_TITLE, "  %s", line.bytes ? line.bytes : "");
	hp_text_free(&line);
}

/* Draw the axis: the shortest call at the left, the longest at the right, and the middle. */
static void draw_scale(struct page *page, const struct scale *scale)
{
	struct hp_figure low = hp_format_duration((uint64_t)exp(scale->low));
	struct hp_figure middle = hp_format_duration((uint64_t)exp((scale->low + scale->high) / 2));
	struct hp_figure high = hp_format_duration((uint64_t)exp(scale->high));
	int left = scale->width / 2 - terminal_width(low.text);
	int right = scale->width - scale->width / 2 - terminal_width(middle.text) -
		    terminal_width(high.text);

	if (left < 1 || right < 1)
		page_line(page, STYLE_FAINT, "  %s to %s", low.text, high.text);
	else
		page_line(page, STYLE_FAINT, "  %s%*s%s%*s%s", low.text, left, "", middle.text,
			  right, "", high.text);
}

void histogram_draw(struct page *page, const struct hp_points *times, int width)
{
	unsigned heights[WIDTH_MAX] = { 0 };

	if (!times->count || width < 1)
		return;
	struct scale scale = scale_of(times, width);
	find_heights(times, &scale, heights);
	for (unsigned i = HEIGHT; i-- > 0;)
		draw_line(page, heights, scale.width, i * HP_BAR_LEVELS);
	draw_scale(page, &scale);
}
