/* SPDX-License-Identifier: MIT */
/* Functions known by their address are where the source has them, whichever compiler it was. */
#include "compiled.h"

#include "names/lines.h"

static const char *const wanted[] = { "first", "second", "in_header", "main", "split" };
enum { FUNCTIONS = sizeof(wanted) / sizeof(*wanted) };

static struct hp_function functions[FUNCTIONS];
static struct hp_model model = { .functions = functions, .function_count = FUNCTIONS };

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	shell("mkdir -p inside other");
	compiled_write("inside/header.h", "\n"
					  "static int __attribute__((noinline)) in_header(int a)\n"
					  "{ return a + 1; }\n");
	compiled_write("program.c",
		       "#include \"inside/header.h\"\n"
		       "int second(int a);\n"
		       "extern int split(int a);\n"
		       "static int __attribute__((noinline))\n"
		       "first(int a)\n"
		       "{\n"
		       "	return in_header(a) * 3;\n"
		       "}\n"
		       "int main(int c, char **v) { (void)v; return first(second(split(c))); }\n");
	compiled_write("inside/second.c", "void abort(void);\n"
					  "int second(int a) { return a + 2; }\n"
					  "int split(int a) {\n"
					  "	if (__builtin_expect(a == 77, 0)) abort();\n"
					  "	return a; }\n");
	return 0;
}

static int forget(void **state)
{
	(void)state;
	for (size_t i = 0; i < FUNCTIONS; i++) {
		free(functions[i].file);
		free(functions[i].module);
		functions[i] = (struct hp_function){ 0 };
	}
	return 0;
}

/* As if they had been measured in a file whose symbols are in another. */
static void fill(const char *file, const char *symbols)
{
	forget(NULL);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		functions[i].name = (char *)(uintptr_t)wanted[i];
		functions[i].module = strdup(compiled(file));
		functions[i].has_symbol = true;
		functions[i].offset = strtoull(
			shell("nm %s | awk '$3 == \"%s\" { print $1 }'", symbols, wanted[i]), NULL,
			16);
		assert_true(functions[i].offset != 0);
	}
	hp_lines_fill(&model);
}

static void assert_place(size_t nth, const char *file, unsigned line)
{
	const char *found = functions[nth].file ? functions[nth].file : "";

	/* For clang, what a source includes is in "./", in __FILE__ too. */
	found += strncmp(found, "./", 2) == 0 ? 2 : 0;
	if (strcmp(found, file) != 0 || functions[nth].line != line)
		fail_msg("%s is at %s:%u, not %s:%u", wanted[nth],
			 functions[nth].file ? functions[nth].file : "nowhere", functions[nth].line,
			 file, line);
}

/* Sources were given with this in front. */
static void assert_places(const char *folder)
{
	static const struct {
		const char *file;
		unsigned line;
	} places[FUNCTIONS] = { { "program.c", 5 },
				{ "inside/second.c", 2 },
				{ "inside/header.h", 2 },
				{ "program.c", 9 },
				{ "inside/second.c", 3 } };
	char path[256];

	for (size_t i = 0; i < FUNCTIONS; i++) {
		snprintf(path, sizeof(path), "%s%s", folder, places[i].file);
		assert_place(i, path, places[i].line);
	}
}

static void check(const char *compiler, const char *options)
{
	char folder[80];

	if (!compiled_has(compiler))
		return;
	shell("%s %s program.c inside/second.c -o program", compiler, options);
	fill("program", "program");
	assert_places("");
	snprintf(folder, sizeof(folder), "%s/", compiled_folder);
	shell("cd other && %s %s %sprogram.c %sinside/second.c -o ../program", compiler, options,
	      folder, folder);
	fill("program", "program");
	assert_places(folder);
}

static void compilers(void **state)
{
	static const char *const options[] = { "-O0 -g",	"-O2 -g",	  "-O2 -gdwarf-4",
					       "-O2 -gdwarf-5", "-O2 -g -no-pie", "-O2 -g -gz" };

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		check("gcc", options[i]);
		check("clang", options[i]);
	}
}

static void moved_lines(void **state)
{
	(void)state;
	shell("cc -g -O1 -Wl,--build-id program.c inside/second.c -o program &&"
	      "objcopy --only-keep-debug program moved.debug &&"
	      "objcopy -g --add-gnu-debuglink=moved.debug program linked");
	fill("linked", "program");
	assert_places("");
	/* What is known stays known, but not of another file. */
	shell("cp linked alone && rm moved.debug");
	fill("linked", "program");
	assert_places("");
	fill("alone", "program");
	for (size_t i = 0; i < FUNCTIONS; i++)
		assert_null(functions[i].file);
}

/* What has a place keeps it; what has no symbol may be of another file. */
static void what_is_left_alone(void **state)
{
	(void)state;
	shell("cc -g -O1 program.c inside/second.c -o program");
	fill("program", "program");
	functions[0].line = 77;
	free(functions[1].file);
	functions[1].file = NULL;
	functions[1].has_symbol = false;
	hp_lines_fill(&model);
	assert_int_equal(functions[0].line, 77);
	assert_null(functions[1].file);
	shell("echo text > text && mkfifo pipe");
	for (size_t i = 0; i < FUNCTIONS; i++) {
		free(functions[i].file);
		free(functions[i].module);
		functions[i].file = NULL;
		functions[i].has_symbol = true;
		functions[i].module = strdup(i % 3 ? compiled(i % 3 == 1 ? "text" : "gone")
						   : compiled("pipe"));
	}
	hp_lines_fill(&model);
	for (size_t i = 0; i < FUNCTIONS; i++)
		assert_null(functions[i].file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(compilers, forget),
		cmocka_unit_test_teardown(moved_lines, forget),
		cmocka_unit_test_teardown(what_is_left_alone, forget),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
