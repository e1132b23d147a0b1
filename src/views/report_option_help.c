/* SPDX-License-Identifier: MIT */
/* What people are told of the options of a report; programs that print their own need none of it. */
#include "report_options.h"

const struct hp_report_option_help hp_report_option_helps[] = {
#define OPTION(name, value, variable, of_rows, set, help) { value, help },
#define LIMIT(name, variable, limit, help) { "N", help },
#include "report_options.def"
#undef OPTION
#undef LIMIT
};
