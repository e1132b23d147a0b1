/* SPDX-License-Identifier: MIT */
/* Finds the names of functions that a segment only knows by their address, or by the address of a call in them. */
#ifndef HP_NAMES_H
#define HP_NAMES_H

#include "cpu/between.h"
#include "elf_file.h"
#include "model.h"
#include "process/snapshot.h"

/** What debug information says about an address; empty if it is not read. */
struct hp_name_detail {
	/** The inlined function, and the one that contains it: "make_receipt (in worker)". */
	char *inlined;
	/** The declaration of the inlined function. */
	char *file;
	uint32_t line;
	/** The source line of the address itself, and of a lock or a call its file. */
	uint32_t place_line;
	char *place_file;
	/** Functions that were inlined around that one, with their lines. */
	struct hp_betweens between;
	/** The source line in the function around all that was inlined. */
	uint32_t outer_line;
	char *outer_file;
};

/** The name of a function that is known by its address, or by the address of a call in it. */
struct hp_name {
	uint32_t site;
	/**
	 * Offset of the module in the segment; and the address in the module's file, for a call that of its last
	 * byte.
	 */
	uint64_t module;
	uint64_t address;
	bool is_call;
	/** The address may be anywhere in the function. */
	bool is_inside;
	/**
	 * The name is for an object that a probe found: by the start of a callback, or by a return address in the
	 * function that created the object.
	 */
	bool is_found;
	/** The name is for a lock, whose address may be that of a variable, or of a call. */
	bool is_lock;
	/** The start of the function, if known. */
	uint64_t entry;
	bool has_entry;
	/** The address is in a linker stub (PLT entry); the name is that of the function behind it. */
	bool is_stub;
	/** The function has no frame pointer, so a walk along frame pointers skips its caller. */
	bool hides_caller;
	/** If the function was interrupted at this address, its caller may be in the recorded link register. */
	bool may_link;
	/**
	 * The name as shown: the symbol, a C++ name without its parameters, or "program+0x1234"; with "@plt" after
	 * the name of a stub, and "@vdso" after that of a vDSO function.
	 */
	char *text;
	/** The name with parameters, if it is C++; NULL otherwise. */
	char *full;
	struct hp_name_detail detail;
	bool is_detailed;
	/**
	 * A suffix that tells an object that a probe found from others with the same label: ":42" or " #2"; or
	 * NULL.
	 */
	char *mark;
	/** The name is a symbol of the file that ran. */
	bool has_symbol;
	/** Another site measures the same function by HOTPATH_MEASURE; both are one row. */
	bool has_twin;
	/** The reason why the function's file cannot be used; NULL if it can. */
	const char *problem;
	/** While symbols are read: the closest one before the address, and after the previous address. */
	struct hp_symbol symbol;
};

struct hp_around {
	/** The site of the enclosing call, as recorded in the segment. */
	uint32_t site;
	/** `site` if the enclosing call and this one are of one function; 0 otherwise. */
	uint32_t twin;
};

struct hp_names {
	/** Names in the order of their sites. */
	struct hp_name *items;
	size_t count;
	/** The number of sites that were processed, and for each site id the enclosing call. */
	uint32_t site_count;
	struct hp_around *around;
	/** Whether to find out which functions have no frame pointer. */
	bool with_frames;
};

/**
 * Find the names of all functions known by address in the symbols of their files.
 *
 * @param model
 *         Gets notes about what could not be found; NULL to add none.
 * @return
 *         False when memory ran out. Either way, names are to be freed.
 */
bool hp_names_read(struct hp_names *names, const struct hp_snapshot *snapshot,
		   struct hp_model *model);

/**
 * Find the names of new sites only; all sites are new if names is zeroed. Other names may change.
 *
 * @param changed
 *         Whether there were new sites.
 */
bool hp_names_update(struct hp_names *names, const struct hp_snapshot *snapshot, bool *changed);

/** Note what could not be found. Returns false when memory ran out. */
bool hp_names_note(struct hp_names *names, const struct hp_snapshot *snapshot,
		   struct hp_model *model);

/**
 * Find the names of addresses that the caller has collected, each with a unique number as its site.
 *
 * @return
 *         As hp_names_read. Functions of one name are not told apart.
 */
bool hp_names_resolve(struct hp_names *names, const struct hp_snapshot *snapshot);

void hp_names_free(struct hp_names *names);

/** Free the texts of one name. */
void hp_name_clear(struct hp_name *name);

/** The name of a site; NULL when it is not known by its address. */
const struct hp_name *hp_names_find(const struct hp_names *names, uint32_t site);

/** The name as shown, with the inlined function. */
static inline const char *hp_name_shown(const struct hp_name *name)
{
	return name->detail.inlined ? name->detail.inlined : name->text;
}

/** The name of one of the functions of an address, numbered as those of a frame are. */
static inline const char *hp_name_level(const struct hp_name *name, uint32_t level)
{
	const struct hp_betweens *between = &name->detail.between;

	if (level == 0)
		return hp_name_shown(name);
	return level <= between->count ? between->items[level - 1].name : name->text;
}

/**
 * The label of a site: its own name, that of its function, or both if a probe found it, such as "uv_fs_write
 * on_written", with a mark if others would have the same label; "?" if there is none.
 *
 * @return
 *         From malloc; NULL when memory ran out.
 */
char *hp_names_label(const struct hp_names *names, const struct hp_snapshot *snapshot,
		     uint32_t site);

/**
 * The address site of a function that also has HOTPATH_MEASURE: this site was entered in the stack frame of a
 * function with the same name. 0 if there is none.
 */
static inline uint32_t hp_names_twin(const struct hp_names *names, uint32_t site)
{
	return names->around && site <= names->site_count ? names->around[site].twin : 0;
}

#endif
