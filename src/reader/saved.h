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
	/** The version of the form of reports that is written, and read to the last word. */
	HP_SAVED_SCHEMA = 1,
};

/** Rising. */
struct hp_percentiles {
	double items[HP_SAVED_PERCENTILES];
	unsigned count;
};

struct hp_saved {
	struct hp_model *model;
	/** Of the report: the version of its form, and of the hotpath that wrote it; 0 and "" for a run of ours. A newer
	    form than ours is read as far as it is known. */
	uint64_t schema;
	char version[32];
	/** It was limited to the largest functions: others may be missing. */
	bool is_cut;
	/** Every percentile is known. */
	bool complete;
	/** Those that are known otherwise, besides 0 and 100. */
	struct hp_percentiles known;
	/** Of allocations they are those with the calls inside, and the others are not known. */
	bool alloc_cumulative;
};

/**
 * Read a report in JSON. It may come from anyone: everything is checked, and one that would take more than
 * 1.5 GB of memory is refused before it does.
 *
 * @param bytes
 *         The text; it need not end with NUL.
 * @param saved
 *         Its model is to be freed.
 * @return
 *         0, or a negative errno with the reason in error: -EINVAL for a text that is no report,
 *         -ENOTSUP for one of an older schema, or a newer one that cannot be read, -EFBIG, -ENOMEM.
 */
int hp_saved_read(const char *bytes, size_t size, struct hp_saved *saved, struct hp_error *error);

/**
 * For those who must know all that a report says.
 *
 * @return
 *         0, or -ENOTSUP with the reason in error when it is of a newer schema.
 */
int hp_saved_check_schema(const struct hp_saved *saved, struct hp_error *error);

#endif
