/* SPDX-License-Identifier: MIT */
/*
 * The processes of a run, as a tree.
 *
 * Processes that a run has started one after the other are many and alike, as those of a build:
 *
 *	make                           make
 *	├── gcc                        └── gcc ×2
 *	│   ├── cc1             ──►        ├── cc1 ×2
 *	│   └── as                         └── as ×2
 *	└── gcc
 *	    ├── cc1
 *	    └── as
 *
 * Siblings become one from the root downwards, so the children of those that became one are siblings, too.
 */
#include "process_list.h"

#include "arithmetic.h"
#include "array.h"
#include "kind.h"
#include "lower_bound.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool hp_processes_append(struct hp_processes *list, struct hp_process process)
{
	if (!hp_array_reserve(&list->items, list->count, &list->room, sizeof(process)))
		return false;
	list->items[list->count++] = process;
	return true;
}

struct hp_process *hp_processes_find(const struct hp_processes *list, uint32_t pid)
{
	for (size_t i = list->count; i-- > 0;)
		if (list->items[i].pid == pid)
			return &list->items[i];
	return NULL;
}

/*
 * The kernel tells the start of a process in units of 10 ms, so that it may seem to have started that much after what it did, or
 * after its child.
 */
#define START_UNIT_NS UINT64_C(10000000)

/* Whether the first of two processes with one number is rather the one that was there at a moment. */
static bool is_nearer(const struct hp_process *one, const struct hp_process *other,
		      uint64_t unix_ns)
{
	bool had_one = one->start_unix_ns <= unix_ns + START_UNIT_NS;
	bool had_other = other->start_unix_ns <= unix_ns + START_UNIT_NS;

	if (had_one != had_other)
		return had_one;
	return had_one ? one->start_unix_ns >= other->start_unix_ns
		       : one->start_unix_ns < other->start_unix_ns;
}

struct hp_process *hp_processes_at(const struct hp_processes *list, uint32_t pid, uint64_t unix_ns)
{
	struct hp_process *nearest = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (list->items[i].pid == pid &&
		    (!nearest || is_nearer(&list->items[i], nearest, unix_ns)))
			nearest = &list->items[i];
	return nearest;
}

/* ---- the tree ---- */

/* A process is short that took at most a second, or this part of the time of the run. */
#define SHORT_NS UINT64_C(1000000000)
#define SHORT_PART 4

enum {
	/* How often children are moved behind their parents: a chain that started within one unit is not longer. */
	PASSES = 64,
	/* The depth of the tree. Processes that are deeper, in a register that anyone may have written, are roots. */
	DEPTH_MAX = 1000,
};

/* While the tree is made, all are sorted by their start. */
struct node {
	struct hp_process process;
	/* Its start, but after that of its parent. */
	uint64_t start;
	/* Where its parent is, and where the process that it was joined to; its own place if there is none. */
	size_t parent;
	size_t joined;
	bool is_placed;
};

/* Where the process of a number is. */
struct number {
	uint32_t pid;
	uint64_t start;
	size_t at;
};

struct tree {
	struct node *nodes;
	struct number *numbers;
	size_t count;
	/* The result. */
	struct hp_process *placed;
	size_t placed_count;
	uint64_t short_ns;
};

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_number(const void *left, const void *right)
{
	const struct number *a = left, *b = right;
	int order = compare(a->pid, b->pid);

	return order ? order : compare(a->start, b->start);
}

static int by_start(const void *left, const void *right)
{
	const struct node *a = left, *b = right;
	int order = compare(a->start, b->start);

	return order ? order : compare(a->process.pid, b->process.pid);
}

static bool is_not_after(const void *number, const void *wanted)
{
	return by_number(number, wanted) <= 0;
}

/* A number may be used again: the parent is the last process of that number that started before its child. */
static size_t find_parent(const struct tree *tree, size_t child)
{
	const struct node *node = &tree->nodes[child];
	struct number wanted = { node->process.parent, node->start + START_UNIT_NS, child };
	size_t after = hp_lower_bound(&wanted, tree->numbers, tree->count, sizeof(wanted),
				      is_not_after);

	return wanted.pid && after && tree->numbers[after - 1].pid == wanted.pid
		       ? tree->numbers[after - 1].at
		       : child;
}

static void number_nodes(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++)
		tree->numbers[i] = (struct number){ tree->nodes[i].process.pid,
						    tree->nodes[i].start, i };
	qsort(tree->numbers, tree->count, sizeof(*tree->numbers), by_number);
}

/* Returns whether some had to be moved. */
static bool move_behind_parents(struct tree *tree)
{
	bool moved = false;

	for (size_t i = 0; i < tree->count; i++) {
		size_t parent = find_parent(tree, i);
		if (parent == i || tree->nodes[parent].start < tree->nodes[i].start)
			continue;
		tree->nodes[i].start = tree->nodes[parent].start + 1;
		moved = true;
	}
	return moved;
}

/* Sort by start, parents before their children. */
static void sort_nodes(struct tree *tree)
{
	number_nodes(tree);
	for (int pass = 0; pass < PASSES && move_behind_parents(tree); pass++)
		;
	qsort(tree->nodes, tree->count, sizeof(*tree->nodes), by_start);
	number_nodes(tree);
}

/* The CPU time of a child that told nothing of itself, as one of vfork that executed nothing, is known by its parent only. */
static uint64_t taken_ns(const struct hp_process *process)
{
	return process->has_elapsed ? process->elapsed_ns : process->user_ns + process->system_ns;
}

static bool is_short(const struct tree *tree, const struct hp_process *process)
{
	return process->end != HP_PROCESS_RUNNING && (process->has_elapsed || process->has_times) &&
	       taken_ns(process) <= tree->short_ns * process->count;
}

static bool are_alike(const struct tree *tree, const struct hp_process *a,
		      const struct hp_process *b)
{
	return strcmp(a->program, b->program) == 0 && a->has_elapsed == b->has_elapsed &&
	       is_short(tree, a) && is_short(tree, b);
}

static int gravity(const struct hp_process *process)
{
	if (process->end == HP_PROCESS_KILLED)
		return 2;
	return process->end == HP_PROCESS_EXITED && process->status;
}

static void join(struct hp_process *into, struct hp_process *from)
{
	if (gravity(from) > gravity(into)) {
		into->end = from->end;
		into->status = from->status;
	}
	if (into->arguments && (!from->arguments || strcmp(into->arguments, from->arguments) != 0))
		into->arguments[0] = '\0';
	free(into->title);
	into->title = NULL;
	into->has_times |= from->has_times;
	into->is_sampled |= from->is_sampled;
	hp_row_add(hp_kind_processes.fields, into, from);
	if (from->peak_rss_bytes > into->peak_rss_bytes)
		into->peak_rss_bytes = from->peak_rss_bytes;
	hp_process_clear(from);
}

/* The parent, or what that was joined to. */
static size_t parent_of(const struct tree *tree, size_t at)
{
	return tree->nodes[tree->nodes[at].parent].joined;
}

static bool has_parent(const struct tree *tree, size_t at)
{
	return parent_of(tree, at) != at;
}

/* Those without a parent are siblings, too, but for the first, which is the run's own program. */
static bool are_siblings(const struct tree *tree, size_t one, size_t other)
{
	if (has_parent(tree, one) != has_parent(tree, other))
		return false;
	return has_parent(tree, one) ? parent_of(tree, one) == parent_of(tree, other) : one > 0;
}

/* Join those alike among the siblings after one. */
static void join_siblings(struct tree *tree, size_t first)
{
	struct node *node = &tree->nodes[first];

	for (size_t i = first + 1; i < tree->count; i++) {
		struct node *other = &tree->nodes[i];
		if (other->is_placed || !are_siblings(tree, first, i) ||
		    !are_alike(tree, &node->process, &other->process))
			continue;
		join(&node->process, &other->process);
		other->is_placed = true;
		other->joined = first;
	}
}

/* Place a process and what it started. Parents have started before, so this ends. */
static void place(struct tree *tree, size_t at, uint32_t depth)
{
	struct node *node = &tree->nodes[at];

	join_siblings(tree, at);
	node->is_placed = true;
	node->process.depth = depth;
	tree->placed[tree->placed_count++] = node->process;
	for (size_t i = at + 1; depth < DEPTH_MAX && i < tree->count; i++)
		if (!tree->nodes[i].is_placed && parent_of(tree, i) == at)
			place(tree, i, depth + 1);
}

/* What seems to have started before its parent all the same has none: only in damaged data. */
static void find_parents(struct tree *tree)
{
	for (size_t i = 0; i < tree->count; i++) {
		size_t parent = find_parent(tree, i);
		tree->nodes[i].parent = parent < i ? parent : i;
		tree->nodes[i].joined = i;
	}
}

static void grow(struct tree *tree, const struct hp_processes *list)
{
	for (size_t i = 0; i < list->count; i++)
		tree->nodes[i] = (struct node){ .process = list->items[i],
						.start = list->items[i].start_unix_ns };
	sort_nodes(tree);
	find_parents(tree);
	for (size_t i = 0; i < tree->count; i++)
		if (!tree->nodes[i].is_placed)
			place(tree, i, 0);
}

uint64_t hp_processes_elapsed_ns(const struct hp_processes *list)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct hp_process *process = &list->items[i];
		start = hp_min(start, process->start_unix_ns);
		end = hp_max(end, process->start_unix_ns + process->elapsed_ns);
	}
	return hp_minus(end, start);
}

int hp_processes_arrange(struct hp_processes *list)
{
	uint64_t elapsed_ns = hp_processes_elapsed_ns(list);
	struct tree tree = { calloc(list->count + 1, sizeof(*tree.nodes)),
			     calloc(list->count + 1, sizeof(*tree.numbers)),
			     list->count,
			     calloc(list->count + 1, sizeof(*tree.placed)),
			     0,
			     hp_max(SHORT_NS, elapsed_ns / SHORT_PART) };
	bool done = tree.nodes && tree.numbers && tree.placed;

	if (done && list->count) {
		grow(&tree, list);
		free(list->items);
		*list = (struct hp_processes){ tree.placed, tree.placed_count, tree.count + 1 };
		tree.placed = NULL;
	}
	free(tree.nodes);
	free(tree.numbers);
	free(tree.placed);
	return done ? 0 : -ENOMEM;
}

/* ---- all of them ---- */

static bool copy_text(char **text)
{
	if (*text)
		*text = strdup(*text);
	return *text;
}

/* The texts of a copy are still those of the original. */
static bool copy_texts(struct hp_process *copy)
{
	char **texts[] = { &copy->program, &copy->arguments, &copy->title };
	bool done = true;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		done &= !*texts[i] || copy_text(texts[i]);
	return done;
}

int hp_processes_merge(struct hp_processes *into, const struct hp_processes *from)
{
	for (size_t i = 0; i < from->count; i++) {
		struct hp_process copy = from->items[i];
		bool done = copy_texts(&copy);
		if (!done || !hp_processes_append(into, copy)) {
			hp_process_clear(&copy);
			return -ENOMEM;
		}
	}
	return 0;
}

uint64_t hp_processes_total(const struct hp_processes *list)
{
	uint64_t total = 0;

	for (size_t i = 0; i < list->count; i++)
		total += list->items[i].count;
	return total;
}

uint64_t hp_processes_cpu_ns(const struct hp_processes *list)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < list->count; i++)
		sum += list->items[i].user_ns + list->items[i].system_ns;
	return sum;
}

void hp_process_clear(struct hp_process *process)
{
	free(process->program);
	free(process->arguments);
	free(process->title);
	*process = (struct hp_process){ .program = NULL };
}

void hp_processes_clear(struct hp_processes *list)
{
	for (size_t i = 0; i < list->count; i++)
		hp_process_clear(&list->items[i]);
	free(list->items);
	*list = (struct hp_processes){ .items = NULL };
}
