/* SPDX-License-Identifier: MIT */
/* The formats of a comparison. */
#include "compare_write.h"

#include <string.h>

const struct hp_compare_format *const hp_compare_formats[] = {
	&hp_compare_table, &hp_compare_markdown, &hp_compare_json, &hp_compare_json_pretty, NULL,
};

const struct hp_compare_format *hp_compare_format_find(const char *name)
{
	for (size_t i = 0; hp_compare_formats[i]; i++)
		if (strcmp(hp_compare_formats[i]->name, name) == 0)
			return hp_compare_formats[i];
	return NULL;
}
