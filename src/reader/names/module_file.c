/* SPDX-License-Identifier: MIT */
/* The file of a module, if it is still the one that ran, and its symbols. */
#include "module_file.h"

#include "debug_file.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

static bool is_same_build(const struct hp_elf *elf, const struct hp_module *module)
{
	const unsigned char *id;
	size_t size = hp_elf_build_id(elf, &id);

	if (size > HP_BUILD_ID_MAX)
		size = HP_BUILD_ID_MAX;
	return module->build_id_size == 0 ||
	       (size == module->build_id_size && memcmp(id, module->build_id, size) == 0);
}

/* The vDSO: it has no file, but our own copy can be used if it is of the same kernel. */
static int open_vdso(struct hp_elf *elf)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)base; /* NOLINT(performance-no-int-to-ptr) */

	if (!base)
		return -ENOENT;
	/* The section headers are at the end of the image. */
	return hp_elf_view(elf, header,
			   header->e_shoff + (size_t)header->e_shnum * header->e_shentsize);
}

const char *hp_module_file_open(struct hp_module_file *file, const struct hp_module *module,
				const char *path)
{
	char found[HP_PATH_MAX];

	*file = (struct hp_module_file){ .symbols = NULL };
	int error = strcmp(path, "[vdso]") == 0 ? open_vdso(&file->elf)
						: hp_elf_open(&file->elf, path);
	if (error)
		return error == -ENOENT || error == -ENOTDIR ? "no longer exists"
							     : "cannot be read";
	if (!is_same_build(&file->elf, module))
		return "has changed since it was measured";
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
