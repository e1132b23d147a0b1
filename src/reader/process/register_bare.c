/* SPDX-License-Identifier: MIT */
/* Whether a register tells that its run has left no segments. */
#include "register.h"

#include "run_register.h"

enum {
	/* Runs with more processes are not followed: most of them leave segments. */
	PROCESSES_MAX = 64,
};

/* Programs that have begun, by their processes; and whether they have ended without a segment. */
struct programs {
	struct program {
		uint32_t pid;
		bool has_ended;
	} items[PROCESSES_MAX];
	size_t count;
};

/* The last program of a process; NULL when it is not known. */
static struct program *program_of(struct programs *programs, uint32_t pid)
{
	for (size_t i = programs->count; i > 0; i--)
		if (programs->items[i - 1].pid == pid)
			return &programs->items[i - 1];
	return NULL;
}

/* If a program was replaced by another, by exec, nobody says what it has left. */
static bool add(struct programs *programs, uint32_t pid)
{
	const struct program *before = program_of(programs, pid);

	if (programs->count == PROCESSES_MAX || (before && !before->has_ended))
		return false;
	programs->items[programs->count++] = (struct program){ pid, false };
	return true;
}

static bool is_harmless(struct programs *programs, const struct hp_record *record)
{
	struct program *program = program_of(programs, record->pid);

	switch (record->type) {
	case HP_RECORD_BEGAN:
	case HP_RECORD_FORKED:
		return add(programs, record->pid);
	case HP_RECORD_ENDED:
		if (!program || record->detail != HP_ENDED_BARE)
			return false;
		program->has_ended = true;
		return true;
	case HP_RECORD_REAPED:
		return program && program->has_ended;
	default:
		return false;
	}
}

bool hp_register_is_bare(const struct hp_register *found)
{
	struct programs programs = { .count = 0 };
	struct hp_record record;
	size_t at = 0, known = 0;

	while (hp_register_next(found->bytes, found->size, &at, &record)) {
		if (!is_harmless(&programs, &record))
			return false;
		known += record.size;
	}
	for (size_t i = 0; i < programs.count; i++)
		if (!programs.items[i].has_ended)
			return false;
	/* Records that were cut off are passed over. */
	return programs.count && known == found->size && !found->is_mixed;
}
