/* SPDX-License-Identifier: MIT */
/* The page: its parts, put where index.html has their names. */
#include "page_parts.h"

#include "report.h"

#include "page_files.h"

#include <string.h>

const char *const hp_page_script = page_js;
const char *const hp_page_style = page_css;

/* What a page is made of. */
struct parts {
	struct hp_text *text;
	/* The JSON of a report or a comparison; NULL if the page is to ask for it. */
	const struct hp_text *data;
};

static void put_policy(const struct parts *parts)
{
	if (parts->data)
		hp_text_puts(parts->text,
			     "<meta http-equiv=\"Content-Security-Policy\" content=\""
			     "default-src 'none'; script-src '" PAGE_JS_HASH
			     "'; style-src '" PAGE_CSS_HASH
			     "'; img-src data:; base-uri 'none'; form-action 'none'\">");
}

static void put_style(const struct parts *parts)
{
	if (parts->data) {
		hp_text_puts(parts->text, "<style>");
		hp_text_puts(parts->text, page_css);
		hp_text_puts(parts->text, "</style>");
	} else {
		hp_text_puts(parts->text, "<link rel=\"stylesheet\" href=\"page.css\">");
	}
}

static void put_data(const struct parts *parts)
{
	struct hp_text sections = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&sections, false);

	hp_page_put_sections(&json);
	hp_page_put_data("sections", &sections, parts->text);
	hp_text_free(&sections);
	if (parts->data)
		hp_page_put_data("data", parts->data, parts->text);
}

static void put_script(const struct parts *parts)
{
	if (parts->data) {
		hp_text_puts(parts->text, "<script type=\"module\">");
		hp_text_puts(parts->text, page_js);
		hp_text_puts(parts->text, "</script>");
	} else {
		hp_text_puts(parts->text, "<script type=\"module\" src=\"page.js\"></script>");
	}
}

/* By the names in index.html. */
static const struct {
	const char *name;
	void (*put)(const struct parts *parts);
} places[] = {
	{ "{{policy}}", put_policy },
	{ "{{style}}", put_style },
	{ "{{data}}", put_data },
	{ "{{script}}", put_script },
};

enum { PLACES = sizeof(places) / sizeof(*places) };

/* Write the part that a place names; returns how long the name is. */
static size_t put_part(const struct parts *parts, const char *place)
{
	for (size_t i = 0; i < PLACES; i++) {
		size_t length = strlen(places[i].name);
		if (strncmp(place, places[i].name, length) == 0) {
			places[i].put(parts);
			return length;
		}
	}
	return 0;
}

static void write_page(const struct parts *parts)
{
	const char *at = index_html;

	for (const char *place; (place = strstr(at, "{{"));) {
		hp_text_add(parts->text, at, (size_t)(place - at));
		at = place + put_part(parts, place);
	}
	hp_text_puts(parts->text, at);
}

void hp_page_write_live(struct hp_text *text)
{
	write_page(&(struct parts){ .text = text });
}

void hp_page_write_data(const struct hp_text *data, struct hp_text *text)
{
	write_page(&(struct parts){ .text = text, .data = data });
}

/* Nobody scrolls through a page as through a terminal: all sections, and all rows, unless somebody has said which. */
static struct hp_report_options page_options(const struct hp_report_options *options)
{
	struct hp_report_options all = *options;

	all.in_page = true;
	if (all.limits[HP_LIMIT_ALL] == HP_LIMIT_UNSET)
		all.limits[HP_LIMIT_ALL] = 0;
	if (strcmp(all.sections, "auto") == 0)
		strcpy(all.sections, "all");
	return all;
}

void hp_page_write(const struct hp_model *model, const struct hp_report_options *options,
		   struct hp_text *text)
{
	struct hp_report_options all = page_options(options);
	struct hp_text data = HP_TEXT_INIT;
	struct hp_json json = hp_json_start(&data, false);

	hp_json_begin_object(&json);
	hp_report_put_members(model, &all, &json);
	hp_page_put_flames(model, &json);
	hp_json_end_object(&json);
	hp_page_write_data(&data, text);
	hp_text_free(&data);
}
