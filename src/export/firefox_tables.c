/* SPDX-License-Identifier: MIT */
/* The tables of the Firefox Profiler's format that all threads share. */
#include "firefox_tables.h"

#include <stdlib.h>

/* The type of a resource. */
enum { RESOURCE_LIBRARY = 1 };

/* ---- columns ---- */

void hp_firefox_number(struct hp_firefox *writing, int64_t value)
{
	if (value == HP_FIREFOX_NOTHING)
		hp_json_null(&writing->json);
	else
		hp_json_i64(&writing->json, value);
	hp_sink_pass(writing->sink);
}

void hp_firefox_member(struct hp_firefox *writing, const char *key, const char *value)
{
	hp_json_key(&writing->json, key);
	hp_json_string(&writing->json, value);
}

void hp_firefox_table(struct hp_firefox *writing, const char *key, uint64_t length)
{
	hp_json_key(&writing->json, key);
	hp_json_begin_object(&writing->json);
	hp_json_member_u64(&writing->json, "length", length);
}

void hp_firefox_column(struct hp_firefox *writing, const char *key)
{
	hp_json_key(&writing->json, key);
	hp_json_begin_array(&writing->json);
}

void hp_firefox_empty(struct hp_firefox *writing, const char *key)
{
	hp_firefox_column(writing, key);
	hp_json_end_array(&writing->json);
}

typedef int64_t (*value_of)(const struct hp_firefox *writing, uint32_t row);

static void put_column(struct hp_firefox *writing, const char *key, uint32_t rows, value_of value)
{
	hp_firefox_column(writing, key);
	for (uint32_t i = 0; i < rows; i++)
		hp_firefox_number(writing, value(writing, i));
	hp_json_end_array(&writing->json);
}

static int64_t nothing(const struct hp_firefox *writing, uint32_t row)
{
	(void)writing;
	(void)row;
	return HP_FIREFOX_NOTHING;
}

static void put_false(struct hp_firefox *writing, const char *key, uint32_t rows)
{
	hp_firefox_column(writing, key);
	for (uint32_t i = 0; i < rows; i++)
		hp_json_bool(&writing->json, false);
	hp_json_end_array(&writing->json);
}

/* ---- stacks ---- */

static const struct hp_location *location_of(const struct hp_firefox *writing, uint32_t call)
{
	const struct hp_profile *profile = writing->profile;

	return &profile->locations[profile->tree.calls[call].key];
}

/* The parent of a call's outermost stack is the innermost stack of its parent. */
static void put_prefixes(struct hp_firefox *writing, uint32_t call)
{
	uint32_t parent = writing->profile->tree.calls[call].parent;
	uint32_t count = location_of(writing, call)->levels.count;

	hp_firefox_number(writing,
			  parent == HP_INDEX_NONE ? HP_FIREFOX_NOTHING : writing->stacks[parent]);
	for (uint32_t i = 1; i < count; i++)
		hp_firefox_number(writing, (int64_t)writing->stacks[call] - count + i);
}

static void put_stack_frames(struct hp_firefox *writing, uint32_t call)
{
	uint32_t first = writing->frames[writing->profile->tree.calls[call].key];

	for (uint32_t i = 0; i < location_of(writing, call)->levels.count; i++)
		hp_firefox_number(writing, first + i);
}

static void put_stacks(struct hp_firefox *writing)
{
	uint32_t calls = writing->profile->tree.count;

	hp_firefox_table(writing, "stackTable",
			 calls ? (uint64_t)writing->stacks[calls - 1] + 1 : 0);
	hp_firefox_column(writing, "prefix");
	for (uint32_t i = 0; i < calls; i++)
		put_prefixes(writing, i);
	hp_json_end_array(&writing->json);
	hp_firefox_column(writing, "frame");
	for (uint32_t i = 0; i < calls; i++)
		put_stack_frames(writing, i);
	hp_json_end_array(&writing->json);
	hp_json_end_object(&writing->json);
}

/* ---- frames ---- */

/* A level of a location. */
struct frame {
	const struct hp_location *location;
	const struct hp_level *level;
	const struct hp_code *code;
	uint32_t depth;
};

static int64_t frame_address(const struct hp_firefox *writing, const struct frame *frame)
{
	const struct hp_cpu *cpu = writing->profile->cpu;
	if (frame->location->frame == HP_INDEX_NONE)
		return -1;

	const struct hp_cpu_frame *at = &cpu->frames[frame->location->frame];
	return at->module == HP_CPU_NOT_KNOWN ? -1 : (int64_t)(at->address - at->returns);
}

static int64_t frame_depth(const struct hp_firefox *writing, const struct frame *frame)
{
	(void)writing;
	return frame->depth;
}

static int64_t frame_category(const struct hp_firefox *writing, const struct frame *frame)
{
	if (frame->code->is_wait)
		return HP_FIREFOX_WAIT;
	if (frame->code->measured)
		return HP_FIREFOX_MEASURED;
	if (frame->code->module == HP_CPU_NOT_KNOWN)
		return HP_FIREFOX_OTHER;
	return hp_profile_is_program(writing->profile, frame->code->module) ? HP_FIREFOX_PROGRAM
									    : HP_FIREFOX_LIBRARY;
}

static int64_t frame_function(const struct hp_firefox *writing, const struct frame *frame)
{
	(void)writing;
	return frame->level->function;
}

/* Inlined functions have the symbol of the function that contains them. */
static int64_t frame_symbol(const struct hp_firefox *writing, const struct frame *frame)
{
	uint32_t symbol = writing->symbols[frame->location->levels.items[0].function];

	return symbol == HP_INDEX_NONE ? HP_FIREFOX_NOTHING : symbol;
}

static int64_t frame_line(const struct hp_firefox *writing, const struct frame *frame)
{
	(void)writing;
	return frame->level->line ? frame->level->line : HP_FIREFOX_NOTHING;
}

static int64_t frame_nothing(const struct hp_firefox *writing, const struct frame *frame)
{
	(void)writing;
	(void)frame;
	return HP_FIREFOX_NOTHING;
}

static int64_t frame_zero(const struct hp_firefox *writing, const struct frame *frame)
{
	(void)writing;
	(void)frame;
	return 0;
}

static void put_location(struct hp_firefox *writing, const struct hp_location *location,
			 int64_t (*value)(const struct hp_firefox *, const struct frame *))
{
	for (uint32_t i = 0; i < location->levels.count; i++) {
		const struct hp_level *level = &location->levels.items[i];
		struct frame frame = { location, level,
				       &writing->profile->functions.items[level->function], i };
		hp_firefox_number(writing, value(writing, &frame));
	}
}

static void put_frames(struct hp_firefox *writing)
{
	static const struct {
		const char *key;
		int64_t (*value)(const struct hp_firefox *writing, const struct frame *frame);
	} columns[] = {
		{ "address", frame_address },	 { "inlineDepth", frame_depth },
		{ "category", frame_category },	 { "subcategory", frame_zero },
		{ "func", frame_function },	 { "nativeSymbol", frame_symbol },
		{ "innerWindowID", frame_zero }, { "line", frame_line },
		{ "column", frame_nothing },
	};
	const struct hp_profile *profile = writing->profile;

	hp_firefox_table(writing, "frameTable", writing->frames[profile->location_count]);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		hp_firefox_column(writing, columns[i].key);
		for (uint32_t at = 0; at < profile->location_count; at++)
			put_location(writing, &profile->locations[at], columns[i].value);
		hp_json_end_array(&writing->json);
	}
	hp_json_end_object(&writing->json);
}

/* ---- functions ---- */

static const struct hp_code *code_of(const struct hp_firefox *writing, uint32_t function)
{
	return &writing->profile->functions.items[function];
}

static int64_t function_resource(const struct hp_firefox *writing, uint32_t function)
{
	return code_of(writing, function)->module;
}

static int64_t function_line(const struct hp_firefox *writing, uint32_t function)
{
	uint32_t line = code_of(writing, function)->line;

	return line ? line : HP_FIREFOX_NOTHING;
}

static void put_functions(struct hp_firefox *writing)
{
	uint32_t count = writing->profile->functions.count;

	hp_firefox_table(writing, "funcTable", count);
	hp_firefox_column(writing, "name");
	for (uint32_t i = 0; i < count; i++)
		hp_firefox_number(writing,
				  hp_strings_add(&writing->strings, code_of(writing, i)->name));
	hp_json_end_array(&writing->json);
	put_false(writing, "isJS", count);
	put_false(writing, "relevantForJS", count);
	put_column(writing, "resource", count, function_resource);
	hp_firefox_column(writing, "source");
	for (uint32_t i = 0; i < count; i++) {
		const char *file = code_of(writing, i)->file;
		hp_firefox_number(writing, file ? hp_strings_add(&writing->files, file)
						: HP_FIREFOX_NOTHING);
	}
	hp_json_end_array(&writing->json);
	put_column(writing, "lineNumber", count, function_line);
	put_column(writing, "columnNumber", count, nothing);
	hp_json_end_object(&writing->json);
}

static void put_sources(struct hp_firefox *writing)
{
	uint32_t count = writing->files.count;

	hp_firefox_table(writing, "sources", count);
	put_column(writing, "id", count, nothing);
	hp_firefox_column(writing, "filename");
	for (uint32_t i = 0; i < count; i++)
		hp_firefox_number(writing, hp_strings_add(&writing->strings,
							  hp_strings_get(&writing->files, i)));
	hp_json_end_array(&writing->json);
	hp_json_end_object(&writing->json);
}

/* Write a column for functions with a known start address. */
static void put_symbol_column(struct hp_firefox *writing, const char *key,
			      int64_t (*value)(struct hp_firefox *writing,
					       const struct hp_code *code))
{
	hp_firefox_column(writing, key);
	for (uint32_t i = 0; i < writing->profile->functions.count; i++)
		if (writing->symbols[i] != HP_INDEX_NONE)
			hp_firefox_number(writing, value(writing, code_of(writing, i)));
	hp_json_end_array(&writing->json);
}

static int64_t symbol_module(struct hp_firefox *writing, const struct hp_code *code)
{
	(void)writing;
	return code->module;
}

static int64_t symbol_address(struct hp_firefox *writing, const struct hp_code *code)
{
	(void)writing;
	return (int64_t)code->entry;
}

static int64_t symbol_name(struct hp_firefox *writing, const struct hp_code *code)
{
	return hp_strings_add(&writing->strings, code->name);
}

static int64_t symbol_size(struct hp_firefox *writing, const struct hp_code *code)
{
	(void)writing;
	(void)code;
	return HP_FIREFOX_NOTHING;
}

static void put_symbols(struct hp_firefox *writing, uint32_t count)
{
	hp_firefox_table(writing, "nativeSymbols", count);
	put_symbol_column(writing, "libIndex", symbol_module);
	put_symbol_column(writing, "address", symbol_address);
	put_symbol_column(writing, "name", symbol_name);
	put_symbol_column(writing, "functionSize", symbol_size);
	hp_json_end_object(&writing->json);
}

/* ---- modules ---- */

static const struct hp_cpu_module *module_of(const struct hp_firefox *writing, uint32_t module)
{
	return &writing->profile->cpu->modules[module];
}

static const char *module_name(const struct hp_cpu_module *module)
{
	return module->path ? hp_profile_base(module->path) : "?";
}

static int64_t row_itself(const struct hp_firefox *writing, uint32_t row)
{
	(void)writing;
	return row;
}

static int64_t library(const struct hp_firefox *writing, uint32_t row)
{
	(void)writing;
	(void)row;
	return RESOURCE_LIBRARY;
}

static void put_resources(struct hp_firefox *writing)
{
	uint32_t count = (uint32_t)writing->profile->cpu->module_count;

	hp_firefox_table(writing, "resourceTable", count);
	put_column(writing, "lib", count, row_itself);
	hp_firefox_column(writing, "name");
	for (uint32_t i = 0; i < count; i++)
		hp_firefox_number(writing, hp_strings_add(&writing->strings,
							  module_name(module_of(writing, i))));
	hp_json_end_array(&writing->json);
	put_column(writing, "host", count, nothing);
	put_column(writing, "type", count, library);
	hp_json_end_object(&writing->json);
}

/* ---- all of them ---- */

static void put_strings(struct hp_firefox *writing)
{
	hp_firefox_column(writing, "stringArray");
	for (uint32_t i = 0; i < writing->strings.count; i++) {
		hp_json_string(&writing->json, hp_strings_get(&writing->strings, i));
		hp_sink_pass(writing->sink);
	}
	hp_json_end_array(&writing->json);
}

void hp_firefox_tables(struct hp_firefox *writing)
{
	hp_json_key(&writing->json, "shared");
	hp_json_begin_object(&writing->json);
	put_stacks(writing);
	put_frames(writing);
	put_functions(writing);
	put_symbols(writing, writing->symbol_count);
	put_resources(writing);
	put_sources(writing);
	put_strings(writing);
	hp_json_end_object(&writing->json);
}

static void number(struct hp_firefox *writing)
{
	const struct hp_profile *profile = writing->profile;
	uint32_t frame = 0, stack = 0, symbol = 0;

	for (uint32_t i = 0; i < profile->location_count; i++) {
		writing->frames[i] = frame;
		frame += profile->locations[i].levels.count;
	}
	writing->frames[profile->location_count] = frame;
	for (uint32_t i = 0; i < profile->tree.count; i++) {
		stack += location_of(writing, i)->levels.count;
		writing->stacks[i] = stack - 1;
	}
	for (uint32_t i = 0; i < profile->functions.count; i++) {
		const struct hp_code *code = code_of(writing, i);
		bool known = code->entry && code->module != HP_CPU_NOT_KNOWN;
		writing->symbols[i] = known ? symbol++ : HP_INDEX_NONE;
	}
	writing->symbol_count = symbol;
}

bool hp_firefox_open(struct hp_firefox *writing, const struct hp_profile *profile,
		     struct hp_sink *sink)
{
	*writing = (struct hp_firefox){ .profile = profile, .sink = sink };
	writing->json = hp_json_start(sink->text, false);
	writing->frames = calloc((size_t)profile->location_count + 1, sizeof(uint32_t));
	writing->stacks = calloc((size_t)profile->tree.count + 1, sizeof(uint32_t));
	writing->symbols = calloc((size_t)profile->functions.count + 1, sizeof(uint32_t));
	if (!writing->frames || !writing->stacks || !writing->symbols)
		return false;
	number(writing);
	return true;
}

bool hp_firefox_close(struct hp_firefox *writing)
{
	bool done = !writing->strings.failed && !writing->files.failed;

	free(writing->frames);
	free(writing->stacks);
	free(writing->symbols);
	hp_strings_free(&writing->strings);
	hp_strings_free(&writing->files);
	return done;
}
