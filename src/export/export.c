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

void hp_export_write(const struct hp_model *model, enum hp_profile_of of,
		     const struct hp_export_format *format, struct hp_text *text)
{
	struct hp_profile profile;
	struct hp_sink sink;

	hp_sink_open(&sink, text, format->compressed);
	if (hp_profile_make(&profile, model, of) || format->write(&profile, &sink))
		text->failed = true;
	hp_profile_free(&profile);
	hp_sink_close(&sink);
}
