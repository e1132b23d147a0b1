/* SPDX-License-Identifier: MIT */
/*
 * Marks: what programs did before a moment, and what they do since, as windows that are compared like runs.
 *
 *	  base: what is normal               │        head: what came of it
 *	├──────┼──────┼──────┼──────┼── ─ ─  │ ├──────┼──────┼──────┼──────┤
 *	  window                             mark                       newest
 *
 * Windows are read while somebody asks, and only then: each is the difference of two reads. One that contains the mark is of
 * neither side. If the program is started again, the new process is head. Its start is the mark, if there was
 * none, and enough windows before it.
 */
#ifndef HP_MARKS_H
#define HP_MARKS_H

#include "programs.h"
#include "run.h"
#include "since.h"
#include "text.h"

struct event;
struct event_base;

enum {
	/** Programs whose windows are kept; one that nobody has asked for lately makes room for another. */
	HP_MARKS_MAX = 4,
	/** Windows that are kept of a side: the newest. */
	HP_MARK_WINDOWS = 12,
	/** Windows of each side without which nothing is compared. */
	HP_MARK_LEAST = 6,
	/** Former processes of a program by which it can be asked for. */
	HP_MARK_FORMER = 8,
};

struct hp_marked {
	struct hp_marks *marks;
	struct event *timer;
	/** The process that is read, by its id and segment; and ids of those before it, the newest first. */
	char *id;
	uint64_t segment_unix_ns;
	/** What it runs: another program that gets its id is not its next start. The path is NULL for a run. */
	char *name;
	char *executable;
	char *former[HP_MARK_FORMER];
	unsigned restarts;
	uint64_t restarted_unix_ns;
	enum hp_program_state state;
	/** Why the last read failed, or the last window does not count; empty if neither. */
	struct hp_error problem;
	/** The beginning of the window that is being measured; its model is NULL if there is none. */
	struct hp_earlier then;
	struct hp_side base;
	struct hp_side head;
	/** Windows so far. */
	uint64_t number;
	/** 0 if there is none. */
	uint64_t mark_unix_ns;
	bool is_mark_of_restart;
	/** What was asked for, and what the CPU time allows that the last read and the last comparison took. */
	uint64_t wanted_ns;
	uint64_t window_ns;
	uint64_t allowed_ns;
	uint64_t cost_ns;
	uint64_t compare_ns;
	/** When the window began. */
	uint64_t began_ns;
	uint64_t asked_ns;
	/** Nobody has asked for long, so that nothing is read. */
	bool is_paused;
	/** The comparison in JSON, as long as no window is added; empty if there is none. */
	struct hp_text compared;
	/** How many windows of each side verdicts need, once that is known. */
	size_t needed;
	bool is_needed_known;
};

/** Returns NULL when memory ran out. */
struct hp_marks *hp_marks_new(struct event_base *base, struct hp_programs *programs);

/**
 * What is kept of a program. Reading it begins, or goes on; and what has ended is followed to its next start. The program is not valid
 * any more then.
 *
 * @param window_s
 *         The least length of a window, in seconds; 0 for that which it has, or the default.
 * @return
 *         NULL with one line in error: there are too many programs that somebody asks for, or memory ran out. It is valid until the
 *         next call.
 */
struct hp_marked *hp_marks_ask(struct hp_marks *marks, const struct hp_program *program,
			       unsigned window_s, struct hp_error *error);

/**
 * Set the mark: now.
 *
 * What came between an earlier mark and this one is base, if there are enough windows of it; or else base stays what it was.
 */
void hp_marked_set(struct hp_marked *marked);

/** Forget the mark and all windows, and begin anew. */
void hp_marked_clear(struct hp_marked *marked);

/** Write what is known of the two sides, and their comparison, if there is one. */
void hp_marked_put_json(struct hp_marked *marked, struct hp_text *text);

/** NULL does nothing. */
void hp_marks_free(struct hp_marks *marks);

#endif
