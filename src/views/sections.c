/* SPDX-License-Identifier: MIT */
/* The sections of a report: the list of all, which are chosen, and how many rows each shows. */
#include "section.h"

#include "function_table.h"
#include "kind_rows.h"
#include "nothing.h"

#include <stdlib.h>
#include <string.h>

/* Sections that are no kind. */
static const struct hp_section *const fixed[] = { &hp_section_bottlenecks, &hp_section_metadata };

/* Sections of kinds about which something is special. */
static const struct hp_section *const special[] = {
	&hp_section_special_timing,  &hp_section_special_tree, &hp_section_special_alloc,
	&hp_section_special_live,    &hp_section_special_cpu,  &hp_section_special_threads,
	&hp_section_special_blocked, &hp_section_special_io,
};

enum {
	FIXED = sizeof(fixed) / sizeof(*fixed),
	SPECIAL = sizeof(special) / sizeof(*special),
	OF_KINDS = 40,
};

static struct hp_section of_kinds[OF_KINDS];
static const struct hp_section *all[FIXED + OF_KINDS + 1];

const struct hp_section *const *const hp_sections = all;

/* ---- the list ---- */

static struct hp_section begin_section(const struct hp_kind *kind)
{
	for (size_t i = 0; i < SPECIAL; i++)
		if (special[i]->kind == kind)
			return *special[i];
	return (struct hp_section){ .kind = kind };
}

static struct hp_section make_section(const struct hp_kind *kind, unsigned table)
{
	const struct hp_kind_table *of = &kind->tables[table];
	struct hp_section section = begin_section(kind);

	section.table = table;
	section.name = of->name;
	section.noun = section.noun ? section.noun : kind->noun;
	section.aliases = table && !of->aliases ? kind->tables[0].name : of->aliases;
	section.json_key = kind->key;
	section.hint = kind->hint;
	section.order = of->order;
	section.pane = (struct hp_pane){ of->tab, of->pane, of->how };
	return section;
}

static int by_order(const void *left, const void *right)
{
	const struct hp_section *const *a = left, *const *b = right;

	return (*a)->order - (*b)->order;
}

/* A constructor, so that no thread can see the list before it is complete. */
__attribute__((constructor)) static void list_sections(void)
{
	size_t count = 0, made = 0;

	for (; count < FIXED; count++)
		all[count] = fixed[count];
	for (unsigned i = 0; hp_kinds[i]; i++) {
		for (unsigned j = 0; hp_kinds[i]->tables[j].name && made < OF_KINDS; j++) {
			of_kinds[made] = make_section(hp_kinds[i], j);
			all[count++] = &of_kinds[made++];
		}
	}
	qsort(all, count, sizeof(*all), by_order);
}

static bool answers_to(const struct hp_section *section, const char *name)
{
	const char *list = section->aliases;
	struct hp_item item;

	if (strcmp(section->name, name) == 0)
		return true;
	while (list && hp_item_next(&list, &item))
		if (strcmp(item.text, name) == 0)
			return true;
	return false;
}

const struct hp_section *hp_section_find(const char *name)
{
	for (size_t i = 0; hp_sections[i]; i++)
		if (answers_to(hp_sections[i], name))
			return hp_sections[i];
	return NULL;
}

static const struct hp_kind *limited_as(const struct hp_section *section)
{
	return section->kind ? section->kind : section->limited_as;
}

static size_t limit_of(const struct hp_section *section, const struct hp_report_options *options,
		       size_t rows, int by_default)
{
	int limit = hp_report_limit(options, limited_as(section));

	if (limit == HP_LIMIT_UNSET)
		limit = by_default;
	return limit > 0 && (size_t)limit < rows ? (size_t)limit : rows;
}

size_t hp_section_limit(const struct hp_section *section, const struct hp_report_options *options,
			size_t rows)
{
	const struct hp_kind *kind = limited_as(section);

	return limit_of(section, options, rows, kind ? kind->default_limit : 0);
}

size_t hp_section_json_limit(const struct hp_section *section,
			     const struct hp_report_options *options, size_t rows)
{
	return limit_of(section, options, rows, 0);
}

bool hp_section_has_memory(const struct hp_model *model)
{
	return model->memory.mode != HP_ALLOC_NONE;
}

bool hp_section_wants_memory(const struct hp_model *model)
{
	return hp_section_has_memory(model) || model->missing.alloc;
}

void hp_section_title(const struct hp_section *section, const struct hp_report_options *options,
		      size_t shown, size_t rows, struct hp_text *text)
{
	hp_paint(text, section->name, HP_PAINT_TITLE, options->colour);
	hp_text_printf(text, " - %s", hp_section_sentence(section, options));
	if (section->kind && section->kind->has_caller && options->exclude_wrapper)
		hp_text_puts(text, " Without the caller: percentages are of the sum of the rest.");
	if (shown < rows)
		hp_text_printf(text, " (%zu/%zu)", shown, rows);
	hp_text_putc(text, '\n');
}

/* ---- what a section is of ---- */

const char *hp_section_sentence(const struct hp_section *section,
				const struct hp_report_options *options)
{
	if (section->sentence)
		return section->sentence;
	const struct hp_kind_table *table = &section->kind->tables[section->table];
	return section->is_exclusive && section->is_exclusive(options) ? table->exclusive
								       : table->sentence;
}

bool hp_section_is_available(const struct hp_section *section, const struct hp_model *model)
{
	if (section->is_available)
		return section->is_available(model);
	return !section->kind || section->kind->is_of_functions ||
	       hp_kind_has_rows(section->kind, model, HP_SLOT_NONE);
}

bool hp_section_is_preferred(const struct hp_section *section,
			     const struct hp_report_options *options)
{
	return !section->is_preferred || section->is_preferred(section, options);
}

static bool is_automatic(const struct hp_section *section, const struct hp_model *model,
			 const struct hp_report_options *options)
{
	if (!hp_section_is_preferred(section, options))
		return false;
	if (section->is_automatic)
		return section->is_automatic(model, options);
	return hp_kind_has_rows(section->kind, model, section->kind->tables[section->table].needs);
}

bool hp_section_has_grid(const struct hp_section *section)
{
	return !section->write_table;
}

bool hp_section_open_grid(const struct hp_section *section, struct hp_grid *grid,
			  const struct hp_model *model, const struct hp_report_options *options)
{
	if (section->open_grid)
		return section->open_grid(section, grid, model, options);
	return section->kind->is_of_functions ? hp_function_grid(grid, section, model, options)
					      : hp_kind_grid_open(grid, section, model, options);
}

void hp_section_write_json(const struct hp_section *section, const struct hp_model *model,
			   const struct hp_report_options *options, struct hp_json *json)
{
	if (section->write_json)
		section->write_json(section, model, options, json);
	else
		hp_kind_json(section, model, options, json);
}

/* ---- lines in place of rows, and above them ---- */

bool hp_section_is_nothing(const struct hp_section *section, const struct hp_model *model,
			   struct hp_text *why)
{
	if (section->why_nothing)
		return section->why_nothing(model, why);
	if (hp_section_is_available(section, model))
		return false;
	if (section->kind && hp_nothing_but_waiting(section->kind, model, why))
		return true;
	hp_text_printf(why, "No %s was measured: %s.", section->noun, section->hint);
	return true;
}

static void put_quoted(struct hp_text *text, const char *string)
{
	hp_text_putc(text, '\'');
	hp_text_put_printable(text, string);
	hp_text_putc(text, '\'');
}

void hp_section_no_match(const struct hp_section *section, const struct hp_report_options *options,
			 struct hp_text *text)
{
	const char *noun = section->noun ? section->noun : "function";

	if (options->focus[0]) {
		hp_text_printf(text, "No %s matches ", noun);
		put_quoted(text, options->focus);
		if (options->exclude[0]) {
			hp_text_puts(text, " but not ");
			put_quoted(text, options->exclude);
		}
		hp_text_puts(text, ".\n");
	} else if (!options->exclude[0]) {
		hp_text_printf(text, "No %s was measured.\n", noun);
	} else {
		hp_text_printf(text, "Every %s is excluded: it matches ", noun);
		put_quoted(text, options->exclude);
		hp_text_puts(text, ".\n");
	}
}

/* ---- choosing ---- */

/* Whether an item of a list adds a section. */
static bool is_meant(const struct hp_section *section, const char *item,
		     const struct hp_report_options *options, const struct hp_model *model)
{
	if (strcmp(item, "all") == 0)
		return hp_section_is_available(section, model);
	if (strcmp(item, "auto") == 0)
		return is_automatic(section, model, options);
	if (strcmp(item, section->name) == 0)
		return true;
	return answers_to(section, item) && hp_section_is_preferred(section, options);
}

/* A list that only removes sections, such as "-threads", applies to "auto". */
bool hp_section_is_chosen(const struct hp_section *section, const struct hp_report_options *options,
			  const struct hp_model *model)
{
	bool added = false, chosen = false, removed = false;
	const char *list = options->sections;
	struct hp_item item;

	while (hp_item_next(&list, &item)) {
		if (item.text[0] == '-') {
			removed |= answers_to(section, item.text + 1);
			continue;
		}
		added = true;
		chosen |= is_meant(section, item.text, options, model);
	}
	if (!added)
		chosen = is_automatic(section, model, options);
	return chosen && !removed;
}

bool hp_section_is_named(const struct hp_section *section, const struct hp_report_options *options)
{
	const char *list = options->sections;
	struct hp_item item;

	while (hp_item_next(&list, &item))
		if (answers_to(section, item.text))
			return true;
	return false;
}
