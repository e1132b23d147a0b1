/* SPDX-License-Identifier: MIT */
/* Reports selection patterns of `hotpath cc` that match no function. */
#include "patterns.h"

#include "atomic.h"
#include "file_name.h"
#include "module_file.h"
#include "selection.h"

#include <stdlib.h>

enum {
	/* Bounds the work: a hostile segment could make us scan a large file again and again. */
	CHECKS_MAX = 200,
};

struct trial {
	struct hp_selection_line line;
	bool matches;
};

static void try_pattern(void *context, const struct hp_symbol *symbol)
{
	struct trial *trial = context;

	trial->matches = trial->matches || hp_selection_matches(trial->line.pattern,
								trial->line.length, symbol->name);
}

static bool note(const struct trial *trial, const char *path, struct hp_model *model)
{
	return hp_model_note(model, "hotpath cc --%s '%.*s' matches no function of %s",
			     trial->line.kind == HP_SELECTION_ONLY ? "only" : "skip",
			     (int)trial->line.length, trial->line.pattern, hp_file_name(path));
}

static bool check_patterns(const struct hp_elf *symbols, const char *selection, const char *path,
			   unsigned *left, struct hp_model *model)
{
	struct trial trial;

	while (*left && hp_selection_next(&selection, &trial.line)) {
		--*left;
		trial.matches = trial.line.kind == HP_SELECTION_MIN_SIZE;
		if (!trial.matches)
			hp_elf_each_function(symbols, try_pattern, &trial);
		if (!trial.matches && !note(&trial, path, model))
			return false;
	}
	return true;
}

/* Without the complete symbols of the right file, nothing can be said. */
static bool check_module(const struct hp_snapshot *snapshot, const struct hp_module *module,
			 unsigned *left, struct hp_model *model)
{
	char *path = hp_snapshot_string(snapshot, module->path);
	char *selection = path ? hp_snapshot_string(snapshot, module->selection) : NULL;
	struct hp_module_file file;
	bool done = true;

	if (selection) {
		--*left;
		if (!hp_module_file_open(&file, module, path) && file.symbols)
			done = check_patterns(file.symbols, selection, path, left, model);
		hp_module_file_close(&file);
	}
	free(selection);
	free(path);
	return done;
}

bool hp_patterns_check(const struct hp_snapshot *snapshot, struct hp_model *model)
{
	uint64_t modules = hp_check_most(snapshot->bytes, sizeof(struct hp_module));
	unsigned left = CHECKS_MAX;
	/* Pairs with the RELEASE that published the newest module. */
	const struct hp_module *module = hp_check_module(snapshot->bytes,
							 load(&snapshot->header->modules, ACQUIRE));

	for (; module && modules && left; modules--) {
		if (!check_module(snapshot, module, &left, model))
			return false;
		module = hp_check_module(snapshot->bytes, module->next);
	}
	return true;
}
