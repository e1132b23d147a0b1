/* SPDX-License-Identifier: MIT */
/* The file of a module, if it still is the one that ran, and where its symbols are. */
#include "module_file.h"

#include "debug_file.h"

#include <errno.h>
#include <string.h>

static bool is_same_build(const struct hp_elf *elf, const struct hp_module *module)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(elf, &id);

	if (size > HP_BUILD_ID_MAX)
		size = HP_BUILD_ID_MAX;
	return module->build_id_size == 0 ||
	       (size == module->build_id_size && memcmp(id, module->build_id, size) == 0);
}

const char *hp_module_file_open(struct hp_module_file *file, const struct hp_module *module,
				const char *path)
{
	char found[HP_PATH_MAX];

	*file = (struct hp_module_file){ .symbols = NULL };
	int error = hp_elf_open(&file->elf, path);
	if (error)
		return error == -ENOENT || error == -ENOTDIR ? "is not there any more"
							     : "cannot be read";
	if (!is_same_build(&file->elf, module))
		return "has changed since";
	if (hp_elf_has_symtab(&file->elf))
		file->symbols = &file->elf;
	else if (hp_debug_file_open(&file->elf, path, &file->debug, found))
		file->symbols = &file->debug;
	return NULL;
}

void hp_module_file_close(struct hp_module_file *file)
{
	hp_elf_close(&file->elf);
	hp_elf_close(&file->debug);
	file->symbols = NULL;
}
