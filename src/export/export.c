/* SPDX-License-Identifier: MIT */
/* The export formats for other programs. */
#include "export.h"

#include <string.h>

const struct hp_export_format *const hp_export_formats[] = {
	&hp_export_flamegraph, &hp_export_firefox, &hp_export_pprof,
	&hp_export_speedscope, &hp_export_folded,  NULL,
};

const struct hp_export_format *hp_export_find(const char *name)
{
	for (size_t i = 0; hp_export_formats[i]; i++)
		if (strcmp(hp_export_formats[i]->name, name) == 0)
			return hp_export_formats[i];
	return NULL;
}

static void write_profile(const struct hp_profile *profile, const struct hp_export_format *format,
			  struct hp_text *text)
{
	struct hp_sink sink;

	hp_sink_open(&sink, text, format->compressed);
	if (format->write(profile, &sink))
		text->failed = true;
	hp_sink_close(&sink);
}

bool hp_export_write(const struct hp_model *model, const struct hp_export_subject *subject,
		     const struct hp_export_format *format, struct hp_text *text)
{
	struct hp_profile profile;
	int error = hp_profile_make(&profile, model, subject, format->has_all_values);
	bool has_some = hp_profile_main(&profile, &profile.total) > 0;

	if (error)
		text->failed = true;
	else if (has_some)
		write_profile(&profile, format, text);
	hp_profile_free(&profile);
	return error || has_some;
}
