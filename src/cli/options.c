/* SPDX-License-Identifier: MIT */
/* The command line: one table of options for each command gives its parser and its --help. */
#include "options.h"

#include "command.h"
#include "nearest.h"
#include "output.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HELP_WIDTH = 80,
	/* Where the explanation of an option begins. */
	HELP_COLUMN = 30,
};

static const struct {
	char letter;
	const char *name;
} letters[] = {
	{ 'h', "help" },
	{ 'o', "output-path" },
};

static const struct option option_help = { .name = "help", .help = "show this help" };

static void add_option(struct input *input, struct option option)
{
	assert(input->option_count < OPTIONS_MAX);
	input->options[input->option_count++] = option;
}

/* An option without help is an alias of the next. */
static void add_report_option(struct input *input, const struct hp_report_option *of)
{
	bool ignored = input->command->ignores_output_path && strcmp(of->name, "output-path") == 0;
	bool follows = of > hp_report_option_table && !of[-1].help[0];

	if (of->help[0])
		add_option(input,
			   (struct option){
				   .name = of->name,
				   .value = of->is_switch ? NULL : of->value,
				   .help = of->help,
				   .other_name = follows ? of[-1].name : NULL,
				   .variable = ignored || !of->variable[0] ? NULL : of->variable,
				   .of_report = true,
			   });
}

/* The command's own, those of reports, and --help. */
static void gather_options(struct input *input)
{
	for (const struct option *own = input->command->options; own && own->name; own++)
		add_option(input, *own);
	for (const struct hp_report_option *of = hp_report_option_table; of->name[0]; of++)
		if (input->command->reports || (input->command->shows_rows && of->of_rows))
			add_report_option(input, of);
	add_option(input, option_help);
}

static bool is_word(const char *candidate, const char *word, size_t length)
{
	return candidate && strncmp(candidate, word, length) == 0 && candidate[length] == '\0';
}

static int find_option(const struct input *input, const char *name, size_t length)
{
	for (int i = 0; i < input->option_count; i++)
		if (is_word(input->options[i].name, name, length) ||
		    is_word(input->options[i].other_name, name, length))
			return i;
	return -1;
}

static int find_long(const struct input *input, const char *word, const char **value)
{
	const char *equals = strchrnul(word, '=');

	*value = *equals ? equals + 1 : NULL;
	return find_option(input, word, (size_t)(equals - word));
}

static int find_short(const struct input *input, const char *word, const char **value)
{
	*value = word[1] ? word + 1 : NULL;
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (letters[i].letter == word[0])
			return find_option(input, letters[i].name, strlen(letters[i].name));
	return -1;
}

static int unknown_option(const struct input *input, const char *word)
{
	const char *command = input->command->name;
	int length = (int)(strchrnul(word, '=') - word);
	struct hp_nearest nearest = { NULL, 0 };
	char name[64];

	snprintf(name, sizeof(name), "%.*s", length - 2, word + 2);
	for (int i = 0; word[1] == '-' && i < input->option_count; i++)
		hp_nearest_try(&nearest, name, input->options[i].name);
	if (nearest.name)
		complain("%s: unknown option '%.*s'; did you mean '--%s'?", command, length, word,
			 nearest.name);
	else
		complain("%s: unknown option '%.*s'; 'hotpath %s --help' lists all options",
			 command, length, word, command);
	return -EINVAL;
}

static int add_use(struct input *input, int option, const char *value)
{
	size_t count = (size_t)input->use_count + 1;
	struct option_use *uses = reallocarray(input->uses, count, sizeof(*uses));
	if (!uses) {
		complain("out of memory");
		return -ENOMEM;
	}
	uses[input->use_count++] = (struct option_use){ option, value };
	input->uses = uses;
	return 0;
}

static int needs_value(const struct input *input, const struct option *option)
{
	complain("%s: '--%s' needs a value: %s", input->command->name, option->name, option->value);
	return -EINVAL;
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1];
}

/* Take all that follows argv[*at] up to the next option. */
static int take_list(struct input *input, int option, char **argv, int *at)
{
	int error = 0;
	if (!argv[*at + 1] || is_option(argv[*at + 1]))
		return needs_value(input, &input->options[option]);

	while (!error && argv[*at + 1] && !is_option(argv[*at + 1]))
		error = add_use(input, option, argv[++*at]);
	return error;
}

/* Take the option at argv[*at], and its value if that is the next word. */
static int take_option(struct input *input, char **argv, int *at)
{
	const char *word = argv[*at];
	const char *command = input->command->name;
	const char *value;
	int found = word[1] == '-' ? find_long(input, word + 2, &value)
				   : find_short(input, word + 1, &value);
	if (found < 0)
		return unknown_option(input, word);

	const struct option *option = &input->options[found];
	if (option->takes_list && !value)
		return take_list(input, found, argv, at);
	if (!value)
		value = option->value_default;
	if (option->value && !value && !(value = argv[++*at]))
		return needs_value(input, option);
	if (!option->value && !option->of_report && value) {
		complain("%s: '--%s' takes no value", command, option->name);
		return -EINVAL;
	}
	return add_use(input, found, value ? value : "");
}

static int split_line(struct input *input, char **argv)
{
	bool options_ended = false;

	input->arguments = argv;
	for (int at = 0; argv[at]; at++) {
		if (!options_ended && strcmp(argv[at], "--") == 0) {
			options_ended = true;
		} else if (!options_ended && is_option(argv[at])) {
			int error = take_option(input, argv, &at);
			if (error)
				return error;
		} else {
			argv[input->argument_count++] = argv[at];
			options_ended |= input->command->program_follows;
		}
	}
	argv[input->argument_count] = NULL;
	return 0;
}

static void warn(const char *line)
{
	complain("%s", line);
}

static const char *last_value(const struct input *input, int option)
{
	for (int i = input->use_count; i-- > 0;)
		if (input->uses[i].option == option)
			return input->uses[i].value;
	return NULL;
}

/* The environment first: the command line wins. */
static int set_report_options(struct input *input)
{
	char problem[256];

	hp_report_options_init(&input->report);
	hp_report_options_environment(&input->report, warn);
	if (input->command->ignores_output_path)
		input->report.output_path[0] = '\0';
	for (int i = 0; i < input->option_count; i++) {
		const struct option *option = &input->options[i];
		const char *value = last_value(input, i);
		if (!option->of_report || !value)
			continue;
		if (!option->value && !*value)
			value = NULL;
		if (hp_report_option_set(&input->report, option->name, value, problem,
					 sizeof(problem))) {
			complain("%s: --%s", input->command->name, problem);
			return -EINVAL;
		}
	}
	return 0;
}

int options_parse(const struct command *command, char **argv, struct input *input)
{
	*input = (struct input){ .command = command };
	gather_options(input);

	int error = split_line(input, argv);
	if (error || input_option(input, "help"))
		return error;
	if (command->arguments_max >= 0 && input->argument_count > command->arguments_max) {
		complain("%s: unexpected argument '%s'; see 'hotpath %s --help'", command->name,
			 input->arguments[command->arguments_max], command->name);
		return -EINVAL;
	}
	return command->reports || command->shows_rows ? set_report_options(input) : 0;
}

const char *input_option(const struct input *input, const char *name)
{
	int found = find_option(input, name, strlen(name));

	return found < 0 ? NULL : last_value(input, found);
}

const char *input_next(const struct input *input, const char *name, int *at)
{
	int found = find_option(input, name, strlen(name));

	while (*at < input->use_count) {
		const struct option_use *use = &input->uses[(*at)++];
		if (use->option == found)
			return use->value;
	}
	return NULL;
}

void options_add_wrapped(struct hp_text *text, const char *words, size_t column, size_t indent)
{
	while (*words) {
		size_t length = (size_t)(strchrnul(words, ' ') - words);
		if (column > indent && column + 1 + length > HELP_WIDTH) {
			hp_text_printf(text, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column > indent) {
			hp_text_putc(text, ' ');
			column++;
		}
		hp_text_add(text, words, length);
		column += length;
		words += length + (words[length] == ' ');
	}
	hp_text_putc(text, '\n');
}

static char letter_of(const struct option *option)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (strcmp(letters[i].name, option->name) == 0)
			return letters[i].letter;
	return '\0';
}

/* The completions of shells read these lines: one space before a value, two or more before the text. */
static void add_option_help(struct hp_text *text, const struct option *option)
{
	char letter = letter_of(option);
	size_t start = text->length;

	if (letter)
		hp_text_printf(text, "  -%c, --%s", letter, option->name);
	else
		hp_text_printf(text, "      --%s", option->name);
	if (option->value)
		hp_text_printf(text, option->value_default ? "[=%s]" : " %s", option->value);

	size_t column = text->length - start;
	if (column + 2 > HELP_COLUMN) {
		hp_text_putc(text, '\n');
		column = 0;
	}
	hp_text_printf(text, "%*s", (int)(HELP_COLUMN - column), "");

	struct hp_text words = HP_TEXT_INIT;
	hp_text_puts(&words, option->help);
	if (option->variable)
		hp_text_printf(&words, " [%s]", option->variable);
	options_add_wrapped(text, words.bytes ? words.bytes : "", HELP_COLUMN, HELP_COLUMN);
	hp_text_free(&words);
}

void options_help(const struct command *command, struct hp_text *text)
{
	struct input all = { .command = command };

	gather_options(&all);
	hp_text_printf(text, "usage: hotpath %s [options]%s%s\n\n", command->name,
		       command->arguments ? " " : "", command->arguments ? command->arguments : "");
	options_add_wrapped(text, command->details, 0, 0);
	hp_text_puts(text, "\noptions:\n");
	for (int i = 0; i < all.option_count; i++)
		add_option_help(text, &all.options[i]);
	if (command->add_help)
		command->add_help(text);
}
