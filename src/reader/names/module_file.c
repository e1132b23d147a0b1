/* SPDX-License-Identifier: MIT */
/* The file of a module, if it is still the one that ran, and its symbols. */
#include "module_file.h"

#include "debug_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static bool is_same_build(const struct hp_elf *elf, const struct hp_module *module)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(elf, &id);

	if (size > HP_BUILD_ID_MAX)
		size = HP_BUILD_ID_MAX;
	return module->build_id_size == 0 ||
	       (size == module->build_id_size && memcmp(id, module->build_id, size) == 0);
}

static const char *open_file(struct hp_module_file *file, const char *path)
{
	char found[HP_PATH_MAX];
	int error = strcmp(path, "[vdso]") == 0 ? hp_elf_open_vdso(&file->elf)
						: hp_elf_open(&file->elf, path);

	if (error)
		return error == -ENOENT || error == -ENOTDIR ? "no longer exists"
							     : "cannot be read";
	if (hp_elf_has_symtab(&file->elf))
		file->symbols = &file->elf;
	else if (hp_debug_file_open(&file->elf, path, &file->debug, found))
		file->symbols = &file->debug;
	return NULL;
}

static void close_file(struct hp_module_file *file)
{
	hp_elf_close(&file->elf);
	hp_elf_close(&file->debug);
	file->symbols = NULL;
}

/* ---- those that are kept ---- */

/* A compilation uses about twenty: the compiler, the assembler, a shell, make, and their libraries. */
enum { KEPT = 32 };

/* The processes of one run mostly use the same few files. A file that has changed is opened again. */
static struct kept {
	dev_t device;
	ino_t inode;
	struct timespec changed;
	bool in_use;
	struct hp_module_file file;
	struct hp_symbol_table table;
	struct hp_known_names names;
} kept[KEPT];

static bool keeps_files;
static unsigned next_kept;

void hp_module_files_keep(void)
{
	keeps_files = true;
}

static struct kept *find_kept(const struct stat *info)
{
	for (size_t i = 0; i < KEPT; i++)
		if (kept[i].in_use && kept[i].device == info->st_dev &&
		    kept[i].inode == info->st_ino &&
		    kept[i].changed.tv_sec == info->st_ctim.tv_sec &&
		    kept[i].changed.tv_nsec == info->st_ctim.tv_nsec)
			return &kept[i];
	return NULL;
}

/* The place of the file that was opened first is used again. What cannot be opened is not kept. */
static const char *keep_file(const struct stat *info, const char *path, struct kept **known)
{
	struct kept *place = &kept[next_kept];

	if (place->in_use) {
		close_file(&place->file);
		hp_symbol_table_free(&place->table);
		hp_known_names_free(&place->names);
	}
	*place = (struct kept){
		info->st_dev, info->st_ino, info->st_ctim, true, { .symbols = NULL }
	};
	const char *problem = open_file(&place->file, path);
	if (problem) {
		close_file(&place->file);
		place->in_use = false;
		return problem;
	}
	next_kept = (next_kept + 1) % KEPT;
	*known = place;
	return NULL;
}

/* A copy of the descriptions: the bytes stay where they are. */
static void copy(struct hp_module_file *file, struct kept *place)
{
	const struct hp_module_file *known = &place->file;

	*file = *known;
	if (known->symbols)
		file->symbols = known->symbols == &known->elf ? &file->elf : &file->debug;
	file->is_kept = true;
	file->table = &place->table;
	file->names = &place->names;
}

static const char *find_file(struct hp_module_file *file, const char *path)
{
	struct stat info;
	if (!keeps_files || stat(path, &info))
		return open_file(file, path);

	struct kept *known = find_kept(&info);
	const char *problem = known ? NULL : keep_file(&info, path, &known);
	if (!problem)
		copy(file, known);
	return problem;
}

const char *hp_module_file_open(struct hp_module_file *file, const struct hp_module *module,
				const char *path)
{
	*file = (struct hp_module_file){ .symbols = NULL };
	const char *problem = find_file(file, path);

	if (!problem && !is_same_build(&file->elf, module))
		problem = "has changed since it was measured";
	if (problem)
		file->symbols = NULL;
	return problem;
}

/* The place of a file that is kept. */
static struct kept *place_of(const struct hp_module_file *file)
{
	size_t i = 0;

	while (&kept[i].table != file->table)
		i++;
	return &kept[i];
}

bool hp_module_file_fetch(struct hp_module_file *file, const char *path)
{
	struct hp_elf debug;
	if (file->symbols || !hp_debug_file_fetch(&file->elf, path, &debug))
		return false;

	struct kept *place = file->is_kept ? place_of(file) : NULL;
	struct hp_module_file *owner = place ? &place->file : file;
	owner->debug = debug;
	owner->symbols = &owner->debug;
	if (place) {
		hp_symbol_table_free(&place->table);
		hp_known_names_free(&place->names);
		copy(file, place);
	}
	return true;
}

void hp_module_file_close(struct hp_module_file *file)
{
	if (!file->is_kept)
		close_file(file);
}
