/* SPDX-License-Identifier: MIT */
/* Parses the command line of a compiler, as far as it matters for measuring. */
#include "cc_arguments.h"

#include "cc_language.h"

#include <string.h>

/* Effects of compiler options that matter to us; a bit set. */
enum effect {
	/* It prints or preprocesses. */
	EFFECT_NO_CODE = 1,
	EFFECT_NO_LINK = 2,
	EFFECT_FREESTANDING = 4,
	EFFECT_STATIC = 8,
	EFFECT_SHARED = 16,
	/* The user wants no hooks. */
	EFFECT_NO_HOOKS = 32,
	/* It is a library to link. */
	EFFECT_INPUT = 64,
	/* Code of another machine. */
	EFFECT_MACHINE = 128,
	EFFECT_LATE = 256,
	/* Functions call hooks anyway. */
	EFFECT_HOOKS = 512,
	EFFECT_TEXT = 1024,
	EFFECT_INTEL = 2048,
	/* The compiler's own assembler makes the code. */
	EFFECT_INTEGRATED = 4096,
};

struct option_effect {
	const char *word;
	unsigned effect;
};

/* A star stands for any end. */
static const struct option_effect effects[] = {
	{ "-E", EFFECT_NO_CODE },
	{ "--preprocess", EFFECT_NO_CODE },
	{ "-M", EFFECT_NO_CODE },
	{ "--dependencies", EFFECT_NO_CODE },
	{ "-MM", EFFECT_NO_CODE },
	{ "--user-dependencies", EFFECT_NO_CODE },
	{ "-###", EFFECT_NO_CODE },
	{ "--version", EFFECT_NO_CODE },
	{ "--help*", EFFECT_NO_CODE },
	{ "--target-help", EFFECT_NO_CODE },
	{ "-dumpversion", EFFECT_NO_CODE },
	{ "-dumpfullversion", EFFECT_NO_CODE },
	{ "-dumpmachine", EFFECT_NO_CODE },
	{ "-dumpspecs", EFFECT_NO_CODE },
	{ "-print-*", EFFECT_NO_CODE },
	{ "--print-*", EFFECT_NO_CODE },
	{ "-c", EFFECT_NO_LINK },
	{ "--compile", EFFECT_NO_LINK },
	{ "-S", EFFECT_NO_LINK | EFFECT_TEXT },
	{ "--assemble", EFFECT_NO_LINK | EFFECT_TEXT },
	{ "-fsyntax-only", EFFECT_NO_LINK },
	{ "-r", EFFECT_NO_LINK },
	{ "-Wl,-r", EFFECT_NO_LINK },
	{ "-ffreestanding", EFFECT_FREESTANDING },
	{ "-nostdlib", EFFECT_FREESTANDING },
	{ "-nodefaultlibs", EFFECT_FREESTANDING },
	{ "-nolibc", EFFECT_FREESTANDING },
	{ "-static", EFFECT_STATIC },
	{ "--static", EFFECT_STATIC },
	{ "-static-pie", EFFECT_STATIC },
	{ "-shared", EFFECT_SHARED },
	{ "--shared", EFFECT_SHARED },
	{ "-fno-instrument-functions", EFFECT_NO_HOOKS },
	{ "-finstrument-functions", EFFECT_HOOKS },
	{ "-finstrument-functions-after-inlining", EFFECT_HOOKS },
	{ "-l*", EFFECT_INPUT },
	{ "-flto", EFFECT_LATE },
	{ "-flto=*", EFFECT_LATE },
	{ "-masm=intel", EFFECT_INTEL },
	{ "-fintegrated-as", EFFECT_INTEGRATED },
	{ "-integrated-as", EFFECT_INTEGRATED },
	{ "-m32", EFFECT_MACHINE },
	{ "-mx32", EFFECT_MACHINE },
	{ "-m16", EFFECT_MACHINE },
	{ "-target", EFFECT_MACHINE },
	{ "--target=*", EFFECT_MACHINE },
};

/* Options that end the effect of one before them. */
static const struct option_effect endings[] = {
	{ "-fno-lto", EFFECT_LATE },
	{ "-masm=att", EFFECT_INTEL },
	{ "-fno-integrated-as", EFFECT_INTEGRATED },
	{ "-no-integrated-as", EFFECT_INTEGRATED },
};

/* Options whose value is the next word, unless it is attached. */
static const char *const with_value[] = {
	"-o",
	"--output",
	"-I",
	"-L",
	"-D",
	"-U",
	"-l",
	"-B",
	"-T",
	"-u",
	"-z",
	"-e",
	"-A",
	"-F",
	"-G",
	"-MF",
	"-MT",
	"-MQ",
	"-include",
	"-imacros",
	"-include-pch",
	"-isystem",
	"-iquote",
	"-idirafter",
	"-iprefix",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-isysroot",
	"-imultilib",
	"-imultiarch",
	"-ivfsoverlay",
	"-iframework",
	"-framework",
	"-cxx-isystem",
	"-isystem-after",
	"-resource-dir",
	"-Xlinker",
	"-Xassembler",
	"-Xpreprocessor",
	"-Xclang",
	"-Xanalyzer",
	"-mllvm",
	"-target",
	"-arch",
	"-gcc-toolchain",
	"-aux-info",
	"-wrapper",
	"-specs",
	"-dumpbase",
	"-dumpbase-ext",
	"-dumpdir",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	"-mthread-model",
	"-working-directory",
	"--config",
	"--param",
	"--sysroot",
	"--entry",
	"--serialize-diagnostics",
	"-serialize-diagnostics",
	"-rpath",
};

/* Where the reading stands. */
struct state {
	const struct cc_rules *rules;
	bool cxx;
	enum cc_language language;
	unsigned effects;
	/* What can be linked. */
	unsigned inputs;
};

static bool takes_value(const char *word)
{
	for (size_t i = 0; i < sizeof(with_value) / sizeof(*with_value); i++)
		if (strcmp(word, with_value[i]) == 0)
			return true;
	return false;
}

static bool is_word(const char *pattern, const char *word)
{
	size_t length = strlen(pattern);

	return pattern[length - 1] == '*' ? strncmp(pattern, word, length - 1) == 0
					  : strcmp(pattern, word) == 0;
}

static unsigned effect_in(const struct option_effect *table, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (is_word(table[i].word, word))
			return table[i].effect;
	return 0;
}

static void read_option(struct state *state, struct cc_request *request, const char *word)
{
	unsigned effect = effect_in(effects, sizeof(effects) / sizeof(*effects), word);
	unsigned ends = effect_in(endings, sizeof(endings) / sizeof(*endings), word);

	state->effects = (state->effects & ~ends) | effect;
	if (effect == EFFECT_MACHINE)
		request->other_machine = word;
	state->inputs += effect == EFFECT_INPUT;
}

/* The language name, if the word at *at is a -x option; *at moves on if the value is the next word. */
static const char *language_name(char *const **at)
{
	static const char long_option[] = "--language=";
	const char *word = **at;

	if (strncmp(word, long_option, sizeof(long_option) - 1) == 0)
		return word + sizeof(long_option) - 1;
	if (strncmp(word, "-x", 2) == 0 && word[2])
		return word + 2;
	if (strcmp(word, "-x") != 0 && strcmp(word, "--language") != 0)
		return NULL;
	return (*at)[1] ? *++*at : "";
}

/* A C++ compiler treats C files as C++, unless -x says otherwise. */
static enum cc_language language_of(const struct state *state, const char *path)
{
	if (state->language != CC_LANGUAGE_BY_NAME)
		return state->language;

	enum cc_language language = cc_language_of_file(path);
	if (state->cxx && language == CC_LANGUAGE_C)
		return CC_LANGUAGE_CXX;
	return state->cxx && language == CC_LANGUAGE_C_HEADER ? CC_LANGUAGE_CXX_HEADER : language;
}

/* Precompiled headers must have the same options as the files that include them, so they are never left out. */
static void read_input(struct state *state, struct cc_request *request, const char *path)
{
	enum cc_language language = language_of(state, path);
	bool header = language == CC_LANGUAGE_C_HEADER || language == CC_LANGUAGE_CXX_HEADER;

	state->inputs += !header;
	if (language == CC_LANGUAGE_OTHER)
		return;
	request->sources++;
	if (!header && !cc_rules_want_file(state->rules, path))
		request->left_out = path;
	else if (language == CC_LANGUAGE_C || language == CC_LANGUAGE_C_HEADER)
		request->c_files++;
	else
		request->cxx_files++;
}

static void read_words(struct state *state, struct cc_request *request, char *const *at)
{
	bool options_ended = false;

	for (; *at; at++) {
		const char *language;
		if (options_ended || (*at)[0] != '-' || !(*at)[1]) {
			read_input(state, request, *at);
		} else if ((language = language_name(&at))) {
			state->language = cc_language_of_name(language);
		} else {
			options_ended = strcmp(*at, "--") == 0;
			read_option(state, request, *at);
			at += takes_value(*at) && at[1];
		}
	}
}

struct cc_request cc_request_read(char *const *words, bool cxx, const struct cc_rules *rules)
{
	struct cc_request request = { 0 };
	struct state state = { .rules = rules, .cxx = cxx, .language = CC_LANGUAGE_BY_NAME };

	read_words(&state, &request, words);
	if (state.effects & EFFECT_NO_CODE)
		return (struct cc_request){ 0 };
	if (state.effects & (EFFECT_NO_HOOKS | EFFECT_FREESTANDING))
		request.c_files = request.cxx_files = 0;
	request.only_text = state.effects & EFFECT_TEXT;
	request.is_intel = state.effects & EFFECT_INTEL;
	request.is_integrated = state.effects & EFFECT_INTEGRATED;
	request.is_late = state.effects & EFFECT_LATE;
	request.has_hooks = state.effects & EFFECT_HOOKS;
	request.shared = state.effects & EFFECT_SHARED;
	request.is_static = state.effects & EFFECT_STATIC && !request.shared;
	/* For a C++ shared library, libtool passes -nostdlib and names the libraries itself. */
	request.links = state.inputs && !(state.effects & EFFECT_NO_LINK) &&
			(!(state.effects & EFFECT_FREESTANDING) || request.shared);
	return request;
}
