/* SPDX-License-Identifier: MIT */
/* Notes on properties in which runs differ but should not. */
#include "alloc_mode.h"
#include "notes.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A property of a run, as a sentence: "base ran on X, head on Y: times cannot be compared". */
struct trait {
	const char *verb;
	const char *again;
	/* Nothing is written when it is not known. */
	void (*describe)(const struct hp_run *run, struct hp_text *text);
	const char *so;
	/* Only for reports: if we run the programs ourselves, the user knows it. */
	bool of_reports;
};

/* ---- what it is ---- */

/* Without the program itself, whose old and new versions may have different names. */
static void describe_arguments(const struct hp_run *run, struct hp_text *text)
{
	const char *arguments = run->report.model->arguments;

	if (arguments)
		hp_text_printf(text, "'%.120s'", arguments);
}

static void describe_machine(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_machine *machine = &run->report.model->machine;

	hp_text_puts(text, machine->cpu[0] ? machine->cpu : machine->arch);
	if (machine->cores)
		hp_text_printf(text, "%s%" PRIu32 " core%s", text->length ? " with " : "",
			       machine->cores, machine->cores == 1 ? "" : "s");
}

static void describe_kernel(const struct hp_run *run, struct hp_text *text)
{
	if (run->report.model->machine.kernel[0])
		hp_text_printf(text, "Linux %s", run->report.model->machine.kernel);
}

static void describe_version(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_saved *report = &run->report;

	if (report->version[0])
		hp_text_printf(text, "hotpath %s", report->version);
	else if (report->schema)
		hp_text_puts(text, "a hotpath");
	if (report->schema)
		hp_text_printf(text, " in schema %" PRIu64, report->schema);
}

static void describe_alloc(const struct hp_run *run, struct hp_text *text)
{
	enum hp_alloc_mode mode = run->report.model->memory.mode;

	if (mode != HP_ALLOC_NONE)
		hp_text_printf(text, "--alloc=%s", hp_alloc_mode_name(mode));
}

static void describe_cpu(const struct hp_run *run, struct hp_text *text)
{
	static const char *const sources[] = { "", "perf events", "CPU timers" };
	const struct hp_cpu *cpu = &run->report.model->cpu;

	if (cpu->source == HP_CPU_NONE)
		return;
	hp_text_puts(text, sources[cpu->source]);
	if (cpu->rate_hz)
		hp_text_printf(text, " at %" PRIu32 " Hz", cpu->rate_hz);
}

static void describe_functions(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_model *model = run->report.model;
	bool is_measured = hp_model_has_calls(model) || model->cpu.attributed_samples;

	if (model->cpu.source != HP_CPU_NONE)
		hp_text_puts(text, is_measured ? "measured functions" : "symbols of the program");
}

static void describe_allocators(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_model *model = run->report.model;

	if (model->memory.mode != HP_ALLOC_NONE && model->memory.count)
		hp_text_puts(text, hp_model_has_calls(model) ? "measured functions"
							     : "symbols of the program");
}

static void describe_processes(const struct hp_run *run, struct hp_text *text)
{
	uint32_t processes = run->report.model->processes;

	if (processes)
		hp_text_printf(text, "%" PRIu32 " process%s", processes,
			       processes == 1 ? "" : "es");
}

static void describe_commit(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_provenance *provenance = &run->report.model->provenance;

	hp_text_printf(text, "%.12s", provenance->git_sha);
	if (provenance->git_sha[0] && provenance->git_ref[0])
		hp_text_printf(text, " (%.80s)", provenance->git_ref);
}

static void describe_metadata(const struct hp_run *run, struct hp_text *text)
{
	const struct hp_metadata *metadata = &run->report.model->user_metadata;

	for (size_t i = 0; i < metadata->count; i++)
		hp_text_printf(text, "%s%.60s=%.60s", i ? "," : "", metadata->items[i].key,
			       metadata->items[i].value);
}

static const struct trait traits[] = {
	{ "is of commit ", "of ", describe_commit, "the changes between these commits are compared",
	  true },
	{ "has the metadata ", "", describe_metadata, "they may have done different work", false },
	{ "ran with arguments ", "with ", describe_arguments, "they may have done different work",
	  true },
	{ "ran on ", "on ", describe_machine, "times cannot be compared", false },
	{ "ran under ", "under ", describe_kernel, "that alone may change times", false },
	{ "was written by ", "by ", describe_version, "what only one version knows is left out",
	  false },
	{ "holds ", "", describe_processes,
	  "counts are sums over processes, and elapsed is the "
	  "longest",
	  false },
	{ "ran with ", "with ", describe_alloc, "the cost of measuring differs", false },
	{ "has CPU time from ", "from ", describe_cpu, "one is more exact than the other", false },
	{ "has allocations by ", "by ", describe_allocators, "their rows are different", false },
	{ "has CPU time by ", "by ", describe_functions, "their rows are different", false },
};

/* ---- where it differs ---- */

/* The property of a side: that of the first run where it is known. */
struct told {
	struct hp_text text;
	const struct hp_run *run;
};

static bool describe(const struct trait *trait, const struct hp_run *run, struct hp_text *text)
{
	trait->describe(run, text);
	return text->length > 0;
}

/* Compare a run with the first of its side; a difference is noted. */
static int note_run(struct hp_comparison *comparison, const struct trait *trait, unsigned side,
		    const struct hp_run *run, struct told *told, bool *differs)
{
	struct hp_text text = HP_TEXT_INIT;
	int failed = 0;

	if (!describe(trait, run, &text)) {
		failed = text.failed ? -ENOMEM : 0;
	} else if (!told->run) {
		*told = (struct told){ text, run };
		return text.failed ? -ENOMEM : 0;
	} else if (strcmp(text.bytes, told->text.bytes) != 0) {
		*differs = true;
		failed = hp_notes_add(comparison, "of %s, %.100s %s%s, %.100s %s%s: %s",
				      hp_notes_name(side), told->run->label, trait->verb,
				      told->text.bytes, run->label, trait->again, text.bytes,
				      trait->so);
	}
	hp_text_free(&text);
	return failed;
}

static int note_side(struct hp_comparison *comparison, const struct trait *trait, unsigned side,
		     struct told *told)
{
	const struct hp_side *runs = hp_notes_side(comparison, side);
	bool differs = false;
	int failed = 0;

	for (size_t i = 0; i < runs->count && !failed && !differs; i++)
		failed = note_run(comparison, trait, side, &runs->runs[i], told, &differs);
	return failed;
}

static int note_trait(struct hp_comparison *comparison, const struct trait *trait)
{
	struct told told[2] = { { HP_TEXT_INIT, NULL }, { HP_TEXT_INIT, NULL } };
	int failed = 0;

	for (unsigned side = 0; side < 2 && !failed; side++)
		failed = note_side(comparison, trait, side, &told[side]);
	if (!failed && told[0].run && told[1].run &&
	    strcmp(told[0].text.bytes, told[1].text.bytes) != 0)
		failed = hp_notes_add(comparison, "base %s%s, head %s%s: %s", trait->verb,
				      told[0].text.bytes, trait->again, told[1].text.bytes,
				      trait->so);
	hp_text_free(&told[0].text);
	hp_text_free(&told[1].text);
	return failed;
}

int hp_note_traits(struct hp_comparison *comparison)
{
	bool is_run = comparison->base.command || comparison->head.command;
	int failed = 0;

	for (size_t i = 0; i < sizeof(traits) / sizeof(*traits) && !failed; i++)
		if (!traits[i].of_reports || !is_run)
			failed = note_trait(comparison, &traits[i]);
	return failed;
}
