/* SPDX-License-Identifier: MIT */
#include "sleds.h"

#include "array.h"
#include "jump_tables.h"
#include "module.h"
#include "origin.h"
#include "tail_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool hp_is_marked(const struct line *line)
{
	return hp_piece_has(line->comment, "*sibcall") || hp_piece_has(line->comment, "TAILCALL");
}

/* A function, or the cold part of one. */
struct function {
	struct piece name;
	/* The line that says which section it is in. */
	struct piece section;
	/* The function has an instruction that leaves it; and begins with inline assembly. */
	bool leaves;
	bool begins_in_asm;
	/* It is marked as one that is not to be measured. */
	bool is_skipped;
	/* The line from which on there are NOPs in front of its label; NULL if there are none. */
	const char *nops_from;
	/* It is to have sleds; and the number of that at its entry, 0 as long as there is none. */
	bool wanted;
	unsigned entry;
};

/* Where in the text we are. */
struct place {
	/* Between the marks of inline assembly, which is not ours to change. */
	bool in_asm;
	/* Consecutive NOPs up to here. In front of a function's label they are there to be patched. */
	unsigned nops;
	/* The line of the last label. */
	const char *label;
	/* The line that the present section began with; empty if that is not known. */
	struct piece section;
	/* The function that was declared last. */
	struct piece declared;
	/* The number of the present function among all, from 1 on; 0 before the first. */
	size_t function;
	/* Nothing of it was executed yet. */
	bool at_entry;
	/* Its first instruction is where indirect calls lead to, and was seen. */
	bool landed;
};

enum {
	/* Compilers change between two or three sections. */
	ANCHORS = 8,
	LABEL_MAX = 48,
};

enum list {
	ENTRIES,
	EXITS,
	LISTS,
};

struct anchor {
	struct piece section;
	unsigned number;
	/* Its lists exist. */
	bool has[LISTS];
};

struct sleds {
	struct hp_text *text;
	const struct machine *machine;
	struct function *functions;
	size_t count;
	size_t room;
	unsigned last;
	unsigned entries;
	struct anchor anchors[ANCHORS];
	unsigned next_anchor;
	/* The code is made by gcc when it links (-flto). */
	bool is_late;
};

static bool is_one_of(struct piece comment, const char *const *marks)
{
	for (; *marks; marks++)
		if (hp_piece_is(comment, *marks))
			return true;
	return false;
}

static void see_marks(struct place *place, const struct line *line)
{
	static const char *const begins[] = { "#APP", "//APP",
					      "# Start of file scope inline assembly",
					      "// Start of file scope inline assembly", NULL };
	static const char *const ends[] = { "#NO_APP", "//NO_APP",
					    "# End of file scope inline assembly",
					    "// End of file scope inline assembly", NULL };

	if (line->kind != LINE_NOTHING)
		return;
	if (is_one_of(line->comment, begins))
		place->in_asm = true;
	else if (is_one_of(line->comment, ends))
		place->in_asm = false;
}

static bool is_nop(const struct line *line)
{
	return line->kind == LINE_INSTRUCTION &&
	       (hp_piece_begins(line->word, "nop") ||
		(hp_piece_begins(line->word, "xchg") && hp_piece_is(line->rest, "%ax, %ax")));
}

/* A label begins the count anew, and so does the end of a function. */
static void count_nops(struct place *place, const struct line *line)
{
	if (is_nop(line) && !place->in_asm)
		place->nops++;
	else if (line->kind == LINE_LABEL || line->kind == LINE_INSTRUCTION ||
		 hp_piece_is(line->word, ".size"))
		place->nops = 0;
	if (line->kind == LINE_LABEL)
		place->label = line->whole.text;
}

static void see_section(struct place *place, const struct line *line)
{
	if (hp_piece_is(line->word, ".section") || hp_piece_is(line->word, ".text"))
		place->section = line->whole;
	else if (hp_piece_is(line->word, ".previous") || hp_piece_is(line->word, ".popsection"))
		place->section.length = 0;
}

/* .type name, @function */
static void see_declaration(struct place *place, const struct line *line)
{
	size_t length = 0;

	if (!hp_piece_is(line->word, ".type") ||
	    !(hp_piece_has(line->rest, "@function") || hp_piece_has(line->rest, "%function")))
		return;
	while (length < line->rest.length && line->rest.text[length] != ',')
		length++;
	place->declared = (struct piece){ line->rest.text, length };
}

static bool is_declared(const struct place *place, const struct line *line)
{
	return line->kind == LINE_LABEL && place->declared.length &&
	       hp_piece_equals(line->word, place->declared);
}

/* Labels at the beginning of a function that no jump leads to: they are for unwind tables and debuggers. */
static bool is_quiet_label(struct piece label)
{
	return hp_piece_begins(label, ".LFB") || hp_piece_begins(label, ".LFSB") ||
	       hp_piece_begins(label, ".LVL") || hp_piece_begins(label, ".Lfunc_begin");
}

/* Whether the entry of a function is still ahead when this line comes. */
static bool precedes_entry(struct place *place, const struct line *line,
			   const struct machine *machine)
{
	if (place->landed || place->in_asm)
		return false;
	if (line->kind == LINE_LABEL)
		return is_quiet_label(line->word);
	if (line->kind != LINE_INSTRUCTION)
		return true;
	place->landed = machine->is_landing(line);
	return place->landed;
}

/* Go on to a line. Returns whether it is the first one behind the entry of the present function. */
static bool step(struct place *place, const struct line *line, const struct machine *machine)
{
	see_marks(place, line);
	count_nops(place, line);
	if (!place->in_asm && line->kind == LINE_DIRECTIVE) {
		see_section(place, line);
		see_declaration(place, line);
	}
	if (!place->in_asm && is_declared(place, line)) {
		place->function++;
		place->at_entry = true;
		place->landed = false;
		place->declared.length = 0;
		return false;
	}
	if (!place->at_entry || precedes_entry(place, line, machine))
		return false;
	place->at_entry = false;
	return true;
}

/* gcc moves what is seldom executed to a part of its own, which the function jumps to: name.cold, name.cold.1. This is
   the length of a name without such an end. */
static size_t warm_length(struct piece name)
{
	const char *at = memmem(name.text, name.length, ".cold", 5);
	if (!at)
		return name.length;

	size_t before = (size_t)(at - name.text);
	bool ends = before + 5 == name.length || at[5] == '.';
	return ends ? before : name.length;
}

bool hp_is_cold_part(struct piece name)
{
	return warm_length(name) < name.length;
}

/* HOTPATH_SKIP puts one NOP in front of a function's label, and none behind it. */
static bool add_function(struct sleds *sleds, struct piece name, const struct place *before)
{
	if (!hp_array_reserve(&sleds->functions, sleds->count, &sleds->room,
			      sizeof(*sleds->functions)))
		return false;
	sleds->functions[sleds->count++] = (struct function){
		.name = name,
		.section = before->section,
		.is_skipped = before->nops == 1,
		.nops_from = before->nops ? before->label : NULL,
	};
	return true;
}

static void see_line(struct function *function, const struct place *place, const struct line *line,
		     bool enters, const struct machine *machine)
{
	if (enters) {
		function->begins_in_asm = place->in_asm;
		function->is_skipped &= !is_nop(line);
	}
	if (!place->in_asm && line->kind == LINE_INSTRUCTION && machine->leaves(line) != STAYS)
		function->leaves = true;
}

/* Find all functions, and how each begins and ends; false when memory ran out. */
static bool find_functions(struct sleds *sleds, struct piece assembly)
{
	struct place place = { 0 };
	struct line line;

	while (hp_line_next(&assembly, &line)) {
		struct place before = place;
		bool enters = step(&place, &line, sleds->machine);
		if (place.function != before.function && !add_function(sleds, line.word, &before))
			return false;
		if (place.function)
			see_line(&sleds->functions[place.function - 1], &place, &line, enters,
				 sleds->machine);
	}
	return true;
}

/* A cold part stands behind its function, and mostly right behind it. */
static struct function *warm_part(const struct sleds *sleds, const struct function *cold)
{
	struct piece name = { cold->name.text, warm_length(cold->name) };

	for (size_t i = (size_t)(cold - sleds->functions); i > 0; i--)
		if (hp_piece_equals(sleds->functions[i - 1].name, name))
			return &sleds->functions[i - 1];
	return NULL;
}

/* The function of a part that may be cold; NULL if it is unknown. */
static struct function *whole_of(const struct sleds *sleds, struct function *part)
{
	return hp_is_cold_part(part->name) ? warm_part(sleds, part) : part;
}

/* What a compiler has made up: an adjustment of `this` in front of a virtual function, or the common part of several
   functions, where registers are in use, or an instruction. */
static bool is_helper(const struct sleds *sleds, const struct function *function)
{
	static const char *const beginnings[] = { "_ZTh", "_ZTv", "_ZTc", "OUTLINED_FUNCTION_" };

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (hp_piece_begins(function->name, beginnings[i]))
			return true;
	return sleds->machine->is_helper(function->name);
}

/*
 * A function that is never left has no sled, nor has one that is nothing but inline assembly (`naked`). main is the
 * exception: many programs end by exit there.
 */
static void choose(struct sleds *sleds, struct sled_choice choice)
{
	for (size_t i = 0; i < sleds->count; i++) {
		struct function *function = &sleds->functions[i];
		struct function *warm = whole_of(sleds, function);
		if (warm)
			warm->leaves |= function->leaves;
	}
	for (size_t i = 0; i < sleds->count; i++) {
		struct function *function = &sleds->functions[i];
		bool ends = function->leaves ||
			    (!function->begins_in_asm && hp_piece_is(function->name, "main"));
		function->wanted = ends && !function->is_skipped && !is_helper(sleds, function) &&
				   !hp_is_cold_part(function->name) &&
				   choice.has(choice.context, function->name);
	}
}

/*
 * The sled that stands for the section which a new one is in: the first one there, as far as we remember. The assembler
 * needs very long for many sections.
 */
static struct anchor *anchor(struct sleds *sleds, struct piece section, unsigned number)
{
	for (size_t i = 0; section.length && i < ANCHORS; i++)
		if (hp_piece_equals(sleds->anchors[i].section, section))
			return &sleds->anchors[i];

	struct anchor *new = &sleds->anchors[sleds->next_anchor];
	*new = (struct anchor){ .section = section, .number = number };
	sleds->next_anchor = (sleds->next_anchor + 1) % ANCHORS;
	return new;
}

/*
 * Name a new list, whose numbers are read four bytes by four, whatever is before it. If the file may be put before the one
 * whose group is kept, a list of entries keeps what is declared before all lists. Only there, because the assembler needs very
 * long for many `.reloc`.
 */
static void begin_list(const struct sleds *sleds, enum list list, unsigned number)
{
	struct hp_text *text = sleds->text;

	hp_text_printf(text, " .p2align 2; .Lhotpath_list%d_%u:", (int)list, number);
	if (list == ENTRIES && sleds->is_late)
		hp_text_printf(text, " .reloc .Lhotpath_list%d_%u, BFD_RELOC_NONE, %s;", (int)list,
			       number, HP_DECLARED);
}

/* Add a sled to the list of the section that it is in, which is in the same group (?). A 1 says that an exit and the entry
   it belongs to follow: no sled is so near, and gaps are filled by 0. */
static void add_to(enum list list, struct sleds *sleds, struct anchor *first, unsigned number,
		   unsigned owner)
{
	static const char *const names[LISTS] = { HP_ENTRIES, HP_EXITS };
	struct hp_text *text = sleds->text;

	hp_text_printf(text, "; .pushsection %s,\"a?\",%%progbits,unique,%u;", names[list],
		       first->number);
	if (!first->has[list])
		begin_list(sleds, list, first->number);
	hp_text_printf(text, " .long %s.Lhotpath%u-.", owner ? "1," : "", number);
	if (owner)
		hp_text_printf(text, ",.Lhotpath%u-.", owner);
	hp_text_puts(text, "; .popsection");
	first->has[list] = true;
}

/* Let code refer to its list, which is kept by that. */
static void keep(enum list list, struct sleds *sleds, const struct anchor *first, unsigned number)
{
	hp_text_printf(sleds->text, "; .reloc .Lhotpath%u, BFD_RELOC_NONE, .Lhotpath_list%d_%u",
		       number, (int)list, first->number);
}

static void write_entry(struct sleds *sleds, const struct place *place, struct function *function,
			const struct line *line)
{
	function->entry = ++sleds->last;
	sleds->entries++;
	sleds->machine->write_entry(sleds->text, function->entry, line);
	if (sleds->entries == 1)
		hp_module_declare(sleds->text);

	struct anchor *first = anchor(sleds, place->section, function->entry);
	bool is_new = !first->has[ENTRIES];
	add_to(ENTRIES, sleds, first, function->entry, 0);
	if (is_new)
		keep(ENTRIES, sleds, first, function->entry);
	hp_text_putc(sleds->text, ';');
}

/* `part` is the function, or its cold part. An exit in another section than the entry says whose it is. */
static void write_exit(struct sleds *sleds, const struct place *place, const struct function *part,
		       const struct function *function, const struct line *line)
{
	unsigned number = ++sleds->last;
	struct anchor *first = anchor(sleds, place->section, number);
	bool is_near = part == function && hp_piece_equals(place->section, function->section);
	bool is_new = !first->has[EXITS];
	char list[LABEL_MAX];

	snprintf(list, sizeof(list), ".Lhotpath_list%d_%u", (int)EXITS, first->number);
	bool keeps = sleds->machine->write_exit(sleds->text, number, line,
						sleds->machine->leaves(line), is_new ? list : NULL);
	add_to(EXITS, sleds, first, number, is_near ? 0 : function->entry);
	if (is_new && !keeps)
		keep(EXITS, sleds, first, number);
}

/* Align a function; at the NOPs in front of its label, if there are some, which must stay together with it. */
static void align(struct sleds *sleds, const struct place *place, const struct line *line,
		  bool starts)
{
	const struct function *next = &sleds->functions[place->function - starts];

	if (!sleds->machine->alignment || next == sleds->functions + sleds->count || !next->wanted)
		return;
	if (starts && !next->nops_from) {
		hp_text_puts(sleds->text, sleds->machine->alignment);
	} else if (!starts && next->nops_from == line->whole.text) {
		unsigned number = ++sleds->last;
		hp_text_puts(sleds->text, sleds->machine->alignment);
		hp_text_printf(sleds->text,
			       " .skip (.Lhotpath%1$u-%2$.*3$s)&7,0x90; .Lhotpath%1$u:", number,
			       next->name.text, (int)next->name.length);
	}
}

/* `starts`: this is the label of a function; `enters`: this is the first line behind its entry. */
static void write_line(struct sleds *sleds, const struct place *place, const struct line *line,
		       bool starts, bool enters)
{
	struct function *part = place->function ? &sleds->functions[place->function - 1] : NULL;
	struct function *function = part ? whole_of(sleds, part) : NULL;

	align(sleds, place, line, starts);
	if (enters && part->wanted)
		write_entry(sleds, place, part, line);
	if (function && function->entry && !place->in_asm && line->kind == LINE_INSTRUCTION &&
	    sleds->machine->leaves(line) != STAYS)
		write_exit(sleds, place, part, function, line);
	else
		hp_text_add(sleds->text, line->whole.text, line->whole.length);
	hp_text_putc(sleds->text, '\n');
}

static void write_lines(struct sleds *sleds, struct piece assembly)
{
	struct place place = { 0 };
	struct line line;

	while (hp_line_next(&assembly, &line)) {
		size_t before = place.function;
		bool enters = step(&place, &line, sleds->machine);
		write_line(sleds, &place, &line, place.function != before, enters);
	}
}

static void write_all(struct sleds *sleds, struct piece assembly, struct sled_choice choice)
{
	if (!find_functions(sleds, assembly))
		sleds->text->failed = true;
	choose(sleds, choice);
	write_lines(sleds, assembly);
	if (sleds->entries)
		hp_module_write(sleds->text, sleds->machine);
	free(sleds->functions);
}

unsigned hp_sleds_write(struct hp_text *text, struct piece assembly, const struct machine *machine,
			struct sled_choice choice)
{
	struct sleds sleds = { .text = text, .machine = machine, .is_late = hp_is_late(assembly) };
	struct hp_text ready = HP_TEXT_INIT;

	/* The former is what gcc writes, and the latter clang. */
	if (machine->has_byte_tables && hp_has_byte_tables(assembly))
		hp_widen_tables(&ready, assembly);
	else if (machine->has_unmarked_jumps && hp_has_unmarked_jumps(assembly))
		hp_mark_tail_calls(&ready, assembly);
	if (ready.length)
		assembly = (struct piece){ ready.bytes, ready.length };
	write_all(&sleds, assembly, choice);
	text->failed |= ready.failed;
	hp_text_free(&ready);
	return sleds.entries;
}
