/* SPDX-License-Identifier: MIT */
/* GET /, /page.js and /page.css: the page, which asks the other paths. */
#include "page_write.h"
#include "request.h"
#include "route.h"

#include <string.h>

static void answer_page(struct hp_request *request)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_page_write_live(&text);
	hp_request_answer(request, 200, "text/html; charset=utf-8", &text);
}

static void answer_script(struct hp_request *request)
{
	hp_request_answer_static(request, "text/javascript; charset=utf-8", hp_page_script,
				 strlen(hp_page_script));
}

static void answer_style(struct hp_request *request)
{
	hp_request_answer_static(request, "text/css; charset=utf-8", hp_page_style,
				 strlen(hp_page_style));
}

const struct hp_route hp_route_page = {
	.path = "/",
	.help = "the page, for a browser",
	.answer = answer_page,
};

const struct hp_route hp_route_page_script = {
	.path = "/page.js",
	.help = "the script of the page",
	.answer = answer_script,
};

const struct hp_route hp_route_page_style = {
	.path = "/page.css",
	.help = "the style of the page",
	.answer = answer_style,
};
