/* SPDX-License-Identifier: MIT */
/*
 * From a saved report to a model.
 *
 * A report that was saved to be loaded again holds histograms: any percentile of it can be told. A
 * plain JSON report holds some percentiles as numbers, and no other is known. Its histograms are
 * made of these, so that each is what it was; whoever shows the model must ask for no other.
 */
#ifndef HP_SAVED_H
#define HP_SAVED_H

#include "reader.h"

enum {
	HP_SAVED_PERCENTILES = 10,
};

/** Rising. */
struct hp_percentiles {
	double items[HP_SAVED_PERCENTILES];
	unsigned count;
};

struct hp_saved {
	struct hp_model *model;
	/** Every percentile is known. */
	bool complete;
	/** Those that are known otherwise, besides 0 and 100. */
	struct hp_percentiles known;
	/** Of allocations they are those with the calls inside, and the others are not known. */
	bool alloc_cumulative;
};

/**
 * Read a report in JSON. It may come from anyone: everything is checked.
 *
 * @param bytes
 *         The text; it need not end with NUL.
 * @param saved
 *         Its model is to be freed.
 * @return
 *         0, or a negative errno with the reason in error: -EINVAL for a text that is no report,
 *         -ENOTSUP for one of another schema, -ENOMEM.
 */
int hp_saved_read(const char *bytes, size_t size, struct hp_saved *saved, struct hp_error *error);

#endif
