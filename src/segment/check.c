/* SPDX-License-Identifier: MIT */
/* Access to a segment that may be damaged, hostile, or being written to. */
#include "check.h"

#include "atomic.h"
#include "place.h"

#include <stdbool.h>
#include <string.h>

static const struct hp_header *header_of(struct hp_bytes bytes)
{
	return (const struct hp_header *)(const void *)bytes.base;
}

static const void *at_offset(struct hp_bytes bytes, uint64_t at, uint64_t size, uint64_t align)
{
	if (at < HP_HEADER_SIZE || at % align || at > bytes.size || size > bytes.size - at)
		return NULL;
	return bytes.base + at;
}

static const char *check_versions(const struct hp_header *header)
{
	if (header->byte_order != HP_BYTE_ORDER)
		return "it was written on a machine of the other byte order";
	if (header->version_major != HP_VERSION_MAJOR)
		return "it was written by another version of hotpath";
	if (header->header_size < HP_HEADER_SIZE || header->lane_size < sizeof(struct hp_lane) ||
	    header->stat_size < sizeof(struct hp_stat))
		return "its header is damaged";
	return NULL;
}

const char *hp_check_header(const void *bytes, size_t size)
{
	const struct hp_header *header = bytes;

	if (size < HP_HEADER_SIZE || memcmp(header->magic, HP_MAGIC, sizeof(HP_MAGIC)) != 0)
		return "it is not a hotpath segment";
	const char *problem = check_versions(header);
	if (problem)
		return problem;
	if (load(&header->ticks_per_second, RELAXED) == 0)
		return "its header is damaged";
	/* Pairs with the RELEASE that completed the header. */
	if (load(&header->state, ACQUIRE) == HP_STATE_NEW)
		return "it is just being made";
	return NULL;
}

bool hp_check_is_other_version(const void *bytes, size_t size)
{
	const struct hp_header *header = bytes;

	return size >= sizeof(*header) && memcmp(header->magic, HP_MAGIC, sizeof(HP_MAGIC)) == 0 &&
	       header->version_major != HP_VERSION_MAJOR;
}

const char *hp_check_used(uint64_t used, uint64_t file_size)
{
	if (used < HP_HEADER_SIZE || used > HP_CAPACITY_MAX)
		return "its header is damaged";
	return used > file_size ? "it was cut short" : NULL;
}

const struct hp_site *hp_check_site(struct hp_bytes bytes, uint32_t id)
{
	const struct hp_header *header = header_of(bytes);
	uint32_t place;

	/* Pairs with the RELEASE that published the site. */
	if (id == 0 || id > load(&header->site_count, ACQUIRE) || id >= HP_SITES_MAX)
		return NULL;
	unsigned chunk = hp_site_place(id, &place);
	uint64_t size = (uint64_t)HP_SITE_CHUNK << chunk;
	const struct hp_site *sites = at_offset(bytes, load(&header->sites[chunk], RELAXED),
						size * sizeof(struct hp_site), 8);
	return sites ? sites + place : NULL;
}

const struct hp_lane *hp_check_lane(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_lane), 8);
}

const struct hp_ended *hp_check_ended(struct hp_bytes bytes)
{
	/* Pairs with the RELEASE that published the table. */
	uint64_t at = load(&header_of(bytes)->ended, ACQUIRE);

	return at_offset(bytes, at, HP_ENDED_MAX * sizeof(struct hp_ended), 8);
}

const struct hp_ended *hp_check_ended_names(struct hp_bytes bytes)
{
	/* Pairs with the RELEASE that published the table. */
	uint64_t at = load(&header_of(bytes)->ended_names, ACQUIRE);

	return at_offset(bytes, at, HP_ENDED_NAMES * sizeof(struct hp_ended), 8);
}

const struct hp_stat *hp_check_stat(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_stat), 8);
}

const struct hp_node *hp_check_node(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_node), 8);
}

const struct hp_module *hp_check_module(struct hp_bytes bytes, uint64_t at)
{
	const struct hp_module *module = at_offset(bytes, at, sizeof(*module), 8);

	return module && module->build_id_size <= HP_BUILD_ID_MAX ? module : NULL;
}

const struct hp_alloc *hp_check_alloc(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_alloc), 8);
}

const struct hp_origin *hp_check_origin(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_origin), 8);
}

const struct hp_holding *hp_check_holding(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_holding), 8);
}

const struct hp_stack *hp_check_stack(struct hp_bytes bytes, uint64_t at, uint32_t *depth)
{
	const struct hp_stack *stack = at_offset(bytes, at, sizeof(*stack), 8);

	*depth = stack ? load(&stack->depth, RELAXED) : 0;
	if (!*depth || *depth > HP_STACK_DEPTH_MAX)
		return NULL;
	return at_offset(bytes, at, sizeof(*stack) + *depth * sizeof(*stack->frames), 8);
}

const struct hp_shared *hp_check_shared(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_shared), 8);
}

const struct hp_log *hp_check_log(struct hp_bytes bytes, const struct hp_shared *shared)
{
	/* Pairs with the RELEASE that published the log. */
	return at_offset(bytes, load(&shared->log, ACQUIRE), sizeof(struct hp_log), 8);
}

const struct hp_queue *hp_check_queue(struct hp_bytes bytes, uint64_t at)
{
	return at_offset(bytes, at, sizeof(struct hp_queue), 8);
}

uint64_t hp_check_stamp(struct hp_bytes bytes, const struct hp_queue *queue, uint64_t number)
{
	uint64_t count = load(&queue->stamp_count, RELAXED), at = load(&queue->stamps, RELAXED);
	const uint64_t *stamp = NULL;

	if (count && count <= bytes.size / sizeof(*stamp) && at <= bytes.size)
		stamp = at_offset(bytes, at + number % count * sizeof(*stamp), sizeof(*stamp), 8);
	return stamp ? load(stamp, RELAXED) : 0;
}

struct hp_counters hp_check_octave(struct hp_bytes bytes, const uint32_t octaves[HP_OCTAVES],
				   unsigned octave)
{
	/* Pairs with the RELEASE that published the octave. */
	uint32_t found = load(&octaves[octave], ACQUIRE);
	unsigned counter = hp_octave_counter(found);

	if (counter < HP_COUNTER_16 || counter > HP_COUNTER_64)
		return (struct hp_counters){ NULL, 0 };
	return (struct hp_counters){
		at_offset(bytes, hp_octave_at(found), hp_counters_size(counter), 64), counter
	};
}

/* Pairs with the RELEASE that published a block of the stat. */
static const void *block(struct hp_bytes bytes, const uint64_t *offset, uint64_t size)
{
	return at_offset(bytes, load(offset, ACQUIRE), size, 8);
}

const uint64_t *hp_check_values(struct hp_bytes bytes, const struct hp_stat *stat)
{
	return block(bytes, &stat->values, HP_RING * sizeof(uint64_t));
}

const char *hp_check_texts(struct hp_bytes bytes, const struct hp_stat *stat)
{
	return block(bytes, &stat->texts, (uint64_t)HP_RING * HP_TEXT_SIZE);
}

const char *hp_check_long_texts(struct hp_bytes bytes, const uint64_t *offset, uint64_t count,
				uint32_t *size)
{
	/* Loaded only once: somebody may change it between the check and the use. */
	*size = load(&header_of(bytes)->long_text_size, RELAXED);
	return *size && *size <= HP_LONG_TEXT_MAX ? block(bytes, offset, count * *size) : NULL;
}

void hp_check_copy_text(char *into, const char *from, size_t room)
{
	size_t at = 0;

	while (at < room - 1 && (into[at] = load(&from[at], RELAXED)))
		at++;
	into[at] = '\0';
}

const char *hp_check_string(struct hp_bytes bytes, uint64_t at, size_t *length)
{
	const struct hp_string *string = at_offset(bytes, at, sizeof(*string), 4);

	*length = string ? load(&string->length, RELAXED) : 0;
	/* The recorder writes no longer strings. */
	if (!string || *length > HP_PATH_MAX ||
	    !at_offset(bytes, at, sizeof(*string) + (uint64_t)*length, 4))
		return NULL;
	return string->bytes;
}
