/* SPDX-License-Identifier: MIT */
/* Functions that are only sampled: their callers, callees and lines, and their recent CPU time. */
#include "compiled.h"
#include "sampled_trends.h"

#include "lines_list.h"
#include "names/sampled_lines.h"
#include "sampled_table.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define NOW (UINT64_C(123456) * 1000 * MS)

enum {
	READ,
	WORK,
	PARSE,
	MAIN,
	WALK,
	INLINED,
	NESTED,
	BLOCK,
	OTHER_READ,
	MALLOC,
	OWN,
	LOAD,
	FRAMES
};

static struct hp_cpu_module modules[] = { { .path = (char[]){ "/bin/program" } },
					  { .path = (char[]){ "/lib/libother.so" } } };

#define CODE(module, text)                                                                         \
	{                                                                                          \
		HP_FRAME_CODE, module, 0x1000, true, HP_CPU_NOT_KNOWN, (char[])                    \
		{                                                                                  \
			text                                                                       \
		}                                                                                  \
	}

static struct hp_cpu_frame frames[FRAMES] = {
	[READ] = CODE(0, "read"),
	[WORK] = CODE(0, "work"),
	[PARSE] = CODE(0, "parse"),
	[MAIN] = CODE(0, "main"),
	[WALK] = CODE(0, "walk"),
	[INLINED] = { HP_FRAME_CODE, 0, 0x1000, true, HP_CPU_NOT_KNOWN, (char[]){ "work" },
		      (char[]){ "hash (in work)" } },
	[NESTED] = { .kind = HP_FRAME_CODE,
		     .address = 0x2000,
		     .function = HP_CPU_NOT_KNOWN,
		     .name = (char[]){ "serve" },
		     .inlined = (char[]){ "mix (in serve)" },
		     .between = { (struct hp_between[]){
					  { .name = (char[]){ "round (in serve)" } },
					  { .name = (char[]){ "find (in serve)" } } },
				  2 } },
	[BLOCK] = { HP_FRAME_SITE, -1, 0, false, 0, (char[]){ "block" } },
	[OTHER_READ] = CODE(1, "read"),
	[MALLOC] = CODE(1, "malloc"),
	[OWN] = CODE(1, HP_CPU_OWN),
	[LOAD] = CODE(0, "load"),
};

#define STACK(count, is_whole, ...)                                                                \
	{                                                                                          \
		0, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), count, is_whole,        \
			(uint32_t[])                                                               \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

static struct hp_cpu_stack stacks[] = {
	STACK(3, true, READ, WORK, MAIN),
	/* A measured block is no function. */
	STACK(2, true, WORK, BLOCK, MAIN),
	STACK(4, true, READ, WORK, PARSE, MAIN),
	STACK(10, false, INLINED, PARSE),
	/* Recursion: direct, and by way of another. */
	STACK(20, true, WALK, WALK, WALK, MAIN),
	STACK(30, false, PARSE, WALK, PARSE, WALK),
	STACK(5, false, OTHER_READ),
	STACK(7, true, NESTED, MAIN),
	/* A probe that calls for the program, and one that records. */
	STACK(6, true, MALLOC, OWN, LOAD, MAIN),
	STACK(1, true, OWN, LOAD, MAIN),
};

static struct hp_model model = { .cpu = { .source = HP_CPU_PERF,
					  .period_ns = MS,
					  .total_samples = 91,
					  .kernel_samples = 3,
					  .modules = modules,
					  .module_count = 2,
					  .frames = frames,
					  .frame_count = FRAMES,
					  .stacks = stacks,
					  .stack_count = 10 } };

static struct hp_native native;
static struct hp_sampled sampled;
static struct hp_report_options options;
static struct hp_text text;

static int set_up(void **state)
{
	(void)state;
	hp_report_options_init(&options);
	return hp_native_read(&native, &model.cpu) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	hp_native_free(&native);
	hp_sampled_free(&sampled);
	hp_text_free(&text);
	return 0;
}

static int read_sampled(const char *name, const char *module)
{
	hp_sampled_free(&sampled);
	return hp_sampled_read(&sampled, &model.cpu, &native, name, module);
}

static void assert_row(const struct hp_sampled_rows *rows, size_t nth, const char *name,
		       uint64_t samples, uint64_t self)
{
	assert_true(nth < rows->count);
	assert_string_equal(rows->items[nth].name, name);
	assert_int_equal(rows->items[nth].samples, samples);
	assert_int_equal(rows->items[nth].self, self);
}

static void neighbours(void **state)
{
	(void)state;
	assert_int_equal(read_sampled("work", NULL), 0);
	assert_int_equal(sampled.samples, 19);
	assert_int_equal(sampled.self, 2);
	assert_int_equal(sampled.callers.count, 2);
	assert_row(&sampled.callers, 0, "parse", 14, 0);
	assert_row(&sampled.callers, 1, "main", 5, 2);
	assert_int_equal(sampled.callees.count, 2);
	assert_row(&sampled.callees, 0, "hash (in work)", 10, 10);
	assert_row(&sampled.callees, 1, "read", 7, 7);
}

static void inlined_functions_are_called_by_the_one_around(void **state)
{
	(void)state;
	assert_int_equal(read_sampled("hash (in work)", NULL), 0);
	assert_int_equal(sampled.self, 10);
	assert_int_equal(sampled.callers.count, 1);
	assert_row(&sampled.callers, 0, "work", 10, 10);
	assert_int_equal(sampled.callees.count, 0);
}

static void nested_functions_are_called_by_the_next_one(void **state)
{
	static const char *const chain[] = { "mix (in serve)", "round (in serve)",
					     "find (in serve)", "serve", "main" };

	(void)state;
	for (size_t i = 0; i + 1 < sizeof(chain) / sizeof(*chain); i++) {
		assert_int_equal(read_sampled(chain[i], NULL), 0);
		assert_int_equal(sampled.samples, 7);
		assert_int_equal(sampled.self, i == 0 ? 7 : 0);
		assert_int_equal(sampled.callers.count, 1);
		assert_row(&sampled.callers, 0, chain[i + 1], 7, i == 0 ? 7 : 0);
		assert_int_equal(sampled.callees.count, i == 0 ? 0 : 1);
		if (i > 0)
			assert_row(&sampled.callees, 0, chain[i - 1], 7, i == 1 ? 7 : 0);
	}
}

static void probes_are_looked_through(void **state)
{
	(void)state;
	assert_int_equal(read_sampled("malloc", NULL), 0);
	assert_int_equal(sampled.callers.count, 1);
	assert_row(&sampled.callers, 0, "load", 6, 6);
	assert_int_equal(read_sampled("load", NULL), 0);
	assert_int_equal(sampled.callees.count, 2);
	assert_row(&sampled.callees, 0, "malloc", 6, 6);
	assert_row(&sampled.callees, 1, HP_CPU_OWN, 1, 1);
	/* The profiler itself is a row like any other. */
	assert_int_equal(read_sampled(HP_CPU_OWN, NULL), 0);
	assert_int_equal(sampled.samples, 7);
	assert_int_equal(sampled.self, 1);
	assert_row(&sampled.callers, 0, "load", 7, 1);
	assert_row(&sampled.callees, 0, "malloc", 6, 6);
}

static void time_without_a_stack_has_no_known_caller(void **state)
{
	(void)state;
	assert_int_equal(read_sampled("<kernel>", NULL), 0);
	assert_int_equal(sampled.samples, 3);
	assert_int_equal(sampled.self, 3);
	assert_int_equal(sampled.callers.count, 1);
	assert_row(&sampled.callers, 0, "<unknown>", 3, 3);
	assert_int_equal(sampled.callees.count, 0);
	assert_int_equal(read_sampled("<loading>", NULL), -ENOENT);
}

/* Direct recursion is one call. In a stack that is not complete, the caller is not known. */
static void recursion_counts_once(void **state)
{
	(void)state;
	assert_int_equal(read_sampled("walk", NULL), 0);
	assert_int_equal(sampled.samples, 50);
	assert_int_equal(sampled.self, 20);
	assert_int_equal(sampled.callers.count, 3);
	assert_row(&sampled.callers, 0, "<unknown>", 30, 0);
	assert_row(&sampled.callers, 1, "parse", 30, 0);
	assert_row(&sampled.callers, 2, "main", 20, 20);
	assert_int_equal(sampled.callees.count, 1);
	assert_row(&sampled.callees, 0, "parse", 30, 30);
	assert_int_equal(read_sampled("main", NULL), 0);
	assert_row(&sampled.callers, 0, "<none>", 43, 0);
}

static void files_tell_functions_apart(void **state)
{
	(void)state;
	assert_int_equal(read_sampled("read", NULL), 0);
	assert_int_equal(sampled.samples, 12);
	assert_int_equal(read_sampled("read", "/lib/libother.so"), 0);
	assert_int_equal(sampled.samples, 5);
	assert_int_equal(read_sampled("read", "/lib/libnone.so"), -ENOENT);
	assert_int_equal(read_sampled("block", NULL), -ENOENT);
	assert_int_equal(read_sampled("nothing", NULL), -ENOENT);
}

static void written(void **state)
{
	(void)state;
	assert_int_equal(hp_sampled_write(&model, HP_CALLERS, "work", &options, &text), 0);
	assert_string_equal(text.bytes,
			    "Callers of work, by samples; 100 % is its 19.00 ms of CPU time, "
			    "of which 2.00 ms are its own.\n"
			    "+----------+---------+---------+----------+\n"
			    "| CPU time |    Self | % Total | Function |\n"
			    "+----------+---------+---------+----------+\n"
			    "| 14.00 ms |    0 ns |  73.68% | parse    |\n"
			    "|  5.00 ms | 2.00 ms |  26.32% | main     |\n"
			    "+----------+---------+---------+----------+\n");
	text.length = 0;
	assert_int_equal(hp_sampled_write(&model, HP_CALLEES, "read", &options, &text), 0);
	assert_non_null(strstr(text.bytes, "\nNo sample was taken in a function that it calls.\n"));
	text.length = 0;
	options.format = HP_FORMAT_JSON;
	assert_int_equal(hp_sampled_write(&model, HP_CALLEES, "walk", &options, &text), 0);
	assert_string_equal(text.bytes,
			    "{\"type\":\"hotpath_callees\",\"schema\":1,\"name\":\"walk\","
			    "\"samples\":20,\"inclusive_samples\":50,\"period_ns\":1000000,"
			    "\"callees\":[{\"name\":\"parse\",\"module\":\"/bin/program\","
			    "\"samples\":30,\"inclusive_samples\":30}]}\n");
	text.length = 0;
	assert_int_equal(hp_sampled_write(&model, HP_CALLERS, "nothing", &options, &text), -ENOENT);
	assert_int_equal(text.length, 0);
}

/* ---- lines ---- */

static uint64_t address_of(const char *name)
{
	return strtoull(shell("nm program | awk '$3 == \"%s\" { print $1; exit }'", name), NULL,
			16);
}

static void assert_line(const struct hp_sampled_lines *lines, size_t nth, const char *file,
			uint64_t samples, uint64_t self)
{
	const struct hp_sampled_line *line = &lines->items[nth];

	assert_true(nth < lines->count);
	assert_string_equal(lines->functions.items[line->function].file, file);
	assert_int_equal(line->samples, samples);
	assert_int_equal(line->self, self);
}

/* The first instruction is at the line of the function; a call returns to the line that it is in, or after it. */
static void lines(void **state)
{
	(void)state;
	compiled_write("program.c", "volatile int a;\n"
				    "__attribute__((noinline)) void leaf(void)\n"
				    "{\n"
				    "\ta++;\n"
				    "}\n"
				    "int main(void) {\n"
				    "\tleaf();\n"
				    "\treturn a;\n"
				    "}\n");
	shell("cc -O0 -g -fno-omit-frame-pointer program.c -o program");
	char path[512];
	snprintf(path, sizeof(path), "%s", compiled("program"));
	uint64_t after = strtoull(
		shell("objdump -d program | awk '/call.*<leaf>|bl.*<leaf>/ { getline; print $1; exit }'"),
		NULL, 16);
	struct hp_cpu_module file = { .path = path };
	struct hp_cpu_frame code[] = {
		{ HP_FRAME_CODE, 0, address_of("leaf"), false, HP_CPU_NOT_KNOWN,
		  (char[]){ "leaf" } },
		{ HP_FRAME_CODE, 0, after, true, HP_CPU_NOT_KNOWN, (char[]){ "main" } },
		{ HP_FRAME_CODE, 0, address_of("main"), false, HP_CPU_NOT_KNOWN,
		  (char[]){ "main" } },
	};
	struct hp_cpu_stack seen[] = { STACK(7, true, 0, 1), STACK(2, true, 2) };
	struct hp_cpu cpu = { .modules = &file,
			      .module_count = 1,
			      .frames = code,
			      .frame_count = 3,
			      .stacks = seen,
			      .stack_count = 2 };
	struct hp_sampled_lines found;

	assert_true(hp_sampled_lines_read(&found, &cpu, "main", NULL));
	assert_int_equal(found.samples, 9);
	assert_int_equal(found.self, 2);
	assert_int_equal(found.count, 2);
	assert_line(&found, 0, "program.c", 2, 2);
	assert_int_equal(found.items[0].line, 6);
	assert_line(&found, 1, "program.c", 7, 0);
	assert_int_equal(found.items[1].line, 7);
	cpu.period_ns = MS;
	assert_int_equal(hp_lines_list(&found, &cpu, 1, &options, &text), 1);
	assert_string_equal(text.bytes,
			    "   Samples       Self  % Self      Total  Line  main, program.c\n"
			    "                                             4          a++;\n"
			    "                                             5  }\n"
			    ">        2    2.00 ms  22.22%    2.00 ms     6  int main(void) {\n"
			    ">                                7.00 ms     7          leaf();\n"
			    "                                             8          return a;\n");
	hp_sampled_lines_free(&found);
	/* Lines of all functions: each has rows. */
	cpu.total_samples = 10;
	assert_true(hp_sampled_lines_read(&found, &cpu, NULL, NULL));
	assert_int_equal(found.samples, 10);
	assert_int_equal(found.count, 3);
	assert_line(&found, 0, "program.c", 7, 7);
	hp_sampled_lines_free(&found);
	/* Symbols alone: instructions. */
	shell("strip -g program");
	assert_true(hp_sampled_lines_read(&found, &cpu, "main", NULL));
	assert_int_equal(found.items[1].line, 0);
	assert_int_equal(found.items[1].address - found.items[1].begin, after - code[2].address);
	hp_sampled_lines_free(&found);
}

/* ---- texts of sources ---- */

static const char *line_text(const char *name, uint32_t line, size_t width)
{
	struct hp_sources sources = { .items = NULL };

	text.length = 0;
	hp_text_puts(&text, "");
	if (!hp_source_put_line(hp_sources_find(&sources, compiled(name), NULL), line, width,
				&text))
		hp_text_puts(&text, "(none)");
	hp_sources_free(&sources);
	return text.bytes;
}

static void source_texts(void **state)
{
	(void)state;
	compiled_write("source file.c", "one\n\ttab\tx\r\n\033[31m\xff\xe2\x80\xae\n\nlast äöü");
	assert_string_equal(line_text("source file.c", 1, 80), "one");
	assert_string_equal(line_text("source file.c", 2, 80), "        tab     x");
	assert_string_equal(line_text("source file.c", 3, 80), "?[31m??");
	assert_string_equal(line_text("source file.c", 4, 80), "");
	assert_string_equal(line_text("source file.c", 5, 80), "last äöü");
	assert_string_equal(line_text("source file.c", 5, 8), "last äöü");
	assert_string_equal(line_text("source file.c", 5, 7), "last ä…");
	assert_string_equal(line_text("source file.c", 0, 80), "(none)");
	assert_string_equal(line_text("source file.c", 6, 80), "(none)");
	/* A pipe is not waited for; what is too large is not read. */
	shell("mkfifo pipe; truncate -s 17M large");
	assert_string_equal(line_text("pipe", 1, 80), "(none)");
	assert_string_equal(line_text("large", 1, 80), "(none)");
	assert_string_equal(line_text("none", 1, 80), "(none)");
}

/* A source whose folder is gone is looked for in the current one; it may be newer than the program. */
static void sources_elsewhere(void **state)
{
	struct hp_sources sources = { .items = NULL };
	const struct hp_source_text *found;

	(void)state;
	shell("mkdir -p src && echo here > src/moved.c && touch -d '1 hour ago' old");
	assert_int_equal(chdir(compiled_folder), 0);
	found = hp_sources_find(&sources, "/no/such/src/moved.c", compiled("old"));
	assert_non_null(found);
	assert_true(found->is_newer);
	assert_null(hp_sources_find(&sources, "/no/such/moved.c", NULL));
	assert_int_equal(chdir("/"), 0);
	hp_sources_free(&sources);
}

/* ---- trends ---- */

static const struct hp_function *find(const struct hp_cpu *cpu, const char *name)
{
	for (size_t i = 0; i < cpu->native->count; i++)
		if (strcmp(cpu->native->functions[i].name, name) == 0)
			return &cpu->native->functions[i];
	fail_msg("no function '%s'", name);
	return NULL;
}

static void assert_recent(const struct hp_cpu *cpu, const char *name, double self, double inclusive)
{
	const struct hp_function *function = find(cpu, name);

	assert_true(fabs(function->cpu_trend->recent - self) < 1e-6);
	assert_true(fabs(function->cpu_inclusive_trend->recent - inclusive) < 1e-6);
}

/* A function that was in no stack before had no samples. */
static void recent_samples(void **state)
{
	struct hp_cpu_stack growing[] = { STACK(100, true, WORK, MAIN),
					  STACK(50, true, PARSE, MAIN), STACK(0, true, WALK) };
	struct hp_cpu cpu = { .total_samples = 100,
			      .modules = modules,
			      .module_count = 2,
			      .frames = frames,
			      .frame_count = FRAMES,
			      .stacks = growing,
			      .stack_count = 1 };
	struct hp_sampled_trends trends = { .count = 0 };

	(void)state;
	assert_true(hp_sampled_trends_see(&trends, &cpu, NOW));
	assert_recent(&cpu, "work", 0, 0);
	growing[0].samples = 120;
	cpu.stack_count = 2;
	cpu.total_samples = 180;
	assert_true(hp_sampled_trends_see(&trends, &cpu, NOW + 2000 * MS));
	assert_recent(&cpu, "work", 10, 10);
	assert_recent(&cpu, "parse", 25, 25);
	assert_recent(&cpu, "main", 0, 35);
	/* CPU time without a stack has a row, too. */
	assert_int_equal(cpu.native->rest_count, 1);
	assert_true(fabs(cpu.native->rests[0].cpu_trend->recent - 5) < 1e-6);
	/* A function that appears later is averaged over the same time as the others. */
	growing[2].samples = 30;
	cpu.stack_count = 3;
	cpu.total_samples = 210;
	assert_true(hp_sampled_trends_see(&trends, &cpu, NOW + 3000 * MS));
	assert_recent(&cpu, "walk", 10, 10);
	assert_recent(&cpu, "work", 20.0 / 3, 20.0 / 3);
	/* Ten seconds without a sample. */
	assert_true(hp_sampled_trends_see(&trends, &cpu, NOW + 13000 * MS));
	assert_recent(&cpu, "parse", 0, 0);
	hp_sampled_trends_clear(&trends);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nested_functions_are_called_by_the_next_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(neighbours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(probes_are_looked_through, set_up, tear_down),
		cmocka_unit_test_setup_teardown(time_without_a_stack_has_no_known_caller, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(inlined_functions_are_called_by_the_one_around,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(recursion_counts_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_tell_functions_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(source_texts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sources_elsewhere, set_up, tear_down),
		cmocka_unit_test_setup_teardown(recent_samples, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, compiled_make_folder, compiled_remove_folder);
}
