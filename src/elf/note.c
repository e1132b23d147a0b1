/* SPDX-License-Identifier: MIT */
/* ELF notes. Each has a header, the owner's name and the data, both padded to four bytes. */
#include "note.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

struct walk {
	const unsigned char *bytes;
	size_t left;
};

/* Take a number of bytes and their padding; NULL if there are fewer. */
static const unsigned char *take(struct walk *walk, uint32_t size)
{
	const unsigned char *taken = walk->bytes;
	size_t filled = ((size_t)size + 3) & ~(size_t)3;

	if (size > walk->left)
		return NULL;
	/* The last one need not be padded. */
	filled = filled < walk->left ? filled : walk->left;
	walk->bytes += filled;
	walk->left -= filled;
	return taken;
}

const void *hp_note_find(const void *notes, size_t size, const char *owner, uint32_t type,
			 size_t *length)
{
	struct walk walk = { notes, size };
	size_t owner_size = strlen(owner) + 1;
	Elf64_Nhdr note;

	while (walk.left >= sizeof(note)) {
		memcpy(&note, take(&walk, sizeof(note)), sizeof(note));
		const unsigned char *name = take(&walk, note.n_namesz);
		const unsigned char *bytes = name ? take(&walk, note.n_descsz) : NULL;
		if (!bytes)
			return NULL;
		*length = note.n_descsz;
		if (note.n_type == type && note.n_namesz == owner_size &&
		    memcmp(name, owner, owner_size) == 0)
			return bytes;
	}
	return NULL;
}

const unsigned char *hp_note_build_id(const void *notes, size_t size, size_t *length)
{
	return hp_note_find(notes, size, "GNU", NT_GNU_BUILD_ID, length);
}
