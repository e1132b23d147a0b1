/* SPDX-License-Identifier: MIT */
/* A flame graph in JSON: a tree of frames, without those that nobody could see. */
#include "page_parts.h"

#include "flame_tree.h"

#include <string.h>

enum {
	/* Frames of less than this part of the whole are left out: 0.05 %. */
	PARTS = 2000,
	FRAMES_MAX = 3000,
	DEPTH_MAX = 200,
};

/* Graphs by the names that the page has for them. */
static const struct {
	const char *what;
	const char *subject;
	const char *unit;
} graphs[] = {
	{ "cpu", "cpu", "ns" },	   { "alloc", "alloc", "bytes" }, { "live", "live", "bytes" },
	{ "wait", "waits", "ns" }, { "tree", "time", "ns" },
};

enum { GRAPHS = sizeof(graphs) / sizeof(*graphs) };

/* State of a walk. */
struct walk {
	struct hp_flame_tree tree;
	struct hp_json *json;
	/* Frames of a lower value are left out. */
	uint64_t least;
};

static bool is_shown(const struct walk *walk, uint32_t call)
{
	return walk->tree.calls.calls[call].depth < DEPTH_MAX &&
	       hp_flame_tree_width(&walk->tree, call) >= walk->least;
}

static uint32_t count_shown(const struct walk *walk)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < walk->tree.calls.count; i++)
		count += is_shown(walk, i);
	return count;
}

/* Of more than half of the whole there is one frame of each depth, unless the figures are damaged. */
static void choose_least(struct walk *walk)
{
	walk->least = walk->tree.total / PARTS + 1;
	while (walk->least <= walk->tree.total / 2 && count_shown(walk) > FRAMES_MAX)
		walk->least *= 2;
}

static void put_source(struct walk *walk, const struct hp_code *code)
{
	const struct hp_profile *profile = walk->tree.profile;
	struct hp_json *json = walk->json;

	if (code->file) {
		hp_json_member_string(json, "file", code->file);
		hp_json_member_u64(json, "line", code->line);
	}
	if (code->module != HP_CPU_NOT_KNOWN && profile->cpu->modules[code->module].path &&
	    !hp_profile_is_program(profile, code->module))
		hp_json_member_string(json, "module",
				      hp_profile_base(profile->cpu->modules[code->module].path));
	if (code->measured)
		hp_json_member_bool(json, "measured", true);
	if (code->is_wait)
		hp_json_member_bool(json, "wait", true);
}

static void begin_frame(struct hp_json *json, const char *name, uint64_t value, uint64_t self)
{
	hp_json_begin_object(json);
	hp_json_member_string(json, "name", name);
	hp_json_member_u64(json, "value", value);
	hp_json_member_u64(json, "self", self);
}

static void begin_children(struct hp_json *json)
{
	hp_json_key(json, "children");
	hp_json_begin_array(json);
}

static void end_frame(struct hp_json *json)
{
	hp_json_end_array(json);
	hp_json_end_object(json);
}

/* A single thread has no frame of its own. */
static bool has_frame(const struct walk *walk, uint32_t call)
{
	return walk->tree.with_threads || walk->tree.calls.calls[call].depth > 0;
}

static void enter(struct walk *walk, uint32_t call)
{
	const struct hp_code *code = hp_flame_tree_code(&walk->tree, call);

	hp_flame_tree_enter(&walk->tree, call);
	if (!has_frame(walk, call))
		return;
	begin_frame(walk->json, hp_flame_tree_name(&walk->tree, call),
		    hp_flame_tree_width(&walk->tree, call),
		    hp_profile_main(walk->tree.profile, &walk->tree.calls.calls[call].values));
	if (code)
		put_source(walk, code);
	else
		hp_json_member_bool(walk->json, "thread", true);
	begin_children(walk->json);
}

static uint32_t leave(struct walk *walk, uint32_t call)
{
	if (has_frame(walk, call))
		end_frame(walk->json);
	return walk->tree.calls.calls[call].parent;
}

static uint32_t next_shown(struct walk *walk, uint32_t call)
{
	uint32_t child = hp_flame_tree_next(&walk->tree, call);

	while (child != HP_INDEX_NONE && !is_shown(walk, child))
		child = hp_flame_tree_next(&walk->tree, call);
	return child;
}

/* Without recursion, because the tree may be deep. */
static void put_thread(struct walk *walk, uint32_t root)
{
	uint32_t call = root;

	enter(walk, root);
	while (call != HP_INDEX_NONE) {
		uint32_t child = next_shown(walk, call);
		if (child != HP_INDEX_NONE)
			enter(walk, child);
		call = child != HP_INDEX_NONE ? child : leave(walk, call);
	}
}

static void put_frames(struct walk *walk)
{
	const struct hp_profile *profile = walk->tree.profile;

	hp_json_key(walk->json, "root");
	begin_frame(walk->json, hp_profile_program(profile), walk->tree.total, 0);
	begin_children(walk->json);
	for (uint32_t i = 0; i < walk->tree.calls.count; i++)
		if (walk->tree.calls.calls[i].depth == 0 && is_shown(walk, i))
			put_thread(walk, i);
	end_frame(walk->json);
}

static bool put_graph(const struct hp_profile *profile, unsigned nth, struct hp_json *json)
{
	struct walk walk = { .json = json };
	bool made = hp_flame_tree_make(&walk.tree, profile) == 0;
	bool has_some = made && walk.tree.total > 0;

	json->text->failed |= !made;
	if (has_some) {
		choose_least(&walk);
		hp_json_begin_object(json);
		hp_json_member_string(json, "what", graphs[nth].what);
		hp_json_member_string(json, "unit", graphs[nth].unit);
		hp_json_member_u64(json, "total", walk.tree.total);
		put_frames(&walk);
		hp_json_end_object(json);
	}
	hp_flame_tree_free(&walk.tree);
	return has_some;
}

static bool put_nth(const struct hp_model *model, unsigned nth, struct hp_json *json)
{
	const struct hp_export_subject *subject = hp_export_subject_find(graphs[nth].subject);
	struct hp_profile profile;

	if (!subject || !hp_export_subject_is_recorded(subject, model))
		return false;
	int error = hp_profile_make(&profile, model, subject, false);
	json->text->failed |= error != 0;
	bool has_some = !error && put_graph(&profile, nth, json);
	hp_profile_free(&profile);
	return has_some;
}

bool hp_page_put_flame(const struct hp_model *model, const char *what, struct hp_json *json)
{
	for (unsigned i = 0; i < GRAPHS; i++)
		if (strcmp(graphs[i].what, what) == 0)
			return put_nth(model, i, json);
	return false;
}

void hp_page_put_flames(const struct hp_model *model, struct hp_json *json)
{
	hp_json_key(json, "flames");
	hp_json_begin_array(json);
	for (unsigned i = 0; i < GRAPHS; i++)
		put_nth(model, i, json);
	hp_json_end_array(json);
}
