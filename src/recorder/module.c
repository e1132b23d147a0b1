/* SPDX-License-Identifier: MIT */
/*
 * Modules: from the address of a function to the file it lies in and its address there.
 *
 * What the reader needs to find a name is written down once for each file: its path and build id. Both
 * come from the kernel's list of mappings and from the headers in memory, not from the dynamic linker,
 * whose locks the program may hold. Finding a module is slow; functions are looked up once per thread and
 * place in the call tree.
 */
#include "flow.h"

#include "elf_file.h"
#include "note.h"
#include "own_file.h"
#include "selection.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

struct module {
	struct module *next;
	/* Where it is in memory, and how far that is from the addresses in its file. */
	uintptr_t start;
	uintptr_t end;
	uintptr_t bias;
	/* In the segment; 0 when there was no room. */
	uint64_t at;
	/* What of it is to be measured, in its own memory, and the file with the names; NULL for all. */
	const char *selection;
	struct hp_elf file;
};

/* A file in memory: its headers, as far as they are mapped. */
struct headers {
	const ElfW(Phdr) * programs;
	unsigned count;
};

/* For whoever holds the lock: the stack may be a small one. */
static struct mapping covering, beginning;

/* What the kernel gives to every program is like a file. */
static bool has_file(const struct mapping *mapping)
{
	return mapping->inode || strcmp(mapping->path, "[vdso]") == 0;
}

/*
 * Find the mapping that covers an address, and the nearest before it that has the beginning of its file.
 * Linkers that do not pad may have it in several.
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

/* Whether the covering mapping is of a part of the file: mappings begin at a page. */
static bool is_covering(const ElfW(Phdr) * program)
{
	uint64_t page = covering.offset;

	return program->p_type == PT_LOAD && (program->p_flags & PF_X) &&
	       page < program->p_offset + program->p_filesz &&
	       page + (covering.end - covering.start) > program->p_offset;
}

/* How far the file's addresses are from those in memory; false when the mapping is of no code of it. */
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

/* Where it lies. */
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

/* Whether a part of the file is in the mapping of its beginning. */
static bool is_beginning(const ElfW(Phdr) * program)
{
	size_t size = beginning.end - beginning.start;

	return program->p_offset <= size && program->p_filesz <= size - program->p_offset;
}

/*
 * Notes beside the headers: the build id, and what is to be measured. Not at their addresses: a program may have moved
 * its code, and nothing is around it then.
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

/* The module in the segment that is like this one; made when there is none. 0 when there is no room. */
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

/* The kernel says so behind the path of a file that is gone. */
static void cut_off(char *path, const char *end)
{
	size_t length = strlen(path), less = strlen(end);

	if (length > less && strcmp(path + length - less, end) == 0)
		path[length - less] = '\0';
}

/* The kernel writes a newline as \012. A file that is called so itself is there under that name. */
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

/* Fill in the module around an address; false when there is none. */
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

/* Code of no file, or one that is not what it seems, is a module for which there is only an address. */
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

/* Where the first code begins at or after an address; 0 when there is none. */
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

/* The call itself is before where it returns to, which may be another module's. */
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

/* Only the mapping that covers the address, not all of its module: what is beside it may be no code. */
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
 * From some moment of it on, addresses may mean something else, and soon do where another thread loads code
 * meanwhile. So nothing that is known by an address is kept from before to after, nor in between.
 */
static void unload(bool begins)
{
	struct recorder *recorder = load(&hotpath__recorder, ACQUIRE);
	struct guard guard;

	if (!recorder || load(&recorder->state, ACQUIRE) != STATE_RUNNING)
		return;
	hotpath__lock(&guard);
	/* It may have begun before recording did, or in the parent. */
	if (begins || recorder->unloading)
		recorder->unloading += begins ? 1 : -1U;
	forget_modules(recorder);
	hotpath__forget_found();
	if (!begins)
		hotpath__forget_code();
	/* SEQ_CST, as is what threads are told after it: who opens its hot path meanwhile sees one of them. */
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
