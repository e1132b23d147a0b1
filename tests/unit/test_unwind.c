/* SPDX-License-Identifier: MIT */
/* Rules that are found in unwind tables: in those of functions whose code is known, and in those of all of the C library. */
#include "compiled.h"

#include "elf_file.h"
#include "parts.h"
#include "unwind_step.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>

/* The tables of a file, and where the header is. */
static struct hp_unwind_region tables_of(const struct hp_elf *elf, uint64_t *header)
{
	struct hp_unwind_region region;

	assert_true(hp_elf_unwinding(elf, UINT64_MAX, &region, header));
	return region;
}

struct expected {
	const char *function;
	uint64_t into;
	struct hp_rule rule;
};

static void check_places(const char *file, const struct expected *places, size_t count)
{
	struct hp_elf elf;
	uint64_t header;

	assert_int_equal(hp_elf_open(&elf, compiled(file)), 0);
	struct hp_unwind_region region = tables_of(&elf, &header);
	for (size_t i = 0; i < count; i++) {
		const char *symbol = shell("nm %s | awk '$3 == \"%s\" { print $1 }'", file,
					   places[i].function);
		uint64_t address = strtoull(symbol, NULL, 16) + places[i].into;
		uint64_t rule = hp_unwind_find(&region, hp_elf_machine(&elf), header, address);
		if (rule != hp_rule_pack(&places[i].rule))
			fail_msg("%s + %d: kind %d, CFA %d, add %d, ra %d, fp %d",
				 places[i].function, (int)places[i].into, (int)hp_rule_kind(rule),
				 (int)hp_rule_cfa(rule), (int)hp_rule_add(rule),
				 (int)hp_rule_ra(rule), (int)hp_rule_fp(rule));
	}
	hp_elf_close(&elf);
}

#define CHECK_PLACES(file, places) check_places(file, places, sizeof(places) / sizeof(*(places)))

#if defined(__x86_64__)

static void rules_of_x86_64(void **state)
{
	enum { RDX = 1, RCX = 2, RBP = 6, RSP = 7, R8 = 8, R9 = 9, R10 = 10 };
	const struct expected places[] = {
		{ "pushing", 0, { HP_RULE_SP, 8, 0, -8, 0 } },
		{ "pushing", 1, { HP_RULE_SP, 16, 0, -8, -16 } },
		{ "pushing", 2, { HP_RULE_SP, 65552, 0, -8, -16 } },
		{ "pushing", 302, { HP_RULE_SP, 8, 0, -8, 0 } },
		{ "pushing", 303, { HP_RULE_SP, 65552, 0, -8, -16 } },
		{ "framed", 1, { HP_RULE_FP, 16, 0, -8, -16 } },
		/* A function that aligns its stack, as gcc compiles it. */
		{ "aligning", 0, { HP_RULE_ALIGNED, -8, 0, -8, 0 } },
		/* Assembly that keeps its caller's stack pointer on the stack. */
		{ "keeping", 0, { HP_RULE_AT_SP, 24, 8, -8, -16 } },
		/* The entries of a PLT: after its second instruction, there is one word more. */
		{ "stubs", 10, { HP_RULE_SP, 8, 0, -8, 0 } },
		{ "stubs", 11, { HP_RULE_SP, 16, 0, -8, 0 } },
		{ "stubs", 16, { HP_RULE_SP, 8, 0, -8, 0 } },
		/* A function that goes to landing pads, from where it has saved their data on. */
		{ "landing", 1, { HP_RULE_FP, 16, 0, -8, -16 } },
		{ "landing", 2, { HP_RULE_LANDING, 2, 0, -8, -16 } },
		{ "landing", 301, { HP_RULE_LANDING, 301, 0, -8, -16 } },
		/* One that preserves all registers goes nowhere else. */
		{ "preserving", 0, { HP_RULE_FP, 16, 0, -8, -16 } },
		{ "preserving", 1, { HP_RULE_SP, 8, 0, -8, 0 } },
		{ "first", 0, { .kind = HP_RULE_OUTERMOST } },
		{ "handled", 0, { .kind = HP_RULE_SIGNAL } },
		/* Before and after the address of the landing pad is popped. */
		{ "landing",
		  302,
		  { HP_RULE_REGISTERS, 8, hp_rule_registers(RCX, HP_RULE_ON_STACK, RBP, true), -8,
		    0 } },
		{ "landing",
		  303,
		  { HP_RULE_REGISTERS, 8, hp_rule_registers(RSP, HP_RULE_ON_STACK, RBP, true), -8,
		    0 } },
		{ "landing",
		  304,
		  { HP_RULE_REGISTERS, 0, hp_rule_registers(RSP, RCX, RBP, true), -8, 0 } },
		/* The beginning of a function that aligns its stack; and the end of longjmp, which has all in registers. */
		{ "elsewhere",
		  0,
		  { HP_RULE_REGISTERS, 0,
		    hp_rule_registers(R10, HP_RULE_ON_STACK, HP_RULE_ON_STACK, false), -8, -16 } },
		{ "jumping",
		  0,
		  { HP_RULE_REGISTERS, 0, hp_rule_registers(R8, RDX, R9, true), -8, 0 } },
		/* Functions that save rbx, keep it in another register, or compute the CFA of it. */
		{ "saving", 0, { HP_RULE_SP, 16, -16, -8, 0 } },
		{ "saving", 1, { HP_RULE_SP, 48, -16, -8, -24 } },
		{ "saving", 2, { HP_RULE_SP, 8, 0, -8, 0 } },
		{ "saving", 3, { HP_RULE_SP, 8, HP_RULE_RBX_LOST, -8, 0 } },
		{ "by_rbx", 0, { HP_RULE_RBX, 56, -56, -8, 0 } },
		/* The stack pointer is not the CFA, but saved; the return address is in memory, the stack pointer in a register; the
		   CFA is no general register; it is in memory. */
		{ "restoring", 0, { .kind = HP_RULE_NONE } },
		{ "mixing", 0, { .kind = HP_RULE_NONE } },
		{ "vector", 0, { .kind = HP_RULE_NONE } },
		{ "deeper", 0, { .kind = HP_RULE_NONE } },
		{ "untold", 0, { .kind = HP_RULE_NONE } },
	};

	(void)state;
	compiled_write(
		"rules.s",
		".text\n"
		"pushing: .cfi_startproc; push %rbp; .cfi_def_cfa_offset 16; .cfi_offset 6, -16; nop;"
		" .cfi_def_cfa_offset 65552; .fill 300, 1, 0x90; .cfi_remember_state;"
		" .cfi_restore 6; .cfi_def_cfa_offset 8; ret; .cfi_restore_state; nop;"
		" .cfi_escape 0x2e, 0x10; nop; .cfi_endproc\n"
		"framed: .cfi_startproc; push %rbp; .cfi_def_cfa 6, 16; .cfi_offset 6, -16; nop;"
		" .cfi_endproc\n"
		"aligning: .cfi_startproc; .cfi_escape 0x10, 6, 2, 0x76, 0;"
		" .cfi_escape 0xf, 3, 0x76, 0x78, 6; nop; .cfi_endproc\n"
		"keeping: .cfi_startproc; .cfi_offset 6, -16; .cfi_escape 0xf, 5, 0x77, 24, 6, 0x23, 8;"
		" nop; .cfi_endproc\n"
		".balign 16\n"
		"stubs: .cfi_startproc; .cfi_escape 0xf, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a,"
		" 0x33, 0x24, 0x22; .fill 32, 1, 0x90; .cfi_endproc\n"
		"landing: .cfi_startproc; push %rbp; .cfi_def_cfa 6, 16; .cfi_offset 6, -16; nop;"
		" .cfi_offset 0, -72; .fill 300, 1, 0x90; .cfi_restore 6; .cfi_def_cfa 2, 8; nop;"
		" .cfi_def_cfa_register 7; nop; .cfi_register 16, 2; .cfi_def_cfa_offset 0; nop;"
		" .cfi_endproc\n"
		"preserving: .cfi_startproc; .cfi_def_cfa 6, 16; .cfi_offset 6, -16; .cfi_offset 2, -24;"
		" .cfi_offset 0, -32; nop; .cfi_restore 6; .cfi_def_cfa 7, 8; nop; .cfi_endproc\n"
		"first: .cfi_startproc; .cfi_undefined rip; nop; .cfi_endproc\n"
		"handled: .cfi_startproc; .cfi_signal_frame; nop; .cfi_endproc\n"
		"elsewhere: .cfi_startproc; .cfi_def_cfa 10, 0; .cfi_offset 6, -16; nop; .cfi_endproc\n"
		"jumping: .cfi_startproc; .cfi_def_cfa 5, 0; .cfi_register 7, 8; .cfi_register 6, 9;"
		" .cfi_register 16, 1; nop; .cfi_endproc\n"
		"saving: .cfi_startproc; .cfi_def_cfa_offset 16; .cfi_offset 3, -16; nop;"
		" .cfi_def_cfa_offset 48; .cfi_offset 6, -24; nop; .cfi_def_cfa_offset 8; .cfi_restore 3;"
		" .cfi_restore 6; nop; .cfi_register 3, 12; nop; .cfi_endproc\n"
		"by_rbx: .cfi_startproc; .cfi_def_cfa 3, 56; .cfi_offset 3, -56; nop; .cfi_endproc\n"
		"restoring: .cfi_startproc; .cfi_def_cfa 1, 0; .cfi_offset 7, 160; nop; .cfi_endproc\n"
		"mixing: .cfi_startproc; .cfi_def_cfa 1, 0; .cfi_register 7, 8; nop; .cfi_endproc\n"
		"vector: .cfi_startproc; .cfi_def_cfa 17, 8; nop; .cfi_endproc\n"
		"deeper: .cfi_startproc; .cfi_register 16, 1; .cfi_escape 0xf, 3, 0x77, 8, 6; nop;"
		" .cfi_endproc\n"
		"untold: nop\n"
		".section .note.GNU-stack\n");
	shell("cc -shared rules.s -o rules.so");
	CHECK_PLACES("rules.so", places);
}

#endif

static void rules_of_aarch64(void **state)
{
	static const struct expected places[] = {
		{ "leaf", 0, { HP_RULE_SP, 0, 0, 0, 0 } },
		{ "calling", 0, { HP_RULE_SP, 0, 0, 0, 0 } },
		{ "calling", 8, { HP_RULE_SP, 48, 0, -40, -48 } },
		{ "calling", 12, { HP_RULE_FP, 48, 0, -40, -48 } },
		{ "calling", 16, { HP_RULE_SP, 0, 0, 0, 0 } },
		{ "calling", 20, { HP_RULE_FP, 48, 0, -40, -48 } },
		{ "first", 0, { .kind = HP_RULE_OUTERMOST } },
		/* A function that goes to landing pads, from where it has saved their data on. */
		{ "landing", 4, { HP_RULE_SP, 64, 0, -56, -64 } },
		{ "landing", 8, { HP_RULE_LANDING, 8, 0, -56, 64 } },
		{ "landing", 12, { HP_RULE_LANDING, 12, 0, 0, 0 } },
		/* One that saves other registers, too, keeps them all; after a stub that has pushed the return address. */
		{ "resolving", 0, { HP_RULE_SP, 16, 0, -8, 0 } },
		{ "resolving", 4, { HP_RULE_SP, 80, 0, -8, 0 } },
		/* Registers are taken from memory, one after the other. */
		{ "jumping", 0, { HP_RULE_SP, 0, 0, 0, 0 } },
		{ "jumping", 4, { HP_RULE_LANDING, 4, 0, 0, 0 } },
		{ "jumping", 8, { HP_RULE_LANDING, 8, 0, 0, 0 } },
		/* No caller is found by other registers. */
		{ "elsewhere", 0, { .kind = HP_RULE_NONE } },
		{ "elsewhere", 4, { .kind = HP_RULE_NONE } },
	};

	(void)state;
#if defined(__aarch64__)
	const char *compiler = "cc";
#else
	const char *compiler = "aarch64-linux-gnu-gcc";
	if (!compiled_has(compiler))
		skip();
#endif
	compiled_write(
		"rules.s",
		".text\n"
		"leaf: .cfi_startproc; nop; .cfi_endproc\n"
		"calling: .cfi_startproc; nop; .cfi_negate_ra_state; nop; .cfi_def_cfa_offset 48;"
		" .cfi_offset 29, -48; .cfi_offset 30, -40; nop; .cfi_def_cfa 29, 48; nop;"
		" .cfi_remember_state; .cfi_restore 30; .cfi_restore 29; .cfi_def_cfa 31, 0; nop;"
		" .cfi_restore_state; nop; .cfi_endproc\n"
		"first: .cfi_startproc; .cfi_undefined 30; nop; .cfi_endproc\n"
		"landing: .cfi_startproc; nop; .cfi_def_cfa_offset 64; .cfi_offset 29, -64;"
		" .cfi_offset 30, -56; nop; .cfi_offset 0, -48; .cfi_offset 1, -40; nop;"
		" .cfi_restore 29; .cfi_restore 30; .cfi_restore 0; .cfi_restore 1;"
		" .cfi_def_cfa_offset 0; nop; .cfi_endproc\n"
		"resolving: .cfi_startproc; .cfi_rel_offset 30, 8; nop; .cfi_adjust_cfa_offset 64;"
		" .cfi_rel_offset 8, 0; .cfi_rel_offset 0, 8; nop; .cfi_endproc\n"
		"jumping: .cfi_startproc; nop; .cfi_def_cfa 0, 0; .cfi_offset 29, 80;"
		" .cfi_offset 30, 88; nop; .cfi_same_value 29; .cfi_same_value 30; nop; .cfi_endproc\n"
		"elsewhere: .cfi_startproc; .cfi_register 30, 3; nop; .cfi_def_cfa 30, 0; nop; .cfi_endproc\n"
		".section .note.GNU-stack\n");
	shell("%s -nostdlib -shared rules.s -o rules.so", compiler);
	CHECK_PLACES("rules.so", places);
}

/* Nearly all functions that compilers and people have written have rules of these forms. */
static void rules_of_the_c_library(void **state)
{
	struct link_map *map = NULL;
	unsigned known = 0, all = 0;
	uint64_t header, start;
	struct hp_elf elf;

	(void)state;
	void *library = dlopen("libc.so.6", RTLD_NOW);
	assert_non_null(library);
	assert_int_equal(dlinfo(library, RTLD_DI_LINKMAP, &map), 0);
	assert_int_equal(hp_elf_open(&elf, map->l_name), 0);
	struct hp_unwind_region region = tables_of(&elf, &header);
	for (uint64_t address = 0; address < 0x200000; address += 61) {
		if (!hp_elf_function_start(&elf, address, &start))
			continue;
		all++;
		known += hp_unwind_find(&region, hp_elf_machine(&elf), header, address) != 0;
	}
	assert_true(all > 1000);
	if (known < all - all / 200)
		fail_msg("%u of %u", known, all);
	hp_elf_close(&elf);
	dlclose(library);
}

/* Numbers that do not fit make no rule, and not another one. */
static void rules_that_do_not_fit(void **state)
{
	static const struct hp_rule rules[] = {
		{ HP_RULE_SP, 1 << 27, 0, -8, 0 },   { HP_RULE_SP, -(1 << 27) - 1, 0, -8, 0 },
		{ HP_RULE_SP, 8, 0, -4, 0 },	     { HP_RULE_SP, 8, 0, -8 * 40000, 0 },
		{ HP_RULE_SP, 8, 0, -8, 8 * 40000 }, { HP_RULE_AT_SP, 8, 40000, -8, 0 },
		{ HP_RULE_AT_FP, 8, 0, -16, 0 },     { HP_RULE_REGISTERS, 8, 0, -16, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		assert_int_equal(hp_rule_pack(&rules[i]), HP_RULE_NONE);
	uint64_t rule = hp_rule_pack(&(struct hp_rule){ HP_RULE_FP, -4096, 0, -8, -32768 });
	assert_int_equal(hp_rule_cfa(rule), -4096);
	assert_int_equal(hp_rule_ra(rule), -8);
	assert_int_equal(hp_rule_fp(rule), -32768);
	assert_int_equal(hp_rule_add(rule), 0);
}

/* The place of rbx takes that of the return address, and what does not fit is lost. */
static void places_of_rbx(void **state)
{
	static const struct {
		int32_t add;
		int32_t packed;
	} places[] = { { -8, -8 },
		       { -16, -16 },
		       { -8 * 4095, -8 * 4095 },
		       { -8 * 4096, HP_RULE_RBX_LOST },
		       { -12, HP_RULE_RBX_LOST },
		       { 8, HP_RULE_RBX_LOST },
		       { INT32_MIN, HP_RULE_RBX_LOST } };

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		uint64_t rule = hp_rule_pack(
			&(struct hp_rule){ HP_RULE_SP, 64, places[i].add, -8, -24 });
		assert_int_equal(hp_rule_add(rule), places[i].packed);
		assert_int_equal(hp_rule_ra(rule), -8);
		assert_int_equal(hp_rule_fp(rule), -24);
		assert_int_equal(hp_rule_kind(rule), HP_RULE_SP);
	}
	/* A machine on which the return address may be anywhere has no such register. */
	uint64_t far = hp_rule_pack(&(struct hp_rule){ HP_RULE_SP, 64, 0, -8 * 28672, 0 });
	assert_int_equal(hp_rule_ra(far), -8 * 28672);
	assert_int_equal(hp_rule_add(far), 0);
	assert_int_equal(hp_rule_pack(&(struct hp_rule){ HP_RULE_SP, 64, 0, -8 * 28673, 0 }),
			 HP_RULE_NONE);
}

static bool read_above(const void *stack, uintptr_t address, uintptr_t *word)
{
	if (address < (uintptr_t)stack)
		return false;
	*word = *(const uintptr_t *)address;
	return true;
}

/* A function that is about to return, and has popped the frame pointer: tables still say where it was, below the stack pointer,
   where there may be nothing. */
static void a_popped_frame_pointer_is_in_its_register(void **state)
{
	const struct hp_rule rule = { HP_RULE_SP, 8, 0, -8, -48 };
	const uintptr_t stack[2] = { 0x1234, 0 };
	struct hp_stack_place place = { .at = { .pc = 1, .sp = (uintptr_t)stack, .fp = 0x5678 },
					.below = (uintptr_t)stack };

	(void)state;
	assert_true(hp_step_by_rule(&place, hp_rule_pack(&rule), read_above, stack));
	assert_int_equal(place.at.pc, 0x1234);
	assert_int_equal(place.at.fp, 0x5678);
	/* Of a function that has called another, it is lost. */
	place.at.sp = place.below = (uintptr_t)stack;
	assert_true(place.returned);
	assert_false(hp_step_by_rule(&place, hp_rule_pack(&rule), read_above, stack));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(rules_of_x86_64),
#endif
		cmocka_unit_test(rules_of_aarch64),
		cmocka_unit_test(rules_of_the_c_library),
		cmocka_unit_test(rules_that_do_not_fit),
		cmocka_unit_test(a_popped_frame_pointer_is_in_its_register),
		cmocka_unit_test(places_of_rbx),
	};

	return cmocka_run_group_tests(tests, compiled_make_folder, compiled_remove_folder);
}
