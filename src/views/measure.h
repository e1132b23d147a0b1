/* SPDX-License-Identifier: MIT */
/* What a table tells of functions: the time they took, the bytes or blocks they allocated, or CPU time. */
#ifndef HP_MEASURE_H
#define HP_MEASURE_H

#include "format.h"
#include "model.h"

/** Where a column is shown, as bits; any can be sorted by. */
enum hp_shown {
	/** In tables of time, of allocations, of CPU time. */
	HP_SHOWN_TIME = 1,
	HP_SHOWN_ALLOC = 2,
	HP_SHOWN_CPU = 4,
	/** If every block was followed. */
	HP_SHOWN_FOLLOWED = 8,
	/** If somebody has watched. */
	HP_SHOWN_WATCHED = 16,
	/** If some of the CPU time was the kernel's; inclusive time is not told apart. */
	HP_SHOWN_SYSTEM = 32,
};

struct hp_measure {
	/** Whether there is a row for a function. */
	bool (*has_row)(const struct hp_function *function);
	uint64_t (*total)(const struct hp_function *function, bool exclusive);
	/** Over the calls of a function; where it is not measured, over its calls of malloc. */
	uint64_t (*average)(const struct hp_function *function, bool exclusive);
	uint64_t (*percentile)(const struct hp_function *function, bool exclusive, double percent);
	/** A total as a percentage of what is 100 %. */
	double (*share)(const struct hp_model *model, const struct hp_function *function,
			bool exclusive);
	struct hp_figure (*format)(uint64_t value);
	/** Of enum hp_shown: the columns that tables of it have. */
	unsigned shown;
	/** One of the rows is the caller's, which may be left out. */
	bool has_caller;
	/** A row with a total of 0 has nothing to tell. */
	bool zero_is_nothing;
	/** Percentiles are known of whole calls alone: a table without the calls inside has none. */
	bool of_whole_calls;
};

/** The sum of what there are rows for, but the caller's. */
uint64_t hp_measure_rest(const struct hp_measure *measure, const struct hp_model *model,
			 bool exclusive);

/** A total as a percentage of this whole, or, if that is 0, of what is 100 % otherwise. */
double hp_measure_share(const struct hp_measure *measure, const struct hp_model *model,
			const struct hp_function *function, bool exclusive, uint64_t whole);

/** The caller has 100 %. */
extern const struct hp_measure hp_measure_time;
extern const struct hp_measure hp_measure_bytes;
extern const struct hp_measure hp_measure_count;
/** CPU time, in samples. Percentiles and averages are those of time: of CPU time there are none. */
extern const struct hp_measure hp_measure_cpu;

#endif
