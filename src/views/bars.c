/* SPDX-License-Identifier: MIT */
/* Bars of block characters. */
#include "bars.h"

const char *hp_bar(unsigned level)
{
	static const char bars[HP_BAR_LEVELS + 1][4] = {
		" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"
	};

	return bars[level < HP_BAR_LEVELS ? level : HP_BAR_LEVELS];
}

static double sum_of(const double *values, unsigned count)
{
	double sum = 0;

	for (unsigned i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

void hp_bars_line(const double *values, unsigned count, unsigned width, struct hp_text *text)
{
	unsigned each = count / width;
	double most = 0;

	for (unsigned i = 0; i < width; i++) {
		double sum = sum_of(&values[(size_t)i * each], each);
		most = sum > most ? sum : most;
	}
	for (unsigned i = 0; i < width; i++) {
		double sum = sum_of(&values[(size_t)i * each], each);
		/* Not to the full height, so that lines below each other do not touch. */
		double level = most > 0 ? sum / most * (HP_BAR_LEVELS - 1) : 0;
		hp_text_puts(text, hp_bar(level > 0 && level < 1 ? 1 : (unsigned)level));
	}
}
