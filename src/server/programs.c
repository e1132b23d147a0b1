/* SPDX-License-Identifier: MIT */
/* The list of programs that a server is asked about: who is in it. */
#include "programs.h"

#include "array.h"
#include "now.h"
#include "process/found_run.h"
#include "program.h"
#include "wanted.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
/* A complete model that nobody asked for during this time is freed. */
#define COMPLETE_KEPT_NS (60 * SECOND_NS)
/* The figures in a list may be so old; and to read them may take so long at a time. */
#define LIST_AGE_NS (5 * SECOND_NS)
#define LIST_TIME_NS (SECOND_NS / 10)

struct hp_programs {
	struct hp_program **items;
	size_t count;
	size_t room;
	struct hp_wanted *wanted;
	size_t wanted_count;
	size_t wanted_room;
	bool all;
	const struct hp_run_reader *runs;
	/* Why programs could not be looked for the last time; empty if they could. */
	struct hp_error error;
	uint64_t found_ns;
	uint64_t version;
};

struct hp_programs *hp_programs_new(const struct hp_run_reader *runs)
{
	struct hp_programs *programs = calloc(1, sizeof(*programs));

	if (programs)
		programs->runs = runs;
	return programs;
}

void hp_programs_free(struct hp_programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->count; i++)
		hp_program_free(programs->items[i]);
	for (size_t i = 0; i < programs->wanted_count; i++)
		hp_target_free(&programs->wanted[i].target);
	free(programs->items);
	free(programs->wanted);
	free(programs);
}

/* Takes the program over. */
static bool append(struct hp_programs *programs, struct hp_program *program)
{
	if (!program || !hp_array_reserve(&programs->items, programs->count, &programs->room,
					  sizeof(*programs->items))) {
		hp_program_free(program);
		return false;
	}
	programs->items[programs->count++] = program;
	programs->version++;
	return true;
}

/* ---- what is served ---- */

int hp_programs_add_all(struct hp_programs *programs, struct hp_error *error)
{
	struct hp_found_list list = { NULL, 0 };
	int failed = hp_find_segments(&list, error);

	hp_found_list_free(&list);
	programs->all = true;
	return failed;
}

static int no_memory(struct hp_error *error)
{
	snprintf(error->text, sizeof(error->text), "out of memory");
	return -ENOMEM;
}

int hp_programs_add(struct hp_programs *programs, const char *name, struct hp_error *error)
{
	struct hp_wanted wanted;
	int failed = hp_wanted_find(&wanted, name, error);

	if (failed)
		return failed;
	if (wanted.target.is_file) {
		hp_target_free(&wanted.target);
		return append(programs, hp_program_of_file(name)) ? 0 : no_memory(error);
	}
	if (!hp_array_reserve(&programs->wanted, programs->wanted_count, &programs->wanted_room,
			      sizeof(wanted))) {
		hp_target_free(&wanted.target);
		return no_memory(error);
	}
	programs->wanted[programs->wanted_count++] = wanted;
	return 0;
}

bool hp_programs_add_saved(struct hp_programs *programs, const char *path,
			   const struct hp_saved *saved)
{
	struct hp_program *program = hp_program_of_saved(path, saved);

	if (!program)
		return false;
	/* Whoever gave it frees it if there is no room. */
	if (hp_array_reserve(&programs->items, programs->count, &programs->room,
			     sizeof(*programs->items)))
		return append(programs, program);
	program->saved.model = NULL;
	hp_program_free(program);
	return false;
}

static bool is_wanted(const struct hp_programs *programs, const struct hp_found *found)
{
	bool is_one = programs->all;

	for (size_t i = 0; !is_one && i < programs->wanted_count; i++)
		is_one = hp_wanted_means(&programs->wanted[i], found);
	return is_one;
}

/* ---- finding again ---- */

static struct hp_program *known(const struct hp_programs *programs, const struct hp_found *found)
{
	for (size_t i = 0; i < programs->count; i++) {
		struct hp_program *it = programs->items[i];
		if (it->segment_unix_ns == found->start_unix_ns && it->path &&
		    strcmp(it->path, found->path) == 0)
			return it;
	}
	return NULL;
}

/* It was found, as processes and runs are, and has not the name of a file. */
static bool is_found(const struct hp_program *program)
{
	return program->segment_unix_ns != 0;
}

/* A process that executes another program has several segments; the newest is meant by its id. */
static bool has_newer(const struct hp_programs *programs, const char *id, uint64_t segment_unix_ns)
{
	for (size_t i = 0; i < programs->count; i++)
		if (is_found(programs->items[i]) && strcmp(programs->items[i]->id, id) == 0 &&
		    programs->items[i]->segment_unix_ns > segment_unix_ns)
			return true;
	return false;
}

static void add_process(struct hp_programs *programs, const struct hp_found *found)
{
	char *id = hp_program_id(found);

	if (id && !has_newer(programs, id, found->start_unix_ns))
		append(programs, hp_program_of_process(found));
	free(id);
}

/* Of newer segments; those whose file is gone count, too. */
static size_t count_ended(const struct hp_programs *programs, uint64_t segment_unix_ns)
{
	size_t count = 0;

	for (size_t i = 0; i < programs->count; i++)
		count += is_found(programs->items[i]) && !programs->items[i]->is_live &&
			 programs->items[i]->segment_unix_ns > segment_unix_ns;
	return count;
}

/* The run of a name, which may be empty; NULL if none is in the list. */
static struct hp_program *get_run(const struct hp_programs *programs, const char *name)
{
	struct hp_program *run = *name ? hp_programs_get(programs, name) : NULL;

	return run && hp_program_is_sum(run) ? run : NULL;
}

/* Processes of a run that have ended, of newer segments. */
static size_t count_of_run(const struct hp_programs *programs, const char *run,
			   uint64_t segment_unix_ns)
{
	size_t count = 0;

	for (size_t i = 0; *run && i < programs->count; i++)
		count += strcmp(programs->items[i]->run, run) == 0 &&
			 !programs->items[i]->is_live &&
			 programs->items[i]->segment_unix_ns > segment_unix_ns;
	return count;
}

/* Add none that would be forgotten at once. What was found is sorted: newer ones are known already. */
static bool has_place(const struct hp_programs *programs, bool is_live, uint64_t segment_unix_ns)
{
	return programs->count < HP_PROGRAMS_MAX &&
	       (is_live || count_ended(programs, segment_unix_ns) < HP_PROGRAMS_ENDED);
}

static bool has_place_in_run(const struct hp_programs *programs, const struct hp_found *found)
{
	return found->live ||
	       count_of_run(programs, found->run, found->start_unix_ns) < HP_PROGRAMS_OF_RUN;
}

/* Segments say to which run they belong, and may lie: no process is hidden by a run that has its id. */
static bool is_new_run(const struct hp_programs *programs, const struct hp_found_list *list,
		       const struct hp_found *found, const struct hp_found *root)
{
	return !hp_is_process_id(found->run) && !hp_programs_get(programs, found->run) &&
	       hp_found_processes(list, found) > 1 && is_wanted(programs, root) &&
	       has_place(programs, hp_found_run_is_live(list, found), root->start_unix_ns + 1);
}

/* A run is served if what it began with is; later, too, when some of its segments are gone. */
static void take_run(struct hp_programs *programs, const struct hp_found_list *list,
		     const struct hp_found *found)
{
	const struct hp_found *root = hp_found_root(list, found);

	if (is_new_run(programs, list, found, root))
		append(programs, hp_program_of_run(root, programs->runs));
	struct hp_program *run = get_run(programs, found->run);
	if (run)
		hp_program_found_run(run, list, found);
}

static void take_runs(struct hp_programs *programs, const struct hp_found_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].run[0] && hp_found_newest(list, i) == i)
			take_run(programs, list, &list->items[i]);
}

/* Named, or of a run that is served. */
static bool is_served(const struct hp_programs *programs, const struct hp_found *found)
{
	return is_wanted(programs, found) || get_run(programs, found->run);
}

static void take_found(struct hp_programs *programs, const struct hp_found_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct hp_found *found = &list->items[i];
		/* A segment that is still being created is not valid yet. */
		if (found->state == HP_STATE_NEW || !is_served(programs, found))
			continue;
		struct hp_program *program = known(programs, found);
		if (program)
			hp_program_found(program, found);
		else if (has_place(programs, found->live, found->start_unix_ns) &&
			 has_place_in_run(programs, found))
			add_process(programs, found);
	}
}

/* A process may have run for long before it was measured. */
static uint64_t age_of(const struct hp_program *program)
{
	return is_found(program) ? program->segment_unix_ns : program->started_unix_ns;
}

static int by_age(const void *left, const void *right)
{
	const struct hp_program *a = *(struct hp_program *const *)left;
	const struct hp_program *b = *(struct hp_program *const *)right;

	return (age_of(a) < age_of(b)) - (age_of(a) > age_of(b));
}

/* Find the oldest that have ended, of a run or at all, and those whose id now means another program. */
static void mark_old(struct hp_programs *programs)
{
	size_t ended = 0;

	for (size_t i = 0; i < programs->count; i++) {
		struct hp_program *it = programs->items[i];
		bool has_ended = is_found(it) && it->state == HP_PROGRAM_ENDED;
		size_t newer = has_ended ? count_of_run(programs, it->run, it->segment_unix_ns) : 0;
		bool is_folded = newer >= HP_PROGRAMS_OF_RUN;
		ended += has_ended && !is_folded;
		it->is_old = is_folded || (has_ended && ended > HP_PROGRAMS_ENDED) ||
			     (is_found(it) && has_newer(programs, it->id, it->segment_unix_ns));
	}
}

/* All are compared with each other before the first is freed. */
static void forget_old(struct hp_programs *programs)
{
	size_t kept = 0;

	mark_old(programs);
	for (size_t i = 0; i < programs->count; i++) {
		struct hp_program *it = programs->items[i];
		programs->version += it->is_old;
		if (it->is_old)
			hp_program_free(it);
		else
			programs->items[kept++] = it;
	}
	programs->count = kept;
}

static void forget_models(struct hp_programs *programs, uint64_t now)
{
	for (size_t i = 0; i < programs->count; i++)
		if (now - programs->items[i]->complete_used_ns > COMPLETE_KEPT_NS)
			hp_program_forget_complete(programs->items[i]);
}

static void mark_missing(struct hp_programs *programs)
{
	for (size_t i = 0; i < programs->count; i++)
		programs->items[i]->is_live = false;
}

/* A process that is not found any more has ended, or its file was removed: reading tells. */
static void read_missing(struct hp_programs *programs)
{
	struct hp_error ignored;

	for (size_t i = 0; i < programs->count; i++) {
		struct hp_program *it = programs->items[i];
		if (is_found(it) && !hp_program_is_sum(it) && !it->is_live && it->is_known &&
		    it->state != HP_PROGRAM_ENDED)
			hp_program_live(programs, it, 0, &ignored);
	}
}

static uint64_t states(const struct hp_programs *programs)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < programs->count; i++)
		sum = sum * 5 + (uint64_t)hp_program_note_state(programs->items[i]);
	return sum;
}

static void take_all(struct hp_programs *programs, const struct hp_found_list *list)
{
	uint64_t before = states(programs);

	mark_missing(programs);
	take_runs(programs, list);
	take_found(programs, list);
	read_missing(programs);
	programs->version += states(programs) != before;
	if (programs->count)
		qsort(programs->items, programs->count, sizeof(*programs->items), by_age);
	forget_old(programs);
}

static void note_error(struct hp_programs *programs, const struct hp_error *error)
{
	programs->version += strcmp(programs->error.text, error->text) != 0;
	programs->error = *error;
}

void hp_programs_find_again(struct hp_programs *programs)
{
	struct hp_found_list list = { NULL, 0 };
	struct hp_error error = { "" };
	uint64_t now = hp_now_ns();

	if (programs->found_ns && now - programs->found_ns < SECOND_NS)
		return;
	programs->found_ns = now;
	if (programs->all || programs->wanted_count) {
		if (hp_find_segments(&list, &error) == 0)
			take_all(programs, &list);
		hp_found_list_free(&list);
		note_error(programs, &error);
	}
	forget_models(programs, now);
}

const char *hp_programs_error(const struct hp_programs *programs)
{
	return *programs->error.text ? programs->error.text : NULL;
}

/* ---- looking ---- */

void hp_programs_read(struct hp_programs *programs)
{
	uint64_t begin = hp_now_ns();
	struct hp_error ignored;

	for (size_t i = 0; i < programs->count && hp_now_ns() - begin < LIST_TIME_NS; i++)
		if (!hp_program_is_sum(programs->items[i]))
			hp_program_live(programs, programs->items[i], LIST_AGE_NS, &ignored);
}

struct hp_program *const *hp_programs_list(const struct hp_programs *programs, size_t *count)
{
	*count = programs->count;
	return programs->items;
}

struct hp_program *hp_programs_get(const struct hp_programs *programs, const char *id)
{
	for (size_t i = 0; i < programs->count; i++)
		if (strcmp(programs->items[i]->id, id) == 0)
			return programs->items[i];
	return NULL;
}

struct hp_program *hp_programs_run_of(const struct hp_programs *programs,
				      const struct hp_program *program)
{
	return get_run(programs, program->run);
}

struct hp_program *hp_programs_only(const struct hp_programs *programs)
{
	struct hp_program *only = NULL;

	for (size_t i = 0; i < programs->count; i++) {
		if (hp_programs_run_of(programs, programs->items[i]))
			continue;
		if (only)
			return NULL;
		only = programs->items[i];
	}
	return only;
}

struct hp_program *hp_programs_next(const struct hp_programs *programs,
				    const struct hp_program *program)
{
	for (size_t i = 0; i < programs->count; i++) {
		struct hp_program *it = programs->items[i];
		if (it->executable && it->state != HP_PROGRAM_ENDED && program->executable &&
		    it->segment_unix_ns > program->segment_unix_ns &&
		    strcmp(it->name, program->name) == 0 &&
		    strcmp(it->executable, program->executable) == 0)
			return it;
	}
	return NULL;
}

uint64_t hp_programs_version(const struct hp_programs *programs)
{
	return programs->version;
}

/* A read may find that the program has ended. */
static const struct hp_model *noted(struct hp_programs *programs, const struct hp_program *program,
				    enum hp_program_state before, const struct hp_model *model)
{
	programs->version += program->state != before;
	return model;
}

const struct hp_model *hp_program_live(struct hp_programs *programs, struct hp_program *program,
				       uint64_t most_ns, struct hp_error *error)
{
	enum hp_program_state before = program->state;

	return noted(programs, program, before, hp_program_read(program, most_ns, error));
}

const struct hp_model *hp_program_exact(struct hp_programs *programs, struct hp_program *program,
					uint64_t most_ns, struct hp_error *error)
{
	enum hp_program_state before = program->state;

	return noted(programs, program, before, hp_program_read_exact(program, most_ns, error));
}

const struct hp_model *hp_program_complete(struct hp_programs *programs, struct hp_program *program,
					   struct hp_error *error)
{
	enum hp_program_state before = program->state;

	return noted(programs, program, before, hp_program_read_complete(program, error));
}
