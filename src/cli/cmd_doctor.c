/* SPDX-License-Identifier: MIT */
/* hotpath doctor: what works on this machine, and what to do about what does not. */
#include "checks.h"
#include "command.h"
#include "json_writer.h"
#include "listing.h"
#include "output.h"

#include <unistd.h>

/* By enum verdict. */
static const char *const verdicts[] = { "ok", "warn", "fail" };

static void add_row(struct listing *listing, const char *name, const struct finding *finding)
{
	listing_add(listing, "%s", verdicts[finding->verdict]);
	listing_add(listing, "%s", name);
	listing_add(listing, "%s%s%s", finding->text, *finding->advice ? ": " : "",
		    finding->advice);
}

static void add_object(struct hp_json *json, const char *name, const struct finding *finding)
{
	hp_json_begin_object(json);
	hp_json_key(json, "name");
	hp_json_string(json, name);
	hp_json_key(json, "verdict");
	hp_json_string(json, verdicts[finding->verdict]);
	hp_json_key(json, "text");
	hp_json_string(json, finding->text);
	hp_json_key(json, "advice");
	hp_json_string(json, *finding->advice ? finding->advice : NULL);
	hp_json_end_object(json);
}

static int examine(struct listing *listing, struct hp_json *json)
{
	int status = STATUS_OK;

	for (const struct check *check = checks; check->name; check++) {
		struct finding finding = { VERDICT_OK, "", "" };
		check->find(&finding);
		add_row(listing, check->name, &finding);
		add_object(json, check->name, &finding);
		if (finding.verdict == VERDICT_FAIL)
			status = STATUS_NOTHING;
	}
	return status;
}

static int doctor(struct input *input)
{
	static const char *const no_headings[] = { "", "", "", NULL };
	struct hp_text text = HP_TEXT_INIT, json_text = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&json_text, false);
	struct listing listing;

	listing_init(&listing, no_headings);
	hp_json_begin_array(&json);
	int status = examine(&listing, &json);
	hp_json_end_array(&json);
	hp_text_putc(&json_text, '\n');
	listing_write(&listing, &text);
	listing_free(&listing);

	int written = output_write(input_option(input, "json") ? &json_text : &text, NULL,
				   STDOUT_FILENO);
	hp_text_free(&text);
	hp_text_free(&json_text);
	return written ? written : status;
}

static const struct option options[] = {
	{ .name = "json", .help = "print JSON: an array with an object for each check" },
	{ .name = NULL },
};

const struct command command_doctor = {
	.name = "doctor",
	.help = "Check what works on this machine, and say how to fix what does not.",
	.details = "Check what works on this machine, one line per check: 'ok', 'warn' if reports "
		   "will be less complete, 'fail' if there can be no reports; and say how to fix "
		   "it. Exits with status 1 if a check fails.",
	.options = options,
	.run = doctor,
};
