/* SPDX-License-Identifier: MIT */
/* Reads ELF files. Structs are copied out of the file, because they may be unaligned. */
#include "elf_file.h"

#include "note.h"
#include "parts.h"

#include <errno.h>
#include <string.h>

struct hp_part hp_elf_part(const struct hp_elf *elf, uint64_t offset, uint64_t size)
{
	if (offset > elf->size || size > elf->size - offset)
		return (struct hp_part){ NULL, 0 };
	hp_elf_fetch(elf, offset, size);
	return (struct hp_part){ elf->bytes + offset, size };
}

/* Inlined, of which remains a load of the member that is asked for: this is done for each header of a table. */
static inline __attribute__((always_inline)) Elf64_Ehdr header_of(const struct hp_elf *elf)
{
	Elf64_Ehdr header = { .e_shoff = 0 };

	if (elf->size >= sizeof(header))
		memcpy(&header, elf->bytes, sizeof(header));
	return header;
}

uint16_t hp_elf_machine(const struct hp_elf *elf)
{
	return header_of(elf).e_machine;
}

bool hp_part_nth(struct hp_part table, uint64_t nth, void *into, size_t size)
{
	if (nth >= table.size / size)
		return false;
	memcpy(into, table.bytes + nth * size, size);
	return true;
}

int hp_elf_view(struct hp_elf *elf, const void *bytes, size_t size)
{
	static const unsigned char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
										     : ELFDATA2MSB;
	Elf64_Ehdr header;

	*elf = (struct hp_elf){ .bytes = NULL };
	if (size < sizeof(header))
		return -ENOEXEC;
	memcpy(&header, bytes, sizeof(header));
	if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order)
		return -ENOEXEC;
	*elf = (struct hp_elf){ bytes, size, NULL };
	return 0;
}

/* ---- segments, which the program is loaded by ---- */

bool hp_elf_program_header(const struct hp_elf *elf, unsigned nth, Elf64_Phdr *segment)
{
	Elf64_Ehdr header = header_of(elf);
	struct hp_part table = hp_elf_part(elf, header.e_phoff,
					   (uint64_t)header.e_phnum * sizeof(*segment));

	return header.e_phentsize == sizeof(*segment) &&
	       hp_part_nth(table, nth, segment, sizeof(*segment));
}

bool hp_elf_program_header_of(const struct hp_elf *elf, uint32_t type, Elf64_Phdr *segment)
{
	Elf64_Ehdr header = header_of(elf);
	struct hp_part table = hp_elf_part(elf, header.e_phoff,
					   (uint64_t)header.e_phnum * sizeof(*segment));

	if (header.e_phentsize != sizeof(*segment))
		return false;
	for (uint64_t nth = 0; hp_part_nth(table, nth, segment, sizeof(*segment)); nth++)
		if (segment->p_type == type)
			return true;
	return false;
}

/*
 * Find the next program segment of a type, from index *nth on, which is moved past it; returns its part of the file.
 */
static struct hp_part next_segment(const struct hp_elf *elf, uint32_t type, unsigned *nth)
{
	Elf64_Phdr segment;

	while (hp_elf_program_header(elf, (*nth)++, &segment))
		if (segment.p_type == type)
			return hp_elf_part(elf, segment.p_offset, segment.p_filesz);
	return (struct hp_part){ NULL, 0 };
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct hp_part hp_elf_loaded_at(const struct hp_elf *elf, uint64_t address, uint64_t size)
{
	Elf64_Phdr segment;

	for (unsigned i = 0; hp_elf_program_header(elf, i, &segment); i++) {
		uint64_t into = address - segment.p_vaddr;

		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
		    into < segment.p_filesz && segment.p_offset <= elf->size &&
		    into <= elf->size - segment.p_offset)
			return hp_elf_part(elf, segment.p_offset + into,
					   least(size, segment.p_filesz - into));
	}
	return (struct hp_part){ NULL, 0 };
}

struct hp_part hp_part_strings(struct hp_part part)
{
	while (part.size && part.bytes[part.size - 1])
		part.size--;
	return part;
}

const char *hp_part_string(struct hp_part strings, uint64_t at)
{
	return at < strings.size ? (const char *)strings.bytes + at : NULL;
}

const char *hp_elf_interpreter(const struct hp_elf *elf)
{
	unsigned nth = 0;

	return hp_part_string(hp_part_strings(next_segment(elf, PT_INTERP, &nth)), 0);
}

const void *hp_elf_note(const struct hp_elf *elf, const char *owner, uint32_t type, size_t *length)
{
	const void *found = NULL;
	struct hp_part notes;
	unsigned nth = 0;

	while (!found && (notes = next_segment(elf, PT_NOTE, &nth)).bytes)
		found = hp_note_find(notes.bytes, notes.size, owner, type, length);
	return found;
}

static struct hp_part dynamic_strings(const struct hp_elf *elf, struct hp_part dynamic)
{
	uint64_t address = 0, size = 0;
	Elf64_Dyn entry;

	for (uint64_t i = 0; hp_part_nth(dynamic, i, &entry, sizeof(entry)); i++) {
		if (entry.d_tag == DT_STRTAB)
			address = entry.d_un.d_ptr;
		if (entry.d_tag == DT_STRSZ)
			size = entry.d_un.d_val;
	}
	return hp_part_strings(hp_elf_loaded_at(elf, address, size));
}

bool hp_elf_needs(const struct hp_elf *elf, const char *prefix)
{
	unsigned nth = 0;
	struct hp_part dynamic = next_segment(elf, PT_DYNAMIC, &nth);
	struct hp_part strings = dynamic_strings(elf, dynamic);
	Elf64_Dyn entry;

	for (uint64_t i = 0; hp_part_nth(dynamic, i, &entry, sizeof(entry)); i++) {
		const char *name = entry.d_tag == DT_NEEDED
					   ? hp_part_string(strings, entry.d_un.d_val)
					   : NULL;
		if (name && strncmp(name, prefix, strlen(prefix)) == 0)
			return true;
	}
	return false;
}

/* ---- sections, which tools look at ---- */

bool hp_elf_section(const struct hp_elf *elf, uint64_t nth, Elf64_Shdr *section)
{
	Elf64_Ehdr header = header_of(elf);
	uint64_t count = header.e_shnum;

	if (header.e_shentsize != sizeof(*section) || header.e_shoff == 0 ||
	    header.e_shoff > elf->size)
		return false;
	/* If the number of sections does not fit into the header, it is in the first section. */
	if (count == 0 && hp_part_nth(hp_elf_part(elf, header.e_shoff, sizeof(*section)), 0,
				      section, sizeof(*section)))
		count = section->sh_size;
	if (nth >= count || nth >= elf->size / sizeof(*section))
		return false;
	return hp_part_nth(
		hp_elf_part(elf, header.e_shoff + nth * sizeof(*section), sizeof(*section)), 0,
		section, sizeof(*section));
}

struct hp_part hp_elf_contents(const struct hp_elf *elf, const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS)
		return (struct hp_part){ NULL, 0 };
	return hp_elf_part(elf, section->sh_offset, section->sh_size);
}

struct hp_part hp_elf_section_names(const struct hp_elf *elf)
{
	uint64_t nth = header_of(elf).e_shstrndx;
	Elf64_Shdr section;

	if (nth == SHN_XINDEX && hp_elf_section(elf, 0, &section))
		nth = section.sh_link;
	if (!hp_elf_section(elf, nth, &section))
		return (struct hp_part){ NULL, 0 };
	return hp_part_strings(hp_elf_contents(elf, &section));
}

static bool section_named(const struct hp_elf *elf, const char *wanted, Elf64_Shdr *section)
{
	struct hp_part names = hp_elf_section_names(elf);

	for (uint64_t i = 1; hp_elf_section(elf, i, section); i++) {
		const char *name = hp_part_string(names, section->sh_name);
		if (name && strcmp(name, wanted) == 0)
			return true;
	}
	return false;
}

static bool section_of_type(const struct hp_elf *elf, uint32_t type, Elf64_Shdr *section)
{
	for (uint64_t i = 1; hp_elf_section(elf, i, section); i++)
		if (section->sh_type == type)
			return true;
	return false;
}

/* A debug file has the note in a section, but not where its program header says. */
static struct hp_part build_id_section(const struct hp_elf *elf)
{
	Elf64_Shdr section;

	if (!section_named(elf, ".note.gnu.build-id", &section))
		return (struct hp_part){ NULL, 0 };
	return hp_elf_contents(elf, &section);
}

size_t hp_elf_build_id(const struct hp_elf *elf, const unsigned char **id)
{
	struct hp_part notes = build_id_section(elf);
	size_t length = 0;

	*id = hp_note_build_id(notes.bytes, notes.size, &length);
	if (!*id)
		*id = hp_elf_note(elf, "GNU", NT_GNU_BUILD_ID, &length);
	return *id ? length : 0;
}

const char *hp_elf_debug_link(const struct hp_elf *elf, uint32_t *crc)
{
	Elf64_Shdr section;

	if (!section_named(elf, ".gnu_debuglink", &section))
		return NULL;
	struct hp_part link = hp_elf_contents(elf, &section);
	const char *name = hp_part_string(hp_part_strings(link), 0);
	/* The name, padded to four bytes, and the CRC. */
	uint64_t at = name ? (strlen(name) + 4) & ~UINT64_C(3) : 0;
	if (!name || at > link.size || link.size - at < sizeof(*crc))
		return NULL;
	memcpy(crc, link.bytes + at, sizeof(*crc));
	return name;
}

/* ---- symbols ---- */

struct symbols {
	const struct hp_elf *elf;
	struct hp_part entries;
	struct hp_part names;
};

static struct symbols symbols_of(const struct hp_elf *elf, uint32_t type)
{
	struct symbols symbols = { elf, { NULL, 0 }, { NULL, 0 } };
	Elf64_Shdr section, strings;

	if (!section_of_type(elf, type, &section) || section.sh_entsize != sizeof(Elf64_Sym) ||
	    !hp_elf_section(elf, section.sh_link, &strings))
		return symbols;
	symbols.entries = hp_elf_contents(elf, &section);
	symbols.names = hp_part_strings(hp_elf_contents(elf, &strings));
	return symbols;
}

static unsigned rank_of(const Elf64_Sym *symbol)
{
	switch (ELF64_ST_BIND(symbol->st_info)) {
	case STB_LOCAL:
		return 1;
	case STB_WEAK:
		return 2;
	default:
		return 3;
	}
}

/* Whether it is a symbol of this type, STT_FUNC or STT_OBJECT, that the file defines. */
static bool is_defined(const Elf64_Sym *symbol, unsigned type)
{
	bool in_section = symbol->st_shndx != SHN_UNDEF &&
			  (symbol->st_shndx < SHN_LORESERVE || symbol->st_shndx == SHN_XINDEX);

	return in_section && ELF64_ST_TYPE(symbol->st_info) == type;
}

/* A symbol without a size reaches to the end of its section at most. */
static uint64_t reach_of(const struct hp_elf *elf, const Elf64_Sym *symbol)
{
	Elf64_Shdr section;
	uint64_t into;

	if (symbol->st_size || symbol->st_shndx == SHN_XINDEX ||
	    !hp_elf_section(elf, symbol->st_shndx, &section))
		return symbol->st_size;
	into = symbol->st_value - section.sh_addr;
	return into < section.sh_size ? section.sh_size - into : 0;
}

/* The nth symbol, if it is of this type and has a name; *more becomes false after the last one. */
static bool symbol_at(const struct symbols *symbols, unsigned type, uint64_t nth,
		      struct hp_symbol *found, bool *more)
{
	Elf64_Sym symbol;

	*more = hp_part_nth(symbols->entries, nth, &symbol, sizeof(symbol));
	if (!*more || !is_defined(&symbol, type))
		return false;
	*found = (struct hp_symbol){ .name = hp_part_string(symbols->names, symbol.st_name),
				     .address = symbol.st_value,
				     .size = symbol.st_size,
				     .reach = reach_of(symbols->elf, &symbol),
				     .rank = rank_of(&symbol) };
	return found->name && found->name[0];
}

bool hp_elf_has_symtab(const struct hp_elf *elf)
{
	return symbols_of(elf, SHT_SYMTAB).entries.size > 0;
}

static void each_symbol(const struct hp_elf *elf, unsigned type,
			void (*visit)(void *context, const struct hp_symbol *symbol), void *context)
{
	static const uint32_t tables[] = { SHT_SYMTAB, SHT_DYNSYM };
	struct hp_symbol symbol;

	for (unsigned i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		struct symbols symbols = symbols_of(elf, tables[i]);
		bool more = true;

		for (uint64_t nth = 0; more; nth++)
			if (symbol_at(&symbols, type, nth, &symbol, &more))
				visit(context, &symbol);
	}
}

void hp_elf_each_function(const struct hp_elf *elf,
			  void (*visit)(void *context, const struct hp_symbol *symbol),
			  void *context)
{
	each_symbol(elf, STT_FUNC, visit, context);
}

void hp_elf_each_variable(const struct hp_elf *elf,
			  void (*visit)(void *context, const struct hp_symbol *symbol),
			  void *context)
{
	each_symbol(elf, STT_OBJECT, visit, context);
}

void hp_elf_keep_symbols(struct hp_elf *elf)
{
	symbols_of(elf, SHT_SYMTAB);
	symbols_of(elf, SHT_DYNSYM);
	hp_elf_let_go(elf);
}

struct search {
	uint64_t address;
	struct hp_symbol *best;
	bool found;
};

static void choose(void *context, const struct hp_symbol *symbol)
{
	struct search *search = context;

	if (symbol->address != search->address ||
	    (search->found && symbol->rank <= search->best->rank))
		return;
	*search->best = *symbol;
	search->found = true;
}

bool hp_elf_function_at(const struct hp_elf *elf, uint64_t address, struct hp_symbol *symbol)
{
	struct search search = { address, symbol, false };

	hp_elf_each_function(elf, choose, &search);
	return search.found;
}

bool hp_elf_exports(const struct hp_elf *elf, const char *name)
{
	struct symbols symbols = symbols_of(elf, SHT_DYNSYM);
	struct hp_symbol function;
	bool more = true;

	for (uint64_t nth = 0; more; nth++)
		if (symbol_at(&symbols, STT_FUNC, nth, &function, &more) &&
		    strcmp(function.name, name) == 0)
			return true;
	return false;
}
