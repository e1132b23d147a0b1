/* SPDX-License-Identifier: MIT */
/* What there is to be seen: panes, which are sections of the report, in the tabs they are found under. */
#ifndef CONSOLE_PANES_H
#define CONSOLE_PANES_H

#include "section.h"

enum {
	TABS = 4,
	PANES = 6,
};

struct pane {
	/** From 1 on: the key that leads to it. Panes of one tab stand together. */
	int tab;
	const char *tab_name;
	/** Its own name, where a tab has several. */
	const char *name;
	/** NULL for what this version does not record. */
	const struct hp_section *section;
	/** What to do when there is nothing to see. */
	const char *how;
};

extern const struct pane panes[PANES];

/** The section of a pane; of those that tell the same in two ways, the one that the options prefer. NULL for none. */
const struct hp_section *pane_section(const struct pane *pane,
				      const struct hp_report_options *options);

/** Whether a pane has something to show. */
bool pane_has_data(const struct pane *pane, const struct hp_model *model);

/** The first pane about functions that has something to show; the first of all when none has. */
int pane_first(const struct hp_model *model);

/** The pane that a key leads to: the first of its tab, or the next one of the present tab. */
int pane_of_tab(int tab, int present);

#endif
