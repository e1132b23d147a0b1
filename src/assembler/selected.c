/* SPDX-License-Identifier: MIT */
#include "selected.h"

#include "run.h"
#include "selection.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool needs_sizes(const char *selection)
{
	struct hp_selection_line line;

	while (selection && hp_selection_next(&selection, &line))
		if (line.kind == HP_SELECTION_MIN_SIZE)
			return true;
	return false;
}

/* A second -o is the one that counts. What the assembler has to say it says when it is run for the real object. */
void hp_selected_measure(struct selected *selected, const char *assembler, char **words,
			 const struct hp_text *assembly)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX], option[] = "-o";
	size_t count = 0;
	if (!needs_sizes(selected->selection))
		return;

	snprintf(path, sizeof(path), "%s/hotpath-XXXXXX.o", folder && *folder ? folder : "/tmp");
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int descriptor = nowhere < 0 ? -1 : mkostemps(path, 2, O_CLOEXEC);
	if (descriptor < 0)
		goto close_nowhere;
	close(descriptor);
	while (words[count])
		count++;
	words[count] = option;
	words[count + 1] = path;
	selected->has_sizes = hp_assemble(assembler, words, assembly, nowhere, nowhere) == 0 &&
			      hp_elf_open(&selected->object, path) == 0;
	words[count] = words[count + 1] = NULL;
	if (selected->has_sizes)
		hp_elf_keep_symbols(&selected->object);
	unlink(path);
close_nowhere:
	if (nowhere >= 0)
		close(nowhere);
}

struct search {
	struct piece name;
	uint64_t size;
};

static void compare(void *context, const struct hp_symbol *symbol)
{
	struct search *search = context;

	if (hp_piece_is(search->name, symbol->name))
		search->size = symbol->size;
}

bool hp_selected_has(const void *context, struct piece name)
{
	const struct selected *selected = context;
	struct search search = { name, 0 };
	if (!selected->selection)
		return true;

	if (selected->has_sizes)
		hp_elf_each_function(&selected->object, compare, &search);
	char *copy = strndup(name.text, name.length);
	bool has = !copy || hp_selection_has(selected->selection, copy, search.size);
	free(copy);
	return has;
}

void hp_selected_free(struct selected *selected)
{
	if (selected->has_sizes)
		hp_elf_close(&selected->object);
}
