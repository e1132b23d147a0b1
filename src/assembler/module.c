/* SPDX-License-Identifier: MIT */
#include "module.h"

#include <stddef.h>

#define GROUP "hotpath_module_sleds,comdat\n"

static const char *const sections[] = {
	HP_LISTS "1", HP_ENTRIES, HP_LISTS "3", HP_EXITS, HP_LISTS "5",
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

#define IN_GROUP "\"aG\",%progbits,hotpath_module_sleds,comdat"
#define IN_FILE "\"a\",%progbits"

/* Let the first section of a row keep the others; not all linkers keep a group together. */
static void keep_row(struct hp_text *text, const char *where, const char *label)
{
	hp_text_printf(text, "; .pushsection %s,%s", sections[0], where);
	for (size_t i = 1; i < SECTIONS; i++)
		hp_text_printf(text, "; .reloc %s0, BFD_RELOC_NONE, %s%zu", label, label, i);
	hp_text_puts(text, "; .popsection");
}

/*
 * All files have sections for the sake of their order. The first one has a number, since gold knows no relocations in what is
 * empty: it stands for nothing, and may be taken for one of the entries.
 */
static void declare_order(struct hp_text *text)
{
	for (size_t i = 0; i < SECTIONS; i++)
		hp_text_printf(text, "; .pushsection %s,%s; .Lhotpath_at%zu:%s .popsection",
			       sections[i], IN_FILE, i, i ? "" : " .long 0;");
	keep_row(text, IN_FILE, ".Lhotpath_at");
}

/* The sections of the file that the linker keeps have a number: one that is empty may be missing, or elsewhere. In lists, a 0
   stands for nothing. */
void hp_module_declare(struct hp_text *text)
{
	declare_order(text);
	for (size_t i = 0; i < SECTIONS; i++)
		hp_text_printf(text,
			       "; .pushsection %s,%s; .p2align 2; .Lhotpath_from%zu: .long 0; "
			       ".Lhotpath_to%zu: .popsection",
			       sections[i], IN_GROUP, i, i);
	keep_row(text, IN_GROUP, ".Lhotpath_from");
}

static void write_function(struct hp_text *text, const struct machine *machine, const char *name,
			   const char *calls, const char *array)
{
	hp_text_puts(text, "\t.section .text.hotpath_module,\"axG\",%progbits," GROUP);
	hp_text_printf(
		text,
		"\t.p2align 4\n\t.weak %1$s\n\t.hidden %1$s\n\t.type %1$s, %%function\n%1$s:\n"
		"\t.weak %2$s\n",
		name, calls);
	machine->write_caller(text, calls, "hotpath_module_sleds");
	hp_text_printf(text,
		       "\t.size %1$s, .-%1$s\n"
		       "\t.section .%2$s.00000,\"awG\",%%%2$s," GROUP
		       "\t.p2align 3\n\t.quad %1$s\n",
		       name, array);
}

void hp_module_write(struct hp_text *text, const struct machine *machine)
{
	write_function(text, machine, "hotpath_module_begin", "hotpath_module_begins",
		       "init_array");
	write_function(text, machine, "hotpath_module_end", "hotpath_module_ends", "fini_array");
	hp_text_puts(text, "\t.section .data.hotpath_module,\"awG\",%progbits," GROUP
			   "\t.p2align 3\n\t.weak hotpath_module_sleds\n"
			   "\t.hidden hotpath_module_sleds\n\t.type hotpath_module_sleds, %object\n"
			   "hotpath_module_sleds:\n\t.quad 0, 0\n");
	/* Where each list begins and ends. */
	for (size_t list = 1; list < SECTIONS; list += 2)
		hp_text_printf(text, "\t.quad .Lhotpath_to%zu-., .Lhotpath_from%zu-.\n", list - 1,
			       list + 1);
	hp_text_puts(text, "\t.size hotpath_module_sleds, .-hotpath_module_sleds\n");
}
