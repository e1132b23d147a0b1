/* SPDX-License-Identifier: MIT */
/*
 * From the records of a register to a row for each process.
 *
 *	forked ──► began (exec) ──► began (exec) … ──► ended        of the process itself
 *	                                                      └───► reaped, of its parent
 *
 * Any of these may be missing: a child of vfork has no first one, a killed process none at its end, a program into which
 * nothing was loaded has only what its parent knows. CPU time is taken from the parent's record, since that also has
 * what it takes to end the process. It includes all children for which the process has waited, which are subtracted.
 */
#include "register.h"

#include "arithmetic.h"
#include "array.h"
#include "file_name.h"
#include "now.h"
#include "run_register.h"
#include "task_stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The name of a program of which nothing is known. */
#define UNKNOWN "?"

enum {
	/* Lists in which rows are looked for, by PID. */
	LISTS = 1024,
};

struct times {
	uint64_t user_ns;
	uint64_t system_ns;
};

struct row {
	struct hp_process process;
	uint64_t ticks;
	/* Its place in the order of the records. */
	size_t number;
	/* Whether a record of the process itself tells when it started. */
	bool has_start;
	/* When the record was written that tells of its end; 0 while there is none. */
	uint64_t end_unix_ns;
	bool is_ended;
	bool is_reaped;
	/* Of the process and of the children for which it waited, at its end. */
	struct times own;
	struct times children;
	/* Of both, from its parent. */
	struct times all;
	/* CPU time of the children for which it waited: `waited` as far as their records tell, `told` as its own parent does. */
	struct times waited;
	struct times told;
	/* The index of the row before it in its list, plus 1. */
	size_t before;
};

struct rows {
	struct row *items;
	size_t count;
	size_t room;
	/* The index of the newest row of each list, plus 1. */
	size_t newest[LISTS];
};

/* A record, with its texts. */
struct entry {
	struct hp_record record;
	const char *texts;
	size_t number;
};

/* ---- rows ---- */

/* The newest row of a process id; NULL if there is none. */
static struct row *find(const struct rows *rows, uint32_t pid)
{
	for (size_t at = rows->newest[pid % LISTS]; at; at = rows->items[at - 1].before) {
		struct row *row = &rows->items[at - 1];
		if (row->process.pid == pid)
			return row;
	}
	return NULL;
}

/* The start of a process lies within the tick that the kernel tells, and before the CPU time that it has used. */
static uint64_t start_of(const struct hp_record *record)
{
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t latest = hp_minus(record->unix_ns, record->user_ns + record->system_ns);

	if (!record->process_unix_ns)
		return latest;
	return hp_max(record->process_unix_ns, hp_min(latest, record->process_unix_ns + tick_ns));
}

/* Add a row without a name. NULL when memory ran out. Nothing starts before its parent. */
static struct row *add(struct rows *rows, const struct hp_record *record)
{
	const struct row *parent = find(rows, record->parent_pid);
	uint64_t earliest = parent ? parent->process.start_unix_ns : 0;
	struct row row = { .process = { .pid = record->pid,
					.parent = record->parent_pid,
					.count = 1,
					.start_unix_ns = hp_max(earliest, start_of(record)) },
			   .ticks = record->process_ticks,
			   .number = rows->count,
			   .has_start = record->type != HP_RECORD_REAPED,
			   .before = rows->newest[record->pid % LISTS] };

	if (!hp_array_reserve(&rows->items, rows->count, &rows->room, sizeof(row)))
		return NULL;
	rows->items[rows->count++] = row;
	rows->newest[record->pid % LISTS] = rows->count;
	return &rows->items[rows->count - 1];
}

static bool set_names(struct row *row, char *program, char *arguments)
{
	free(row->process.program);
	free(row->process.arguments);
	row->process.program = program;
	row->process.arguments = arguments;
	return program && arguments;
}

/* The words after the first one, separated by blanks. */
static char *join_words(const char *words, size_t size)
{
	size_t first = strnlen(words, size) + 1, length = size > first ? size - first : 0;
	char *text = malloc(length + 1);

	if (!text)
		return NULL;
	memcpy(text, words + (length ? first : 0), length);
	/* The last word ends with a NUL, unless the record had no room for all. */
	while (length && !text[length - 1])
		length--;
	for (size_t i = 0; i < length; i++)
		if (!text[i])
			text[i] = ' ';
	text[length] = '\0';
	return text;
}

/* The name of the program: that of its file, or else of its first word. */
static char *program_of(const struct entry *entry)
{
	const struct hp_record *record = &entry->record;
	size_t path = strnlen(entry->texts, record->executable_size);
	const char *words = entry->texts + record->executable_size;
	char *text = path ? strndup(entry->texts, path) : strndup(words, record->words_size);
	const char *name = text ? hp_file_name(text) : NULL;
	char *program = name ? strdup(*name ? name : UNKNOWN) : NULL;

	free(text);
	return program;
}

/* The process executes a program. */
static bool name_by_texts(struct row *row, const struct entry *entry)
{
	const struct hp_record *record = &entry->record;

	return set_names(row, program_of(entry),
			 join_words(entry->texts + record->executable_size, record->words_size));
}

/* ---- records ---- */

/* Whether a row is of the process of a record: a number may be used again. A process that has ended executes nothing. */
static bool is_same(const struct row *row, const struct hp_record *record)
{
	bool is_end = record->type == HP_RECORD_ENDED || record->type == HP_RECORD_REAPED;

	if (!row || row->is_reaped)
		return false;
	if (row->ticks && record->process_ticks)
		return row->ticks == record->process_ticks;
	return is_end || !row->is_ended;
}

/* The row of the process of a record, which is added if there is none. */
static struct row *row_of(struct rows *rows, const struct hp_record *record)
{
	struct row *row = find(rows, record->pid);

	if (!is_same(row, record))
		return add(rows, record);
	row->ticks = row->ticks ? row->ticks : record->process_ticks;
	return row;
}

static bool take_forked(struct rows *rows, const struct entry *entry)
{
	const struct hp_record *record = &entry->record;
	struct row *row = add(rows, record);
	const struct row *parent = find(rows, record->parent_pid);

	if (!row)
		return false;
	if (!parent || parent == row || !parent->process.program)
		return true;
	return set_names(row, strdup(parent->process.program), strdup(parent->process.arguments));
}

static bool take_program(struct rows *rows, const struct entry *entry)
{
	struct row *row = row_of(rows, &entry->record);

	return row && name_by_texts(row, entry);
}

static bool take_ended(struct rows *rows, const struct entry *entry)
{
	const struct hp_record *record = &entry->record;
	struct row *row = row_of(rows, record);

	if (!row)
		return false;
	row->is_ended = true;
	row->end_unix_ns = record->unix_ns;
	row->own = (struct times){ record->user_ns, record->system_ns };
	row->children = (struct times){ record->children_user_ns, record->children_system_ns };
	row->process.peak_rss_bytes = record->peak_rss_bytes;
	row->process.end = HP_PROCESS_EXITED;
	row->process.status = record->status & 0xff;
	return true;
}

static bool take_reaped(struct rows *rows, const struct entry *entry)
{
	const struct hp_record *record = &entry->record;
	struct row *row = row_of(rows, record);
	int status = (int)record->status;

	if (!row)
		return false;
	row->is_reaped = true;
	row->all = (struct times){ record->user_ns, record->system_ns };
	row->told = (struct times){ record->children_user_ns, record->children_system_ns };
	if (!row->is_ended) {
		row->end_unix_ns = record->unix_ns;
		row->process.peak_rss_bytes = record->peak_rss_bytes;
	}
	row->process.end = WIFSIGNALED(status) ? HP_PROCESS_KILLED : HP_PROCESS_EXITED;
	row->process.status = (uint32_t)(WIFSIGNALED(status) ? WTERMSIG(status)
							     : WEXITSTATUS(status));
	struct row *parent = find(rows, record->parent_pid);
	if (parent) {
		parent->waited.user_ns += record->user_ns;
		parent->waited.system_ns += record->system_ns;
	}
	return true;
}

/* By enum hp_record_type. Each returns false when memory ran out. */
static bool (*const takers[])(struct rows *rows, const struct entry *entry) = {
	[HP_RECORD_BEGAN] = take_program,  [HP_RECORD_FORKED] = take_forked,
	[HP_RECORD_ENDED] = take_ended,	   [HP_RECORD_REAPED] = take_reaped,
	[HP_RECORD_UNSEEN] = take_program,
};

static bool take(struct rows *rows, const struct entry *entry)
{
	size_t type = entry->record.type;

	return !entry->record.pid || type >= sizeof(takers) / sizeof(*takers) || !takers[type] ||
	       takers[type](rows, entry);
}

/* ---- records of several files ---- */

static int by_time(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->record.unix_ns != b->record.unix_ns)
		return a->record.unix_ns < b->record.unix_ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

static int take_mixed(const struct hp_register *found, struct rows *rows)
{
	struct entry *entries = NULL, entry = { .number = 0 };
	size_t count = 0, room = 0, at = 0;
	bool done = true;

	while (done &&
	       (entry.texts = hp_register_next(found->bytes, found->size, &at, &entry.record))) {
		done = hp_array_reserve(&entries, count, &room, sizeof(entry));
		if (!done)
			break;
		entry.number = count;
		entries[count++] = entry;
	}
	if (count)
		qsort(entries, count, sizeof(*entries), by_time);
	for (size_t i = 0; done && i < count; i++)
		done = take(rows, &entries[i]);
	free(entries);
	return done ? 0 : -ENOMEM;
}

/* Those of one file are in the order in which they were written. */
static int take_all(const struct hp_register *found, struct rows *rows)
{
	struct entry entry = { .number = 0 };
	size_t at = 0;

	if (found->is_mixed)
		return take_mixed(found, rows);
	while ((entry.texts = hp_register_next(found->bytes, found->size, &at, &entry.record)))
		if (!take(rows, &entry))
			return -ENOMEM;
	return 0;
}

/* ---- figures ---- */

/* Whether two times are of one process: another one does not get its number as soon as that. */
static bool are_close(uint64_t one, uint64_t other)
{
	return hp_max(one, other) - hp_min(one, other) < 100000000;
}

/* The process may still run: then the kernel knows what it has used. */
static void look_whether_running(struct row *row)
{
	uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
	uint64_t boot_ns = hp_clock_ns(CLOCK_REALTIME) - hp_clock_ns(CLOCK_BOOTTIME);
	struct hp_task_stat now;

	if (!hp_task_stat_process(row->process.pid, &now) || now.state == 'Z' || now.state == 'X' ||
	    !are_close(boot_ns + now.start * tick_ns, row->process.start_unix_ns))
		return;
	row->process.end = HP_PROCESS_RUNNING;
	row->process.has_times = true;
	row->process.user_ns = now.user_ns;
	row->process.system_ns = now.system_ns;
	row->end_unix_ns = hp_clock_ns(CLOCK_REALTIME);
}

static uint64_t total(const struct times *times)
{
	return times->user_ns + times->system_ns;
}

static void set_times(struct row *row)
{
	struct times own = row->own, less = row->children;

	if (!row->is_ended)
		less = total(&row->waited) >= total(&row->told) ? row->waited : row->told;
	if (row->is_reaped)
		own = (struct times){ hp_minus(row->all.user_ns, less.user_ns),
				      hp_minus(row->all.system_ns, less.system_ns) };
	row->process.has_times = row->is_reaped || row->is_ended;
	row->process.user_ns = own.user_ns;
	row->process.system_ns = own.system_ns;
}

/* Figures that follow from several records, and a name for those that have none. */
static bool complete(struct row *row)
{
	struct hp_process *process = &row->process;

	set_times(row);
	if (!row->is_ended && !row->is_reaped)
		look_whether_running(row);
	process->has_elapsed = row->end_unix_ns && row->has_start;
	if (process->has_elapsed)
		process->elapsed_ns = hp_minus(row->end_unix_ns, process->start_unix_ns);
	return process->program || set_names(row, strdup(UNKNOWN), strdup(""));
}

static int by_start(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->process.start_unix_ns != b->process.start_unix_ns)
		return a->process.start_unix_ns < b->process.start_unix_ns ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Hand rows over to the list. */
static int hand_over(struct rows *rows, struct hp_processes *processes)
{
	if (rows->count)
		qsort(rows->items, rows->count, sizeof(*rows->items), by_start);
	for (size_t i = 0; i < rows->count; i++) {
		struct row *row = &rows->items[i];
		if (!complete(row) || !hp_processes_append(processes, row->process))
			return -ENOMEM;
		row->process.program = row->process.arguments = NULL;
	}
	return 0;
}

int hp_register_processes(const struct hp_register *found, struct hp_processes *processes)
{
	struct rows rows = { .count = 0 };
	int error = take_all(found, &rows);

	if (!error)
		error = hand_over(&rows, processes);
	for (size_t i = 0; i < rows.count; i++)
		hp_process_clear(&rows.items[i].process);
	free(rows.items);
	return error;
}
