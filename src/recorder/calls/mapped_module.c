/* SPDX-License-Identifier: MIT */
/*
 * Finds the file whose code is mapped at an address, and writes down in the segment what the reader needs to name its
 * functions: path, build id and selection.
 *
 * Path and build id come from the kernel's list of mappings and from the headers in memory, not from the dynamic linker,
 * whose locks the program may hold.
 */
#include "mapped_module.h"

#include "modules.h"
#include "note.h"
#include "own_file.h"
#include "process/lifecycle.h"
#include "process/maps.h"
#include "process/recorder_state.h"
#include "process/seccomp.h"
#include "process/segment_file.h"
#include "selection.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The program headers of a module, in its mapped memory. */
struct headers {
	const ElfW(Phdr) * programs;
	unsigned count;
};

/* The mapping around the address that is looked up; the one of the beginning of its file, with the headers; and the one
   that holds its unwind tables. The recorder's lock protects them. They are static because the stack may be small. */
static struct mapping covering, beginning, holding;

/* Whether a file is valgrind itself. It is mapped beside the program, and memcheck would report that we read its memory. */
static bool is_valgrind(const char *path)
{
	const char *name = strstr(path, "/valgrind/");

	return name && !strstr(name, ".so");
}

/* Whether a mapping is of a file that may be read. The kernel's vdso counts as one. */
static bool has_file(const struct mapping *mapping)
{
	return mapping->inode ? !is_valgrind(mapping->path) : strcmp(mapping->path, "[vdso]") == 0;
}

/*
 * Find the mapping that covers an address, and the nearest one before it that maps the beginning of the same file.
 * There may be several of those, because some linkers do not align segments to pages in the file.
 */
static bool find_mappings(uintptr_t address)
{
	struct maps maps;
	bool found = false;

	beginning = (struct mapping){ .inode = 0 };
	hotpath__maps_open(&maps);
	while (!found && hotpath__maps_next(&maps, &covering)) {
		if (covering.offset == 0 && has_file(&covering) && covering.readable)
			beginning = covering;
		found = covering.start <= address && address < covering.end;
	}
	hotpath__maps_close(&maps);
	return found && has_file(&covering) && covering.inode == beginning.inode &&
	       covering.device == beginning.device;
}

static bool read_headers(struct headers *headers)
{
	const ElfW(Ehdr) *file = (const ElfW(Ehdr) *)beginning.start;
	size_t size = beginning.end - beginning.start;

	if (!has_file(&beginning) || size < sizeof(*file) ||
	    memcmp(file->e_ident, ELFMAG, SELFMAG) != 0 ||
	    file->e_phentsize != sizeof(ElfW(Phdr)) || file->e_phoff > size ||
	    file->e_phnum > (size - file->e_phoff) / sizeof(ElfW(Phdr)))
		return false;
	*headers = (struct headers){ (const ElfW(Phdr) *)(beginning.start + file->e_phoff),
				     file->e_phnum };
	return true;
}

/* Whether the covering mapping is of this executable segment. Mappings begin at a page, segments need not. */
static bool is_covering(const ElfW(Phdr) * program)
{
	uint64_t page = covering.offset;

	return program->p_type == PT_LOAD && (program->p_flags & PF_X) &&
	       page < program->p_offset + program->p_filesz &&
	       page + (covering.end - covering.start) > program->p_offset;
}

/* Find the difference between addresses in memory and in the file; false when the mapping is not of the file's code. */
static bool find_bias(const struct headers *headers, uintptr_t *bias)
{
	for (unsigned i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *program = &headers->programs[i];
		if (!is_covering(program))
			continue;
		*bias = covering.start - covering.offset - (program->p_vaddr - program->p_offset);
		return true;
	}
	return false;
}

/* Set the bounds of a module, from its program headers. */
static bool place_module(struct module *module, const struct headers *headers)
{
	uintptr_t low = UINTPTR_MAX, high = 0, bias;

	for (unsigned i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *program = &headers->programs[i];
		if (program->p_type != PT_LOAD)
			continue;
		if (program->p_vaddr < low)
			low = program->p_vaddr;
		if (program->p_vaddr + program->p_memsz > high)
			high = program->p_vaddr + program->p_memsz;
	}
	if (low >= high || !find_bias(headers, &bias))
		return false;
	module->bias = bias;
	module->start = bias + low;
	module->end = bias + high;
	return true;
}

/* Whether a segment of the file lies in the mapping of the file's beginning. */
static bool is_beginning(const ElfW(Phdr) * program)
{
	size_t size = beginning.end - beginning.start;

	return program->p_offset <= size && program->p_filesz <= size - program->p_offset;
}

/*
 * Read the notes: the build id, and the selection of functions. Notes are read by file offset, in the mapping with the
 * headers, and not at their own addresses: a program may have moved its code elsewhere in memory, without the notes.
 */
static void read_notes(struct module *module, const struct headers *headers, struct hp_module *new)
{
	for (unsigned i = 0; i < headers->count; i++) {
		const ElfW(Phdr) *program = &headers->programs[i];
		if (program->p_type != PT_NOTE || !is_beginning(program))
			continue;
		const void *notes = (const void *)(beginning.start + program->p_offset);
		size_t length;
		const unsigned char *id = hp_note_build_id(notes, program->p_filesz, &length);
		if (id && length <= HP_BUILD_ID_MAX) {
			memcpy(new->build_id, id, length);
			new->build_id_size = (uint32_t)length;
		}
		const char *selection = hp_selection_note(notes, program->p_filesz, &length);
		if (selection)
			module->selection = selection;
	}
}

static const char *string_at(const char *base, uint64_t at)
{
	return at ? ((const struct hp_string *)(const void *)(base + at))->bytes : "";
}

static bool is_module(const struct hp_module *known, const char *path, const struct hp_module *new)
{
	return known->build_id_size ==
		       new->build_id_size &&memcmp(known->build_id, new->build_id,
						   HP_BUILD_ID_MAX) == 0 &&
	       strcmp(string_at(hotpath__recorder->base, known->path), path) == 0;
}

static struct hp_module *module_at(char *base, uint64_t at)
{
	return (struct hp_module *)(void *)(base + at);
}

static uint32_t next_id(char *base, uint64_t newest)
{
	uint32_t id = newest ? module_at(base, newest)->id : 0;

	return newest && (!id || id == HP_FRAME_MODULES_MAX) ? 0 : id + 1;
}

/* Find this module in the segment, or add it. Returns the offset, 0 when there is no room. */
static uint64_t publish(const struct hp_module *new, const char *path, const char *selection)
{
	struct hp_header *header = hotpath__header();
	char *base = hotpath__recorder->base;
	uint64_t at = header->modules;

	for (; at; at = module_at(base, at)->next)
		if (is_module(module_at(base, at), path, new))
			return at;
	uint64_t string = hotpath__segment_string(path);
	at = string ? hotpath__segment_take(sizeof(*new)) : 0;
	if (!at)
		return 0;
	struct hp_module *module = module_at(base, at);
	*module = *new;
	module->path = string;
	module->selection = selection ? hotpath__segment_string(selection) : 0;
	module->id = next_id(base, header->modules);
	module->next = header->modules;
	/* Pairs with the reader's ACQUIRE. */
	store(&header->modules, at, RELEASE);
	return at;
}

uint64_t hotpath__module_copy(const char *parent, uint64_t at)
{
	struct hp_module copy;

	if (!at)
		return 0;
	memcpy(&copy, parent + at, sizeof(copy));
	return publish(&copy, string_at(parent, copy.path),
		       copy.selection ? string_at(parent, copy.selection) : NULL);
}

/* Cut a suffix off a path: the kernel adds " (deleted)" if the file is gone. */
static void cut_off(char *path, const char *end)
{
	size_t length = strlen(path), less = strlen(end);

	if (length > less && strcmp(path + length - less, end) == 0)
		path[length - less] = '\0';
}

/* Restore newlines in a path, which the kernel writes as \012. A file whose name has these four characters keeps it. */
static void restore_newlines(char *path)
{
	static const char escape[] = "\\012";
	const size_t length = sizeof(escape) - 1;
	char *at = strstr(path, escape);

	if (!at || access(path, F_OK) == 0)
		return;
	for (; at; at = strstr(at, escape)) {
		*at++ = '\n';
		memmove(at, at + length - 1, strlen(at + length - 1) + 1);
	}
}

bool hotpath__describe_module(struct module *module, uintptr_t address)
{
	struct hp_module new = { .next = 0 };
	struct headers headers;

	if (!find_mappings(address) || !read_headers(&headers) || !place_module(module, &headers))
		return false;
	cut_off(beginning.path, " (deleted)");
	restore_newlines(beginning.path);
	read_notes(module, &headers, &new);
	if (module->selection &&
	    (!hotpath__may_all() || hp_elf_open(&module->file, beginning.path)))
		module->selection = NULL;
	hp_elf_keep_symbols(&module->file);
	module->at = publish(&new, beginning.path, module->selection);
	return true;
}

uintptr_t hotpath__code_after(uintptr_t address, uintptr_t *end)
{
	struct maps maps;
	bool found = false;

	hotpath__maps_open(&maps);
	while (!found && hotpath__maps_next(&maps, &covering))
		found = covering.executable && has_file(&covering) && covering.start >= address;
	hotpath__maps_close(&maps);
	*end = covering.end;
	return found ? covering.start : 0;
}

static void fill_code(struct code *code, const struct module *module)
{
	const struct mapping *part = &covering;

	*code = (struct code){
		.start = part->start,
		.end = part->end,
		.bias = module->bias,
		.module = module->at ? module_at(hotpath__recorder->base, module->at)->id : 0,
		.readable = part->readable,
		.ours = hotpath__is_shared && hp_is_own_file(part->path),
		.device = part->device,
		.inode = part->inode
	};
}

/* Find the readable mapping around the address of unwind tables. It must be of the file that the code is of: a program
   may have moved its code without the rest. */
static bool find_holding(uintptr_t address)
{
	return hotpath__maps_find(address, &holding) && holding.readable &&
	       holding.inode == covering.inode && holding.device == covering.device;
}

/* Whether a module stays loaded until the process ends, or until the recorder is told of its unloading. A static copy of
   the recorder is not told of dlclose: it can only be sure of the program itself, and of the vdso. */
static bool stays(const struct module *module)
{
	uintptr_t entry = getauxval(AT_ENTRY);

	return hotpath__is_shared || (entry >= module->start && entry < module->end) ||
	       !covering.inode;
}

static void find_tables(struct code *code, const struct module *module)
{
	struct headers headers;
	const ElfW(Phdr) *program = NULL;

	if (!stays(module) || !read_headers(&headers))
		return;
	for (unsigned i = 0; i < headers.count; i++)
		if (headers.programs[i].p_type == PT_GNU_EH_FRAME)
			program = &headers.programs[i];
	if (!program || !find_holding(module->bias + program->p_vaddr))
		return;
	code->tables = module->bias + program->p_vaddr;
	code->tables_low = holding.start;
	code->tables_high = holding.end < module->end ? holding.end : module->end;
}

/* The bounds are those of the mapping that covers the address, not of the whole module, which has more than code. */
bool hotpath__find_code(uintptr_t address, struct code *code)
{
	struct recorder *recorder = hotpath__recorder;
	struct module module = { .at = 0 };

	covering.executable = false;
	if (recorder->unloading)
		return false;
	bool known = hotpath__describe_module(&module, address);
	if (module.selection)
		hp_elf_close(&module.file);
	fill_code(code, &module);
	if (known)
		find_tables(code, &module);
	return covering.executable && covering.start <= address && address < covering.end;
}
