/* SPDX-License-Identifier: MIT */
/* Writes the files of the page that a server hands out to a folder: index.html, page.js and page.css. */
#include "page_write.h"

#include <stdio.h>
#include <unistd.h>

static int write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(text, file) < 0 || fclose(file)) {
		perror(name);
		return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct hp_text text = HP_TEXT_INIT;

	if (argc != 2 || chdir(argv[1]))
		return 2;
	hp_page_write_live(&text);
	return text.failed || write_file("index.html", text.bytes) ||
	       write_file("page.js", hp_page_script) || write_file("page.css", hp_page_style);
}
