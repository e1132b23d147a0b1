/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as read by flamegraph.pl, inferno and others: one line per stack, "thread;outer;inner 42". The number is
 * that of samples, bytes or nanoseconds.
 *
 * The suffix "_[m]" marks measured functions. It is an annotation like "_[k]", which the format has for functions of
 * the kernel.
 */
#include "export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/*
 * Write a name without characters that would end it, and without control characters, because it may be shown on a
 * terminal.
 */
static void put_name(struct hp_text *text, const char *name)
{
	size_t at = text->length;

	hp_text_put_printable(text, name);
	for (; at < text->length; at++)
		if (text->bytes[at] == ';')
			text->bytes[at] = ':';
}

static void put_stack(const struct hp_profile *profile, const uint32_t *keys, uint32_t count,
		      struct hp_text *text)
{
	put_name(text, hp_profile_thread(profile, keys[0]));
	for (uint32_t i = 1; i < count; i++) {
		const struct hp_code *code = &profile->functions.items[keys[i]];
		hp_text_putc(text, ';');
		put_name(text, code->name);
		if (code->measured)
			hp_text_puts(text, "_[m]");
	}
}

static int write_folded(const struct hp_profile *profile, struct hp_sink *sink)
{
	struct hp_call_tree tree;
	int error = hp_profile_functions(profile, true, &tree);
	uint32_t *keys = calloc((size_t)tree.depth_max + 1, sizeof(*keys));
	unsigned weight = profile->subject->weight;

	for (uint32_t i = 0; !error && keys && i < tree.count; i++) {
		if (tree.calls[i].values.of[weight] == 0)
			continue;
		put_stack(profile, keys, hp_call_tree_path(&tree, i, keys), sink->text);
		hp_text_printf(sink->text, " %" PRIu64 "\n", tree.calls[i].values.of[weight]);
		hp_sink_pass(sink);
	}
	error = keys ? error : -ENOMEM;
	free(keys);
	hp_call_tree_free(&tree);
	return error;
}

const struct hp_export_format hp_export_folded = {
	.name = "folded",
	.extension = "folded",
	.write = write_folded,
};
