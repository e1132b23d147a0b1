/* SPDX-License-Identifier: MIT */
/* Finds where functions begin, by the unwind tables; and where they keep their return address, by tables and code. */
#include "parts.h"
#include "unwind.h"

#include <string.h>

/*
 * The start of .eh_frame_hdr, in the encoding that all linkers use; then a table of pairs follows, sorted by address.
 */
struct unwind_header {
	uint8_t version;
	uint8_t frame_encoding;
	uint8_t count_encoding;
	uint8_t table_encoding;
	int32_t frame;
	uint32_t count;
};

/* Find .eh_frame_hdr, and read what it begins with. */
static bool find_header(const struct hp_elf *elf, Elf64_Phdr *segment, struct unwind_header *header)
{
	return hp_elf_program_header_of(elf, PT_GNU_EH_FRAME, segment) &&
	       hp_part_nth(hp_elf_part(elf, segment->p_offset, sizeof(*header)), 0, header,
			   sizeof(*header));
}

/* The .eh_frame_hdr section from its header on, and its load address; empty if the encoding is another one. */
static struct hp_part unwind_table(const struct hp_elf *elf, uint64_t *address)
{
	/* DW_EH_PE encodings of four bytes: unsigned; and signed, relative to the header. */
	enum { COUNT = 0x03, TABLE = 0x3b };
	struct unwind_header header;
	Elf64_Phdr segment;

	if (!find_header(elf, &segment, &header))
		return (struct hp_part){ NULL, 0 };
	struct hp_part part = hp_elf_part(elf, segment.p_offset, segment.p_filesz);
	if (part.size < sizeof(header) || header.version != 1 || header.count_encoding != COUNT ||
	    header.table_encoding != TABLE)
		return (struct hp_part){ NULL, 0 };
	*address = segment.p_vaddr;
	part.bytes += sizeof(header);
	part.size -= sizeof(header);
	if (header.count < part.size / (2 * sizeof(int32_t)))
		part.size = (uint64_t)header.count * 2 * sizeof(int32_t);
	return part;
}

/*
 * Whether an address is beyond the end of a function, whose length follows its start in its FDE. Both have four
 * bytes, and the start is relative, in all code that compilers generate for these machines; in any other encoding the
 * start does not match, and the result is false.
 */
static bool is_behind(const struct hp_elf *elf, uint64_t entry, uint64_t start, uint64_t address)
{
	/* Offset of the start of the function, after the length of the FDE and its CIE pointer. */
	enum { BEGIN = 8 };
	int32_t begin, range;
	struct hp_part part = hp_elf_loaded_at(elf, entry, BEGIN + sizeof(begin) + sizeof(range));

	if (!hp_part_nth(part, BEGIN / sizeof(begin), &begin, sizeof(begin)) ||
	    !hp_part_nth(part, BEGIN / sizeof(begin) + 1, &range, sizeof(range)))
		return false;
	return entry + BEGIN + (uint64_t)(int64_t)begin == start &&
	       address - start >= (uint32_t)range;
}

/* Find the start of the function that contains an address, and its FDE. */
static bool find_unwinding(const struct hp_elf *elf, uint64_t address, uint64_t *start,
			   uint64_t *entry)
{
	uint64_t base = 0, low = 0;
	struct hp_part table = unwind_table(elf, &base);
	uint64_t high = table.size / (2 * sizeof(int32_t));
	int32_t pair[2] = { 0, 0 };

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		hp_part_nth(table, middle, pair, sizeof(pair));
		if (base + (uint64_t)(int64_t)pair[0] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || !hp_part_nth(table, low - 1, pair, sizeof(pair)))
		return false;
	*start = base + (uint64_t)(int64_t)pair[0];
	*entry = base + (uint64_t)(int64_t)pair[1];
	return !is_behind(elf, *entry, *start, address);
}

bool hp_elf_function_start(const struct hp_elf *elf, uint64_t address, uint64_t *start)
{
	uint64_t entry;

	return find_unwinding(elf, address, start, &entry);
}

/* add x29, sp, #n: sets the frame pointer to the frame record. */
static bool sets_x29(struct hp_part code)
{
	uint32_t instruction;

	for (uint64_t i = 0; hp_part_nth(code, i, &instruction, sizeof(instruction)); i++)
		if ((instruction & UINT32_C(0xff8003ff)) == UINT32_C(0x910003fd))
			return true;
	return false;
}

/* mov rbp, rsp: as compilers encode it. */
static bool sets_rbp(struct hp_part code)
{
	return code.size && memmem(code.bytes, code.size, "\x48\x89\xe5", 3);
}

bool hp_elf_keeps_frame(const struct hp_elf *elf, uint64_t start, uint64_t end)
{
	/* Code that ends before its end is not known, so one byte more is asked for. */
	struct hp_part code = hp_elf_loaded_at(elf, start, end - start + 1);

	if (end < start || end - start >= code.size)
		return true;
	code.size = end - start;
	switch (hp_elf_machine(elf)) {
	case EM_AARCH64:
		return sets_x29(code);
	case EM_X86_64:
		return sets_rbp(code);
	default:
		return true;
	}
}

/* Where the unwind tables begin. Their order is the linker's choice, and they are near to each other. */
static uint64_t tables_start(uint64_t address, const struct unwind_header *header)
{
	/* DW_EH_PE encoding of the address of .eh_frame: signed four bytes, relative to where they are. */
	enum { FRAME = 0x1b };
	uint64_t frame = address + offsetof(struct unwind_header, frame) +
			 (uint64_t)(int64_t)header->frame;

	return header->frame_encoding == FRAME && frame < address ? frame : address;
}

/* The end of .eh_frame is known by the end of its segment alone, which has little behind it. */
bool hp_elf_unwinding(const struct hp_elf *elf, uint64_t most, struct hp_unwind_region *region,
		      uint64_t *header)
{
	struct unwind_header begin;
	Elf64_Phdr segment;

	if (!find_header(elf, &segment, &begin))
		return false;
	*header = segment.p_vaddr;
	uint64_t start = tables_start(*header, &begin);
	for (unsigned nth = 0; hp_elf_program_header(elf, nth, &segment); nth++) {
		uint64_t into = start - segment.p_vaddr;
		if (segment.p_type != PT_LOAD || into >= segment.p_filesz)
			continue;
		if (segment.p_filesz - into > most)
			return false;
		struct hp_part part = hp_elf_part(elf, segment.p_offset + into,
						  segment.p_filesz - into);
		*region = (struct hp_unwind_region){ part.bytes, part.size, start };
		return part.bytes;
	}
	return false;
}

static bool is_frames(const Elf64_Shdr *section, struct hp_part names)
{
	const char *name = hp_part_string(names, section->sh_name);

	return name && strcmp(name, ".eh_frame") == 0 && (section->sh_flags & SHF_ALLOC) &&
	       !(section->sh_flags & SHF_COMPRESSED);
}

bool hp_elf_frames(const struct hp_elf *elf, uint64_t most, struct hp_unwind_region *region)
{
	struct hp_part names = hp_elf_section_names(elf);
	Elf64_Phdr segment;
	Elf64_Shdr section;

	if (hp_elf_program_header_of(elf, PT_GNU_EH_FRAME, &segment))
		return false;
	for (uint64_t i = 1; hp_elf_section(elf, i, &section); i++) {
		if (!is_frames(&section, names))
			continue;
		if (section.sh_size > most)
			return false;
		struct hp_part part = hp_elf_contents(elf, &section);
		*region = (struct hp_unwind_region){ part.bytes, part.size, section.sh_addr };
		return part.size;
	}
	return false;
}

/* Whether the stack pointer points to the return address; false if not known. */
static bool returns_at_top(const struct hp_elf *elf, uint64_t address)
{
	struct hp_unwind_region region;
	uint64_t start, entry, header;

	if (!find_unwinding(elf, address, &start, &entry) ||
	    !hp_elf_unwinding(elf, UINT64_MAX, &region, &header))
		return false;
	uint64_t rule = hp_unwind_rule(&region, EM_X86_64, entry, address);
	return hp_rule_kind(rule) == HP_RULE_SP && hp_rule_cfa(rule) == HP_RULE_WORD;
}

enum hp_elf_caller hp_elf_caller(const struct hp_elf *elf, uint64_t start, uint64_t address)
{
	if (hp_elf_machine(elf) != EM_X86_64 || returns_at_top(elf, address))
		return HP_ELF_CALLER_LINK;
	return hp_elf_keeps_frame(elf, start, address) ? HP_ELF_CALLER_FRAME : HP_ELF_CALLER_HIDDEN;
}
