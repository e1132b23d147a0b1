/* SPDX-License-Identifier: MIT */
/* The format of a comparison that only the tool has, since it needs the page. */
#ifndef COMPARE_PAGE_H
#define COMPARE_PAGE_H

#include "compare_write.h"

extern const struct hp_compare_format compare_page;

#endif
