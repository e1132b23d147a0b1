/* SPDX-License-Identifier: MIT */
/* Names that were found once are remembered, with all that is known about them; and they are not more than a limit. */
#include "names/known_names.h"

#include "read_model.h"

static struct hp_known_names known;

static int clear(void **state)
{
	(void)state;
	hp_known_names_free(&known);
	return 0;
}

static struct hp_name wanted(uint64_t address)
{
	return (struct hp_name){ .site = 7, .module = 80, .address = address, .is_inside = true };
}

static void learn(uint64_t address, char *text)
{
	struct hp_name name = wanted(address);

	name.text = text;
	hp_known_names_learn(&known, &name);
}

static void is_called(uint64_t address, const char *text)
{
	struct hp_name name = wanted(address);

	assert_true(hp_known_names_recall(&known, &name));
	assert_string_equal(name.text, text);
	hp_name_clear(&name);
}

static void with_all_details(void **state)
{
	char text[] = "leaf", full[] = "leaf(int)", inlined[] = "twig (in leaf)", file[] = "leaf.c";
	struct hp_name name = wanted(0x10);

	(void)state;
	assert_false(hp_known_names_recall(&known, &name));
	name.text = text;
	name.full = full;
	name.detail = (struct hp_name_detail){ .inlined = inlined, .file = file, .line = 12 };
	name.has_symbol = name.is_detailed = name.hides_caller = true;
	name.entry = 0x8;
	hp_known_names_learn(&known, &name);

	struct hp_name found = { .site = 9, .module = 96, .address = 0x10, .is_inside = true };
	assert_true(hp_known_names_recall(&known, &found));
	assert_int_equal(found.site, 9);
	assert_int_equal(found.module, 96);
	assert_string_equal(found.text, "leaf");
	assert_string_equal(found.full, "leaf(int)");
	assert_string_equal(found.detail.inlined, "twig (in leaf)");
	assert_string_equal(found.detail.file, "leaf.c");
	assert_int_equal(found.detail.line, 12);
	assert_int_equal(found.entry, 0x8);
	assert_true(found.has_symbol && found.is_detailed && found.hides_caller);
	/* The texts are its own. */
	assert_ptr_not_equal(found.text, text);
	hp_name_clear(&found);
}

/* The same address may be that of a call, or of what was executed. */
static void told_apart(void **state)
{
	struct hp_name call = wanted(0x10);

	(void)state;
	learn(0x10, (char[]){ "leaf" });
	call.is_call = true;
	assert_false(hp_known_names_recall(&known, &call));
	is_called(0x10, "leaf");
}

static void a_limited_number(void **state)
{
	enum { MANY = 100 * 1000 };
	struct hp_name first = wanted(0);

	(void)state;
	for (uint64_t i = 0; i < MANY; i++)
		learn(i, (char[]){ "leaf" });
	assert_in_range(known.count, 1, MANY / 2);
	is_called(MANY - 1, "leaf");
	assert_false(hp_known_names_recall(&known, &first));
}

#define TEST(name) cmocka_unit_test_teardown(name, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(with_all_details),
		TEST(told_apart),
		TEST(a_limited_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
