/* SPDX-License-Identifier: MIT */
/* Obstacles: why our libraries cannot be loaded into a program, or cannot see its allocations. */
#include "obstacle.h"

#include "elf_file.h"
#include "note.h"

#include <stdio.h>
#include <string.h>

/* The reason, in a sentence and in two words; the remedy; and whether it needs the static libraries. */
static const struct {
	const char *reason;
	const char *word;
	const char *remedy;
	bool is_static;
} texts[OBSTACLES] = {
	[OBSTACLE_STATIC] = { "it is statically linked", "statically linked", "link it with",
			      true },
	[OBSTACLE_PRIVILEGES] = { "it runs with different privileges (setuid, setgid or "
				  "capabilities)",
				  "different privileges", "link it with", false },
	[OBSTACLE_LIBC] = { "it uses a different C library", "different C library",
			    "build hotpath with that library, and link it with", false },
	[OBSTACLE_MACHINE] = { "it is for a different processor, or 32-bit", "different processor",
			       "build hotpath for that processor, and link it with", false },
	[OBSTACLE_MALLOC] = { "it has its own malloc", "its own malloc", "link it with -static and",
			      true },
};

const char *obstacle_word(enum obstacle obstacle)
{
	return texts[obstacle].word;
}

void obstacle_text(enum obstacle obstacle, const char *package, char text[OBSTACLE_TEXT])
{
	int length = snprintf(text, OBSTACLE_TEXT, "%s", texts[obstacle].reason);

	if (package)
		snprintf(text + length, OBSTACLE_TEXT - (size_t)length,
			 "; %s %s ('pkg-config %s--libs %s')", texts[obstacle].remedy, package,
			 texts[obstacle].is_static ? "--static " : "", package);
}

enum obstacle obstacle_find(const char *path)
{
	enum obstacle obstacle = (enum obstacle)hp_loading_find(path);
	struct hp_elf program;

	if (obstacle || hp_elf_open(&program, path))
		return obstacle;
	if (hp_elf_exports(&program, "malloc"))
		obstacle = OBSTACLE_MALLOC;
	hp_elf_close(&program);
	return obstacle;
}

enum linked_probe obstacle_avoided(const char *path, enum probe_subject subject)
{
	static const struct {
		uint32_t note;
		const char *library;
	} subjects[] = { [PROBE_OF_ALLOCATIONS] = { HP_NOTE_ALLOC, "libhotpath-alloc.so" },
			 [PROBE_OF_WAITS] = { HP_NOTE_WAITS, "libhotpath-waits.so" } };
	enum linked_probe probe = PROBE_NONE;
	struct hp_elf program;
	size_t length;
	if (hp_elf_open(&program, path))
		return PROBE_NONE;

	if (hp_elf_note(&program, HP_NOTE_OWNER, subjects[subject].note, &length))
		probe = PROBE_STATIC;
	else if (hp_elf_needs(&program, subjects[subject].library))
		probe = PROBE_SHARED;
	hp_elf_close(&program);
	return probe;
}

bool obstacle_has_recorder(const char *path)
{
	/* The recorder reads this variable, so the string is in the program even if it was stripped. */
	static const char question[] = "HOTPATH_OFF";
	struct hp_elf program;
	if (hp_elf_open(&program, path))
		return false;

	bool found = hp_elf_needs(&program, "libhotpath.so") ||
		     memmem(hp_elf_whole(&program), program.size, question, sizeof(question));
	hp_elf_close(&program);
	return found;
}
