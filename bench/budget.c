/* SPDX-License-Identifier: MIT */
/* The table of budgets, and programs that are run for it. */
#include "budget.h"

#include <stdio.h>
#include <stdlib.h>

/* The number that a command prints. */
double number_from(const char *command)
{
	FILE *stream = popen(command, "r");
	char line[64] = "";

	if (!stream || !fgets(line, sizeof(line), stream))
		line[0] = '\0';
	if (stream)
		pclose(stream);
	return strtod(line, NULL);
}

/* Run a program with settings and a folder of its own, $d, and read the number it prints. */
double run_program(const char *settings, const char *program, const char *arguments)
{
	char command[2048];

	snprintf(
		command, sizeof(command),
		"d=$(mktemp -d -p /dev/shm) && export HOTPATH_DIR=$d HOTPATH_OUTPUT_PATH=/dev/null && "
		"env %s %s %s; rm -rf $d",
		settings, program, arguments);
	return number_from(command);
}

bool missed;

void print_row(const char *name, double value, const char *unit, double ratio, const char *to,
	       double budget, bool kept)
{
	char limit[16] = "";

	if (budget)
		snprintf(limit, sizeof(limit), "%5.2f", budget);
	printf("| %-44s | %9.2f %-2s | %6.2f x %-10s | %5s | %-6s |\n", name, value, unit, ratio,
	       to, limit,
	       !budget ? ""
	       : kept  ? "ok"
		       : "MISSED");
	missed |= !kept;
}

void row(const char *name, double value, const char *unit, double ratio, const char *to,
	 double budget)
{
	print_row(name, value, unit, ratio, to, budget, ratio <= budget && value > 0);
}

void rule(void)
{
	puts("+----------------------------------------------+--------------+---------------------+-------"
	     "+--------+");
}

void head(void)
{
	rule();
	printf("| %-44s | %12s | %-19s | %5s | %-6s |\n", "case", "best", "ratio", "limit", "");
	rule();
}
