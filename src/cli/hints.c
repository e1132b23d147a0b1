/* SPDX-License-Identifier: MIT */
/* The closing line of a run in a terminal: what else could be asked for. */
#include "hints.h"

#include "elf_file.h"
#include "obstacle.h"
#include "program_path.h"

#include <unistd.h>

/* A run, as far as it matters for what makes sense. */
struct scene {
	const struct recording *asked;
	/* Why the program, or its allocations, cannot be recorded. */
	enum obstacle obstacle;
	/* An ELF file that was not stripped. Stripped programs usually come from a distribution: nobody rebuilds them. */
	bool is_own_build;
	bool has_calls;
	bool has_samples;
	bool has_allocations;
};

static bool lacks_allocations(const struct scene *scene)
{
	return !scene->has_allocations && scene->asked->alloc == HP_ALLOC_NONE && !scene->obstacle;
}

static bool lacks_waits(const struct scene *scene)
{
	return !scene->asked->waits && (!scene->obstacle || scene->obstacle == OBSTACLE_MALLOC);
}

static bool lacks_calls(const struct scene *scene)
{
	return scene->is_own_build && !scene->has_calls;
}

static bool has_samples(const struct scene *scene)
{
	return scene->has_samples;
}

static const struct {
	const char *words;
	/* The things that it would show. */
	const char *what;
	bool (*makes_sense)(const struct scene *scene);
} hints[] = {
	{ "--alloc", "memory", lacks_allocations },
	{ "--waits", "locks, I/O", lacks_waits },
	{ "hotpath cc", "every call", lacks_calls },
	{ "hotpath export", "flame graph", has_samples },
};

static void look_at_program(struct scene *scene, const char *program)
{
	struct hp_elf file;
	char path[PATH_MAX];

	if (!program_find(program, path))
		return;
	scene->obstacle = obstacle_find(path);
	if (hp_elf_open(&file, path))
		return;
	scene->is_own_build = hp_elf_has_symtab(&file);
	hp_elf_close(&file);
}

static void look_at_run(struct scene *scene, const struct hp_model *run)
{
	scene->has_calls = hp_model_has_calls(run);
	scene->has_samples = hp_cpu_has_samples(&run->cpu);
	scene->has_allocations = run->memory.mode != HP_ALLOC_NONE;
}

static void put_hints(const struct scene *scene, bool with_what, struct hp_text *line)
{
	const char *before = "More: ";

	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		if (!hints[i].makes_sense(scene))
			continue;
		hp_text_printf(line, "%s%s", before, hints[i].words);
		if (with_what)
			hp_text_printf(line, " (%s)", hints[i].what);
		before = ", ";
	}
}

/* The line stays one line: a narrow terminal has the hints without the things that they would show. */
static void put_line(const struct scene *scene, unsigned width, struct hp_text *text)
{
	struct hp_text line = HP_TEXT_INIT;

	put_hints(scene, true, &line);
	if (width && line.length > width) {
		hp_text_free(&line);
		line = (struct hp_text)HP_TEXT_INIT;
		put_hints(scene, false, &line);
	}
	if (line.length)
		hp_text_printf(text, "\n%s\n", line.bytes);
	text->failed |= line.failed;
	hp_text_free(&line);
}

void hints_write(const struct input *input, const struct recording *recording,
		 const struct hp_model *run, struct hp_text *text)
{
	const struct hp_report_options *options = &input->report;
	struct scene scene = { .asked = recording };

	if (options->format != HP_FORMAT_TABLE || options->output_path[0] || !isatty(STDERR_FILENO))
		return;
	look_at_program(&scene, input->arguments[0]);
	look_at_run(&scene, run);
	put_line(&scene, options->width, text);
}
