/* SPDX-License-Identifier: MIT */
/* What there is to be seen. */
#include "panes.h"

#include <string.h>

struct pane panes[PANES_MAX];
int pane_count;
int tab_count;

static bool has_tab(const char *tab)
{
	for (int i = 0; i < pane_count; i++)
		if (strcmp(panes[i].section->pane.tab, tab) == 0)
			return true;
	return false;
}

/* Sections about functions and their parts come first; those before them in the report, such as processes, come last. */
static bool is_first(const struct hp_section *section)
{
	return section->order >= hp_kind_timing.tables[0].order;
}

static void add_panes(const char *tab, bool first)
{
	for (size_t i = 0; hp_sections[i] && pane_count < PANES_MAX; i++) {
		const char *other = hp_sections[i]->pane.tab;
		if (other && strcmp(other, tab) == 0 && is_first(hp_sections[i]) == first)
			panes[pane_count++] = (struct pane){ tab_count, hp_sections[i] };
	}
}

static void add_tab(const char *tab)
{
	tab_count++;
	add_panes(tab, true);
	add_panes(tab, false);
}

void panes_list(void)
{
	pane_count = tab_count = 0;
	for (size_t i = 0; hp_sections[i]; i++) {
		const char *tab = hp_sections[i]->pane.tab;
		if (tab && is_first(hp_sections[i]) && !has_tab(tab))
			add_tab(tab);
	}
}

const struct hp_section *pane_section(const struct pane *pane,
				      const struct hp_report_options *options)
{
	/* Channels are told of in two sections that are no choice. */
	for (size_t i = 0; pane->section->is_preferred && hp_sections[i]; i++)
		if (strcmp(hp_sections[i]->json_key, pane->section->json_key) == 0 &&
		    hp_section_is_preferred(hp_sections[i], options))
			return hp_sections[i];
	return pane->section;
}

static bool is_tree(const struct pane *pane)
{
	return pane->section->kind == &hp_kind_tree;
}

/* Only stacks tell wrappers of malloc from the functions that are responsible. Measured functions need none. */
bool pane_is_of_complete(const struct pane *pane, const struct hp_model *model)
{
	return is_tree(pane) || pane->section->kind == &hp_kind_live ||
	       (pane->section->kind == &hp_kind_alloc && !hp_model_has_calls(model));
}

bool pane_has_data(const struct pane *pane, const struct hp_model *model)
{
	/* Functions are always available: the section says that there are none. */
	if (pane->section->kind == &hp_kind_timing || is_tree(pane))
		return hp_model_has_calls(model);
	return hp_section_is_available(pane->section, model);
}

int pane_first(const struct hp_model *model)
{
	for (int i = 0; i < pane_count; i++)
		if (panes[i].section->kind != &hp_kind_threads && pane_has_data(&panes[i], model))
			return i;
	return 0;
}

const struct pane *pane_tab(int tab)
{
	const struct pane *pane = panes;

	while (pane->tab != tab)
		pane++;
	return pane;
}

/* The pane after one in its tab; after the last, the first. */
static int following(int pane)
{
	int tab = panes[pane].tab;

	return pane + 1 < pane_count && panes[pane + 1].tab == tab ? pane + 1
								   : (int)(pane_tab(tab) - panes);
}

/* The next pane of the tab that has data; the same if no other has. */
static int next_in_tab(int pane, const struct hp_model *model)
{
	int next = following(pane);

	while (next != pane && !pane_has_data(&panes[next], model))
		next = following(next);
	return next;
}

int pane_of_tab(int tab, int present, const struct hp_model *model)
{
	int first = (int)(pane_tab(tab) - panes);

	if (panes[present].tab != tab)
		return pane_has_data(&panes[first], model) ? first : next_in_tab(first, model);
	int next = next_in_tab(present, model);
	return next != present ? next : following(present);
}
