/* SPDX-License-Identifier: MIT */
/* Which programs can bear our libraries, by their files. */
#include "loading.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/hotpath-loading-XXXXXX";

static void put(const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void put_header(unsigned char class, uint16_t machine)
{
	unsigned char bytes[sizeof(Elf64_Ehdr)] = { 0 };
	Elf64_Ehdr header = { .e_machine = machine, .e_type = ET_DYN };

	memcpy(header.e_ident, ELFMAG, SELFMAG);
	header.e_ident[EI_CLASS] = class;
	header.e_ident[EI_DATA] = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB
									    : ELFDATA2MSB;
	memcpy(bytes, &header, sizeof(header));
	put(bytes, sizeof(bytes));
}

static void this_program_works(void **state)
{
	(void)state;
	assert_int_equal(hp_loading_find("/proc/self/exe"), HP_LOADING_WORKS);
}

static void another_machine(void **state)
{
	(void)state;
	put_header(ELFCLASS32, EM_386);
	assert_int_equal(hp_loading_find(path), HP_LOADING_MACHINE);
	put_header(ELFCLASS64, EM_S390);
	assert_int_equal(hp_loading_find(path), HP_LOADING_MACHINE);
	assert_true(hp_loading_harms(HP_LOADING_MACHINE));
}

static void without_a_dynamic_linker(void **state)
{
#if defined(__x86_64__)
	const uint16_t machine = EM_X86_64;
#elif defined(__aarch64__)
	const uint16_t machine = EM_AARCH64;
#else
	const uint16_t machine = EM_NONE;
	skip();
#endif
	(void)state;
	put_header(ELFCLASS64, machine);
	assert_int_equal(hp_loading_find(path), HP_LOADING_STATIC);
	assert_false(hp_loading_harms(HP_LOADING_STATIC));
}

static void scripts_are_what_runs_them(void **state)
{
	char script[] = "/tmp/hotpath-loading-XXXXXX", line[300];
	int fd = mkstemp(script);
	(void)state;

	put_header(ELFCLASS32, EM_386);
	int length = snprintf(line, sizeof(line), "#! \t%s -x\n", path);
	assert_int_equal(write(fd, line, (size_t)length), length);
	assert_int_equal(hp_loading_find(script), HP_LOADING_MACHINE);
	/* Of a script that is run by itself, the kernel has enough soon. */
	length = snprintf(line, sizeof(line), "#!%s", script);
	assert_int_equal(pwrite(fd, line, (size_t)length, 0), length);
	assert_int_equal(ftruncate(fd, length), 0);
	assert_int_equal(hp_loading_find(script), HP_LOADING_WORKS);
	close(fd);
	unlink(script);
}

static void what_is_not_known_is_let_alone(void **state)
{
	static const char *const texts[] = { "", "#", "#!", "#! \n", "\177ELF", "echo hello\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		put(texts[i], strlen(texts[i]));
		hp_loading_find(path);
		assert_false(hp_loading_asks_first(path));
	}
	put("#!\n", 3);
	assert_int_equal(hp_loading_find(path), HP_LOADING_WORKS);
	assert_int_equal(hp_loading_find("/no/such/file"), HP_LOADING_WORKS);
}

static int make(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int clean(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(this_program_works),
		cmocka_unit_test(another_machine),
		cmocka_unit_test(without_a_dynamic_linker),
		cmocka_unit_test(scripts_are_what_runs_them),
		cmocka_unit_test(what_is_not_known_is_let_alone),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
