/* SPDX-License-Identifier: MIT */
/* The names of functions that a segment knows by their address alone, or by a call in them. */
#ifndef HP_NAMES_H
#define HP_NAMES_H

#include "elf_file.h"
#include "model.h"
#include "snapshot.h"

/** What compilers write for debuggers tells of a place; nothing where nobody reads that. */
struct hp_name_detail {
	/** The function that was inlined there, and the one it is in: "make_receipt (in worker)". */
	char *inlined;
	/** Where that function is declared. */
	char *file;
	uint32_t line;
	/** The line of the place itself. */
	uint32_t place_line;
};

/** A function known by its address, or by that of a call in it. */
struct hp_name {
	uint32_t site;
	/** Where the module is in the segment, and the address in the module's file; of a call, in it. */
	uint64_t module;
	uint64_t address;
	bool is_call;
	/** It need not be where the function begins. */
	bool is_inside;
	/** A probe found it: it is where a callback begins, or where whoever made it goes on. */
	bool is_found;
	/** Where the function begins, if that is known. */
	uint64_t entry;
	bool has_entry;
	/** It is in what the linker puts in front of a function of another file, which has the name. */
	bool is_stub;
	/** Who called it cannot be seen along the frame pointers: it keeps none. */
	bool hides_caller;
	/** The caller of one that was interrupted there may be what was recorded as its link. */
	bool may_link;
	/** As it is shown: the symbol, a C++ name without its parameters, or "program+0x1234"; with "@plt" behind it for
	    a stub, and "@vdso" for what the kernel gives every program. */
	char *text;
	/** With parameters, when it is C++; NULL otherwise. */
	char *full;
	struct hp_name_detail detail;
	bool is_detailed;
	/** Of what a probe found, what tells it from others of its label: ":42", or " #2"; or NULL. */
	char *mark;
	/** It is named by a symbol of the file that ran. */
	bool has_symbol;
	/** A site that measures the same function by itself is one with it. */
	bool has_twin;
	/** Why the file is of no use in which it lies; NULL when it is. */
	const char *problem;
	/** While symbols are looked at: the last before the address, and behind that of the name before. */
	struct hp_symbol symbol;
};

struct hp_around {
	/** The site of the call around a site, as the segment has it. */
	uint32_t site;
	/** The same, if both are one function; 0 otherwise. */
	uint32_t twin;
};

struct hp_names {
	/** By site. */
	struct hp_name *items;
	size_t count;
	/** Sites that were looked at, and what was found around each, by id. */
	uint32_t site_count;
	struct hp_around *around;
	/** Whether it is to be found out who hides its caller. */
	bool with_frames;
};

/**
 * Find the names of all such functions in the symbols of their files.
 *
 * @param model
 *         Notes about what could not be found go there; NULL to leave them.
 * @return
 *         False when memory ran out. Either way, names are to be freed.
 */
bool hp_names_read(struct hp_names *names, const struct hp_snapshot *snapshot,
		   struct hp_model *model);

/**
 * The same, for those of new sites alone; all is new where names are all zero. What others are called may change.
 *
 * @param changed
 *         Whether there were any.
 */
bool hp_names_update(struct hp_names *names, const struct hp_snapshot *snapshot, bool *changed);

/** Note what could not be found. Returns false when memory ran out. */
bool hp_names_note(struct hp_names *names, const struct hp_snapshot *snapshot,
		   struct hp_model *model);

/**
 * Find the names of addresses that somebody has collected, each with a number of its own for its site.
 *
 * @return
 *         As hp_names_read. Functions of one name are not told apart.
 */
bool hp_names_resolve(struct hp_names *names, const struct hp_snapshot *snapshot);

void hp_names_free(struct hp_names *names);

/** The name of a site; NULL when it is not known by its address. */
const struct hp_name *hp_names_find(const struct hp_names *names, uint32_t site);

/** As it is shown: with the function that was inlined there. */
static inline const char *hp_name_shown(const struct hp_name *name)
{
	return name->detail.inlined ? name->detail.inlined : name->text;
}

/**
 * What a site is called: its own name, that of the function it is known by, or both where a probe found it, such as
 * "uv_fs_write on_written", told apart from those that would have the same; "?" when there is none.
 *
 * @return
 *         From malloc; NULL when memory ran out.
 */
char *hp_names_label(const struct hp_names *names, const struct hp_snapshot *snapshot,
		     uint32_t site);

/**
 * The site that knows a function by its address which measures itself: it was called in the stack frame of a
 * function of the same name. 0 when there is none.
 */
static inline uint32_t hp_names_twin(const struct hp_names *names, uint32_t site)
{
	return names->around && site <= names->site_count ? names->around[site].twin : 0;
}

#endif
