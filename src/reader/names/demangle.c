/* SPDX-License-Identifier: MIT */
/* C++ names as people write them. */
#include "demangle.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *__cxa_demangle(const char *symbol, char *output, size_t *length, int *status)
	__attribute__((weak));

char *hp_demangle(const char *symbol)
{
	int status = 0;

	if (!__cxa_demangle || strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	return __cxa_demangle(symbol, NULL, NULL, &status);
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the name of an operator begins here: it may hold spaces and brackets. */
static bool is_operator(const char *name, const char *at)
{
	return strncmp(at, "operator", 8) == 0 && !is_word(at[8]) &&
	       (at == name || !is_word(at[-1]));
}

/* The part after the last separator outside of brackets. Inside round ones, '<' and '>' may be comparisons. */
static const char *last_part(const char *name, const char *separator)
{
	const char *part = name;
	int round = 0, angle = 0;

	for (const char *at = name; *at && (round || angle || !is_operator(name, at)); at++) {
		if (strchr("({[", *at))
			round++;
		else if (strchr(")}]", *at))
			round--;
		else if (round == 0 && (*at == '<' || *at == '>'))
			angle += *at == '<' ? 1 : -1;
		else if (!round && !angle && strncmp(at, separator, strlen(separator)) == 0)
			part = at + strlen(separator);
	}
	return part;
}

/* The start of the parameter list that ends the name, apart from qualifiers such as const; NULL if there is none. */
static const char *parameters(const char *full, const char *end)
{
	int depth = 0;

	while (end > full && strchr(" &constvolatile", end[-1]))
		end--;
	if (end == full || end[-1] != ')')
		return NULL;
	do {
		end--;
		depth += (*end == ')') - (*end == '(');
	} while (depth && end > full);
	return depth == 0 ? end : NULL;
}

char *hp_demangled_name(const char *full)
{
	/* Clones that the compiler made of a function have this suffix. */
	const char *clone = strstr(full, " [clone ");
	const char *end = clone ? clone : full + strlen(full);
	const char *list = parameters(full, end);
	char *copy = list && list > full ? strndup(full, (size_t)(list - full)) : strdup(full);
	char *name = NULL;

	if (!copy || !list || list == full)
		return copy;
	if (asprintf(&name, "%s%s", last_part(copy, " "), clone ? clone : "") < 0)
		name = NULL;
	free(copy);
	return name;
}

bool hp_is_func(const char *name, const char *func)
{
	const char *part = last_part(name, "::");
	size_t length = strlen(func);

	if (length == 0 || strncmp(part, func, length) != 0)
		return false;
	/* The name may be followed by template arguments, an ABI tag, a clone suffix of C++ or C, or nothing. */
	if (part[length] == '<')
		return func[length - 1] != '<';
	return strchr("[ .", part[length]) != NULL;
}

/* What gcc and clang add for templates: "[with T = int]", "[T = int]". */
static size_t without_arguments(const char *pretty)
{
	const char *end = strstr(pretty, " [with ");
	size_t length = strlen(pretty);

	if (end)
		return (size_t)(end - pretty);
	end = length && pretty[length - 1] == ']' ? strrchr(pretty, '[') : NULL;
	return end && end > pretty && end[-1] == ' ' ? (size_t)(end - 1 - pretty) : length;
}

char *hp_func_of_pretty(const char *pretty)
{
	if (strstr(pretty, "<lambda("))
		return strdup("operator()");
	char *full = strndup(pretty, without_arguments(pretty));
	char *name = full ? hp_demangled_name(full) : NULL;
	/* clang puts the return type next to the name: "char *f()". */
	char *func = name ? strdup(last_part(name + strspn(name, "*&"), "::")) : NULL;
	free(full);
	free(name);
	return func;
}
