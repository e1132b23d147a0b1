/* SPDX-License-Identifier: MIT */
/* A comparison as a page, to look at in a browser: its JSON, and what shows it. */
#include "compare_page.h"

#include "page_write.h"

static void write_page(const struct hp_comparison *comparison, const struct hp_compare_style *style,
		       struct hp_text *text)
{
	struct hp_text data = HP_TEXT_INIT;

	hp_compare_json.write(comparison, style, &data);
	hp_page_write_data(&data, text);
	hp_text_free(&data);
}

const struct hp_compare_format compare_page = { "html", write_page };
