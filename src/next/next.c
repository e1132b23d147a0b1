/* SPDX-License-Identifier: MIT */
/*
 * Finds the functions behind our wrappers.
 *
 * dlsym takes 3 KB of stack and a lock, may allocate, and needs three times as long as we do for a function. Before
 * glibc 2.36, it finds the oldest version of a symbol. So when our library is loaded, we search the libraries after it
 * ourselves, each for all functions: by their hash tables (DT_GNU_HASH), for the default version, or else for one that only
 * programs use which were linked long ago. At this time no other thread can load or unload a library.
 *
 * dlsym is used for what is not found like that: under other C libraries than glibc, in a library without such a table,
 * for an indirect function, if our library was loaded after the C library, and for what is loaded later.
 */
#include NEXT_HEADER

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

/* A probe may define how it asks the dynamic linker for a function. */
#ifndef NEXT_ASK
#define NEXT_ASK(name) next_symbol(name)
#endif

struct next_functions next_functions;

/* Arrays, not pointers to strings: pointers would have to be relocated in every program that loads the library. */
static const struct {
	void (*missing)(void);
	char name[40];
} functions[] = {
#define FUNCTION(function, missing) { (void (*)(void))(missing), #function },
#include NEXT_TABLE
#undef FUNCTION
};

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

_Static_assert(sizeof(struct next_functions) == FUNCTIONS * sizeof(void *),
	       "a function, a pointer");

/* All functions were searched for, and not again without the dynamic linker. */
static bool is_loaded;
/* This thread is asking the dynamic linker. What that calls of ours must not ask it again. */
static __thread bool is_asking __attribute__((tls_model("initial-exec")));

typedef void *__attribute__((may_alias)) slot;

static slot *slot_of(size_t number)
{
	return (slot *)(void *)&next_functions + number;
}

/* ---- by the dynamic linker ---- */

void *next_symbol(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Ask the dynamic linker for a function, unless it is just being asked. */
static void *ask(size_t number)
{
	void *found = NULL;

	if (is_asking)
		return NULL;
	is_asking = true;
	found = NEXT_ASK(functions[number].name);
	/* The program must not see the error of a failed look-up. */
	if (!found)
		dlerror();
	is_asking = false;
	if (found)
		store(slot_of(number), found, RELAXED);
	return found;
}

/* ---- without the dynamic linker ---- */

/* The tables of a loaded library. */
struct library {
	const uint32_t *hash;
	const ElfW(Sym) * symbols;
	const char *strings;
	/* NULL when symbols have no versions. */
	const ElfW(Half) * versions;
	ElfW(Addr) base;
};

/* In the kernel's own library addresses are relative, in others glibc has made them absolute. */
static const void *table_at(const struct link_map *map, const ElfW(Dyn) * entry)
{
	ElfW(Addr) at = entry->d_un.d_ptr;

	return (const void *)(at < map->l_addr ? at + map->l_addr : at);
}

static struct library read_library(const struct link_map *map)
{
	struct library library = { .base = map->l_addr };

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_GNU_HASH)
			library.hash = table_at(map, entry);
		else if (entry->d_tag == DT_SYMTAB)
			library.symbols = table_at(map, entry);
		else if (entry->d_tag == DT_STRTAB)
			library.strings = table_at(map, entry);
		else if (entry->d_tag == DT_VERSYM)
			library.versions = table_at(map, entry);
	}
	return library;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* strcmp, which a sanitizer may have wrapped, and not be ready for yet. */
static bool is_same(const char *one, const char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
	}
	return *one == *other;
}

static bool is_function(const struct library *library, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &library->symbols[index];

	return symbol->st_shndx != SHN_UNDEF && symbol->st_value &&
	       is_same(library->strings + symbol->st_name, name);
}

static bool is_default(const struct library *library, uint32_t index)
{
	enum { HIDDEN_VERSION = 0x8000 };

	return !library->versions || !(library->versions[index] & HIDDEN_VERSION);
}

/* The hash table: a header of four words, the words of a Bloom filter, the first symbol of each bucket, and the hashes
   of all symbols from `first` on. The lowest bit of a hash says that it is the last one of its bucket. */
static const ElfW(Sym) * find_symbol(const struct library *library, const char *name, uint32_t hash)
{
	enum { BITS = sizeof(ElfW(Addr)) * 8 };
	const uint32_t *head = library->hash;
	uint32_t bucket_count = head[0], first = head[1], filter_count = head[2], shift = head[3];
	const ElfW(Addr) *filter = (const ElfW(Addr) *)(const void *)(head + 4);
	const uint32_t *buckets = (const uint32_t *)(const void *)(filter + filter_count);
	const uint32_t *hashes = buckets + bucket_count;
	ElfW(Addr) bits = filter[hash / BITS & (filter_count - 1)];

	if (!(bits >> hash % BITS & bits >> (hash >> shift) % BITS & 1))
		return NULL;
	uint32_t index = buckets[hash % bucket_count];
	if (index < first)
		return NULL;
	for (const ElfW(Sym) *old = NULL;; index++) {
		uint32_t other = hashes[index - first];
		if ((other | 1) == (hash | 1) && is_function(library, index, name)) {
			old = &library->symbols[index];
			if (is_default(library, index))
				return old;
		}
		if (other & 1)
			return old;
	}
}

/* Find all functions in a library that are not known yet. Returns how many there were. */
static size_t search(const struct library *library, const uint32_t *hashes)
{
	size_t count = 0;

	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (load(slot_of(i), RELAXED))
			continue;
		const ElfW(Sym) *symbol = find_symbol(library, functions[i].name, hashes[i]);
		if (!symbol)
			continue;
		if (ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
			ask(i);
		else
			store(slot_of(i), (void *)(library->base + symbol->st_value), RELAXED);
		count++;
	}
	return count;
}

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));
/* Only glibc has it. */
extern struct r_debug _r_debug __attribute__((weak));

/* The library after ours; NULL if the list is not to be had, or is that of another namespace. */
static const struct link_map *first_behind(void)
{
	const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map ? map->l_next : NULL;
}

/* Search the libraries after ours. False if that says nothing about what was not found: there was a library that
   cannot be searched; or no function was found, because the C library is before ours. */
static bool search_all(void)
{
	static uint32_t hashes[FUNCTIONS];
	size_t count = 0;

	for (size_t i = 0; i < FUNCTIONS; i++)
		hashes[i] = hash_of(functions[i].name);
	for (const struct link_map *map = first_behind(); map; map = map->l_next) {
		struct library library = read_library(map);
		if (!library.hash || !library.symbols || !library.strings)
			return false;
		count += search(&library, hashes);
	}
	return count > 0;
}

/* ---- both ---- */

__attribute__((constructor(101))) static void find_all(void)
{
	if (is_loaded)
		return;
	is_loaded = true;
	if (search_all())
		return;
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (!load(slot_of(i), RELAXED))
			ask(i);
}

void *next_find(size_t number)
{
	void *found, *missing;

	find_all();
	found = load(slot_of(number), RELAXED);
	if (!found)
		found = ask(number);
	__builtin_memcpy(&missing, &functions[number].missing, sizeof(missing));
	return found ? found : missing;
}

/* ---- in place of what does not exist ---- */

long next_fails(void)
{
	errno = ENOSYS;
	return -1;
}

int next_error(void)
{
	return ENOSYS;
}

void *next_null(void)
{
	return NULL;
}

#if defined(__aarch64__)
/* libgcc calls this function of glibc when a library is loaded, to learn which atomic instructions there are. Other C libraries
   have getauxval alone. */
__attribute__((visibility("hidden"))) unsigned long __getauxval(unsigned long type);
unsigned long __getauxval(unsigned long type)
{
	return getauxval(type);
}
#endif
