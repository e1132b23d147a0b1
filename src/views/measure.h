/* SPDX-License-Identifier: MIT */
/* What a table tells of functions: the time they took, the bytes or blocks they allocated, or CPU time. */
#ifndef HP_MEASURE_H
#define HP_MEASURE_H

#include "format.h"
#include "model.h"

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
	bool is_alloc;
};

/** Percentiles and averages are of whole calls in any case; the caller has 100 %. */
extern const struct hp_measure hp_measure_time;
extern const struct hp_measure hp_measure_bytes;
extern const struct hp_measure hp_measure_count;
/** CPU time, in samples. Percentiles and averages are those of time: of CPU time there are none. */
extern const struct hp_measure hp_measure_cpu;

#endif
