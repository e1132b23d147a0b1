/* SPDX-License-Identifier: MIT */
/*
 * Sleds are put in by an assembler that stands in front of the compiler's own: -B names its folder. Both compilers mark tail
 * calls in what they write for it, gcc if it is told to (-dp), clang for x86-64. The public header marks functions that are to have none.
 */
#include "cc_sleds.h"

#include "file_name.h"
#include "library_path.h"
#include "program_path.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const gcc_words[] = {
	"-dp",
	"-DHOTPATH_I_SLEDS",
	/* A caller may otherwise rely on a register that its callee does not use, but a sled does. */
	"-fno-ipa-ra",
	NULL,
};
static const char *const clang_words[] = { "-fno-integrated-as", "-DHOTPATH_I_SLEDS", NULL };
/* Distances in tables of jumps otherwise have so many bits as they need without sleds. */
static const char *const clang_aarch64_words[] = {
	"-mllvm",
	"-aarch64-enable-compress-jump-tables=false",
	/* Functions would end in code that they share (-Oz), which has no sleds. */
	"-mno-outline",
	NULL,
};

/* gcc may make code of objects that it only links, since it sees in them that they were made with -flto. */
bool cc_sleds_are_needed(const struct cc_request *request, enum cc_family family)
{
	if (request->c_files + request->cxx_files)
		return !request->only_text;
	return family == CC_FAMILY_GCC && request->links && !request->sources;
}

/* An option with which clang makes code that our assembler does not see, or the real one does not understand; NULL for none. */
static const char *clang_obstacle(const struct cc_request *request)
{
	/* The linker has the compiler in it. That of gcc runs gcc, and so the assembler. */
	if (request->is_late)
		return "in what clang makes with -flto";
	if (request->is_integrated)
		return "in what clang makes with -fintegrated-as";
	/* Inline assembly in that syntax is for clang's own assembler only. */
	return request->is_intel ? "in what clang makes with -masm=intel" : NULL;
}

const char *cc_sleds_obstacle(const struct cc_request *request, enum cc_family family)
{
#if !defined(__x86_64__) && !defined(__aarch64__)
	return "for this processor";
#endif
	if (request->other_machine)
		return "for other processors and 32-bit programs";
	return family == CC_FAMILY_CLANG ? clang_obstacle(request) : NULL;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       strchr("_.*?-", c);
}

/* A text as one word without what has a meaning for the compiler, which splits at commas, and on the way to it. */
static char *encoded(const char *option, const char *from)
{
	struct hp_text text = HP_TEXT_INIT;

	hp_text_puts(&text, option);
	for (; *from; from++) {
		if (is_plain(*from))
			hp_text_putc(&text, *from);
		else
			hp_text_printf(&text, "%%%02X", (unsigned char)*from);
	}
	if (text.failed)
		hp_text_free(&text);
	return text.bytes;
}

/* Hash all bytes of a file (FNV-1a). Returns 0, or a negative errno. */
static int hash_file(const char *path, uint64_t *hash)
{
	unsigned char bytes[16 * 1024];
	int from = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	if (from < 0)
		return -errno;

	*hash = UINT64_C(0xcbf29ce484222325);
	while ((got = read(from, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++)
			*hash = (*hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	int error = got < 0 ? -errno : 0;
	close(from);
	return error;
}

/*
 * The word that tells our assembler the rules. gcc keeps -Wa in objects for link-time optimisation, and the real assembler would
 * get it from whoever links them: then the environment tells the rules, and they are in the name of a folder that does not
 * exist, by which ccache sees them.
 */
static char *selection_word(const char *rules, bool stays_in_object)
{
	if (!stays_in_object)
		return encoded("-Wa,--hotpath-selection=", rules);
	return setenv("HOTPATH_SELECTION", rules, 1) ? NULL
						     : encoded("-Bhotpath-selection=", rules);
}

/*
 * The rules, behind a line that the assembler ignores: a hash of the assembler itself. ccache knows of compilers, but not of
 * assemblers; it sees by this word that objects were made with another one.
 */
static int add_selection(struct cc_sleds *sleds, const char *assembler,
			 const struct cc_rules *rules, bool stays_in_object)
{
	struct hp_text text = HP_TEXT_INIT;
	uint64_t hash = 0;
	int error = hash_file(assembler, &hash);
	if (error)
		return error;

	hp_text_printf(&text, "assembler %016" PRIx64 "\n", hash);
	cc_rules_describe(rules, &text);
	sleds->selection = text.failed ? NULL : selection_word(text.bytes, stays_in_object);
	hp_text_free(&text);
	return sleds->selection ? 0 : -ENOMEM;
}

static void add(struct cc_sleds *sleds, size_t *count, const char *const *words)
{
	while (*words)
		sleds->words[(*count)++] = *words++;
}

int cc_sleds_choose(struct cc_sleds *sleds, const struct cc_request *request, enum cc_family family,
		    const struct cc_rules *rules)
{
	bool gcc = family == CC_FAMILY_GCC;
	char assembler[PATH_MAX];
	size_t count = 0;
	if (!helper_find("assembler/as", assembler))
		return -ENOENT;
	int error = add_selection(sleds, assembler, rules,
				  gcc && request->is_late && !request->links);
	if (error)
		return error;

	*strrchr(assembler, '/') = '\0';
	snprintf(sleds->folder, sizeof(sleds->folder), "-B%s/", assembler);
	sleds->words[count++] = sleds->folder;
	add(sleds, &count, gcc ? gcc_words : clang_words);
	if (request->is_aarch64 && !gcc)
		add(sleds, &count, clang_aarch64_words);
	sleds->words[count++] = sleds->selection;
	sleds->words[count] = NULL;
	return 0;
}

/* The compiler's name with `as` in place of what follows the target: aarch64-linux-gnu-as of aarch64-linux-gnu-gcc-12. */
static void name_gnu_assembler(const char *compiler)
{
	const char *name = hp_file_name(compiler);
	const char *tool = strstr(name, "-gcc") ? strstr(name, "-gcc") : strstr(name, "-g++");
	char assembler[PATH_MAX], path[PATH_MAX];

	if (tool &&
	    snprintf(assembler, sizeof(assembler), "%.*s-as", (int)(tool - name), name) <
		    PATH_MAX &&
	    program_find(assembler, path))
		setenv("HOTPATH_ASSEMBLER", path, 1);
}

/* A cross compiler has the processor at the beginning of its name. */
bool cc_sleds_exist_for(const char *compiler)
{
	const char *name = hp_file_name(compiler);
	const char *end = strstr(name, "-gcc") ? strstr(name, "-gcc") : strstr(name, "-g++");

	if (!end || !memchr(name, '-', (size_t)(end - name)))
		return true;
	return strncmp(name, "x86_64-", 7) == 0 || strncmp(name, "aarch64-", 8) == 0;
}

void cc_sleds_name_assembler(const char *compiler, enum cc_family family)
{
	char path[PATH_MAX];

	if (family == CC_FAMILY_GCC)
		name_gnu_assembler(compiler);
	else if (program_find(compiler, path))
		setenv("HOTPATH_CLANG", path, 1);
}

void cc_sleds_free(struct cc_sleds *sleds)
{
	free(sleds->selection);
}
