/* SPDX-License-Identifier: MIT */
/* The export formats for other programs. */
#ifndef HP_EXPORT_H
#define HP_EXPORT_H

#include "profile.h"
#include "sink.h"

struct hp_export_format {
	const char *name;
	/** Extension of file names, without a dot in front. */
	const char *extension;
	/** Files are compressed by gzip. */
	bool compressed;
	/** The format has all values of a stack, and also stacks of which the main value is zero. */
	bool has_all_values;
	/** Returns 0, or -ENOMEM. */
	int (*write)(const struct hp_profile *profile, struct hp_sink *sink);
};

extern const struct hp_export_format hp_export_firefox;
extern const struct hp_export_format hp_export_flamegraph;
extern const struct hp_export_format hp_export_folded;
extern const struct hp_export_format hp_export_pprof;
extern const struct hp_export_format hp_export_speedscope;

/** All export formats; ends with NULL. */
extern const struct hp_export_format *const hp_export_formats[];

/** The format of a name; NULL when there is none. */
const struct hp_export_format *hp_export_find(const char *name);

/**
 * Write a subject of a model, which must have it.
 *
 * @param text
 *         Grows; out of memory is remembered there.
 * @return
 *         False, and nothing is written, if all is zero.
 */
bool hp_export_write(const struct hp_model *model, const struct hp_export_subject *subject,
		     const struct hp_export_format *format, struct hp_text *text);

#endif
