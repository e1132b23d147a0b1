/* SPDX-License-Identifier: MIT */
/* The table of budgets, and programs that are run for it. */
#ifndef BENCH_BUDGET_H
#define BENCH_BUDGET_H

#include <stdbool.h>

/** A budget was missed. */
extern bool missed;

/** A line of the table: what it is, in which unit, and as a ratio to something else, which has a limit. */
void print_row(const char *name, double value, const char *unit, double ratio, const char *to,
	       double budget, bool kept);
/** The same where less is better. */
void row(const char *name, double value, const char *unit, double ratio, const char *to,
	 double budget);
void head(void);
void rule(void);

/** The number that a command prints. */
double number_from(const char *command);
/** Run a program with settings and a folder of its own, $d, and read the number it prints. */
double run_program(const char *settings, const char *program, const char *arguments);

/** The cost of a measured call in a program with many functions and a working set. */
void bench_many(double two_reads);

/** The time that the probe of malloc adds to allocating; and what heaptrack does, where it is installed. */
void bench_allocations(const char *probe, const char *program);
void bench_heaptrack(const char *probe, const char *program);

/** What channels, streams, futures and gauges cost, by what two readings of the clock do. */
void bench_flows(double two_reads);

/** What the probe for GLib adds to a message through one of its queues. */
void bench_glib_queue(const char *probe, const char *program);

/** What the probe of waits adds to a lock, free and contended, and to a call that writes. */
void bench_waits(const char *probe, const char *program);

/** What sampling adds to the CPU time of a program that only computes. */
void bench_sampling(const char *library, const char *program);

/** The programs to start: the tool, and programs that measure nothing, one call, and many functions. */
struct starting {
	const char *library;
	const char *tool;
	const char *plain;
	const char *measured;
	const char *spread;
};

/** The cost of a start, without and with the tool. */
void bench_starting(const struct starting *programs);

/** What a call costs while the console watches; one_call measures it in this program, which records. */
void bench_watched(const char *tool, double (*one_call)(void));
/** What the console needs to watch a program with many functions and threads. */
void bench_watching(const char *tool, const char *crowd);

#endif
