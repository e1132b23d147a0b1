/* SPDX-License-Identifier: MIT */
/*
 * From a saved report to a model.
 *
 * A report written by --save has histograms, so any percentile can be computed. A plain JSON report only has some
 * percentiles as numbers. Its histograms are constructed so that these percentiles come out right; views must not ask
 * for others.
 */
#ifndef HP_SAVED_H
#define HP_SAVED_H

#include "reader.h"

enum {
	HP_SAVED_PERCENTILES = 10,
	/** The schema version of reports that is written, and read completely. */
	HP_SAVED_SCHEMA = 1,
};

/** Rising. */
struct hp_percentiles {
	double items[HP_SAVED_PERCENTILES];
	unsigned count;
};

struct hp_saved {
	struct hp_model *model;
	/**
	 * Schema version of the report, and the version of the hotpath that wrote it; 0 and "" for a run of our own.
	 * A newer schema is read as far as it is known.
	 */
	uint64_t schema;
	char version[32];
	/** The report only has the largest functions (--limit). */
	bool is_cut;
	/** Every percentile is known. */
	bool complete;
	/** If not complete: the percentiles that are known, besides 0 and 100. */
	struct hp_percentiles known;
	/** If set, percentiles of allocations are inclusive, and exclusive ones are not known. */
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
 * Check that a report can be read completely.
 *
 * @return
 *         0, or -ENOTSUP with the reason in error when it is of a newer schema.
 */
int hp_saved_check_schema(const struct hp_saved *saved, struct hp_error *error);

#endif
