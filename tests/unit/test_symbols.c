/* SPDX-License-Identifier: MIT */
/* A place in the code is in the functions that the source says, inlined ones too, on their lines. */
#include "compiled.h"

#include "names/symbols.h"

static struct hp_cpu_module module;
static struct hp_cpu_frame frames[2];
static struct hp_cpu cpu = {
	.modules = &module, .module_count = 1, .frames = frames, .frame_count = 2
};
static struct hp_functions functions;
static struct hp_levels *levels;

/* A mark in the code of the innermost function is what is looked for. */
static const char source[] = "#include \"lib/inner.h\"\n"
			     "volatile int input = 6, output;\n"
			     "static inline __attribute__((always_inline)) int middle(int a)\n"
			     "{\n"
			     "	output = a;\n"
			     "	return inner(a) + 1;\n"
			     "}\n"
			     "__attribute__((noinline)) int outer(int a)\n"
			     "{\n"
			     "	int sum = a + 1;\n"
			     "	output = sum;\n"
			     "	sum += middle(input);\n"
			     "	return sum;\n"
			     "}\n"
			     "int main(void) { return outer(input); }\n";

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	shell("mkdir -p lib");
	compiled_write("lib/inner.h",
		       "\n"
		       "\n"
		       "static inline __attribute__((always_inline)) int inner(int a)\n"
		       "{\n"
		       "	__asm__ volatile(\".globl mark\\nmark: nop\");\n"
		       "	return a * 3;\n"
		       "}\n");
	compiled_write("program.c", source);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	hp_levels_free(levels, cpu.frame_count);
	levels = NULL;
	hp_functions_free(&functions);
	return 0;
}

static uint64_t address_of(const char *file, const char *symbol)
{
	return strtoull(shell("nm %s | awk '$3 == \"%s\" { print $1 }'", file, symbol), NULL, 16);
}

/* As if the mark had been executed, and also returned to by a call before it. */
static void find(const char *file, const char *symbols)
{
	static char path[256];

	forget(NULL);
	snprintf(path, sizeof(path), "%s", compiled(file));
	module.path = path;
	frames[0] = (struct hp_cpu_frame){ HP_FRAME_CODE,
					   0,
					   address_of(symbols, "mark"),
					   false,
					   HP_CPU_NOT_KNOWN,
					   (char *)(uintptr_t) "outer" };
	frames[1] = frames[0];
	frames[1].address++;
	frames[1].returns = true;
	assert_true(frames[0].address != 0);
	levels = calloc(cpu.frame_count, sizeof(*levels));
	assert_true(hp_symbols_find(&cpu, &functions, levels));
}

static void assert_level(uint32_t frame, uint32_t nth, const char *name, const char *file,
			 uint32_t declared, uint32_t line)
{
	const struct hp_level *level = &levels[frame].items[nth];
	const struct hp_code *code = &functions.items[level->function];

	assert_true(nth < levels[frame].count);
	assert_string_equal(code->name, name);
	assert_non_null(code->file);
	/* For clang, what a source includes is in "./". */
	assert_string_equal(code->file + 2 * (strncmp(code->file, "./", 2) == 0), file);
	assert_int_equal(code->line, declared);
	assert_int_equal(level->line, line);
}

static void assert_inlined(void)
{
	for (uint32_t frame = 0; frame < cpu.frame_count; frame++) {
		assert_int_equal(levels[frame].count, 3);
		assert_level(frame, 0, "outer", "program.c", 8, 12);
		assert_level(frame, 1, "middle", "program.c", 3, 6);
		assert_level(frame, 2, "inner", "lib/inner.h", 3, 5);
	}
	assert_int_equal(functions.count, 3);
	assert_true(functions.items[levels[0].items[0].function].entry != 0);
}

static void test_inlined(void **state)
{
	static const char *const ways[] = { "gcc -O2 -gdwarf-4",	"gcc -O2 -gdwarf-5",
					    "gcc -O2 -g -gsplit-dwarf", "clang -O2 -gdwarf-4",
					    "clang -O2 -gdwarf-5",	"g++ -x c++ -O2 -g" };

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char compiler[16];
		snprintf(compiler, sizeof(compiler), "%.*s", (int)strcspn(ways[i], " "), ways[i]);
		if (!compiled_has(compiler))
			continue;
		shell("%s -o program program.c", ways[i]);
		find("program", "program");
		assert_inlined();
	}
}

/* Functions that nobody else can call have no symbol that tells where in C++ they are. */
static void test_scopes(void **state)
{
	static const char *const wanted[] = { "outer", "shapes::(anonymous namespace)::Box::area",
					      "shapes::middle", "shapes::inner" };
	(void)state;
	if (!compiled_has("g++"))
		skip();
	compiled_write(
		"scopes.cpp",
		"volatile int input = 6;\n"
		"#define ALWAYS static inline __attribute__((always_inline))\n"
		"namespace shapes {\n"
		"ALWAYS int inner(int a)\n"
		"{\n"
		"	__asm__ volatile(\".globl mark\\nmark: nop\");\n"
		"	return a * 3;\n"
		"}\n"
		"template <class T> ALWAYS T middle(T a) { return inner(a) + 1; }\n"
		"namespace {\n"
		"struct Box { __attribute__((always_inline)) int area(int a) { return middle(a); } };\n"
		"}\n"
		"__attribute__((noinline)) int sum(int a) { Box box; return box.area(a); }\n"
		"}\n"
		"int main() { return shapes::sum(input); }\n");
	shell("g++ -O2 -g -fno-inline-functions -o scopes scopes.cpp");
	find("scopes", "scopes");
	assert_int_equal(levels[0].count, 4);
	for (uint32_t i = 0; i < 4; i++) {
		const char *name = functions.items[levels[0].items[i].function].name;
		/* It is a template, whose parameters come behind. */
		assert_memory_equal(name, wanted[i], strlen(wanted[i]));
	}
}

static void test_debug_file(void **state)
{
	(void)state;
	shell("gcc -O2 -g -o whole program.c && mkdir -p .debug &&"
	      "objcopy --only-keep-debug whole .debug/stripped.debug && cp whole stripped &&"
	      "strip stripped && objcopy --add-gnu-debuglink=.debug/stripped.debug stripped");
	find("stripped", "whole");
	assert_inlined();
}

/* The file is another one by now: what was known when it ran is all that is true. */
static void test_changed(void **state)
{
	(void)state;
	shell("gcc -O2 -g -o program program.c");
	module.build_id_size = 20;
	find("program", "program");
	module.build_id_size = 0;
	assert_int_equal(levels[0].count, 1);
	assert_string_equal(functions.items[levels[0].items[0].function].name, "outer");
	assert_null(functions.items[levels[0].items[0].function].file);
}

static void test_without(void **state)
{
	(void)state;
	shell("gcc -O2 -o program program.c");
	find("program", "program");
	assert_int_equal(levels[0].count, 1);
	assert_int_equal(functions.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlined),	   cmocka_unit_test(test_scopes),
		cmocka_unit_test(test_debug_file), cmocka_unit_test(test_changed),
		cmocka_unit_test(test_without),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
