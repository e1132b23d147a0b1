/* SPDX-License-Identifier: MIT */
/* The names of a process: its executable, its arguments, and its title. */
#include "process_name.h"

#include "file_name.h"

#include <string.h>

/* A title that is just the path of the executable is not a title of its own. */
bool hp_process_has_title(const struct hp_process_name *name)
{
	return name->title && *name->title && strcmp(hp_file_name(name->title), name->program) != 0;
}

bool hp_process_is(const struct hp_process_name *name, const char *wanted)
{
	return strcmp(name->program, wanted) == 0 ||
	       (hp_process_has_title(name) && (strcmp(name->title, wanted) == 0 ||
					       strcmp(hp_file_name(name->title), wanted) == 0));
}

/* Cut a string to a number of bytes, but not inside a UTF-8 character. */
static size_t cut(const char *string, size_t most)
{
	while (most && ((unsigned char)string[most] & 0xc0) == 0x80)
		most--;
	return most;
}

static void put_arguments(struct hp_text *text, const char *arguments, size_t most)
{
	bool is_long = most && strlen(arguments) > most;
	struct hp_text part = HP_TEXT_INIT;

	hp_text_add(&part, arguments, is_long ? cut(arguments, most) : strlen(arguments));
	text->failed |= part.failed;
	hp_text_putc(text, ' ');
	hp_text_put_printable(text, part.bytes ? part.bytes : "");
	if (is_long)
		hp_text_puts(text, "…");
	hp_text_free(&part);
}

void hp_process_put(struct hp_text *text, const struct hp_process_name *name, size_t most)
{
	hp_text_put_printable(text, name->program);
	if (name->arguments && *name->arguments)
		put_arguments(text, name->arguments, most);
	if (!hp_process_has_title(name))
		return;
	hp_text_puts(text, " [");
	hp_text_put_printable(text, name->title);
	hp_text_putc(text, ']');
}
