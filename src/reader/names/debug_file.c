/* SPDX-License-Identifier: MIT */
/* Finds the separate debug file of a stripped program. */
#include "debug_file.h"

#include "file_name.h"

#include <stdio.h>
#include <string.h>

const struct hp_debug_source *hp_debug_source;

/* The CRC-32 of IEEE 802.3, as in .gnu_debuglink. */
static uint32_t crc32(const unsigned char *bytes, size_t size)
{
	uint32_t table[256], crc = UINT32_MAX;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
	}
	for (size_t i = 0; i < size; i++)
		crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 0xff];
	return ~crc;
}

/* The debug file that is looked for: its build id, or the CRC in .gnu_debuglink. */
struct wanted {
	const unsigned char *id;
	size_t id_size;
	uint32_t crc;
};

static bool is_wanted(const struct wanted *wanted, const struct hp_elf *debug)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(debug, &id);

	if (size || wanted->id_size)
		return size == wanted->id_size && memcmp(id, wanted->id, size) == 0;
	return crc32(hp_elf_whole(debug), debug->size) == wanted->crc;
}

static bool try_open(const struct wanted *wanted, struct hp_elf *debug, const char *path)
{
	if (hp_elf_open(debug, path))
		return false;
	if (is_wanted(wanted, debug))
		return true;
	hp_elf_close(debug);
	return false;
}

static bool by_build_id(const struct wanted *wanted, struct hp_elf *debug, char found[HP_PATH_MAX])
{
	int length = snprintf(found, HP_PATH_MAX, "/usr/lib/debug/.build-id/");

	if (wanted->id_size < 2 || wanted->id_size > 64)
		return false;
	for (size_t i = 0; i < wanted->id_size; i++)
		length += snprintf(found + length, HP_PATH_MAX - (size_t)length,
				   i == 1 ? "/%02x" : "%02x", wanted->id[i]);
	snprintf(found + length, HP_PATH_MAX - (size_t)length, ".debug");
	return try_open(wanted, debug, found);
}

static bool by_source(const struct wanted *wanted, struct hp_elf *debug, char found[HP_PATH_MAX])
{
	return hp_debug_source && wanted->id_size &&
	       hp_debug_source->find(wanted->id, wanted->id_size, found) &&
	       try_open(wanted, debug, found);
}

/* Try a file name in the folder PREFIX + folder of the program + SUFFIX. */
static bool by_name(const struct wanted *wanted, const char *path, const char *name,
		    struct hp_elf *debug, char found[HP_PATH_MAX])
{
	static const char *const folders[][2] = { { "", "" },
						  { "", ".debug/" },
						  { "/usr/lib/debug", "" } };
	int folder = (int)(hp_file_name(path) - path);

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		int length = snprintf(found, HP_PATH_MAX, "%s%.*s%s%s", folders[i][0], folder, path,
				      folders[i][1], name);
		if (length < HP_PATH_MAX && strcmp(found, path) != 0 &&
		    try_open(wanted, debug, found))
			return true;
	}
	return false;
}

bool hp_debug_file_open(const struct hp_elf *elf, const char *path, struct hp_elf *debug,
			char found[HP_PATH_MAX])
{
	struct wanted wanted = { .crc = 0 };

	wanted.id_size = hp_elf_build_id(elf, &wanted.id);
	const char *name = hp_elf_debug_link(elf, &wanted.crc);
	return by_build_id(&wanted, debug, found) ||
	       (name && by_name(&wanted, path, name, debug, found)) ||
	       by_source(&wanted, debug, found);
}

/* ---- from elsewhere ---- */

static unsigned fetched;

bool hp_debug_file_fetch(const struct hp_elf *elf, const char *path, struct hp_elf *debug)
{
	struct wanted wanted = { .crc = 0 };
	char found[HP_PATH_MAX];

	wanted.id_size = hp_elf_build_id(elf, &wanted.id);
	if (!hp_debug_source || !wanted.id_size ||
	    !hp_debug_source->fetch(path, wanted.id, wanted.id_size, found) ||
	    !try_open(&wanted, debug, found))
		return false;
	fetched++;
	return true;
}

unsigned hp_debug_files_fetched(void)
{
	return fetched;
}
