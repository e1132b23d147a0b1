/* SPDX-License-Identifier: MIT */
/*
 * Linker stubs (PLT entries): they jump to functions of other files.
 *
 * Their layout differs between linkers and options. So the code of a stub is decoded: it is always a jump through a
 * GOT slot or, if lazily bound on x86, pushes the number of the slot's relocation.
 */
#include "stubs.h"

#include "parts.h"

#include <string.h>

/* One section of stubs. */
struct stubs {
	const struct hp_elf *elf;
	uint64_t address;
	/* How large each is, as the section says. */
	uint64_t each;
	struct hp_part code;
};

static bool is_stubs(const Elf64_Shdr *section, struct hp_part names)
{
	const char *name = hp_part_string(names, section->sh_name);

	return name && (section->sh_flags & SHF_EXECINSTR) &&
	       (strncmp(name, ".plt", 4) == 0 || strcmp(name, ".iplt") == 0);
}

static bool find_section(const struct hp_elf *elf, uint64_t address, struct stubs *stubs)
{
	struct hp_part names = hp_elf_section_names(elf);
	Elf64_Shdr section;

	for (uint64_t i = 1; hp_elf_section(elf, i, &section); i++) {
		if (address - section.sh_addr >= section.sh_size || !is_stubs(&section, names))
			continue;
		*stubs = (struct stubs){ elf, section.sh_addr, section.sh_entsize,
					 hp_elf_contents(elf, &section) };
		return stubs->code.size != 0;
	}
	return false;
}

/* ---- x86-64 ---- */

/* The slot of the nth PLT relocation. */
static uint64_t nth_slot(const struct hp_elf *elf, uint64_t nth)
{
	struct hp_part names = hp_elf_section_names(elf);
	Elf64_Rela relocation = { .r_offset = 0 };
	Elf64_Shdr section;

	for (uint64_t i = 1; hp_elf_section(elf, i, &section); i++) {
		const char *name = hp_part_string(names, section.sh_name);
		if (name && section.sh_type == SHT_RELA && strcmp(name, ".rela.plt") == 0)
			hp_part_nth(hp_elf_contents(elf, &section), nth, &relocation,
				    sizeof(relocation));
	}
	return relocation.r_offset;
}

static bool skip(struct hp_part *code, const char *bytes, size_t size)
{
	if (code->size < size || memcmp(code->bytes, bytes, size) != 0)
		return false;
	code->bytes += size;
	code->size -= size;
	return true;
}

/* endbr64, if processors are to check where jumps lead; then bnd jmp *slot(%rip), or push $number; jmp. */
static uint64_t slot_of_x86(const struct stubs *stubs, const struct hp_stub *stub,
			    struct hp_part code)
{
	uint64_t size = code.size;
	int32_t number;

	skip(&code, "\xf3\x0f\x1e\xfa", 4);
	skip(&code, "\xf2", 1);
	bool pushes = skip(&code, "\x68", 1);
	if ((!pushes && !skip(&code, "\xff\x25", 2)) ||
	    !hp_part_nth(code, 0, &number, sizeof(number)))
		return 0;
	if (pushes)
		return nth_slot(stubs->elf, (uint32_t)number);
	return stub->start + (size - code.size) + sizeof(number) + (uint64_t)(int64_t)number;
}

static void find_x86(const struct stubs *stubs, uint64_t address, struct hp_stub *stub)
{
	uint64_t each = stubs->each == 8 ? 8 : 16;
	uint64_t at = (address - stubs->address) / each * each;
	uint64_t left = stubs->code.size - at;

	stub->start = stubs->address + at;
	stub->end = stub->start + (left < each ? left : each);
	stub->slot = slot_of_x86(
		stubs, stub, (struct hp_part){ stubs->code.bytes + at, stub->end - stub->start });
}

/* ---- aarch64 ---- */

enum {
	/* br x17, the last instruction of each stub; and nop, used as padding. */
	BR_X17 = (int)0xd61f0220,
	NOP = (int)0xd503201f,
	INSTRUCTION = 4,
};

static bool is(struct hp_part code, uint64_t nth, int wanted)
{
	int instruction;

	return hp_part_nth(code, nth, &instruction, sizeof(instruction)) && instruction == wanted;
}

/* adrp x16, page; ldr x17, [x16, #offset]. */
static uint64_t slot_of_aarch64(uint64_t address, uint32_t adrp, uint32_t ldr)
{
	uint64_t pages = (adrp >> 3 & 0x1ffffc) | (adrp >> 29 & 3);

	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return 0;
	if (pages & 0x100000)
		pages |= ~UINT64_C(0x1fffff);
	return (address & ~UINT64_C(0xfff)) + (pages << 12) + (uint64_t)(ldr >> 10 & 0xfff) * 8;
}

static void find_aarch64(const struct stubs *stubs, uint64_t address, struct hp_stub *stub)
{
	uint64_t here = (address - stubs->address) / INSTRUCTION, first = here, last = here;
	uint64_t count = stubs->code.size / INSTRUCTION;
	uint32_t pair[2];

	while (first && !is(stubs->code, first - 1, BR_X17))
		first--;
	while (is(stubs->code, first, NOP) && first < here)
		first++;
	while (last < count && !is(stubs->code, last, BR_X17))
		last++;
	stub->start = stubs->address + first * INSTRUCTION;
	stub->end = stubs->address + (last < count ? last + 1 : count) * INSTRUCTION;
	for (uint64_t i = first; i < last && !stub->slot; i++)
		if (hp_part_nth(stubs->code, i, &pair[0], sizeof(pair[0])) &&
		    hp_part_nth(stubs->code, i + 1, &pair[1], sizeof(pair[1])))
			stub->slot = slot_of_aarch64(stubs->address + i * INSTRUCTION, pair[0],
						     pair[1]);
}

bool hp_elf_stub_at(const struct hp_elf *elf, uint64_t address, struct hp_stub *stub)
{
	struct stubs stubs;

	if (!find_section(elf, address, &stubs))
		return false;
	*stub = (struct hp_stub){ .start = stubs.address, .end = stubs.address + stubs.code.size };
	if (hp_elf_machine(elf) == EM_X86_64)
		find_x86(&stubs, address, stub);
	else if (hp_elf_machine(elf) == EM_AARCH64)
		find_aarch64(&stubs, address, stub);
	return true;
}

/* ---- who fills the slots ---- */

void hp_elf_each_import(const struct hp_elf *elf,
			void (*visit)(void *context, const struct hp_import *import), void *context)
{
	Elf64_Shdr section;
	Elf64_Rela entry;

	for (uint64_t i = 1; hp_elf_section(elf, i, &section); i++) {
		if (section.sh_type != SHT_RELA || !(section.sh_flags & SHF_ALLOC))
			continue;
		struct hp_part table = hp_elf_contents(elf, &section);
		for (uint64_t nth = 0; hp_part_nth(table, nth, &entry, sizeof(entry)); nth++) {
			struct hp_import import = { entry.r_offset, section.sh_link,
						    (uint32_t)ELF64_R_SYM(entry.r_info),
						    (uint64_t)entry.r_addend };
			visit(context, &import);
		}
	}
}

static struct hp_part strings_of(const struct hp_elf *elf, const Elf64_Shdr *symbols)
{
	Elf64_Shdr strings;

	if (!hp_elf_section(elf, symbols->sh_link, &strings))
		return (struct hp_part){ NULL, 0 };
	return hp_part_strings(hp_elf_contents(elf, &strings));
}

/* The name of an IFUNC resolver, which chooses an implementation at load time. */
static const char *chooser_name(const struct hp_elf *elf, uint64_t address)
{
	const char *name = NULL;
	Elf64_Shdr section;
	Elf64_Sym symbol;

	for (uint64_t i = 1; !name && hp_elf_section(elf, i, &section); i++) {
		if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
			continue;
		struct hp_part table = hp_elf_contents(elf, &section);
		for (uint64_t nth = 0; !name && hp_part_nth(table, nth, &symbol, sizeof(symbol));
		     nth++)
			if (symbol.st_value == address &&
			    ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
				name = hp_part_string(strings_of(elf, &section), symbol.st_name);
	}
	return name;
}

const char *hp_elf_import_name(const struct hp_elf *elf, const struct hp_import *import)
{
	const char *name;
	Elf64_Shdr section;
	Elf64_Sym symbol;

	if (!import->symbol)
		return chooser_name(elf, import->chooser);
	if (!hp_elf_section(elf, import->table, &section) ||
	    !hp_part_nth(hp_elf_contents(elf, &section), import->symbol, &symbol, sizeof(symbol)))
		return NULL;
	name = hp_part_string(strings_of(elf, &section), symbol.st_name);
	return name && *name ? name : NULL;
}
