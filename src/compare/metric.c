/* SPDX-License-Identifier: MIT */
/* Figures by their names. */
#include "metric.h"

#include "format.h"

#include <string.h>

/* Whether a name is the prefix of percentiles, then 'p', then a number in our notation. */
static bool is_percentile(const char *name, const char *prefix, double *percent)
{
	size_t length = strlen(prefix);
	if (strncmp(name, prefix, length) != 0 || name[length] != 'p')
		return false;

	const char *number = name + length + 1;
	double value;
	if (!hp_parse_decimal(number, &value) || value > 100 ||
	    strcmp(hp_format_decimal(value).text, number) != 0)
		return false;
	*percent = value;
	return true;
}

static const struct hp_metric *find_in(const struct hp_subject *subject, const char *name,
				       double *percent)
{
	for (const struct hp_metric *metric = subject->metrics; metric->name; metric++) {
		if (metric->is_percentile ? is_percentile(name, metric->name, percent)
					  : strcmp(metric->name, name) == 0)
			return metric;
	}
	return NULL;
}

const struct hp_metric *hp_metric_find(const char *name, bool of_program, double *percent)
{
	const struct hp_metric *metric = NULL;

	if (of_program)
		return find_in(&hp_subject_program, name, percent);
	for (size_t i = 0; hp_subjects[i] && !metric; i++)
		if (hp_subjects[i] != &hp_subject_program)
			metric = find_in(hp_subjects[i], name, percent);
	return metric;
}

void hp_metric_list(const struct hp_subject *subject, struct hp_text *text)
{
	for (const struct hp_metric *metric = subject->metrics; metric->name; metric++)
		hp_text_printf(text, "%s%s%s", text->length ? ", " : "", metric->name,
			       metric->is_percentile ? "p95" : "");
}
