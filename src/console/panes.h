/* SPDX-License-Identifier: MIT */
/* What there is to be seen: panes, which are sections of the report, in the tabs they are found under. */
#ifndef CONSOLE_PANES_H
#define CONSOLE_PANES_H

#include "section.h"

enum { PANES_MAX = 48 };

struct pane {
	/** From 1 on: the key that leads to it. Panes of one tab stand together. */
	int tab;
	const struct hp_section *section;
};

extern struct pane panes[PANES_MAX];
extern int pane_count;
extern int tab_count;

/** Make the list: a tab for each that a section names, and in it the panes of these sections. */
void panes_list(void);

/** The section of a pane; of those that tell the same in two ways, the one that the options prefer. */
const struct hp_section *pane_section(const struct pane *pane,
				      const struct hp_report_options *options);

/** Whether a pane needs a complete model: for the call tree, for live blocks, and for allocations of functions that are not measured. */
bool pane_is_of_complete(const struct pane *pane, const struct hp_model *model);

/** Whether a pane has something to show. */
bool pane_has_data(const struct pane *pane, const struct hp_model *model);

/** The first pane that has something to show, other than threads, which every program has; or the first of all. */
int pane_first(const struct hp_model *model);

/** The pane that a key leads to: the next one of the present tab that has data, or the next; or else the first with data, or
    the first. */
int pane_of_tab(int tab, int present, const struct hp_model *model);

/** The first pane of a tab. */
const struct pane *pane_tab(int tab);

#endif
