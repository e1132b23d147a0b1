/* SPDX-License-Identifier: MIT */
/* The options of a report: their table, and how each is read from text. */
#include "report_options.h"

#include "columns.h"
#include "format.h"
#include "memory/wrappers.h"
#include "section.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Say what is wrong; for `return complain(…)`. */
static int complain(char *problem, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int complain(char *problem, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem, HP_PROBLEM_SIZE, format, arguments);
	va_end(arguments);
	return -EINVAL;
}

bool hp_item_next(const char **list, struct hp_item *item)
{
	if (!*list)
		return false;

	const char *start = *list + strspn(*list, " ");
	size_t length = strcspn(start, ",");
	*list = start[length] ? start + length + 1 : NULL;
	while (length && start[length - 1] == ' ')
		length--;
	snprintf(item->text, sizeof(item->text), "%.*s", (int)length, start);
	return true;
}

static int set_format(struct hp_report_options *options, const char *value, char *problem)
{
	static const char names[][12] = {
		[HP_FORMAT_TABLE] = "table",
		[HP_FORMAT_JSON] = "json",
		[HP_FORMAT_JSON_PRETTY] = "json-pretty",
		[HP_FORMAT_HTML] = "html",
		[HP_FORMAT_NONE] = "none",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(names[i], value) == 0) {
			options->format = (enum hp_format)i;
			return 0;
		}
	}
	return complain(problem, "'%.60s' is not table, json, json-pretty, html or none", value);
}

static int copy_text(char to[HP_OPTION_TEXT], const char *value, char *problem)
{
	if (strlen(value) >= HP_OPTION_TEXT)
		return complain(problem, "longer than %d bytes", HP_OPTION_TEXT - 1);
	strcpy(to, value);
	return 0;
}

static int set_output_path(struct hp_report_options *options, const char *value, char *problem)
{
	return copy_text(options->output_path, value, problem);
}

static bool is_section(const char *item)
{
	if (item[0] == '-')
		return hp_section_find(item + 1);
	return strcmp(item, "auto") == 0 || strcmp(item, "all") == 0 || hp_section_find(item);
}

static int complain_of_section(const char *item, char *problem)
{
	const size_t size = HP_PROBLEM_SIZE;
	int length = snprintf(problem, size, "unknown section '%s'; choose from auto, all", item);

	for (size_t i = 0; hp_sections[i] && length >= 0 && (size_t)length < size; i++)
		length += snprintf(problem + length, size - (size_t)length, ", %s",
				   hp_sections[i]->name);
	return -EINVAL;
}

static int set_sections(struct hp_report_options *options, const char *value, char *problem)
{
	const char *list = value;
	struct hp_item item;

	while (hp_item_next(&list, &item))
		if (!is_section(item.text))
			return complain_of_section(item.text, problem);
	return copy_text(options->sections, value, problem);
}

static int read_limit(int *limit, const char *value, char *problem)
{
	if (hp_parse_count(value, limit))
		return 0;
	return complain(problem, "'%.60s' is not a number of rows (0 for all)", value);
}

static int set_alloc_metric(struct hp_report_options *options, const char *value, char *problem)
{
	bool count = strcmp(value, "count") == 0;

	if (!count && strcmp(value, "bytes") != 0)
		return complain(problem, "'%.60s' is not bytes or count", value);
	options->alloc_count = count;
	return 0;
}

/* Insert a number into a sorted array without duplicates; false if there is no room. */
static bool insert(double *numbers, unsigned *count, double number)
{
	unsigned at = 0;
	while (at < *count && numbers[at] < number)
		at++;
	if (at < *count && numbers[at] == number)
		return true;
	if (*count == HP_PERCENTILES_MAX)
		return false;
	memmove(&numbers[at + 1], &numbers[at], (*count - at) * sizeof(*numbers));
	numbers[at] = number;
	++*count;
	return true;
}

static int set_percentiles(struct hp_report_options *options, const char *value, char *problem)
{
	double numbers[HP_PERCENTILES_MAX];
	const char *list = value;
	struct hp_item item;
	unsigned count = 0;
	double number;

	while (hp_item_next(&list, &item)) {
		if (!hp_parse_decimal(item.text, &number) || number > 100)
			return complain(problem, "'%s' is not a number between 0 and 100",
					item.text);
		if (!insert(numbers, &count, number))
			return complain(problem, "more than %d numbers", HP_PERCENTILES_MAX);
	}
	memcpy(options->percentiles, numbers, sizeof(numbers[0]) * count);
	options->percentile_count = count;
	return 0;
}

static int set_pattern(char to[HP_OPTION_TEXT], const char *value, char *problem)
{
	struct hp_focus focus;
	int error = hp_focus_open(&focus, value, problem);

	if (error)
		return error;
	hp_focus_close(&focus);
	return copy_text(to, value, problem);
}

static int set_focus(struct hp_report_options *options, const char *value, char *problem)
{
	return set_pattern(options->focus, value, problem);
}

static int set_exclude(struct hp_report_options *options, const char *value, char *problem)
{
	return set_pattern(options->exclude, value, problem);
}

static int set_sort(struct hp_report_options *options, const char *value, char *problem)
{
	char keys[160];

	if (!*value || hp_column_exists(value))
		return copy_text(options->sort, value, problem);
	hp_column_keys(keys, sizeof(keys));
	return complain(problem, "unknown column '%.60s'; choose from %s", value, keys);
}

static int read_switch(bool *on, const char *value, char *problem)
{
	if (hp_parse_switch(value, on))
		return 0;
	return complain(problem, "'%.60s' is not 1, 0, true, false, yes, no, on or off", value);
}

static int set_exclude_wrapper(struct hp_report_options *options, const char *value, char *problem)
{
	return read_switch(&options->exclude_wrapper, value, problem);
}

static int set_time_exclusive(struct hp_report_options *options, const char *value, char *problem)
{
	return read_switch(&options->time_exclusive, value, problem);
}

static int set_alloc_cumulative(struct hp_report_options *options, const char *value, char *problem)
{
	return read_switch(&options->alloc_cumulative, value, problem);
}

/* The reader looks through these functions when it reads a model. */
static int set_through(struct hp_report_options *options, const char *value, char *problem)
{
	(void)options;
	if (hp_wrappers_name(value))
		return 0;
	return complain(problem, "longer than %d bytes", HP_WRAPPERS_SIZE - 1);
}

static int set_stacks(struct hp_report_options *options, const char *value, char *problem)
{
	if (hp_parse_count(value, &options->stacks))
		return 0;
	return complain(problem, "'%.60s' is not a number of stacks (0 for none)", value);
}

static int set_cpu_inclusive(struct hp_report_options *options, const char *value, char *problem)
{
	return read_switch(&options->cpu_inclusive, value, problem);
}

/* Whether a list only removes sections; it then applies to "auto". */
static bool adds_none(const char *list)
{
	struct hp_item item;

	while (hp_item_next(&list, &item))
		if (item.text[0] != '-')
			return false;
	return true;
}

static int set_tree(struct hp_report_options *options, const char *value, char *problem)
{
	char before[HP_OPTION_TEXT], sections[HP_OPTION_TEXT + 16];
	bool shown = false;
	int error = read_switch(&shown, value, problem);

	if (error || !shown)
		return error;
	strcpy(before, options->sections);
	snprintf(sections, sizeof(sections), "%s%s,tree", adds_none(before) ? "auto," : "", before);
	return copy_text(options->sections, sections, problem);
}

static const struct hp_report_option fixed[] = {
#define OPTION(name, value, variable, of_rows, set, help)                                          \
	{ name, variable, of_rows, sizeof(value) == 1, 0, set, value, help },
#define LIMITS(name, variable, help)                                                               \
	{ name, variable, false, false, HP_LIMIT_ALL, NULL, "N", help },
#include "report_options.def"
#undef OPTION
#undef LIMITS
	{ "", "", false, false, 0, NULL, "", "" },
};

enum {
	KINDS = HP_LIMITS - HP_LIMIT_KINDS,
	/* Some limits have two names. */
	LIMITS = 2 * KINDS,
	FIXED = sizeof(fixed) / sizeof(*fixed),
};

static struct hp_report_option all[FIXED + LIMITS];

const struct hp_report_option *const hp_report_option_table = all;

/* The limit of a kind: "channels-limit", HOTPATH_CHANNELS_LIMIT. */
static struct hp_report_option kind_limit(const char *name, const char *help, unsigned nth)
{
	static struct {
		char name[32];
		char variable[48];
		char help[96];
	} texts[LIMITS], *next = texts;

	snprintf(next->name, sizeof(next->name), "%s-limit", name);
	snprintf(next->variable, sizeof(next->variable), "HOTPATH_%s_LIMIT", name);
	for (char *at = next->variable; *at; at++)
		*at = (char)(*at == '-' ? '_' : toupper((unsigned char)*at));
	if (help)
		snprintf(next->help, sizeof(next->help), "%s; 0 for all", help);
	struct hp_report_option option = { .name = next->name,
					   .variable = next->variable,
					   .limit = (uint8_t)(HP_LIMIT_KINDS + nth),
					   .value = "N",
					   .help = next->help };
	next++;
	return option;
}

/* The limits of all kinds that have one. Returns how many. */
static size_t list_limits(struct hp_report_option *into)
{
	size_t count = 0;

	for (unsigned i = 0; i < KINDS && hp_kinds[i]; i++) {
		const struct hp_kind *kind = hp_kinds[i];
		if (kind->other_option)
			into[count++] = kind_limit(kind->other_option, NULL, i);
		if (kind->limit)
			into[count++] = kind_limit(
				kind->option ? kind->option : kind->tables[0].name, kind->limit, i);
	}
	return count;
}

/* A constructor, so that no thread can see the table before it is complete. */
__attribute__((constructor)) static void list_options(void)
{
	size_t count = 0;

	for (size_t i = 0; i < FIXED; i++) {
		all[count++] = fixed[i];
		if (fixed[i].name[0] && !fixed[i].set)
			count += list_limits(&all[count]);
	}
}

int hp_report_limit(const struct hp_report_options *options, const struct hp_kind *kind)
{
	for (unsigned i = 0; kind && i < KINDS && hp_kinds[i]; i++)
		if (hp_kinds[i] == kind && options->limits[HP_LIMIT_KINDS + i] != HP_LIMIT_UNSET)
			return options->limits[HP_LIMIT_KINDS + i];
	return options->limits[HP_LIMIT_ALL];
}

void hp_report_options_init(struct hp_report_options *options)
{
	*options = (struct hp_report_options){
		.percentiles = { 95 },
		.percentile_count = 1,
		.format = HP_FORMAT_TABLE,
		.sections = "auto",
	};
	for (unsigned i = 0; i < HP_LIMITS; i++)
		options->limits[i] = HP_LIMIT_UNSET;
}

/* A message quotes user input, which may contain control characters: keep it on one line. */
static void make_one_line(char *line)
{
	for (; *line; line++)
		if ((unsigned char)*line < 0x20 || *line == 0x7f)
			*line = '?';
}

/* Set an option, and begin the problem with the name that the user knows it by. */
static int set_option(const struct hp_report_option *option, const char *known_as,
		      struct hp_report_options *options, const char *value, char *problem,
		      size_t size)
{
	char reason[HP_PROBLEM_SIZE] = "";
	int error = option->set ? option->set(options, value, reason)
				: read_limit(&options->limits[option->limit], value, reason);

	make_one_line(reason);
	if (error)
		snprintf(problem, size, "%s: %s", known_as, reason);
	return error;
}

int hp_report_option_set(struct hp_report_options *options, const char *name, const char *value,
			 char *problem, size_t size)
{
	const struct hp_report_option *option = hp_report_option_table;

	for (; option->name[0]; option++) {
		if (strcmp(option->name, name) != 0)
			continue;
		if (!value && !option->is_switch) {
			snprintf(problem, size, "%s: needs a value", name);
			return -EINVAL;
		}
		return set_option(option, name, options, value ? value : "1", problem, size);
	}
	snprintf(problem, size, "%s: no such option", name);
	return -ENOENT;
}

static void read_variable(const struct hp_report_option *option, struct hp_report_options *options,
			  void (*warn)(const char *line))
{
	const char *variable = option->variable;
	const char *value = variable[0] ? secure_getenv(variable) : NULL;
	char problem[HP_PROBLEM_SIZE + 32];

	if (value && *value &&
	    set_option(option, variable, options, value, problem, sizeof(problem)))
		warn(problem);
}

void hp_report_options_environment(struct hp_report_options *options,
				   void (*warn)(const char *line))
{
	const struct hp_report_option *option = hp_report_option_table;

	for (; option->name[0]; option++)
		read_variable(option, options, warn);
}

/* The part of /this/ between the slashes; 0 when there are none. */
static size_t pattern_length(const char *wanted)
{
	size_t length = strlen(wanted);

	return length > 2 && wanted[0] == '/' && wanted[length - 1] == '/' ? length - 2 : 0;
}

int hp_focus_open(struct hp_focus *focus, const char *wanted, char problem[HP_PROBLEM_SIZE])
{
	size_t length = pattern_length(wanted);
	*focus = (struct hp_focus){ .substring = wanted, .is_regex = length > 0 };
	if (!focus->is_regex)
		return 0;

	char *pattern = strndup(wanted + 1, length);
	if (!pattern)
		return complain(problem, "out of memory");
	int error = regcomp(&focus->regex, pattern, REG_EXTENDED | REG_NOSUB);
	free(pattern);
	if (error == 0)
		return 0;

	char reason[128];
	regerror(error, &focus->regex, reason, sizeof(reason));
	return complain(problem, "'%.60s' is not a valid regular expression: %s", wanted, reason);
}

bool hp_focus_matches(const struct hp_focus *focus, const char *name)
{
	if (focus->is_regex)
		return regexec(&focus->regex, name, 0, NULL, 0) == 0;
	return strstr(name, focus->substring);
}

void hp_focus_close(struct hp_focus *focus)
{
	if (focus->is_regex)
		regfree(&focus->regex);
}

/* If the regex cannot be compiled because memory ran out, it is matched as plain text. */
static void open_pattern(struct hp_focus *focus, const char *wanted)
{
	char problem[HP_PROBLEM_SIZE];

	if (hp_focus_open(focus, wanted, problem))
		focus->is_regex = false;
}

void hp_filter_open(struct hp_filter *filter, const struct hp_report_options *options)
{
	open_pattern(&filter->focus, options->focus);
	open_pattern(&filter->exclude, options->exclude);
}

bool hp_filter_passes(const struct hp_filter *filter, const char *name)
{
	return hp_focus_matches(&filter->focus, name) &&
	       !(filter->exclude.substring[0] && hp_focus_matches(&filter->exclude, name));
}

void hp_filter_close(struct hp_filter *filter)
{
	hp_focus_close(&filter->focus);
	hp_focus_close(&filter->exclude);
}
