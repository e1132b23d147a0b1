/* SPDX-License-Identifier: MIT */
/*
 * Any bytes in place of a program, of its notes, and of the selection in them: nothing outside them is read,
 * and every name that is found ends inside.
 */
#include "read_all.h"

#include "elf_file.h"
#include "note.h"
#include "selection.h"
#include "stubs.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	const struct hp_elf *elf;
	const char *selection;
	size_t functions;
	size_t imports;
	uint64_t last;
};

static void check_inside(const struct hp_elf *elf, const void *at, size_t size)
{
	const unsigned char *begin = at;

	must(begin >= elf->bytes && begin <= elf->bytes + elf->size);
	must(size <= (size_t)(elf->bytes + elf->size - begin));
}

static void visit(void *context, const struct hp_symbol *symbol)
{
	struct seen *seen = context;

	check_inside(seen->elf, symbol->name, strlen(symbol->name) + 1);
	must(symbol->name[0] && symbol->rank >= 1 && symbol->rank <= 3);
	/* A few are enough: a selection looks at each line for each name. */
	if (seen->functions++ < 16)
		hp_selection_has(seen->selection, symbol->name, symbol->size);
	seen->last = symbol->address;
}

static void visit_import(void *context, const struct hp_import *import)
{
	struct seen *seen = context;
	/* A few are enough: some are looked for in all symbols. */
	const char *name = seen->imports++ < 16 ? hp_elf_import_name(seen->elf, import) : NULL;

	if (name)
		check_inside(seen->elf, name, strlen(name) + 1);
}

static void use_stubs(struct seen *seen)
{
	struct hp_stub stub;

	for (uint64_t at = 0; at < 0x2000; at += 0x110)
		if (hp_elf_stub_at(seen->elf, at, &stub))
			must(stub.start <= at && at < stub.end);
	hp_elf_each_import(seen->elf, visit_import, seen);
}

static void use_elf(const struct hp_elf *elf, const char *selection)
{
	struct seen seen = { elf, selection, 0, 0, 0 };
	const unsigned char *id;
	struct hp_symbol symbol;
	uint32_t crc;
	size_t length = hp_elf_build_id(elf, &id);

	if (length)
		check_inside(elf, id, length);
	const char *link = hp_elf_debug_link(elf, &crc);
	if (link)
		check_inside(elf, link, strlen(link) + 1);
	const char *interpreter = hp_elf_interpreter(elf);
	if (interpreter)
		check_inside(elf, interpreter, strlen(interpreter) + 1);
	hp_elf_needs(elf, "libhotpath");
	const void *note = hp_elf_note(elf, HP_NOTE_OWNER, HP_NOTE_ALLOC, &length);
	if (note)
		check_inside(elf, note, length);
	hp_elf_exports(elf, "malloc");
	hp_elf_each_function(elf, visit, &seen);
	uint64_t start = 0;
	must(!hp_elf_function_start(elf, 0x1000, &start) || start <= 0x1000);
	hp_elf_caller(elf, 0x1000, 0x1008);
	use_stubs(&seen);
	if (seen.functions) {
		must(hp_elf_function_at(elf, seen.last, &symbol));
		must(symbol.address == seen.last);
	}
}

/* The input up to its first NUL as a selection, the rest as a name. */
static void use_selection(const char *text, size_t size)
{
	const char *name = text + strlen(text) + (strlen(text) < size);
	struct hp_selection_line line;
	const char *at = text;
	bool has = hp_selection_has(text, name, size);

	while (hp_selection_next(&at, &line)) {
		must(line.pattern >= text && line.pattern + line.length <= at);
		bool matches = hp_selection_matches(line.pattern, line.length, name);
		must(!has || line.kind != HP_SELECTION_SKIP || !matches);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct hp_elf elf;
	size_t length = 0;

	memcpy(text, data, size);
	text[size] = '\0';
	if (hp_elf_view(&elf, data, size) == 0) {
		use_elf(&elf, text);
	} else {
		const char *selection = hp_selection_note(data, size, &length);
		must(!selection || strlen(selection) == length);
		hp_note_build_id(data, size, &length);
		use_selection(text, size < 4096 ? size : 0);
	}
	free(text);
	return 0;
}
