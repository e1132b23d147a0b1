/* SPDX-License-Identifier: MIT */
/*
 * The source lines that samples were taken at: of a function, or of the whole program.
 *
 * A frame stands for several levels where functions were inlined. Of each, one line counts:
 *
 *	main           main.c:9          the call of work
 *	work           work.c:20         where hash was inlined
 *	hash           hash.h:5          exclusive, if the frame is the innermost
 */
#include "sampled_lines.h"

#include "array.h"
#include "module_file.h"
#include "symbols.h"

#include <stdlib.h>
#include <string.h>

/* The frames that may count. */
struct places {
	const char *name;
	const char *module;
	struct hp_sampled_lines *lines;
	/* Copies of the frames, and their levels; the first level that counts; and where in "rows" those of a copy begin. */
	struct hp_cpu cpu;
	struct hp_levels *levels;
	uint32_t *outermost;
	size_t *firsts;
	/* The index plus one of the copy of each frame of the model; 0 if it has none. */
	size_t *copies;
	uint32_t *rows;
	bool failed;
};

/* ---- frames ---- */

static bool is_in_module(const struct places *places, const struct hp_cpu *cpu,
			 const struct hp_cpu_frame *frame)
{
	const char *path = frame->module < 0 ? NULL : cpu->modules[frame->module].path;

	return !places->module || (path && strcmp(path, places->module) == 0);
}

/* Compilers append suffixes to clones of a function: "parse.constprop.0". */
static bool is_called(const char *function, const char *name)
{
	size_t length = strlen(name);

	return strncmp(function, name, length) == 0 &&
	       (function[length] == '\0' || function[length] == '.');
}

/* Whether the function may be in a frame: as the outermost, or inlined; of "make_receipt (in worker)", in the right one. */
static bool is_candidate(const struct places *places, const struct hp_cpu *cpu,
			 const struct hp_cpu_frame *frame)
{
	const char *name = places->name;

	if (frame->kind == HP_FRAME_SITE || !is_in_module(places, cpu, frame))
		return false;
	if (!name || is_called(frame->name, name))
		return true;
	return hp_cpu_frame_levels(frame) > 1 &&
	       (!strstr(name, " (in ") || strstr(name, frame->name));
}

static bool open_places(struct places *places, const struct hp_cpu *cpu)
{
	size_t room = cpu->frame_count + 1;

	places->cpu = (struct hp_cpu){ .modules = cpu->modules,
				       .module_count = cpu->module_count,
				       .frames = calloc(room, sizeof(*cpu->frames)) };
	places->levels = calloc(room, sizeof(*places->levels));
	places->outermost = calloc(room, sizeof(*places->outermost));
	places->firsts = calloc(room, sizeof(*places->firsts));
	places->copies = calloc(room, sizeof(*places->copies));
	if (!places->cpu.frames || !places->levels || !places->outermost || !places->firsts ||
	    !places->copies)
		return false;
	for (size_t i = 0; i < cpu->frame_count; i++) {
		if (!is_candidate(places, cpu, &cpu->frames[i]))
			continue;
		places->cpu.frames[places->cpu.frame_count++] = cpu->frames[i];
		places->copies[i] = places->cpu.frame_count;
	}
	return true;
}

static void close_places(struct places *places)
{
	if (places->levels)
		hp_levels_free(places->levels, places->cpu.frame_count);
	free(places->cpu.frames);
	free(places->outermost);
	free(places->firsts);
	free(places->copies);
	free(places->rows);
}

/* ---- rows ---- */

static bool is_same(const void *things, uint32_t number, const void *key)
{
	const struct hp_sampled_lines *lines = things;
	const struct hp_sampled_line *a = key, *b = &lines->items[number];

	return a->function == b->function && a->around == b->around && a->line == b->line &&
	       a->address == b->address;
}

static uint64_t hash_of(const struct hp_sampled_line *line)
{
	uint64_t hash = hp_hash(0, (uint64_t)line->function << 32 | line->around);

	return hp_hash(hp_hash(hash, line->line), line->address);
}

/* Find or add a row. */
static uint32_t row_of(struct places *places, const struct hp_sampled_line *like)
{
	struct hp_sampled_lines *lines = places->lines;
	uint32_t next = lines->count, number = 0;

	lines->index.is_same = is_same;
	if (!hp_array_reserve(&lines->items, next, &lines->room, sizeof(*like)) ||
	    !hp_intern(&lines->index, hash_of(like), lines, like, next, &number)) {
		places->failed = true;
		return 0;
	}
	if (number == next)
		lines->items[lines->count++] = *like;
	return number;
}

/* The row of a place in a function: its line or, if there is none and a function was asked for, the instruction. */
static uint32_t level_row(struct places *places, size_t copy, uint32_t level)
{
	const struct hp_cpu_frame *frame = &places->cpu.frames[copy];
	const struct hp_levels *levels = &places->levels[copy];
	struct hp_sampled_line line = {
		.function = levels->items[level].function,
		.around = level ? levels->items[0].function : HP_INDEX_NONE,
		.line = levels->items[level].line,
	};
	const struct hp_code *code = &places->lines->functions.items[line.function];

	if (!code->file)
		line.line = 0;
	if (!line.line && places->name) {
		line.address = frame->address;
		line.begin = code->entry;
	}
	return row_of(places, &line);
}

/* Whether an inlined function is meant: by its name, or with that of the function around it. */
static bool is_meant(const char *name, const char *inlined, const char *around)
{
	size_t length = strlen(inlined), outer = strlen(around);

	if (strncmp(name, inlined, length) != 0)
		return false;
	name += length;
	return *name == '\0' ||
	       (strncmp(name, " (in ", 5) == 0 && strncmp(name + 5, around, outer) == 0 &&
		strcmp(name + 5 + outer, ")") == 0);
}

/* The outermost level that counts, with all inside of it; the number of levels if none does. */
static uint32_t outermost_level(const struct places *places, size_t copy)
{
	const struct hp_cpu_frame *frame = &places->cpu.frames[copy];
	const struct hp_levels *levels = &places->levels[copy];
	const struct hp_code *functions = places->lines->functions.items;
	uint32_t level = 1;

	if (!places->name || is_called(frame->name, places->name))
		return 0;
	while (level < levels->count &&
	       !is_meant(places->name, functions[levels->items[level].function].name, frame->name))
		level++;
	return level;
}

static bool find_rows(struct places *places)
{
	size_t count = 0;

	for (size_t i = 0; i < places->cpu.frame_count; i++) {
		places->firsts[i] = count;
		count += places->levels[i].count;
	}
	places->rows = calloc(count + 1, sizeof(*places->rows));
	for (size_t i = 0; places->rows && i < places->cpu.frame_count; i++) {
		uint32_t level = places->outermost[i] = outermost_level(places, i);
		for (; level < places->levels[i].count; level++)
			places->rows[places->firsts[i] + level] = level_row(places, i, level);
	}
	return places->rows && !places->failed;
}

/* ---- samples ---- */

static void count_line(struct hp_sampled_line *line, uint64_t samples, size_t nth, bool self)
{
	if (line->last != nth + 1)
		line->samples += samples;
	line->last = nth + 1;
	if (self)
		line->self += samples;
}

static void count_frame(const struct places *places, size_t copy, uint64_t samples, size_t nth,
			bool is_innermost)
{
	struct hp_sampled_lines *lines = places->lines;
	uint32_t count = places->levels[copy].count;
	bool is_own = places->outermost[copy] + 1 == count;

	for (uint32_t level = places->outermost[copy]; level < count; level++)
		count_line(&lines->items[places->rows[places->firsts[copy] + level]], samples, nth,
			   is_innermost && level + 1 == count);
	if (is_innermost && (is_own || !places->name))
		lines->self += samples;
	else if (is_innermost)
		lines->inlined += samples;
}

static bool counts(const struct places *places, uint32_t frame)
{
	size_t copy = places->copies[frame];

	return copy && places->outermost[copy - 1] < places->levels[copy - 1].count;
}

static void count_stack(const struct places *places, const struct hp_cpu *cpu, size_t nth)
{
	const struct hp_cpu_stack *stack = &cpu->stacks[nth];
	bool is_innermost = true, found = false;

	for (uint32_t i = 0; i < stack->depth; i++) {
		uint32_t frame = stack->frames[i];
		if (cpu->frames[frame].kind == HP_FRAME_SITE)
			continue;
		if (counts(places, frame)) {
			count_frame(places, places->copies[frame] - 1, stack->samples, nth,
				    is_innermost);
			found = true;
		}
		is_innermost = false;
	}
	places->lines->samples += found ? stack->samples : 0;
}

static int by_samples(const void *left, const void *right)
{
	const struct hp_sampled_line *a = left, *b = right;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* ---- where functions begin ---- */

/* Find by symbols where functions without debug information begin. A name such as "gzip+0x3820" is no symbol. */
static void find_begins_in(struct hp_sampled_lines *lines, int32_t module,
			   const struct hp_symbol_table *table)
{
	for (uint32_t i = 0; i < lines->count; i++) {
		struct hp_sampled_line *line = &lines->items[i];
		const struct hp_code *code = &lines->functions.items[line->function];
		if (!line->address || line->begin || code->module != module ||
		    strstr(code->name, "+0x"))
			continue;
		const struct hp_symbol *symbol = hp_symbol_table_find(table, line->address);
		line->begin = symbol ? symbol->address : 0;
	}
}

static bool lacks_begins(const struct hp_sampled_lines *lines, int32_t module)
{
	for (uint32_t i = 0; i < lines->count; i++)
		if (lines->items[i].address && !lines->items[i].begin &&
		    lines->functions.items[lines->items[i].function].module == module)
			return true;
	return false;
}

static void find_begins(struct hp_sampled_lines *lines, const struct hp_cpu *cpu)
{
	for (size_t i = 0; i < cpu->module_count; i++) {
		const struct hp_cpu_module *module = &cpu->modules[i];
		struct hp_module ran = { .build_id_size = module->build_id_size };
		struct hp_symbol_table table = { .items = NULL };
		struct hp_module_file file;
		if (!module->path || !lacks_begins(lines, (int32_t)i))
			continue;
		memcpy(ran.build_id, module->build_id, sizeof(ran.build_id));
		if (!hp_module_file_open(&file, &ran, module->path) &&
		    hp_symbol_table_fill(&table, file.symbols, &file.elf))
			find_begins_in(lines, (int32_t)i, &table);
		hp_symbol_table_free(&table);
		hp_module_file_close(&file);
	}
}

bool hp_sampled_lines_read(struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
			   const char *name, const char *module)
{
	struct places places = { .name = name, .module = module, .lines = lines };

	*lines = (struct hp_sampled_lines){ .items = NULL };
	bool done = open_places(&places, cpu) &&
		    hp_symbols_find(&places.cpu, &lines->functions, places.levels) &&
		    find_rows(&places);
	if (done) {
		for (size_t i = 0; i < cpu->stack_count; i++)
			count_stack(&places, cpu, i);
		if (!name && cpu->total_samples > lines->samples)
			lines->samples = cpu->total_samples;
		find_begins(lines, cpu);
		if (lines->count)
			qsort(lines->items, lines->count, sizeof(*lines->items), by_samples);
	}
	close_places(&places);
	return done;
}

void hp_sampled_lines_free(struct hp_sampled_lines *lines)
{
	free(lines->items);
	hp_intern_free(&lines->index);
	hp_functions_free(&lines->functions);
	hp_sources_free(&lines->sources);
	*lines = (struct hp_sampled_lines){ .items = NULL };
}
