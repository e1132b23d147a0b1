/* SPDX-License-Identifier: MIT */
/* The functions of a file, sorted: what is found for an address is what a pass over all of them finds. */
#include "names/symbol_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct pass {
	uint64_t address;
	struct hp_symbol best;
};

static void look(void *context, const struct hp_symbol *symbol)
{
	struct pass *pass = context;

	if (symbol->address <= pass->address && hp_symbol_is_better(symbol, &pass->best))
		pass->best = *symbol;
}

static void finds_what_a_pass_finds(void **state)
{
	struct hp_symbol_table table = { .items = NULL };
	struct hp_elf elf;

	(void)state;
	assert_int_equal(hp_elf_open(&elf, "/proc/self/exe"), 0);
	assert_true(hp_symbol_table_fill(&table, &elf, &elf));
	assert_true(table.count > 10);
	for (size_t i = 0; i < table.count; i += 7) {
		struct pass pass = { .address = table.items[i].symbol.address + i % 3 };
		hp_elf_each_function(&elf, look, &pass);
		const struct hp_symbol *found = hp_symbol_table_find(&table, pass.address);
		assert_non_null(found);
		assert_ptr_equal(found->name, pass.best.name);
		assert_int_equal(found->address, pass.best.address);
	}
	hp_symbol_table_free(&table);
	hp_elf_close(&elf);
}

static void nothing_is_before_the_first(void **state)
{
	struct hp_symbol_table table = { .items = NULL };
	struct hp_elf elf;

	(void)state;
	assert_null(hp_symbol_table_find(&table, 1));
	assert_int_equal(hp_elf_open(&elf, "/proc/self/exe"), 0);
	assert_true(hp_symbol_table_fill(&table, NULL, &elf));
	assert_null(hp_symbol_table_find(&table, table.items[0].symbol.address - 1));
	hp_symbol_table_free(&table);
	hp_elf_close(&elf);
}

static void programmers_names_are_better(void **state)
{
	const struct hp_symbol inner = { .name = "__libc_pread", .address = 8, .rank = 2 };
	const struct hp_symbol outer = { .name = "pread", .address = 8, .rank = 1 };
	const struct hp_symbol later = { .name = "_later", .address = 9 };
	const struct hp_symbol none = { .name = NULL };

	(void)state;
	assert_true(hp_symbol_is_better(&outer, &inner));
	assert_false(hp_symbol_is_better(&inner, &outer));
	assert_true(hp_symbol_is_better(&later, &outer));
	assert_true(hp_symbol_is_better(&inner, &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_a_pass_finds),
		cmocka_unit_test(nothing_is_before_the_first),
		cmocka_unit_test(programmers_names_are_better),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
