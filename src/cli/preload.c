/* SPDX-License-Identifier: MIT */
/*
 * The recorder for programs that do not bring it themselves: the environment variable LD_PRELOAD.
 *
 * A program of another C library would not start with ours. One that is sanitised insists on being first,
 * and must be told that it need not be.
 */
#include "preload.h"

#include "elf_file.h"
#include "library_path.h"
#include "output.h"
#include "program_path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set a variable to a value, and after it what it was. */
static void put_first(const char *variable, const char *value)
{
	const char *before = getenv(variable);
	char *both = NULL;

	if (!before || !*before)
		setenv(variable, value, 1);
	else if (asprintf(&both, "%s:%s", value, before) >= 0)
		setenv(variable, both, 1);
	free(both);
}

/* Whether a program is loaded by the same dynamic linker as we are; scripts run in one that is, we hope. */
static bool is_of_our_kind(const struct hp_elf *program)
{
	const char *theirs = hp_elf_interpreter(program), *ours;
	struct hp_elf tool;

	if (hp_elf_open(&tool, "/proc/self/exe"))
		return true;
	ours = hp_elf_interpreter(&tool);
	bool same = !theirs || (ours && strcmp(theirs, ours) == 0);
	hp_elf_close(&tool);
	return same;
}

/* Whether nothing about the program forbids it; what it needs for that is set. */
static bool suits(const char *name)
{
	char path[PATH_MAX];
	struct hp_elf program;
	bool fits;

	if (!program_find(name, path) || hp_elf_open(&program, path))
		return true;
	fits = is_of_our_kind(&program);
	if (hp_elf_needs(&program, "libasan.") || hp_elf_needs(&program, "libclang_rt.asan"))
		put_first("ASAN_OPTIONS", "verify_asan_link_order=0");
	hp_elf_close(&program);
	return fits;
}

/* Whether our library was built with a sanitizer, which only programs can bear that were as well. */
static bool is_sanitized(const char *library)
{
	static const char *const runtimes[] = { "libasan.", "libtsan.", "libubsan.",
						"libclang_rt." };
	struct hp_elf file;
	bool found = false;

	if (hp_elf_open(&file, library))
		return false;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		found |= hp_elf_needs(&file, runtimes[i]);
	hp_elf_close(&file);
	return found;
}

void preload_recorder(const char *program)
{
	char library[PATH_MAX];

	if (!suits(program))
		return;
	if (!library_find("libhotpath.so", library))
		complain(
			"libhotpath.so is not there: only what the program measures itself is recorded");
	else if (strpbrk(library, " :"))
		complain("%s cannot be preloaded: its path has a blank or a colon", library);
	else if (!is_sanitized(library))
		put_first("LD_PRELOAD", library);
}
