/* SPDX-License-Identifier: MIT */
/* Times as they are measured, made of random numbers that are the same everywhere. */
#ifndef MADE_NOISE_H
#define MADE_NOISE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

/** Not 0. */
static uint64_t made_seed = 1;

/** Between 0 and 1, and neither. */
static inline double made_uniform(void)
{
	made_seed ^= made_seed << 13;
	made_seed ^= made_seed >> 7;
	made_seed ^= made_seed << 17;
	return ((double)(made_seed >> 11) + 0.5) / 0x1p53;
}

static inline double made_normal(void)
{
	double radius = sqrt(-2 * log(made_uniform()));

	return radius * cos(6.283185307179586 * made_uniform());
}

/** In shares of the usual time, as those below. */
static inline double made_quiet(void)
{
	return exp(0.02 * made_normal());
}

static inline double made_noisy(void)
{
	return exp(0.3 * made_normal());
}

/** One in ten was disturbed. */
static inline double made_disturbed(void)
{
	double time = made_quiet();

	return made_uniform() < 0.1 ? time * (2 + 20 * made_uniform()) : time;
}

static inline double made_of_two_modes(void)
{
	return (made_uniform() < 0.5 ? 1 : 1.4) * made_quiet();
}

/** As percentiles are. */
static inline double made_in_buckets(void)
{
	return exp2(floor(log2(made_noisy()) * 8) / 8);
}

typedef double (*made_draw_fn)(void);

static const made_draw_fn made_draws[] = {
	made_quiet, made_noisy, made_disturbed, made_of_two_modes, made_in_buckets,
};

enum { MADE_DRAWS = sizeof(made_draws) / sizeof(*made_draws) };

static inline void made_draw(made_draw_fn draw, double factor, double *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		values[i] = factor * draw();
}

#endif
