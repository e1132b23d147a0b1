/* SPDX-License-Identifier: MIT */
/* The export formats for other programs. */
#ifndef HP_EXPORT_H
#define HP_EXPORT_H

#include "profile.h"
#include "sink.h"

struct hp_export_format {
	const char *name;
	/** Of its files. */
	const char *extension;
	/** Its files are compressed by gzip. */
	bool compressed;
	/** Returns 0, or -ENOMEM. */
	int (*write)(const struct hp_profile *profile, struct hp_sink *sink);
};

extern const struct hp_export_format hp_export_firefox;
extern const struct hp_export_format hp_export_flamegraph;
extern const struct hp_export_format hp_export_folded;
extern const struct hp_export_format hp_export_pprof;
extern const struct hp_export_format hp_export_speedscope;

/** All of them; ends with NULL. */
extern const struct hp_export_format *const hp_export_formats[];

/** The format of a name; NULL when there is none. */
const struct hp_export_format *hp_export_find(const char *name);

/**
 * Write the samples of a model, of the CPU or of waits.
 *
 * @param text
 *         Grows; out of memory is remembered there.
 */
void hp_export_write(const struct hp_model *model, enum hp_profile_of of,
		     const struct hp_export_format *format, struct hp_text *text);

#endif
