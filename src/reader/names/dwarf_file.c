/* SPDX-License-Identifier: MIT */
/* Access to the DWARF debug information of a program, in its file or its separate debug file. */
#include "dwarf_file.h"

#include "debug_file.h"

#include <dwarf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool has_units(Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;

	return dwarf_get_units(dwarf, NULL, &unit, NULL, NULL, NULL, NULL) == 0;
}

static void close_file(struct hp_dwarf_file *file)
{
	if (file->dwarf)
		dwarf_end(file->dwarf);
	if (file->elf)
		elf_end(file->elf);
	if (file->descriptor >= 0)
		close(file->descriptor);
	*file = (struct hp_dwarf_file){ NULL, NULL, -1 };
}

/* dwarf_begin would map the file, which may be truncated or replaced while it is read. */
static bool try_open(struct hp_dwarf_file *file, const char *path)
{
	*file = (struct hp_dwarf_file){ .descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK |
									 O_NOCTTY) };
	elf_version(EV_CURRENT);
	if (file->descriptor >= 0)
		file->elf = elf_begin(file->descriptor, ELF_C_READ, NULL);
	if (file->elf)
		file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (file->dwarf && has_units(file->dwarf))
		return true;
	close_file(file);
	return false;
}

static bool open_new(struct hp_dwarf_file *file, const char *path)
{
	struct hp_elf elf, debug;
	char found[HP_PATH_MAX];
	bool moved = false;

	if (try_open(file, path))
		return true;
	if (hp_elf_open(&elf, path))
		return false;
	if (hp_debug_file_open(&elf, path, &debug, found)) {
		moved = try_open(file, found);
		hp_elf_close(&debug);
	}
	hp_elf_close(&elf);
	return moved;
}

/* ---- those that are kept ---- */

/*
 * The processes of one run mostly use the same few files: these stay open, and libdw keeps what it has parsed of
 * them. A file that has changed is opened again.
 */
static struct kept {
	dev_t device;
	ino_t inode;
	struct timespec changed;
	/* The entry is used; without a file, it records that there is no debug information. */
	bool in_use;
	/* The number of debug files that had been fetched when this one was last looked for. */
	unsigned fetched;
	struct hp_dwarf_file file;
} kept[8];

static unsigned next_kept;

static struct kept *find_kept(const struct stat *info)
{
	for (size_t i = 0; i < sizeof(kept) / sizeof(*kept); i++)
		if (kept[i].in_use && kept[i].device == info->st_dev &&
		    kept[i].inode == info->st_ino &&
		    kept[i].changed.tv_sec == info->st_ctim.tv_sec &&
		    kept[i].changed.tv_nsec == info->st_ctim.tv_nsec)
			return &kept[i];
	return NULL;
}

bool hp_dwarf_open(struct hp_dwarf_file *file, const char *path)
{
	struct stat info;
	if (stat(path, &info) || !hp_libdw_load())
		return false;

	struct kept *known = find_kept(&info);
	bool is_new = !known;
	if (is_new) {
		known = &kept[next_kept++ % (sizeof(kept) / sizeof(*kept))];
		if (known->in_use)
			close_file(&known->file);
		*known = (struct kept){ info.st_dev, info.st_ino, info.st_ctim,
					true,	     0,		  { .descriptor = -1 } };
	}
	if (is_new || (!known->file.dwarf && known->fetched != hp_debug_files_fetched()))
		open_new(&known->file, path);
	known->fetched = hp_debug_files_fetched();
	*file = known->file;
	return file->dwarf != NULL;
}

/*
 * libdw has a function for the file of a declaration. But since DWARF 5 the first file of a unit has the number 0,
 * which older versions of libdw take for "none".
 */
const char *hp_dwarf_source(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Half version;
	Dwarf_Word number;
	Dwarf_Die unit;

	if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &number) ||
	    !dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) ||
	    (number == 0 && version < 5) || dwarf_getsrcfiles(&unit, &files, NULL))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static const char *compilation_folder(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/* Since DWARF 5, folders of sources may be relative, and libdw leaves them so. */
char *hp_dwarf_whole_path(Dwarf_Die *unit, const char *path)
{
	const char *folder = path[0] == '/' ? NULL : compilation_folder(unit);
	char *whole = NULL;

	if (!folder)
		return strdup(path);
	return asprintf(&whole, "%s/%s", folder, path) < 0 ? NULL : whole;
}

const char *hp_dwarf_as_given(Dwarf_Die *unit, const char *path)
{
	const char *name = dwarf_diename(unit);
	const char *folder = compilation_folder(unit);
	size_t length = folder ? strlen(folder) : 0;

	/* A unit that is named by an absolute path has its other sources named so, too. */
	if (!length || !name || name[0] == '/' || strncmp(path, folder, length) != 0 ||
	    path[length] != '/')
		return path;
	return path + length + 1;
}
