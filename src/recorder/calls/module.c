/* SPDX-License-Identifier: MIT */
/*
 * Modules: from the address of a function to the file it lies in and its address there.
 *
 * What the reader needs to find a name is written down once for each file: its path and build id. Both
 * come from the kernel's list of mappings and from the headers in memory, not from the dynamic linker,
 * whose locks the program may hold. Finding a module is slow; functions are looked up once per thread and
 * place in the call tree.
 */
#include "modules.h"

#include "cpu/sampling.h"
#include "elf_file.h"
#include "flow/flow.h"
#include "note.h"
#include "own_file.h"
#include "process/lifecycle.h"
#include "process/maps.h"
#include "process/platform.h"
#include "process/room.h"
#include "process/seccomp.h"
#include "process/segment_file.h"
#include "process/threads.h"
#include "selection.h"
#include "sites.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

struct module {
	struct module *next;
	/* Its bounds in memory, and the difference to the addresses in its file. */
	uintptr_t start;
	uintptr_t end;
	uintptr_t bias;
	/* Its offset in the segment; 0 when there was no room. */
	uint64_t at;
	/* Which of its functions are to be measured, a string in the module's own memory; NULL for all. And the
	   open file, to find their names. */
	const char *selection;
	struct hp_elf file;
};

/* The program headers of a module, in its mapped memory. */
struct headers {
	const ElfW(Phdr) * programs;
	unsigned count;
};

/* Static, and protected by the lock, because the stack may be small. */
static struct mapping covering, beginning;

/* Whether a mapping is of a file. The kernel's vdso counts as one. */
static bool has_file(const struct mapping *mapping)
{
	return mapping->inode || strcmp(mapping->path, "[vdso]") == 0;
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

/* The difference between addresses in memory and in the file; false when the mapping is not of the file's code. */
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
 * Read the notes: the build id, and the selection of functions. They are read by file offset, in the mapping with the
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

/* The kernel writes a newline in a path as \012. If a file with these characters in its name exists, it is that
   one. */
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

static struct module *new_module(struct recorder *recorder)
{
	struct module *module = recorder->spare_modules;

	if (module)
		recorder->spare_modules = module->next;
	else
		module = hotpath__private(sizeof(*module));
	return module;
}

/* Fill in the module that an address belongs to; false when there is none. */
static bool describe_module(struct module *module, uintptr_t address)
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

/* Add the module of a function. For code of no file, or of a file that is not a valid ELF file, that is a module
   of one address. */
static struct module *find_module(struct recorder *recorder, uintptr_t function)
{
	struct module *module = new_module(recorder);
	if (!module)
		return NULL;

	*module = (struct module){ .start = function, .end = function + 1 };
	describe_module(module, function);
	module->next = recorder->modules;
	recorder->modules = module;
	return module;
}

static struct module *module_of(uintptr_t function)
{
	struct recorder *recorder = hotpath__recorder;
	struct module *module = recorder->modules;

	while (module && (function < module->start || function >= module->end))
		module = module->next;
	return module ? module : find_module(recorder, function);
}

/* The first executable mapping of a file at or after an address; 0 when there is none. */
static uintptr_t code_after(uintptr_t address, uintptr_t *end)
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

void hotpath__learn_modules(void)
{
	uintptr_t end = 0, start;

	while ((start = code_after(end, &end)))
		module_of(start);
}

static bool is_selected(const struct module *module, uint64_t offset)
{
	struct hp_symbol symbol;

	return !module->selection || !hp_elf_function_at(&module->file, offset, &symbol) ||
	       hp_selection_has(module->selection, symbol.name, symbol.size);
}

static void forget_modules(struct recorder *recorder)
{
	while (recorder->modules) {
		struct module *module = recorder->modules;
		recorder->modules = module->next;
		hp_elf_close(&module->file);
		module->next = recorder->spare_modules;
		recorder->spare_modules = module;
	}
}

uint32_t hotpath__function_site(uintptr_t function)
{
	struct guard guard;
	uint32_t site = 0;

	hotpath__lock(&guard);
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *module = module_of(function);
	if (module && !is_selected(module, function - module->bias))
		site = SITE_SKIPPED;
	else if (module)
		site = hotpath__site_of_address(HP_SITE_ADDRESS, NULL, module->at,
						function - module->bias);
	hotpath__unlock(&guard);
	if (!site)
		hotpath__count(HP_COUNTER_functions);
	return site;
}

/* The call instruction is before its return address, which may already belong to another module. */
uint32_t hotpath__call_site(uintptr_t from)
{
	struct guard guard;
	uint32_t site = 0;

	hotpath__lock(&guard);
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *module = from ? module_of(from - 1) : NULL;
	if (module)
		site = hotpath__site_of_address(HP_SITE_CALL, NULL, module->at,
						from - module->bias);
	hotpath__unlock(&guard);
	return site;
}

uint32_t hotpath__site_of_code(enum hp_site_kind kind, const char *name, uintptr_t code)
{
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *module = module_of(code);
	return module ? hotpath__site_of_address(kind, name, module->at, code - module->bias) : 0;
}

enum {
	/* Static variables that have a site of their own; there may be arrays of thousands of locks. */
	STATIC_OBJECTS_MAX = 256,
};

/* A module that is known around an address in its data; NULL when there is none. */
static const struct module *known_around(uintptr_t object)
{
	const struct module *module = hotpath__recorder->modules;

	while (module && (object < module->start || object >= module->end || !module->at))
		module = module->next;
	return module;
}

/* Libraries wait for variables of the program: its module is known from then on, also if no code of it was seen yet. */
static const struct module *module_around(uintptr_t object)
{
	const struct module *module = known_around(object);

	if (module || !module_of(getauxval(AT_ENTRY)))
		return module;
	return known_around(object);
}

/* The site of a static variable; 0 when there are too many. */
static uint32_t static_site(enum hp_site_kind kind, const struct module *home, uintptr_t object)
{
	struct recorder *recorder = hotpath__recorder;
	uint32_t before = hotpath__header()->site_count, id;

	if (recorder->static_objects >= STATIC_OBJECTS_MAX)
		return 0;
	id = hotpath__site_of_address(kind, NULL, home->at, object - home->bias);
	recorder->static_objects += hotpath__header()->site_count > before;
	return id;
}

/* Most static variables are in the module of the code that uses them, so it is known by now. The call instruction is
   before its return address. */
uint32_t hotpath__site_of_object(enum hp_site_kind kind, uintptr_t object, uintptr_t from,
				 bool *is_static)
{
	if (hotpath__recorder->unloading)
		forget_modules(hotpath__recorder);
	const struct module *code = from ? module_of(from - 1) : NULL;
	const struct module *home = object ? module_around(object) : NULL;
	uint32_t id = 0, place = 0;
	if (code && code->at)
		place = hotpath__site_of_address(HP_SITE_CALL, NULL, code->at, from - code->bias);
	if (home)
		id = static_site(kind, home, object);
	*is_static = id != 0;
	if (!id && place)
		id = hotpath__site_of_address(kind, NULL, code->at, from - 1 - code->bias);
	if (!id)
		id = hotpath__site_register(
			&(struct hotpath_site){ .name = "<unknown>", .kind = kind });
	if (id)
		hotpath__site_place(id, place);
	return id;
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

/* Only the mapping that covers the address, not the whole module: its other mappings may not be code. */
bool hotpath__find_code(uintptr_t address, struct code *code)
{
	struct recorder *recorder = hotpath__recorder;
	struct module module = { .at = 0 };

	covering.executable = false;
	if (recorder->unloading)
		return false;
	describe_module(&module, address);
	if (module.selection)
		hp_elf_close(&module.file);
	fill_code(code, &module);
	return covering.executable && covering.start <= address && address < covering.end;
}

/*
 * At some moment of unloading, the addresses become free, and another thread may load other code there. So whatever
 * is known by address is forgotten before and after, and nothing is learned in between.
 */
static void unload(bool begins)
{
	struct recorder *recorder = load(&hotpath__recorder, ACQUIRE);
	struct guard guard;

	if (!recorder || load(&recorder->state, ACQUIRE) != STATE_RUNNING)
		return;
	hotpath__lock(&guard);
	/* The unloading may have begun before recording, or in the parent process. */
	if (begins || recorder->unloading)
		store(&recorder->unloading, recorder->unloading + (begins ? 1 : -1U), RELAXED);
	forget_modules(recorder);
	hotpath__forget_found();
	if (!begins)
		hotpath__forget_code();
	/* SEQ_CST, like the stores in hotpath__close_hot_paths: a thread that opens its hot path at the same time
	   sees one of them. */
	store(&recorder->unloads, recorder->unloads + 1, SEQ_CST);
	hotpath__close_hot_paths(recorder);
	hotpath__unlock(&guard);
}

void hotpath__unload_begins(void)
{
	unload(true);
}

void hotpath__unload_ends(void)
{
	unload(false);
}
