/* SPDX-License-Identifier: MIT */
/* The vDSO as an ELF file: the kernel maps it into each process, and it has no file. */
#include "elf_file.h"

#include <elf.h>
#include <errno.h>
#include <sys/auxv.h>

int hp_elf_open_vdso(struct hp_elf *elf)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *header = (const void *)base; /* NOLINT(performance-no-int-to-ptr) */

	if (!base)
		return -ENOENT;
	/* The section headers are at the end of the image. */
	return hp_elf_view(elf, header,
			   header->e_shoff + (size_t)header->e_shnum * header->e_shentsize);
}
