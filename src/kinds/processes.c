/* SPDX-License-Identifier: MIT */
/* Processes of a run: what they are, how they ended, and what they used. */
#include "process_list.h"

#include "arithmetic.h"
#include "kind.h"
#include "process_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) HP_AT(struct hp_process, member)

enum {
	/* Bytes of arguments, and levels of the tree, that a table shows. */
	ARGUMENTS_SHOWN = 40,
	DEPTH_SHOWN = 100,
};

/* ---- cells ---- */

/* "sed ×40", two columns to the right for each level of the tree. */
static void put_name(const void *row, struct hp_text *text)
{
	const struct hp_process *process = row;
	const char *arguments = process->arguments ? process->arguments : "";
	struct hp_process_name name = { process->program, arguments, process->title };

	hp_text_printf(text, "%*s", (int)hp_min(process->depth, DEPTH_SHOWN) * 2, "");
	if (process->count > 1) {
		hp_text_put_printable(text, process->program);
		hp_text_printf(text, " ×%" PRIu64, process->count);
	} else {
		hp_process_put(text, &name, ARGUMENTS_SHOWN);
	}
}

/* By enum hp_process_end. */
static const char *const ends[] = {
	[HP_PROCESS_END_UNKNOWN] = "unknown",
	[HP_PROCESS_RUNNING] = "running",
	[HP_PROCESS_EXITED] = "exited",
	[HP_PROCESS_KILLED] = "killed",
};

enum { ENDS = sizeof(ends) / sizeof(*ends) };

static void put_signal(unsigned number, struct hp_text *text)
{
	const char *name = NULL;

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
	name = sigabbrev_np((int)number);
#endif
#endif
	if (name)
		hp_text_printf(text, "SIG%s", name);
	else
		hp_text_printf(text, "signal %u", number);
}

/* The exit status, the name of the signal, "running", or "-". */
static void put_end(const void *row, struct hp_text *text)
{
	const struct hp_process *process = row;

	if (process->end == HP_PROCESS_EXITED)
		hp_text_printf(text, "%" PRIu32, process->status);
	else if (process->end == HP_PROCESS_KILLED)
		put_signal(process->status, text);
	else
		hp_text_puts(text, process->end == HP_PROCESS_RUNNING ? "running" : "-");
}

/* ---- fields ---- */

/* clang-format off */
static const struct hp_field fields[] = {
	{ "program", NULL, HP_FIELD_NAME, AT(program), .sort = "process", .put = put_name },
	{ "arguments", NULL, HP_FIELD_TEXT, AT(arguments) },
	{ "title", NULL, HP_FIELD_TEXT, AT(title) },
	{ "pid", "PID", HP_FIELD_COUNT, AT(pid), .sort = "pid", .rank = 1 },
	{ "parent_pid", NULL, HP_FIELD_COUNT, AT(parent), .known = AT(parent) },
	{ "processes", NULL, HP_FIELD_COUNT, AT(count), .merge = HP_MERGE_SUM, .is_level = true },
	{ "depth", NULL, HP_FIELD_COUNT, AT(depth) },
	{ "start_unix_ns", NULL, HP_FIELD_TIME, AT(start_unix_ns) },
	{ "elapsed_ns", "Elapsed", HP_FIELD_TIME, AT(elapsed_ns), .known = AT(has_elapsed), .sort = "elapsed", .rank = 1,
	  .merge = HP_MERGE_SUM },
	{ "user_ns", "User", HP_FIELD_TIME, AT(user_ns), .known = AT(has_times), .sort = "user", .merge = HP_MERGE_SUM },
	{ "system_ns", "System", HP_FIELD_TIME, AT(system_ns), .known = AT(has_times), .sort = "system",
	  .merge = HP_MERGE_SUM },
	{ "peak_rss_bytes", "Peak RSS", HP_FIELD_BYTES, AT(peak_rss_bytes), .known = AT(peak_rss_bytes), .sort = "rss",
	  .rank = 2, .merge = HP_MERGE_MOST },
	{ "samples", "Samples", HP_FIELD_COUNT, AT(samples), .known = AT(is_sampled), .sort = "samples", .rank = 3,
	  .merge = HP_MERGE_SUM, .when = HP_SHOWN_IF_KNOWN },
	{ "end", "Exit", HP_FIELD_WORD, AT(end), .sort = "exit", .rank = 1, .words = ends, .word_count = ENDS,
	  .put = put_end, .wanted = "how a process ended" },
	{ "status", NULL, HP_FIELD_COUNT, AT(status) },
	HP_FIELDS_NONE,
};
/* clang-format on */

/* ---- rows ---- */

/* The rows of a list are in the order of the tree. */
static int by_place(const void *left, const void *right)
{
	const char *const *one = left, *const *other = right;

	return (*one > *other) - (*one < *other);
}

static const struct hp_process *process_at(const void *const *rows, size_t at)
{
	return rows[at];
}

static uint64_t cpu_ns(const struct hp_process *process)
{
	return process->user_ns + process->system_ns;
}

/* The one that took the most CPU time of those that are not chosen yet, of which there are some. */
static size_t busiest(const void *const *rows, size_t count, const bool *chosen)
{
	size_t most = count;
	uint64_t most_ns = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t ns = cpu_ns(process_at(rows, i));
		if (chosen[i] || (most < count && ns <= most_ns))
			continue;
		most = i;
		most_ns = ns;
	}
	return most;
}

/* The parent of a process in the tree, which is before it; its own place if it has none. */
static size_t parent_of(const void *const *rows, size_t child)
{
	uint32_t depth = process_at(rows, child)->depth;

	for (size_t i = child; depth && i-- > 0;)
		if (process_at(rows, i)->depth < depth)
			return i;
	return child;
}

/* Choose a process and those that it descends from, if they are no more than `left`. Returns how many were chosen. */
static size_t choose_line(const void *const *rows, size_t at, size_t left, bool *chosen)
{
	size_t count = 1, top = at;

	for (size_t up; (up = parent_of(rows, top)) != top && !chosen[up]; top = up)
		count++;
	if (count > left)
		return 0;
	for (size_t i = at, n = 0; n < count; n++, i = parent_of(rows, i))
		chosen[i] = true;
	return count;
}

/* The processes that took the most CPU time, each below its parents. What is left over then goes to the first ones. */
static void choose_busiest(const void *const *rows, size_t count, size_t limit, bool *chosen)
{
	size_t left = limit, added = 1;

	while (left && added) {
		added = choose_line(rows, busiest(rows, count, chosen), left, chosen);
		left -= added;
	}
	for (size_t i = 0; left && i < count; i++)
		left -= chosen[i] ? 0 : choose_line(rows, i, left, chosen);
}

static uint64_t identity_of(const void *row)
{
	const struct hp_process *process = row;

	return (uint64_t)process->pid << 32 ^ process->start_unix_ns;
}

const struct hp_kind hp_kind_processes = {
	.key = "process_tree",
	.noun = "process",
	.hint = "hotpath run sees them",
	.header = "Process",
	.limit = "rows of the section about processes",
	.default_limit = 20,
	.fields = fields,
	.tables = { { .name = "processes",
		      .sentence = "Processes of the run, as a tree.",
		      .order = 1,
		      .tab = "Threads",
		      .pane = "Processes",
		      .how = "One process has been seen." } },
	.order = by_place,
	.identity = identity_of,
	.is_unfiltered = true,
	.keeps_order = true,
	.choose = choose_busiest,
};
