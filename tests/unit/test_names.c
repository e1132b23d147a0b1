/* SPDX-License-Identifier: MIT */
/* Functions known by their address have the names that their files give them. */
#include "../fuzz/made_flows.h"
#include "compiled.h"
#include "read_model.h"

#include "cache.h"
#include "elf_file.h"

static void make_programs(void)
{
	compiled_write(
		"program.c",
		"static int __attribute__((noinline)) hidden(int a) { return a * 3; }\n"
		"int shown(int a) { return hidden(a) + 1; }\n"
		"int weak(int a) __attribute__((weak, alias(\"shown\")));\n"
		"int main(int c, char **v) { (void)v; return shown(c) == 4 ? 0 : shown(c); }\n");
	compiled_write(
		"program.cpp",
		"namespace ns { template <class T> struct Box {\n"
		"	T get(T a) { return a; } };\n"
		"	int over(int a) { return a; }\n"
		"	int over(char a) { return a; }\n"
		"	template <class T> T twice(T a) { return a * 2; } }\n"
		"int main() { ns::Box<int> b; return b.get(0) + ns::over(0) + ns::over('\\0') +\n"
		"	ns::twice(0); }\n");
	shell("cc -O1 -g -Wl,--build-id -pie -fPIE program.c -o program");
	shell("cc -O1 -Wl,--build-id=none -no-pie -fno-pie program.c -o fixed");
	shell("cc -O1 -Wl,--build-id -shared -fPIC program.c -o library.so");
	shell("c++ -O0 -g -Wl,--build-id program.cpp -o cpp");
}

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	make_programs();
	return 0;
}

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	return 0;
}

static struct hp_module *module_of(const char *file)
{
	struct hp_module *module = made_module(&made, compiled(file), NULL);
	const unsigned char *id;
	struct hp_elf elf;

	assert_int_equal(hp_elf_open(&elf, compiled(file)), 0);
	module->build_id_size = (uint32_t)hp_elf_build_id(&elf, &id);
	memcpy(module->build_id, id ? id : (const void *)"", module->build_id_size);
	hp_elf_close(&elf);
	return module;
}

/* The address that nm prints for a name. */
static uint64_t address_of(const char *file, const char *name)
{
	uint64_t address = strtoull(
		shell("nm %s | awk '$3 == \"%s\" { print $1; exit }'", file, name), NULL, 16);

	assert_true(address != 0);
	return address;
}

static size_t rows_named(const char *name)
{
	size_t count = 0;

	for (size_t i = 0; i < model->function_count; i++)
		count += strcmp(model->functions[i].name, name) == 0;
	return count;
}

/* ---- where names come from ---- */

static void names_of(const char *file, const char *symbols, bool has_local)
{
	struct hp_module *module;

	made_segment(&made);
	module = module_of(file);
	made_address(&made, module, address_of(symbols, "shown"));
	made_address(&made, module, address_of(symbols, "hidden"));
	read_model();
	const struct hp_function *shown = row("shown");
	assert_string_equal(shown->module, compiled(file));
	assert_true(shown->offset == address_of(symbols, "shown"));
	assert_int_equal(shown->kind, HP_SITE_FUNCTION);
	assert_int_equal(shown->calls, 10);
	assert_null(shown->file);
	assert_int_equal(rows_named("hidden"), has_local);
	assert_int_equal(model->note_count, !has_local);
}

static void whole_files(void **state)
{
	(void)state;
	names_of("program", "program", true);
	names_of("fixed", "fixed", true);
	names_of("library.so", "library.so", true);
}

/* Debug files are found beside the file, and in a folder beside it. */
static void moved_symbols(void **state)
{
	(void)state;
	shell("mkdir -p moved/.debug && objcopy --only-keep-debug library.so moved/library.debug &&"
	      "objcopy --strip-all --add-gnu-debuglink=moved/library.debug library.so moved/library.so");
	names_of("moved/library.so", "library.so", true);
	shell("mv moved/library.debug moved/.debug");
	names_of("moved/library.so", "library.so", true);
	/* The debug file of another build is not used. */
	shell("cc -O1 -shared -fPIC -Wl,--build-id=0x12345678 program.c -o other.so &&"
	      "objcopy --only-keep-debug other.so moved/.debug/library.debug");
	names_of("moved/library.so", "library.so", false);
	assert_non_null(strstr(model->notes[0], "no symbols for functions of library.so: "));
}

/* Without a build id, a checksum says whether a debug file belongs to a library. */
static void moved_symbols_by_sum(void **state)
{
	(void)state;
	shell("cc -O1 -shared -fPIC -Wl,--build-id=none program.c -o plain.so && mkdir -p sum &&"
	      "objcopy --only-keep-debug plain.so sum/plain.debug &&"
	      "objcopy --strip-all --add-gnu-debuglink=sum/plain.debug plain.so sum/plain.so");
	names_of("sum/plain.so", "plain.so", true);
	shell("printf x >> sum/plain.debug");
	names_of("sum/plain.so", "plain.so", false);
}

static void no_symbols(void **state)
{
	char name[64];

	(void)state;
	shell("strip -o stripped program");
	uint64_t address = address_of("program", "hidden");
	made_address(&made, module_of("stripped"), address);
	read_model();
	snprintf(name, sizeof(name), "stripped+0x%llx", (unsigned long long)address);
	assert_non_null(row(name));
	assert_false(row(name)->has_symbol);
	assert_int_equal(model->note_count, 1);
	assert_string_equal(
		model->notes[0],
		"no symbols for functions of stripped: they are shown by address; build "
		"stripped with -g and do not strip it, or link it with -rdynamic");
}

static void assert_note(const char *path, const char *note)
{
	read_model();
	assert_non_null(row("file+0x1234"));
	assert_string_equal(row("file+0x1234")->module, path);
	assert_int_equal(model->note_count, 1);
	assert_string_equal(model->notes[0], note);
}

static void files_that_are_gone(void **state)
{
	static const char *const others[] = { "folder", "pipe", "text" };

	(void)state;
	shell("mkdir -p gone && rm -rf gone/file");
	struct hp_module *module = made_module(&made, compiled("gone/file"), NULL);
	made_address(&made, module, 0x1234);
	assert_note(compiled("gone/file"),
		    "file no longer exists: its functions are shown by address");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		shell("rm -rf gone/file; case %s in folder) mkdir gone/file ;; pipe) mkfifo gone/file ;;"
		      "text) echo text > gone/file ;; esac",
		      others[i]);
		assert_note(compiled("gone/file"),
			    "file cannot be read: its functions are shown by address");
	}
	shell("rm -rf gone/file; cp program gone/file");
	module->build_id_size = 4;
	assert_note(compiled("gone/file"),
		    "file has changed since it was measured: its functions are shown by address");
}

/* Nothing of this can be looked up, and nothing of it does harm. */
static void damaged_modules(void **state)
{
	(void)state;
	struct hp_module *module = made_module(&made, "", NULL);
	uint32_t site = made_address(&made, module, 0x10);
	read_model();
	assert_non_null(row("+0x10"));
	module->path = made.size - 2;
	read_model();
	assert_non_null(row("?+0x10"));
	made.sites[site].module = 77;
	read_model();
	assert_non_null(row("?+0x10"));
	assert_null(row("?+0x10")->module);
	module->build_id_size = UINT32_MAX;
	made.sites[site].module = made_offset(&made, module);
	read_model();
	assert_non_null(row("?+0x10"));
}

static void patterns_for_nothing(void **state)
{
	(void)state;
	struct hp_module *module = made_module(
		&made, compiled("program"),
		"skip hid*\nskip x*\nonly main\nonly [yz]\nmin-size 5\nother\n");
	/* The patterns are checked even when no function was measured, for which they may be the reason. */
	read_model();
	assert_int_equal(model->note_count, 2);
	assert_string_equal(model->notes[0],
			    "hotpath cc --skip 'x*' matches no function of program");
	assert_string_equal(model->notes[1],
			    "hotpath cc --only '[yz]' matches no function of program");
	module->build_id_size = 4;
	read_model();
	assert_int_equal(model->note_count, 0);
	/* A list that is a circle. */
	module->next = made_header(&made)->modules;
	module->build_id_size = 0;
	read_model();
	assert_int_equal(model->note_count, 2);
}

static void cpp_names(void **state)
{
	(void)state;
	struct hp_module *module = module_of("cpp");
	made_address(&made, module, address_of("cpp", "_ZN2ns3BoxIiE3getEi"));
	made_address(&made, module, address_of("cpp", "_ZN2ns5twiceIiEET_S1_"));
	made_address(&made, module, address_of("cpp", "_ZN2ns4overEi"));
	read_model();
	assert_non_null(row("ns::Box<int>::get"));
	assert_non_null(row("ns::twice<int>"));
	assert_non_null(row("ns::over"));
	made_address(&made, module, address_of("cpp", "_ZN2ns4overEc"));
	read_model();
	assert_non_null(row("ns::over(int)"));
	assert_non_null(row("ns::over(char)"));
	assert_non_null(row("ns::twice<int>"));
}

/* ---- functions that measure themselves as well ---- */

/* Site 2 is a function that measures itself; its calls are in two lanes. */
static uint32_t add_twin(uint32_t site, const char *file, const char *symbol, const char *func)
{
	uint32_t id = made_address(&made, module_of(file), address_of(file, symbol));

	made.sites[site].name = made_string(&made, func);
	made.sites[site].twin = id;
	made_header(&made)->used = made.size;
	return id;
}

static void twins(void **state)
{
	(void)state;
	made.sites[2].name = made_string(&made, "shown");
	read_model();
	uint64_t self = row("shown")->self_ns, cost = model->estimated_ns;
	add_twin(2, "program", "shown", "shown");
	made.sites[2].kind = HP_SITE_FUNCTION;
	for (unsigned i = 0; i < MADE_STATS; i++)
		made.stats[i]->self = 10;
	read_model();
	assert_int_equal(rows_named("shown"), 1);
	assert_int_equal(row("shown")->calls, 10);
	assert_int_equal(row("shown")->total_ns, 10000);
	assert_int_equal(row("shown")->times.count, 0);
	assert_string_equal(row("shown")->file, "src/work.c");
	assert_int_equal(row("shown")->line, 11);
	assert_string_equal(row("shown")->module, compiled("program"));
	assert_true(row("shown")->self_ns > 2000 && row("shown")->self_ns < self + 2000);
	/* All calls had a cost. */
	assert_true(model->estimated_ns > cost);
}

static void no_twins(void **state)
{
	static const struct {
		enum hp_site_kind kind;
		const char *func;
	} cases[] = { { HP_SITE_FUNCTION, "work" },
		      { HP_SITE_BLOCK, "shown" },
		      { HP_SITE_SPAN, "shown" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		made_segment(&made);
		add_twin(2, "program", "shown", cases[i].func);
		made.sites[2].kind = cases[i].kind;
		read_model();
		assert_int_equal(model->function_count, MADE_SITES + 1);
		assert_int_equal(rows_named("shown"), i ? 2 : 1);
	}
	/* A twin that is no such function is ignored. */
	made_segment(&made);
	made.sites[2].twin = 3;
	read_model();
	assert_int_equal(model->function_count, MADE_SITES);
	made.sites[2].twin = UINT32_MAX;
	read_model();
	assert_int_equal(model->function_count, MADE_SITES);
}

/* The row that is 100 % keeps its time. */
static void twin_of_the_caller(void **state)
{
	(void)state;
	read_model();
	struct hp_function before = *row("main");
	add_twin(1, "program", "main", "main");
	read_model();
	assert_int_equal(rows_named("main"), 1);
	assert_true(row("main")->is_caller);
	assert_int_equal(row("main")->kind, HP_SITE_MAIN);
	assert_true(row("main")->total_ns == before.total_ns && row("main")->calls == before.calls);
	assert_true(row("main")->self_ns == before.self_ns + 2000);
	assert_true(row("main")->times.count > 0);
	assert_true(model->elapsed_ns == before.total_ns);
	assert_string_equal(model->caller, "main");
	assert_string_equal(row("main")->module, compiled("program"));
}

static void assert_branch(size_t number, const char *name, uint64_t calls, uint64_t total)
{
	const struct hp_branch *branch = &model->branches[number];

	assert_string_equal(model->functions[branch->function].name, name);
	assert_int_equal(branch->parent, (int)number - 1);
	assert_int_equal(branch->calls, calls);
	assert_int_equal(branch->total_ns, total);
}

/* Nodes of both sites are of the one row, and rows behind it have moved up. */
static void twins_in_the_tree(void **state)
{
	struct hp_lane *lane = made.lanes[0];
	uint32_t address = add_twin(2, "program", "shown", "shown");
	struct hp_node *node = NULL;
	const uint32_t sites[] = { 1, address, 2, 4 };

	(void)state;
	made_header(&made)->ticks_per_second = UINT64_C(1000000000);
	lane->nodes = made.lanes[1]->nodes = 0;
	for (size_t i = 0; i < sizeof(sites) / sizeof(*sites); i++)
		node = made_node(&made, lane, node, sites[i], 50000 - 1000 * i, 0);
	for (unsigned i = 0; i < MADE_STATS; i++) {
		made.stats[i]->flushed = MADE_CALLS;
		made.stats[i]->depth = 0;
		made.stats[i]->open = 0;
	}
	read_model();
	assert_int_equal(model->branch_count, 3);
	assert_branch(0, "main", 2, 50000);
	assert_branch(1, "shown", 2, 49000);
	assert_branch(2, "\xc2\xb5-op", 2, 47000);
}

static void cpp_twins(void **state)
{
	(void)state;
	add_twin(2, "cpp", "_ZN2ns3BoxIiE3getEi", "get");
	add_twin(3, "cpp", "_ZN2ns5twiceIiEET_S1_", "other");
	made.sites[3].kind = HP_SITE_FUNCTION;
	read_model();
	assert_int_equal(rows_named("get"), 0);
	assert_int_equal(row("ns::Box<int>::get")->calls, 10);
	assert_int_equal(row("ns::Box<int>::get")->line, 11);
	assert_int_equal(rows_named("other"), 1);
	assert_int_equal(rows_named("ns::twice<int>"), 1);
}

/* ---- recent calls ---- */

static ssize_t recent_calls(const char *name)
{
	struct hp_recent *recent;
	struct hp_error error;
	ssize_t count = hp_recent_calls(made.bytes, made.size, name, &recent, &error);

	free(recent);
	return count;
}

static void recent_by_name(void **state)
{
	(void)state;
	made_header(&made)->logs_limit = 10000;
	uint32_t id = made_address(&made, module_of("cpp"), address_of("cpp", "_ZN2ns4overEi"));
	assert_int_equal(recent_calls("ns::over"), 10);
	assert_true(recent_calls("over") < 0);
	ssize_t own = recent_calls("work");
	/* Twins have the calls that the function measured itself, by either name. */
	made.sites[2].name = made_string(&made, "over");
	made.sites[2].twin = id;
	assert_int_equal(recent_calls("ns::over"), own);
	assert_int_equal(recent_calls("over"), own);
}

/* ---- looking again ---- */

/* Add a site that a probe found: its address is the start of a function, or a place in it. */
static void made_found(enum hp_site_kind kind, const char *name, const struct hp_module *module,
		       uint64_t address)
{
	struct hp_shared *shared;
	uint32_t id = made_flow(&made, kind, name, kind == HP_SITE_POLL ? NULL : &shared);

	made.sites[id].module = made_offset(&made, module);
	made.sites[id].offset = address;
	made_flow_stat(&made, 0, id, 1, 105);
}

/* Two places in one function: each has a number, and a future the same as its polls. */
static void found_in_one_function(void **state)
{
	const struct hp_module *module = module_of("program");
	uint64_t shown = address_of("program", "shown");

	(void)state;
	made_found(HP_SITE_CHANNEL, "Queue", module, shown + 2);
	made_found(HP_SITE_CHANNEL, "Queue", module, shown + 1);
	made_found(HP_SITE_CHANNEL, "Other", module, shown + 1);
	made_found(HP_SITE_FUTURE, "work", module, shown);
	made_found(HP_SITE_FUTURE, "work", module, shown + 1);
	made_found(HP_SITE_POLL, "work", module, shown + 1);
	read_model();
	assert_int_equal(model->entries.count, 5);
	assert_string_equal(model->entries.items[0].name, "Other shown");
	assert_string_equal(model->entries.items[1].name, "Queue shown #1");
	assert_string_equal(model->entries.items[2].name, "Queue shown #2");
	assert_true(model->entries.items[1].id < model->entries.items[2].id);
	assert_string_equal(model->entries.items[3].name, "work shown #1");
	assert_string_equal(model->entries.items[4].name, "work shown #2");
	assert_int_equal(row("work shown #2")->kind, HP_SITE_POLL);
}

static void what_probes_found(void **state)
{
	const struct hp_module *module = module_of("program");
	uint64_t shown = address_of("program", "shown");

	(void)state;
	made_found(HP_SITE_CHANNEL, "Queue", module, shown + 1);
	made_found(HP_SITE_FUTURE, "work", module, shown);
	made_found(HP_SITE_POLL, "work", module, shown);
	made_found(HP_SITE_STREAM, "lines", module, 1);
	read_model();
	assert_int_equal(model->entries.count, 3);
	assert_string_equal(model->entries.items[0].name, "Queue shown");
	assert_string_equal(model->entries.items[1].name, "lines program+0x1");
	assert_string_equal(model->entries.items[2].name, "work shown");
	assert_int_equal(row("work shown")->kind, HP_SITE_POLL);
	assert_null(row("work shown")->module);
	assert_int_equal(model->note_count, 0);
}

/* A callback gets a longer name when another of the same name appears. */
static void callbacks_of_one_name(void **state)
{
	const struct hp_module *module = module_of("cpp");
	struct hp_glance glance = { .quota = 1 };
	struct hp_cache *cache = hp_cache_new();
	struct hp_error error = { "" };

	(void)state;
	made_found(HP_SITE_POLL, "work", module, address_of("cpp", "_ZN2ns4overEi"));
	model = hp_cache_read(cache, made.bytes, made.size, NULL, &glance, &error);
	assert_int_equal(rows_named("work ns::over"), 1);
	made_found(HP_SITE_POLL, "work", module, address_of("cpp", "_ZN2ns4overEc"));
	hp_model_free(model);
	model = hp_cache_read(cache, made.bytes, made.size, NULL, &glance, &error);
	assert_int_equal(rows_named("work ns::over(int)"), 1);
	assert_int_equal(rows_named("work ns::over(char)"), 1);
	hp_cache_free(cache);
}

static void assert_looks_as_read(struct hp_cache *cache, const struct hp_glance *glance)
{
	struct hp_error error = { "" };
	struct hp_model *seen = hp_cache_read(cache, made.bytes, made.size, NULL, glance, &error);

	assert_non_null(seen);
	read_model();
	assert_int_equal(seen->function_count, model->function_count);
	for (size_t i = 0; i < seen->function_count; i++) {
		assert_string_equal(seen->functions[i].name, model->functions[i].name);
		assert_int_equal(seen->functions[i].id, model->functions[i].id);
		assert_int_equal(seen->functions[i].calls, model->functions[i].calls);
		assert_int_equal(seen->functions[i].self_ns, model->functions[i].self_ns);
	}
	assert_int_equal(seen->note_count, model->note_count);
	for (size_t i = 0; i < seen->note_count; i++)
		assert_string_equal(seen->notes[i], model->notes[i]);
	hp_model_free(seen);
}

/* Functions may need a longer name when others appear; those without a name are counted again. */
static void names_that_come_later(void **state)
{
	static const struct hp_glance glance = { .quota = 1 };
	struct hp_cache *cache = hp_cache_new();
	struct hp_module *module = module_of("cpp"), *library = module_of("library.so");

	(void)state;
	assert_looks_as_read(cache, &glance);
	made_address(&made, module, address_of("cpp", "_ZN2ns4overEi"));
	made_address(&made, library, address_of("library.so", "shown"));
	assert_looks_as_read(cache, &glance);
	assert_int_equal(rows_named("ns::over"), 1);
	made_address(&made, module, address_of("cpp", "_ZN2ns4overEc"));
	made_address(&made, library, address_of("library.so", "shown") + 1);
	assert_looks_as_read(cache, &glance);
	assert_int_equal(rows_named("ns::over(int)"), 1);
	assert_int_equal(model->note_count, 1);
	made_address(&made, library, address_of("library.so", "shown") + 2);
	assert_looks_as_read(cache, &glance);
	assert_int_equal(model->note_count, 1);
	made_module(&made, compiled("program"), "only nothing*\n")->build_id_size = 0;
	assert_looks_as_read(cache, &glance);
	assert_int_equal(model->note_count, 2);
	hp_cache_free(cache);
}

/* Twins may be found out late; then both are read together. */
static void twins_that_come_later(void **state)
{
	static const uint32_t visible[] = { 5 };
	static const struct hp_glance glance = { .visible = visible,
						 .visible_count = 1,
						 .quota = 1 };
	struct hp_cache *cache = hp_cache_new();

	(void)state;
	uint32_t id = add_twin(2, "program", "shown", "shown");
	assert_int_equal(id, 5);
	made.sites[2].twin = 0;
	assert_looks_as_read(cache, &glance);
	assert_int_equal(rows_named("shown"), 2);
	made.sites[2].twin = id;
	assert_looks_as_read(cache, &glance);
	assert_int_equal(rows_named("shown"), 1);
	made.stats[0]->self += 100000;
	made.stats[2]->self -= 10;
	assert_looks_as_read(cache, &glance);
	hp_cache_free(cache);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(whole_files),
		TEST(moved_symbols),
		TEST(moved_symbols_by_sum),
		TEST(no_symbols),
		TEST(files_that_are_gone),
		TEST(damaged_modules),
		TEST(patterns_for_nothing),
		TEST(cpp_names),
		TEST(twins),
		TEST(no_twins),
		TEST(twin_of_the_caller),
		TEST(twins_in_the_tree),
		TEST(cpp_twins),
		TEST(recent_by_name),
		TEST(what_probes_found),
		TEST(found_in_one_function),
		TEST(callbacks_of_one_name),
		TEST(names_that_come_later),
		TEST(twins_that_come_later),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
