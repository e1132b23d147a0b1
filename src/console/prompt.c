/* SPDX-License-Identifier: MIT */
/* A line of text that the user types at the bottom. */
#include "console_state.h"

#include "curses_library.h"

#include <string.h>

void prompt_open(struct console *console, const char *prompt, const char *typed,
		 void (*on_change)(struct console *), void (*on_enter)(struct console *))
{
	console->prompt = prompt;
	console->on_change = on_change;
	console->on_enter = on_enter;
	strncpy(console->typed, typed, sizeof(console->typed) - 1);
}

/* Remove the last UTF-8 character. */
static void erase_last(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
		length--;
	text[length ? length - 1 : 0] = '\0';
}

static void add_byte(char *text, char byte)
{
	size_t length = strlen(text);

	if (length + 1 < PROMPT_SIZE) {
		text[length] = byte;
		text[length + 1] = '\0';
	}
}

static void change(struct console *console)
{
	if (console->on_change)
		console->on_change(console);
}

static void end(struct console *console, bool entered)
{
	console->prompt = NULL;
	if (!entered)
		console->typed[0] = '\0';
	if (entered && console->on_enter)
		console->on_enter(console);
	else
		change(console);
}

bool prompt_key(struct console *console, int key)
{
	if (!console->prompt || key == KEY_RESIZE || key == KEY_MOUSE)
		return false;
	if (key == '\r' || key == '\n' || key == KEY_ENTER || key == 27) {
		end(console, key != 27);
		return true;
	}
	if (key == KEY_BACKSPACE || key == 127 || key == 8)
		erase_last(console->typed);
	else if (key == ('u' & 31))
		console->typed[0] = '\0';
	else if (key >= ' ' && key < 256)
		add_byte(console->typed, (char)key);
	change(console);
	return true;
}
