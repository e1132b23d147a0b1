/* SPDX-License-Identifier: MIT */
/* Marks: whose windows are kept, when they are read, and which side they are of. */
#include "marks.h"

#include "arithmetic.h"
#include "event_library.h"
#include "now.h"
#include "trim.h"
#include "window_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
/* A window is at least so long, unless somebody wants others; and so much longer than reading and comparing it takes, up to a limit. */
#define WINDOW_NS (2 * SECOND_NS)
#define COST_PART 200
#define WINDOW_MOST_NS (60 * SECOND_NS)
/* A program that does not run is looked for so often. */
#define LOOK_NS SECOND_NS
/* Reading ends when nobody has asked for so long; and what was read is forgotten. */
#define ASKED_NS (300 * SECOND_NS)
/* A program that somebody has asked for so lately does not make room for another: both would never have enough windows. */
#define LATELY_NS (60 * SECOND_NS)
#define KEPT_NS (3600 * SECOND_NS)

struct hp_marks {
	struct event_base *base;
	struct hp_programs *programs;
	/* The one that was asked for last comes first. */
	struct hp_marked *items[HP_MARKS_MAX];
};

struct hp_marks *hp_marks_new(struct event_base *base, struct hp_programs *programs)
{
	struct hp_marks *marks = calloc(1, sizeof(*marks));

	if (marks)
		*marks = (struct hp_marks){ .base = base, .programs = programs };
	return marks;
}

static void forget_then(struct hp_marked *marked)
{
	hp_earlier_clear(&marked->then);
}

static void free_marked(struct hp_marked *marked)
{
	if (!marked)
		return;
	if (marked->timer)
		libevent.event_free(marked->timer);
	forget_then(marked);
	hp_side_clear(&marked->base);
	hp_side_clear(&marked->head);
	hp_text_free(&marked->compared);
	for (size_t i = 0; i < HP_MARK_FORMER; i++)
		free(marked->former[i]);
	free(marked->id);
	free(marked->name);
	free(marked->executable);
	free(marked);
}

void hp_marks_free(struct hp_marks *marks)
{
	for (size_t i = 0; marks && i < HP_MARKS_MAX; i++)
		free_marked(marks->items[i]);
	free(marks);
}

/* ---- sides ---- */

static uint64_t unix_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

static void drop_oldest(struct hp_side *side)
{
	hp_model_free(side->runs[0].report.model);
	free(side->runs[0].label);
	side->count--;
	memmove(side->runs, side->runs + 1, side->count * sizeof(*side->runs));
}

static void append(struct hp_marked *marked, struct hp_run run)
{
	struct hp_side *side = marked->mark_unix_ns ? &marked->head : &marked->base;

	if (side->count == HP_MARK_WINDOWS)
		drop_oldest(side);
	hp_text_free(&marked->compared);
	if (hp_side_append(side, run))
		return;
	hp_model_free(run.report.model);
	free(run.label);
}

static void forget_head(struct hp_marked *marked)
{
	hp_side_clear(&marked->head);
	hp_text_free(&marked->compared);
	marked->compare_ns = 0;
}

/* What came after the mark before is normal now, if there is enough of it. */
static void set_mark(struct hp_marked *marked, bool is_of_restart)
{
	if (marked->head.count >= marked->needed && !is_of_restart) {
		hp_side_clear(&marked->base);
		marked->base = marked->head;
		marked->head = (struct hp_side){ 0 };
	}
	forget_head(marked);
	marked->mark_unix_ns = unix_now_ns();
	marked->is_mark_of_restart = is_of_restart;
}

/* ---- following ---- */

static void note_former(struct hp_marked *marked)
{
	free(marked->former[HP_MARK_FORMER - 1]);
	memmove(marked->former + 1, marked->former, (HP_MARK_FORMER - 1) * sizeof(*marked->former));
	marked->former[0] = marked->id;
}

/* The new process is compared with what was before: what the old one did since the mark is of neither side. */
static void note_restart(struct hp_marked *marked, const struct hp_program *program)
{
	forget_then(marked);
	marked->segment_unix_ns = program->segment_unix_ns;
	marked->restarts++;
	marked->restarted_unix_ns = unix_now_ns();
	marked->cost_ns = 0;
	if (marked->mark_unix_ns)
		forget_head(marked);
	else if (marked->base.count >= marked->needed)
		set_mark(marked, true);
	else
		hp_side_clear(&marked->base);
}

static bool is_same_text(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

static bool is_same_program(const struct hp_marked *marked, const struct hp_program *program)
{
	return is_same_text(marked->name, program->name) &&
	       is_same_text(marked->executable, program->executable);
}

/* Returns false when memory ran out. */
static bool take_names(struct hp_marked *marked, const struct hp_program *program)
{
	free(marked->name);
	free(marked->executable);
	marked->name = strdup(program->name);
	marked->executable = program->executable ? strdup(program->executable) : NULL;
	return marked->name && (marked->executable || !program->executable);
}

static void forget_windows(struct hp_marked *marked)
{
	forget_then(marked);
	hp_side_clear(&marked->base);
	forget_head(marked);
	marked->mark_unix_ns = 0;
	marked->needed = HP_MARK_LEAST;
	marked->is_needed_known = false;
	marked->restarts = 0;
}

/* A process may execute another program, and an id may be used again. */
static void note_another(struct hp_marked *marked, const struct hp_program *program)
{
	forget_windows(marked);
	take_names(marked, program);
	marked->segment_unix_ns = program->segment_unix_ns;
	marked->cost_ns = 0;
}

/* The program, or its next start if it has ended; NULL when it was forgotten. */
static struct hp_program *follow(struct hp_marked *marked)
{
	struct hp_programs *programs = marked->marks->programs;
	struct hp_program *program = hp_programs_get(programs, marked->id);
	struct hp_program *next = program && program->state == HP_PROGRAM_ENDED
					  ? hp_programs_next(programs, program)
					  : NULL;
	char *id = next ? strdup(next->id) : NULL;

	if (id) {
		note_former(marked);
		marked->id = id;
		program = next;
	}
	if (program && !is_same_program(marked, program))
		note_another(marked, program);
	else if (program && program->segment_unix_ns != marked->segment_unix_ns)
		note_restart(marked, program);
	return program;
}

/* ---- reading ---- */

/* Functions that are known by stacks alone need a whole model. */
static bool needs_stacks(const struct hp_model *model)
{
	return !hp_model_has_calls(model) && model->cpu.source != HP_CPU_NONE;
}

/* The model of a program as it is now: that of its watch, or one of our own. The live model of a run may be an older one. */
static const struct hp_model *read_model(struct hp_marked *marked, struct hp_program *program,
					 struct hp_model **own)
{
	if (hp_program_is_sum(program)) {
		if (program->state == HP_PROGRAM_RUNNING)
			*own = hp_program_whole(program, &marked->problem);
		return *own;
	}
	const struct hp_model *model = hp_program_exact(marked->marks->programs, program, 0,
							&marked->problem);

	if (!model || program->state != HP_PROGRAM_RUNNING)
		return NULL;
	if (needs_stacks(model))
		model = *own = hp_program_whole(program, &marked->problem);
	return model;
}

static void add_window(struct hp_marked *marked, const struct hp_model *now)
{
	struct hp_run run;

	if (hp_window_run(&run, now, &marked->then, marked->number + 1, &marked->problem))
		return;
	marked->number++;
	append(marked, run);
}

static void set_length(struct hp_marked *marked)
{
	marked->window_ns = hp_max(marked->wanted_ns, marked->allowed_ns);
}

/* The lesser of two costs: the first read of a process takes longer, and others may disturb one. */
static void note_cost(struct hp_marked *marked, uint64_t cost_ns)
{
	uint64_t usual_ns = hp_min(cost_ns, marked->cost_ns) + marked->compare_ns;
	uint64_t whole_ns = (usual_ns * COST_PART + SECOND_NS - 1) / SECOND_NS * SECOND_NS;

	marked->cost_ns = cost_ns;
	marked->allowed_ns = hp_min(whole_ns, WINDOW_MOST_NS);
	set_length(marked);
}

/* End a window, and begin the next one. */
static void read_again(struct hp_marked *marked, bool is_window)
{
	uint64_t begin = hp_own_cpu_ns();

	hp_programs_find_again(marked->marks->programs);
	struct hp_program *program = follow(marked);
	marked->problem.text[0] = '\0';
	struct hp_model *own = NULL;
	const struct hp_model *now = program ? read_model(marked, program, &own) : NULL;
	marked->state = program ? program->state : HP_PROGRAM_ENDED;
	if (now && marked->then.model && is_window)
		add_window(marked, now);
	/* There are never two copies at once. */
	forget_then(marked);
	if (now)
		hp_earlier_take(&marked->then, own ? own : hp_model_copy(now));
	if (now)
		note_cost(marked, hp_own_cpu_ns() - begin);
	/* Models come and go with each window, and are much larger than what is kept of them. */
	hp_trim();
}

/* ---- time ---- */

static void wait_for(struct hp_marked *marked, uint64_t ns)
{
	struct timeval delay = { (time_t)(ns / SECOND_NS), (suseconds_t)(ns % SECOND_NS / 1000) };

	libevent.event_base_update_cache_time(marked->marks->base);
	libevent.event_add(marked->timer, &delay);
}

static void go_on(struct hp_marked *marked, bool is_window)
{
	read_again(marked, is_window);
	marked->began_ns = hp_now_ns();
	wait_for(marked, marked->then.model ? marked->window_ns : LOOK_NS);
}

static void forget(struct hp_marked *marked)
{
	struct hp_marked **items = marked->marks->items;
	size_t at = 0;

	while (items[at] != marked)
		at++;
	memmove(items + at, items + at + 1, (HP_MARKS_MAX - 1 - at) * sizeof(*items));
	items[HP_MARKS_MAX - 1] = NULL;
	free_marked(marked);
}

static void time_is_over(evutil_socket_t unused, short what, void *context)
{
	struct hp_marked *marked = context;
	uint64_t quiet_ns = hp_now_ns() - marked->asked_ns;

	(void)unused;
	(void)what;
	if (quiet_ns < ASKED_NS) {
		go_on(marked, true);
	} else if (quiet_ns < KEPT_NS) {
		forget_then(marked);
		marked->is_paused = true;
		wait_for(marked, KEPT_NS - quiet_ns + 1000);
	} else {
		forget(marked);
	}
}

/* ---- asking ---- */

static bool is_of(const struct hp_marked *marked, const char *id)
{
	if (strcmp(marked->id, id) == 0)
		return true;
	for (size_t i = 0; i < HP_MARK_FORMER && marked->former[i]; i++)
		if (strcmp(marked->former[i], id) == 0)
			return true;
	return false;
}

static struct hp_marked *new_marked(struct hp_marks *marks, const struct hp_program *program)
{
	struct hp_marked *marked = calloc(1, sizeof(*marked));

	if (!marked)
		return NULL;
	marked->marks = marks;
	marked->id = strdup(program->id);
	marked->segment_unix_ns = program->segment_unix_ns;
	marked->state = program->state;
	marked->wanted_ns = marked->window_ns = WINDOW_NS;
	marked->needed = HP_MARK_LEAST;
	marked->is_paused = true;
	marked->timer = libevent.event_new(marks->base, -1, 0, time_is_over, marked);
	if (take_names(marked, program) && marked->id && marked->timer)
		return marked;
	free_marked(marked);
	return NULL;
}

/* Where the program is, by its own id or else, if it has ended, by a former one; HP_MARKS_MAX when it is not there. */
static size_t place_of(const struct hp_marks *marks, const struct hp_program *program)
{
	size_t at = 0;

	while (at < HP_MARKS_MAX &&
	       !(marks->items[at] && strcmp(marks->items[at]->id, program->id) == 0))
		at++;
	if (program->state != HP_PROGRAM_ENDED)
		return at;
	for (size_t i = 0; at == HP_MARKS_MAX && i < HP_MARKS_MAX && marks->items[i]; i++)
		if (is_of(marks->items[i], program->id))
			return i;
	return at;
}

static bool has_room(const struct hp_marks *marks)
{
	const struct hp_marked *last = marks->items[HP_MARKS_MAX - 1];

	return !last || hp_now_ns() - last->asked_ns > LATELY_NS;
}

static struct hp_marked *add(struct hp_marks *marks, const struct hp_program *program,
			     struct hp_error *error)
{
	struct hp_marked *added = has_room(marks) ? new_marked(marks, program) : NULL;

	if (!has_room(marks))
		snprintf(error->text, sizeof(error->text),
			 "%d programs are compared already; one of them makes room when nobody has "
			 "asked for it for a minute",
			 HP_MARKS_MAX);
	else if (!added)
		snprintf(error->text, sizeof(error->text), "out of memory");
	return added;
}

/* A new one takes the place of that which nobody has asked for longest. */
static struct hp_marked *find(struct hp_marks *marks, const struct hp_program *program,
			      struct hp_error *error)
{
	size_t at = place_of(marks, program);
	struct hp_marked *found = at < HP_MARKS_MAX ? marks->items[at] : add(marks, program, error);

	if (!found)
		return NULL;
	if (at == HP_MARKS_MAX)
		free_marked(marks->items[--at]);
	memmove(marks->items + 1, marks->items, at * sizeof(*marks->items));
	marks->items[0] = found;
	return found;
}

/* Whoever asks may know a new start of a program before its time to be read comes. */
static void follow_all(struct hp_marks *marks)
{
	for (size_t i = 0; i < HP_MARKS_MAX && marks->items[i]; i++) {
		struct hp_marked *marked = marks->items[i];
		unsigned restarts = marked->restarts;
		follow(marked);
		if (marked->restarts != restarts && !marked->is_paused)
			go_on(marked, false);
	}
}

/* Reading may find other programs, and forget the one that is asked for. */
static struct hp_marked *follow_and_find(struct hp_marks *marks, const struct hp_program *program,
					 struct hp_error *error)
{
	char *id = strdup(program->id);
	struct hp_marked *found = NULL;

	if (!id) {
		snprintf(error->text, sizeof(error->text), "out of memory");
		return NULL;
	}
	follow_all(marks);
	program = hp_programs_get(marks->programs, id);
	if (program)
		found = find(marks, program, error);
	else
		snprintf(error->text, sizeof(error->text), "the program is not there any more");
	free(id);
	return found;
}

/* Who asks for shorter windows need not wait for the end of a long one. */
static void want_length(struct hp_marked *marked, uint64_t wanted_ns)
{
	uint64_t before_ns = marked->window_ns, passed_ns = hp_now_ns() - marked->began_ns;

	marked->wanted_ns = wanted_ns;
	set_length(marked);
	if (marked->window_ns < before_ns && !marked->is_paused && marked->then.model)
		wait_for(marked, hp_minus(marked->window_ns, passed_ns));
}

struct hp_marked *hp_marks_ask(struct hp_marks *marks, const struct hp_program *program,
			       unsigned window_s, struct hp_error *error)
{
	struct hp_marked *marked = follow_and_find(marks, program, error);

	if (!marked)
		return NULL;
	marked->asked_ns = hp_now_ns();
	if (window_s)
		want_length(marked, window_s * SECOND_NS);
	if (marked->is_paused) {
		marked->is_paused = false;
		go_on(marked, false);
	}
	return marked;
}

void hp_marked_set(struct hp_marked *marked)
{
	set_mark(marked, false);
	go_on(marked, false);
}

void hp_marked_clear(struct hp_marked *marked)
{
	forget_windows(marked);
	marked->wanted_ns = WINDOW_NS;
	go_on(marked, false);
}
