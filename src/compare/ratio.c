/* SPDX-License-Identifier: MIT */
/*
 * The ratio of values after to values before.
 *
 * A few ratios are sorted. Of many, that of a rank is found without: it is the smallest number that enough ratios do not
 * exceed, and counting those is quick. The search bisects the bit patterns of doubles, so the result is exact after 64 steps.
 *
 *	              after, rising
 *	             ┌───┬───────────┐
 *	   before,   │   └────┐   >  │   Ratios grow to the right and shrink downwards: those up to a
 *	   rising    │ ≤      └──┐   │   bound end in stairs, and whoever walks along them can count.
 *	             │           └───┤
 *	             └───────────────┘
 */
#include "ratio.h"

#include "arithmetic.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * Up to this many pairs, 60 runs of each side, the exact distribution of U is used; beyond, the normal
	 * approximation.
	 */
	EXACT_PAIRS = 3600,
	/* Up to this many pairs, ratios are sorted, which takes a fifth of the time that four searches take. */
	SORTED_PAIRS = 1024,
};

/* Tolerance for rounding errors. */
#define ROUNDING (1 + 1e-9)

#define SIGN (UINT64_C(1) << 63)

/* Map a double to an integer with the same order, and back. */
static uint64_t place_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits & SIGN ? ~bits : bits | SIGN;
}

static double number_at(uint64_t place)
{
	uint64_t bits = place & SIGN ? place & ~SIGN : ~place;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/* A set of numbers for which it can be counted how many do not exceed a bound. */
struct countable {
	const double *before;
	size_t before_count;
	const double *after;
	size_t after_count;
	size_t (*count)(const struct countable *numbers, double bound);
	/* The numbers themselves, rising; NULL if they are too many. */
	const double *sorted;
};

/* The number with a rank; 1 is the smallest. */
static double nth(const struct countable *numbers, size_t rank)
{
	uint64_t low = place_of(-INFINITY), high = place_of(INFINITY);

	if (numbers->sorted)
		return numbers->sorted[rank - 1] + 0.0;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (numbers->count(numbers, number_at(middle)) >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	/* Turns -0 into 0. */
	return number_at(low) + 0.0;
}

static double middle_of(const struct countable *numbers, size_t count)
{
	double lower = nth(numbers, (count + 1) / 2);

	return count % 2 ? lower : (lower + nth(numbers, count / 2 + 1)) / 2;
}

static size_t count_values(const struct countable *numbers, double bound)
{
	size_t count = 0;

	for (size_t i = 0; i < numbers->after_count; i++)
		count += numbers->after[i] <= bound;
	return count;
}

double hp_median(const double *values, size_t count)
{
	struct countable numbers = { .after = values, .after_count = count, .count = count_values };

	return count ? middle_of(&numbers, count) : NAN;
}

double hp_ratio_of(double before, double after)
{
	if (before > 0)
		return after / before;
	return after > 0 ? INFINITY : 1;
}

/* Both are rising. */
static size_t count_ratios(const struct countable *numbers, double bound)
{
	size_t count = 0, columns = numbers->after_count;

	for (size_t i = numbers->before_count; i-- > 0 && columns > 0;) {
		while (columns > 0 &&
		       hp_ratio_of(numbers->before[i], numbers->after[columns - 1]) > bound)
			columns--;
		count += columns;
	}
	return count;
}

/*
 * The probabilities of the values of U up to half of the largest. U is the number of pairs in which the value after
 * is the smaller one. Recursion: the largest of all values is on either side with a probability in proportion to the
 * side's size; if it is on the longer side, it wins against all of the other side.
 *
 * @return
 *         An array from malloc, to be freed; NULL when memory ran out.
 */
static double *distribution(size_t longer, size_t shorter, size_t values)
{
	double *rows = calloc((shorter + 1) * values, sizeof(*rows));
	if (!rows)
		return NULL;

	for (size_t j = 0; j <= shorter; j++)
		rows[j * values] = 1;
	for (size_t i = 1; i <= longer; i++) {
		for (size_t j = 1; j <= shorter; j++) {
			double share = (double)i / (double)(i + j);
			const double *above = rows + (j - 1) * values;
			double *row = rows + j * values;

			for (size_t u = values; u-- > 0;)
				row[u] = (1 - share) * above[u] + (u >= j ? share * row[u - j] : 0);
		}
	}
	memmove(rows, rows + shorter * values, values * sizeof(*rows));
	return rows;
}

/* The number of the smallest values of U whose two tails together are within alpha. */
static int find_exact_rank(size_t longer, size_t shorter, double alpha, size_t *rank)
{
	size_t values = longer * shorter / 2 + 1;
	double *probabilities = distribution(longer, shorter, values);
	double tail = 0;
	if (!probabilities)
		return -ENOMEM;

	for (*rank = 0; *rank < values; (*rank)++) {
		tail += probabilities[*rank];
		if (2 * tail > alpha * ROUNDING)
			break;
	}
	free(probabilities);
	return 0;
}

static size_t find_normal_rank(double before_count, double after_count, double alpha)
{
	double mean = before_count * after_count / 2;
	double deviation = sqrt(mean * (before_count + after_count + 1) / 6);
	size_t low = 0, high = (size_t)mean;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		double distance = (mean - (double)middle - 0.5) / deviation;
		/* Both tails of the normal distribution. */
		if (erfc(distance / sqrt(2)) > alpha)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int find_rank(struct hp_ratio_rank *rank, double alpha)
{
	size_t n = rank->before_count, m = rank->after_count;

	if (n <= EXACT_PAIRS / m)
		return find_exact_rank(hp_max(n, m), hp_min(n, m), alpha, &rank->rank);
	rank->rank = find_normal_rank((double)n, (double)m, alpha);
	return 0;
}

static int get_rank(struct hp_ratio_ranks *ranks, size_t before_count, size_t after_count,
		    size_t *rank)
{
	for (size_t i = 0; i < ranks->count; i++) {
		const struct hp_ratio_rank *item = &ranks->items[i];
		*rank = item->rank;
		if (item->before_count == before_count && item->after_count == after_count)
			return 0;
	}

	struct hp_ratio_rank found = { before_count, after_count, 0 };
	struct hp_ratio_rank *items = reallocarray(ranks->items, ranks->count + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	ranks->items = items;
	if (find_rank(&found, 1 - ranks->confidence))
		return -ENOMEM;
	ranks->items[ranks->count++] = found;
	*rank = found.rank;
	return 0;
}

void hp_ratio_ranks_clear(struct hp_ratio_ranks *ranks)
{
	free(ranks->items);
	*ranks = (struct hp_ratio_ranks){ .confidence = ranks->confidence };
}

static int compare_values(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double *sorted_copy(double *into, const double *values, size_t count)
{
	memcpy(into, values, count * sizeof(*values));
	qsort(into, count, sizeof(*into), compare_values);
	return into;
}

/* So many times smaller; a negative ratio, of a gauge that changed its sign, is smaller when it is further from 0. */
static double lowered(double ratio, double times)
{
	return ratio < 0 ? ratio * times : ratio / times;
}

static void set_ratio(const struct countable *ratios, size_t rank, struct hp_ratio *ratio)
{
	size_t count = ratios->before_count * ratios->after_count;
	double slack = rank ? 1 : HP_RATIO_GUESS;

	ratio->estimate = middle_of(ratios, count);
	ratio->is_guess = rank == 0;
	if (rank == 0)
		rank = 1;
	ratio->low = lowered(nth(ratios, rank), slack);
	ratio->high = lowered(nth(ratios, count + 1 - rank), 1 / slack);
}

static const double *sort_ratios(double *into, const struct countable *ratios)
{
	size_t count = 0;

	for (size_t i = 0; i < ratios->before_count; i++)
		for (size_t j = 0; j < ratios->after_count; j++)
			into[count++] = hp_ratio_of(ratios->before[i], ratios->after[j]);
	qsort(into, count, sizeof(*into), compare_values);
	return into;
}

int hp_ratio(struct hp_ratio_ranks *ranks, const double *before, size_t before_count,
	     const double *after, size_t after_count, struct hp_ratio *ratio)
{
	size_t rank, values = before_count + after_count;
	size_t pairs = before_count <= SORTED_PAIRS / after_count ? before_count * after_count : 0;
	if (get_rank(ranks, before_count, after_count, &rank))
		return -ENOMEM;
	double *room = reallocarray(NULL, values + pairs, sizeof(*room));
	if (!room)
		return -ENOMEM;

	struct countable ratios = {
		.before = sorted_copy(room, before, before_count),
		.before_count = before_count,
		.after = sorted_copy(room + before_count, after, after_count),
		.after_count = after_count,
		.count = count_ratios,
	};
	ratios.sorted = pairs ? sort_ratios(room + values, &ratios) : NULL;
	set_ratio(&ratios, rank, ratio);
	free(room);
	return 0;
}

size_t hp_ratio_runs_needed(double confidence)
{
	double alpha = (1 - confidence) * ROUNDING;
	size_t runs = 1;

	/*
	 * The number of ways to interleave the values of both sides; in two of them, one side has all the smaller
	 * ones.
	 */
	for (double ways = 2; 2 / ways > alpha; runs++)
		ways *= 2 * (2 * (double)runs + 1) / ((double)runs + 1);
	return runs;
}
