/* SPDX-License-Identifier: MIT */
/* A measure is what a table of functions shows: time, allocated bytes or blocks, or CPU time. */
#ifndef HP_MEASURE_H
#define HP_MEASURE_H

#include "format.h"
#include "model.h"

/** In which tables a column is shown, as bits; rows can be sorted by any column. */
enum hp_shown {
	/** In tables of time, of allocations, of CPU time. */
	HP_SHOWN_TIME = 1,
	HP_SHOWN_ALLOC = 2,
	HP_SHOWN_CPU = 4,
	/** Only if blocks were tracked one by one. */
	HP_SHOWN_FOLLOWED = 8,
	/** If somebody has watched. */
	HP_SHOWN_WATCHED = 16,
	/** Only if some CPU time was in the kernel; not for inclusive time, which is not split. */
	HP_SHOWN_SYSTEM = 32,
};

struct hp_measure {
	/** Whether there is a row for a function. */
	bool (*has_row)(const struct hp_function *function);
	uint64_t (*total)(const struct hp_function *function, bool exclusive);
	/** Average over the calls of a function or, if it is not measured, over its calls of malloc. */
	uint64_t (*average)(const struct hp_function *function, bool exclusive);
	uint64_t (*percentile)(const struct hp_function *function, bool exclusive, double percent);
	/** A total as a percentage of what is 100 %. */
	double (*share)(const struct hp_model *model, const struct hp_function *function,
			bool exclusive);
	struct hp_figure (*format)(uint64_t value);
	/** Which columns its tables have: bits of enum hp_shown. */
	unsigned shown;
	/** One of the rows is the caller's, which may be left out. */
	bool has_caller;
	/** Rows with a total of 0 are not shown. */
	bool zero_is_nothing;
	/** Percentiles are only known for whole calls: tables of exclusive figures have none. */
	bool of_whole_calls;
};

/** The sum of all rows except the caller's. */
uint64_t hp_measure_rest(const struct hp_measure *measure, const struct hp_model *model,
			 bool exclusive);

/** A total as a percentage of this whole or, if that is 0, of the measure's own 100 %. */
double hp_measure_share(const struct hp_measure *measure, const struct hp_model *model,
			const struct hp_function *function, bool exclusive, uint64_t whole);

/** The caller has 100 %. */
extern const struct hp_measure hp_measure_time;
extern const struct hp_measure hp_measure_bytes;
extern const struct hp_measure hp_measure_count;
/** CPU time, in samples. It has no percentiles and averages of its own: those of time are used. */
extern const struct hp_measure hp_measure_cpu;

#endif
