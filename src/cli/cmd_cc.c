/* SPDX-License-Identifier: MIT */
/*
 * hotpath cc: run a compiler so that every function of the program can be measured.
 *
 * Functions get sleds (cc_sleds.c), which do nothing until libhotpath arms them. Where that is not possible, or the user asks
 * for it, they call hooks where they begin and end: without hotpath the program uses the empty hooks of the C library, and with
 * libhotpath preloaded those of libhotpath. Only a static program, into which nothing can be loaded, must be linked with
 * it here. The same holds for the allocation probe.
 */
#include "argument_file.h"
#include "cc_arguments.h"
#include "cc_compiler.h"
#include "cc_note.h"
#include "cc_rules.h"
#include "cc_sleds.h"
#include "command.h"
#include "library_path.h"
#include "nearest.h"
#include "not_started.h"
#include "output.h"
#include "program_path.h"
#include "run_child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	/* Maximum number of words added to a command line. */
	ADDED_MAX = 20,
#ifdef __GLIBC__
	LIBC_HAS_HOOKS = 1,
#else
	LIBC_HAS_HOOKS = 0,
#endif
};

/* The words to insert between the compiler and the user's arguments. */
struct additions {
	const char *words[ADDED_MAX];
	size_t count;
	char library[PATH_MAX];
	char probe[PATH_MAX];
	/* The source of the note, a temporary file; "" for none. */
	char note[PATH_MAX];
	struct cc_sleds sleds;
};

/*
 * An inline function of a system header has the address of a library function, and would be counted as that; clang
 * has no option for this.
 */
static const char *const gcc_flags[] = {
	"-finstrument-functions",
	"-finstrument-functions-exclude-file-list=/usr/include,/usr/lib/gcc,/include/c++/",
	NULL,
};
static const char *const clang_c_flags[] = { "-finstrument-functions", NULL };
/* Otherwise every small function of the standard library would call the hooks wherever it is inlined. */
static const char *const clang_cxx_flags[] = { "-finstrument-functions-after-inlining", NULL };

/* What the user wants. */
struct wish {
	struct cc_rules rules;
	bool alloc;
	bool hooks;
};

static void add(struct additions *additions, const char *word)
{
	additions->words[additions->count++] = word;
}

static int check_pattern(const char *option, const char *pattern)
{
	if (*pattern && !strchr(pattern, '\n'))
		return 0;
	complain("cc: '--%s' needs a pattern on one line, such as 'parse_*' or 'src/parser/'",
		 option);
	return -EINVAL;
}

static int add_rules(struct cc_rules *rules, const struct input *input, const char *option)
{
	const char *pattern;

	for (int at = 0; (pattern = input_next(input, option, &at));) {
		if (check_pattern(option, pattern))
			return -EINVAL;
		rules->items[rules->count++] = (struct cc_rule){ strcmp(option, "skip") == 0,
								 pattern };
	}
	return 0;
}

static int check_min_size(const char *value)
{
	size_t digits = value ? strspn(value, "0123456789") : 0;

	if (!value || (digits && digits < 10 && !value[digits]))
		return 0;
	complain("cc: --min-size: '%s' is not a number of bytes, such as 64", value);
	return -EINVAL;
}

static int read_rules(const struct input *input, struct cc_rules *rules)
{
	rules->items = calloc((size_t)input->use_count + 1, sizeof(*rules->items));
	if (!rules->items) {
		complain("out of memory");
		return -ENOMEM;
	}
	rules->min_size = input_option(input, "min-size");
	if (add_rules(rules, input, "only") || add_rules(rules, input, "skip"))
		return -EINVAL;
	return check_min_size(rules->min_size);
}

static void add_hooks(struct additions *additions, const struct cc_request *request,
		      enum cc_family family)
{
	const char *const *flags = family == CC_FAMILY_GCC ? gcc_flags
				   : request->cxx_files	   ? clang_cxx_flags
							   : clang_c_flags;

	if (request->c_files + request->cxx_files == 0)
		return;
	for (; *flags; flags++)
		add(additions, *flags);
}

/* Add what gives functions sleds; false when they must have hooks. */
static bool add_sleds(struct additions *additions, const struct cc_request *request,
		      enum cc_family family, const struct wish *wish)
{
	struct cc_sleds *sleds = &additions->sleds;
	const char *obstacle = cc_sleds_obstacle(request, family);
	bool compiles = request->c_files + request->cxx_files;

	/* With both, each call would be counted twice. */
	if (wish->hooks || request->has_hooks)
		return false;
	if (obstacle && compiles)
		complain(
			"cc: there are no sleds %s: functions call hooks, which makes them slower; "
			"with '--hooks' this line is not printed",
			obstacle);
	if (obstacle)
		return false;
	if (!cc_sleds_are_needed(request, family))
		return true;
	int error = cc_sleds_choose(sleds, request, family, &wish->rules);
	if (error && compiles)
		complain(
			"cc: the assembler that is installed with this tool, assembler/as, cannot be used (%s): "
			"functions call hooks, which makes them slower; install hotpath again, or use '--hooks'",
			strerror(-error));
	if (error)
		return false;
	for (const char *const *word = sleds->words; *word; word++)
		add(additions, *word);
	return true;
}

/* The probe comes first, because it depends on the recorder. */
static void add_probe(struct additions *additions)
{
	if (!library_find("libhotpath-alloc.a", additions->probe)) {
		complain("cc: libhotpath-alloc.a was not found where it is installed with this "
			 "tool: allocations of the program cannot be recorded");
		return;
	}
	add(additions, HOTPATH_ALLOC_LINK);
	add(additions, additions->probe);
}

/*
 * The static C library has empty hooks too. Ours win if the linker resolves them first, so the symbol is requested at
 * the very beginning.
 */
static void add_library(struct additions *additions, const struct cc_request *request, bool alloc)
{
	if (!request->links || request->shared || (LIBC_HAS_HOOKS && !request->is_static))
		return;
	if (!library_find("libhotpath.a", additions->library)) {
		complain("cc: libhotpath.a was not found where it is installed with this tool: "
			 "the program is linked without it and cannot be measured");
		return;
	}
	if (alloc)
		add_probe(additions);
	add(additions,
	    "-Wl,--undefined=__cyg_profile_func_enter,--undefined=hotpath_module_begins");
	add(additions, additions->library);
	add(additions, "-pthread");
}

static void add_note(struct additions *additions, const struct cc_request *request,
		     const struct cc_rules *rules)
{
	struct hp_text text = HP_TEXT_INIT;

	cc_rules_describe(rules, &text);
	if (request->links && text.length) {
		int error = cc_note_write(text.bytes, additions->note);
		if (error) {
			complain("cc: cannot write %s: %s; every function is measured",
				 additions->note, strerror(-error));
			additions->note[0] = '\0';
		} else {
			add(additions, additions->note);
		}
	}
	hp_text_free(&text);
}

static bool needs_additions(const struct cc_request *request)
{
	return request->c_files + request->cxx_files || request->links;
}

static void add_all(struct additions *additions, const struct cc_request *request,
		    enum cc_family family, const struct wish *wish)
{
	if (!add_sleds(additions, request, family, wish)) {
		add_hooks(additions, request, family);
		add_note(additions, request, &wish->rules);
	}
	add_library(additions, request, wish->alloc);
	if (request->left_out && request->c_files + request->cxx_files)
		complain("cc: '%s' is measured anyway: it is compiled by the same command as "
			 "files that are measured",
			 request->left_out);
}

static void choose(struct additions *additions, char *const *compiler, enum cc_family family,
		   const struct wish *wish)
{
	struct word_list words;

	if (word_list_expand(compiler + 1, &words) == 0) {
		struct cc_request request = cc_request_read(words.items, cc_is_cxx(compiler[0]),
							    &wish->rules);
		if (!cc_sleds_exist_for(compiler[0]))
			request.other_machine = compiler[0];
		request.is_aarch64 = cc_is_for_aarch64(compiler[0]);
		if (needs_additions(&request))
			add_all(additions, &request, family, wish);
	}
	word_list_free(&words);
}

static int not_found(const char *name)
{
	static const char *const names[] = { "gcc", "g++", "clang", "clang++", "cc", "c++" };
	struct hp_nearest nearest = { NULL, 0 };
	char path[PATH_MAX];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (program_find(names[i], path))
			hp_nearest_try(&nearest, name, names[i]);
	if (nearest.name)
		return complain("cc: compiler '%s' not found; did you mean '%s'?", name,
				nearest.name);
	return complain("cc: compiler '%s' not found; is it installed and in PATH?", name);
}

/* Find the family of the compiler, with a message if it cannot be used for measuring. */
static enum cc_family examine(const char *name)
{
	char path[PATH_MAX];
	/* If the compiler is not in PATH, its launcher may still know it: go by its name. */
	enum cc_family family = program_find(name, path) ? cc_family_find(name, path)
							 : cc_family_of_name(name);

	if (family == CC_FAMILY_OTHER)
		complain("cc: %s cannot instrument functions (gcc and clang can): running it "
			 "unchanged",
			 name);
	if (!LIBC_HAS_HOOKS || !cc_is_for_musl(name))
		return family;
	complain("cc: %s links with a different C library than this hotpath: running it unchanged",
		 name);
	return CC_FAMILY_OTHER;
}

/* The user's command line with the additions after the compiler; NULL when memory ran out. */
static char **insert(char *const *argv, int place, const struct additions *additions)
{
	size_t head = (size_t)place + 1, count = 0;
	while (argv[count])
		count++;
	char **line = calloc(count + additions->count + 1, sizeof(*line));
	if (!line)
		return NULL;

	memcpy(line, argv, head * sizeof(*line));
	memcpy(line + head, additions->words, additions->count * sizeof(*line));
	memcpy(line + head + additions->count, argv + head, (count - head) * sizeof(*line));
	return line;
}

static int become(char **line)
{
	execvp(line[0], line);
	not_started(line[0], errno);
	return STATUS_ERROR;
}

/* If there is a temporary file to remove afterwards, run the compiler as a child. */
static int run_line(char **line, const char *note)
{
	static const struct child_manner as_ours = { 0 };
	struct child child = { 0 };
	if (!note[0])
		return become(line);

	int error = run_child(line, &as_ours, &child);
	unlink(note);
	if (error)
		not_started(line[0], -error);
	return error ? STATUS_ERROR : run_child_end(&child);
}

static int run_compiler(char **argv, const struct wish *wish)
{
	static struct additions additions;
	char path[PATH_MAX];
	if (!program_find(argv[0], path))
		return not_found(argv[0]);

	int place = cc_compiler_place(argv);
	enum cc_family family = place < 0 ? CC_FAMILY_OTHER : examine(argv[place]);
	if (family != CC_FAMILY_OTHER)
		choose(&additions, argv + place, family, wish);
	if (!additions.count)
		return become(argv);

	char **line = insert(argv, place, &additions);
	if (!line)
		return complain("out of memory");
	if (additions.sleds.words[0])
		cc_sleds_name_assembler(argv[place], family);
	int status = run_line(line, additions.note);
	free(line);
	cc_sleds_free(&additions.sleds);
	return status;
}

static int compile(struct input *input)
{
	struct wish wish = { .alloc = input_option(input, "alloc"),
			     .hooks = input_option(input, "hooks") };
	if (input->argument_count == 0)
		return complain("cc: no compiler given; see 'hotpath cc --help'");

	int status = read_rules(input, &wish.rules) ? STATUS_ERROR
						    : run_compiler(input->arguments, &wish);
	free(wish.rules.items);
	return status;
}

static const struct option options[] = {
	{ .name = "only",
	  .value = "PATTERN",
	  .help = "measure only these functions ('parse_*') or source files ('src/parser/', "
		  "'parse*.c'); may be repeated" },
	{ .name = "skip",
	  .value = "PATTERN",
	  .help = "do not measure these functions or source files; may be repeated" },
	{ .name = "min-size",
	  .value = "BYTES",
	  .help = "do not measure functions with less machine code than this" },
	{ .name = "hooks",
	  .help = "let functions call hooks (-finstrument-functions) instead: slower, even if nobody "
		  "measures, but inlined functions are counted, and no code changes at run time" },
	{ .name = "alloc",
	  .help = "link a static program with the allocation probe; other programs need only "
		  "'hotpath run --alloc'" },
	{ .name = NULL },
};

const struct command command_cc = {
	.name = "cc",
	.arguments = "COMPILER [ARGUMENT …]",
	.arguments_max = -1,
	.help = "Run a compiler so that every function can be measured.",
	.details =
		"Run gcc or clang so that every function of a program can be measured under "
		"'hotpath run': make CC=\"hotpath cc gcc\". Functions get sleds, a few bytes that "
		"do nothing until 'hotpath run' arms them. Without it, the program runs as usual "
		"and does not need hotpath.",
	.options = options,
	.program_follows = true,
	.run = compile,
};
