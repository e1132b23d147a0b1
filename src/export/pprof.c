/* SPDX-License-Identifier: MIT */
/*
 * The format of pprof, https://github.com/google/pprof/blob/main/proto/profile.proto, compressed.
 *
 * A code address is a Location, with a Line for each inlined function; so is a measured block. The measured functions
 * and blocks that were open are labels of the sample.
 */
#include "export.h"
#include "protobuf.h"
#include "strings.h"

#include "hotpath/version.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of fields. */
enum profile_field {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
};
enum value_type_field { VALUE_TYPE = 1, VALUE_UNIT = 2 };
enum sample_field { SAMPLE_LOCATION = 1, SAMPLE_VALUE = 2, SAMPLE_LABEL = 3 };
enum label_field { LABEL_KEY = 1, LABEL_STRING = 2 };
enum mapping_field {
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7,
	MAPPING_HAS_FILES = 8,
	MAPPING_HAS_LINES = 9,
	MAPPING_HAS_INLINED = 10,
};
enum location_field {
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4
};
enum line_field { LINE_FUNCTION = 1, LINE_LINE = 2 };
enum function_field {
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_LINE = 5,
};

struct writing {
	const struct hp_profile *profile;
	struct hp_sink *sink;
	struct hp_strings strings;
	/* Buffers for a message, and for one nested in it. */
	struct hp_text message;
	struct hp_text inner;
	/* The locations of a stack, and its measured functions. */
	uint32_t *path;
	uint32_t *measured;
};

static uint64_t string(struct writing *writing, const char *text)
{
	return hp_strings_add(&writing->strings, text);
}

static void end_message(struct writing *writing, enum profile_field field)
{
	hp_protobuf_message(writing->sink->text, field, &writing->message);
	hp_sink_pass(writing->sink);
}

static void put_type(struct writing *writing, enum profile_field field,
		     const struct hp_value_type *type)
{
	hp_protobuf_number(&writing->message, VALUE_TYPE, string(writing, type->name));
	hp_protobuf_number(&writing->message, VALUE_UNIT, string(writing, type->unit));
	end_message(writing, field);
}

/* ---- samples ---- */

static void put_label(struct writing *writing, const char *key, const char *value)
{
	hp_protobuf_number(&writing->inner, LABEL_KEY, string(writing, key));
	hp_protobuf_number(&writing->inner, LABEL_STRING, string(writing, value));
	hp_protobuf_message(&writing->message, SAMPLE_LABEL, &writing->inner);
}

/* Add each function once, even if it is recursive. */
static bool add_once(uint32_t *items, uint32_t *count, uint32_t item)
{
	for (uint32_t i = 0; i < *count; i++)
		if (items[i] == item)
			return false;
	items[(*count)++] = item;
	return true;
}

static void put_measured(struct writing *writing, uint32_t depth)
{
	const struct hp_profile *profile = writing->profile;
	uint32_t count = 0;

	for (uint32_t i = 0; i < depth; i++) {
		const struct hp_levels *levels = &profile->locations[writing->path[i]].levels;
		for (uint32_t level = 0; level < levels->count; level++) {
			uint32_t function = levels->items[level].function;
			const struct hp_code *code = &profile->functions.items[function];
			if (code->measured && add_once(writing->measured, &count, function))
				put_label(writing, "measured", code->name);
		}
	}
}

static void put_sample(struct writing *writing, const struct hp_sampled *sampled)
{
	const struct hp_profile *profile = writing->profile;
	uint32_t depth = hp_call_tree_path(&profile->tree, sampled->call, writing->path);

	for (uint32_t i = depth; i-- > 0;)
		hp_protobuf_packed(&writing->inner, (uint64_t)writing->path[i] + 1);
	hp_protobuf_message(&writing->message, SAMPLE_LOCATION, &writing->inner);
	for (unsigned i = 0; profile->subject->types[i].name; i++)
		hp_protobuf_packed(&writing->inner, sampled->values.of[i]);
	hp_protobuf_message(&writing->message, SAMPLE_VALUE, &writing->inner);
	put_label(writing, "thread", hp_profile_thread(profile, sampled->thread));
	put_measured(writing, depth);
	end_message(writing, PROFILE_SAMPLE);
}

/* ---- modules, places and functions ---- */

static void put_build_id(struct writing *writing, const struct hp_cpu_module *module)
{
	struct hp_text id = HP_TEXT_INIT;

	for (uint32_t i = 0; i < module->build_id_size && i < HP_BUILD_ID_MAX; i++)
		hp_text_printf(&id, "%02x", module->build_id[i]);
	hp_protobuf_number(&writing->message, MAPPING_BUILD_ID, string(writing, id.bytes));
	writing->message.failed |= id.failed;
	hp_text_free(&id);
}

/* The end of a module's mapping. Addresses are those in the files, so every mapping begins at 0. */
static uint64_t end_of(const struct hp_cpu *cpu, size_t module)
{
	uint64_t end = 1;

	for (size_t i = 0; i < cpu->frame_count; i++)
		if (cpu->frames[i].module == (int32_t)module && cpu->frames[i].address >= end)
			end = cpu->frames[i].address + 1;
	return end;
}

static void put_mapping(struct writing *writing, size_t module)
{
	const struct hp_cpu *cpu = writing->profile->cpu;
	struct hp_text *text = &writing->message;

	hp_protobuf_number(text, MAPPING_ID, module + 1);
	hp_protobuf_number(text, MAPPING_LIMIT, end_of(cpu, module));
	hp_protobuf_number(text, MAPPING_FILE, string(writing, cpu->modules[module].path));
	put_build_id(writing, &cpu->modules[module]);
	for (unsigned has = MAPPING_HAS_FUNCTIONS; has <= MAPPING_HAS_INLINED; has++)
		hp_protobuf_number(text, has, 1);
	end_message(writing, PROFILE_MAPPING);
}

/* Readers treat the first mapping as the program. */
static void put_mappings(struct writing *writing)
{
	size_t count = writing->profile->cpu->module_count;

	for (size_t i = 0; i < count; i++)
		if (hp_profile_is_program(writing->profile, (int32_t)i))
			put_mapping(writing, i);
	for (size_t i = 0; i < count; i++)
		if (!hp_profile_is_program(writing->profile, (int32_t)i))
			put_mapping(writing, i);
}

static void put_location(struct writing *writing, uint32_t number)
{
	const struct hp_location *location = &writing->profile->locations[number];
	const struct hp_cpu_frame *frame =
		location->frame == HP_INDEX_NONE ? NULL
						 : &writing->profile->cpu->frames[location->frame];

	hp_protobuf_number(&writing->message, LOCATION_ID, (uint64_t)number + 1);
	if (frame && frame->kind != HP_FRAME_WAIT) {
		hp_protobuf_number(&writing->message, LOCATION_MAPPING,
				   (uint64_t)frame->module + 1);
		hp_protobuf_number(&writing->message, LOCATION_ADDRESS,
				   frame->address - frame->returns);
	}
	for (uint32_t i = location->levels.count; i-- > 0;) {
		const struct hp_level *level = &location->levels.items[i];
		hp_protobuf_number(&writing->inner, LINE_FUNCTION, (uint64_t)level->function + 1);
		hp_protobuf_number(&writing->inner, LINE_LINE, level->line);
		hp_protobuf_message(&writing->message, LOCATION_LINE, &writing->inner);
	}
	end_message(writing, PROFILE_LOCATION);
}

static void put_function(struct writing *writing, uint32_t number)
{
	const struct hp_code *code = &writing->profile->functions.items[number];
	struct hp_text *text = &writing->message;
	/*
	 * pprof drops text in angle brackets, unless there is a different system name: "<hotpath>" would become
	 * empty.
	 */
	const char *linked = code->name[0] == '<' ? "" : code->system_name;

	hp_protobuf_number(text, FUNCTION_ID, (uint64_t)number + 1);
	hp_protobuf_number(text, FUNCTION_NAME, string(writing, code->name));
	hp_protobuf_number(text, FUNCTION_SYSTEM_NAME, string(writing, linked));
	hp_protobuf_number(text, FUNCTION_FILE, string(writing, code->file));
	hp_protobuf_number(text, FUNCTION_LINE, code->line);
	end_message(writing, PROFILE_FUNCTION);
}

/* ---- the file ---- */

static void put_head(struct writing *writing)
{
	const struct hp_profile *profile = writing->profile;
	const struct hp_model *model = profile->model;
	struct hp_text *text = writing->sink->text;
	const struct hp_export_subject *subject = profile->subject;
	uint64_t period = profile->cpu->period_ns;

	/* The first string must be empty. */
	string(writing, "");
	for (unsigned i = 0; subject->types[i].name; i++)
		put_type(writing, PROFILE_SAMPLE_TYPE, &subject->types[i]);
	put_type(writing, PROFILE_PERIOD_TYPE, &subject->period);
	hp_protobuf_number(text, PROFILE_PERIOD, period ? period : 1);
	hp_protobuf_number(text, PROFILE_TIME, model->start_unix_ns);
	hp_protobuf_number(text, PROFILE_DURATION, model->elapsed_ns);
	hp_protobuf_number(text, PROFILE_DEFAULT_TYPE,
			   string(writing, subject->types[subject->main].name));
	hp_protobuf_number(text, PROFILE_COMMENT, string(writing, "hotpath " HOTPATH_VERSION));
}

static void put_strings(struct writing *writing)
{
	const struct hp_strings *strings = &writing->strings;

	for (uint32_t i = 0; i < strings->count && !strings->failed; i++) {
		const char *text = hp_strings_get(strings, i);
		hp_protobuf_bytes(writing->sink->text, PROFILE_STRING, text, strlen(text));
		hp_sink_pass(writing->sink);
	}
}

static void put_all(struct writing *writing)
{
	const struct hp_profile *profile = writing->profile;

	put_head(writing);
	for (size_t i = 0; i < profile->sample_count; i++)
		put_sample(writing, &profile->samples[i]);
	put_mappings(writing);
	for (uint32_t i = 0; i < profile->location_count; i++)
		put_location(writing, i);
	for (uint32_t i = 0; i < profile->functions.count; i++)
		put_function(writing, i);
	put_strings(writing);
}

static int write_pprof(const struct hp_profile *profile, struct hp_sink *sink)
{
	struct writing writing = { .profile = profile, .sink = sink };

	writing.path = calloc((size_t)profile->tree.depth_max + 1, sizeof(uint32_t));
	writing.measured = calloc((size_t)profile->functions.count + 1, sizeof(uint32_t));
	if (writing.path && writing.measured)
		put_all(&writing);
	bool failed = !writing.path || !writing.measured || writing.strings.failed ||
		      writing.message.failed || writing.inner.failed;
	free(writing.path);
	free(writing.measured);
	hp_text_free(&writing.message);
	hp_text_free(&writing.inner);
	hp_strings_free(&writing.strings);
	return failed ? -ENOMEM : 0;
}

const struct hp_export_format hp_export_pprof = {
	.name = "pprof",
	.extension = "pb.gz",
	.compressed = true,
	.has_all_values = true,
	.write = write_pprof,
};
