/* SPDX-License-Identifier: MIT */
/* Rules that are found by the instructions of functions, at each of them. */
#include "code_rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const uint32_t code[] = {
	/* As the kernel's functions that read the clock: with loops, and with a way that goes back to the end. */
	0xd503233f, /* 0: paciasp */
	0xa9bf7bfd, /* 1: stp x29, x30, [sp, #-16]! */
	0x910003fd, /* 2: mov x29, sp */
	0xb4000120, /* 3: cbz x0, 12 */
	0xb9400086, /* 4: ldr w6, [x4] */
	0x37000166, /* 5: tbnz w6, #0, 16 */
	0x6b0800df, /* 6: cmp w6, w8 */
	0x54ffffa1, /* 7: b.ne 4 */
	0xa8c17bfd, /* 8: ldp x29, x30, [sp], #16 */
	0xd50323bf, /* 9: autiasp */
	0xd2800001, /* 10: mov x1, #0 */
	0xd65f03c0, /* 11: ret */
	0xb9400082, /* 12: ldr w2, [x4] */
	0x6b07005f, /* 13: cmp w2, w7 */
	0x54ffff40, /* 14: b.eq 8 */
	0x17fffffd, /* 15: b 12 */
	0xd503203f, /* 16: yield */
	0x17fffff3, /* 17: b 4 */
	/* No stack is needed. */
	0x7100041f, /* 18: cmp w0, #1 */
	0xd65f03c0, /* 19: ret */
	/* The end of a signal handler, which does not go on behind it. */
	0xd2801168, /* 20: mov x8, #139 */
	0xd4000001, /* 21: svc #0 */
	/* The frame record is not at the bottom. */
	0xd10183ff, /* 22: sub sp, sp, #96 */
	0xa9047bfd, /* 23: stp x29, x30, [sp, #64] */
	0xf9002bf3, /* 24: str x19, [sp, #80] */
	0x910103fd, /* 25: add x29, sp, #64 */
	0x6dbe27e8, /* 26: stp d8, d9, [sp, #-32]! */
	0x94000006, /* 27: bl 33 */
	0x6cc227e8, /* 28: ldp d8, d9, [sp], #32 */
	0xa9447bfd, /* 29: ldp x29, x30, [sp, #64] */
	0xf9402bf3, /* 30: ldr x19, [sp, #80] */
	0x910183ff, /* 31: add sp, sp, #96 */
	0xd65f0bff, /* 32: retaa */
	/* The link register is saved alone, and there is more room. */
	0xf81f0ffe, /* 33: str x30, [sp, #-16]! */
	0xd14007ff, /* 34: sub sp, sp, #4096 */
	0xeb2963ff, /* 35: cmp sp, x9 */
	0x914007ff, /* 36: add sp, sp, #4096 */
	0xf84107fe, /* 37: ldr x30, [sp], #16 */
	0xd65f03c0, /* 38: ret */
	/* The stack pointer is another register's; a jump elsewhere; no instruction. */
	0x910003bf, /* 39: mov sp, x29 */
	0xa8c17bfd, /* 40: ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* 41: ret */
	0xd61f0200, /* 42: br x16 */
	0x00000000, /* 43 */
	/* This does not end. */
	0x97fffff5, /* 44: bl 33 */
	0xb9400082, /* 45: ldr w2, [x4] */
	0x34ffffe2, /* 46: cbz w2, 45 */
	0x17fffffe, /* 47: b 45 */
	/* A call has replaced the return address. */
	0x97fffff1, /* 48: bl 33 */
	0xd65f03c0, /* 49: ret */
	/* The end is missing. */
	0xd503201f, /* 50: nop */
};

enum { COUNT = sizeof(code) / sizeof(*code) };

/* CFA, return address and frame pointer; a CFA below 0 means that there is no rule. */
struct expected {
	size_t from;
	size_t to;
	bool returned;
	int32_t cfa;
	int32_t ra;
	int32_t fp;
};

static void at_each_instruction(void **state)
{
	static const struct expected places[] = {
		{ 0, 1, false, 0, 0, 0 },
		{ 2, 8, false, 16, -8, -16 },
		{ 9, 11, false, 0, 0, 0 },
		{ 12, 17, false, 16, -8, -16 },
		{ 18, 19, false, 0, 0, 0 },
		{ 20, 21, false, -1, 0, 0 },
		{ 22, 22, false, 0, 0, 0 },
		{ 23, 23, false, 96, 0, 0 },
		{ 24, 26, false, 96, -24, -32 },
		{ 27, 28, false, 128, -24, -32 },
		{ 28, 28, true, 128, -24, -32 },
		{ 29, 29, false, 96, -24, -32 },
		{ 30, 31, false, 96, 0, 0 },
		{ 32, 33, false, 0, 0, 0 },
		{ 34, 34, false, 16, -16, 0 },
		{ 35, 36, false, 4112, -16, 0 },
		{ 36, 36, true, 4112, -16, 0 },
		{ 37, 37, false, 16, -16, 0 },
		{ 38, 38, false, 0, 0, 0 },
		{ 39, 39, false, -1, 0, 0 },
		{ 40, 40, false, 16, -8, -16 },
		{ 41, 41, false, 0, 0, 0 },
		{ 41, 41, true, -1, 0, 0 },
		{ 42, 48, false, -1, 0, 0 },
		{ 49, 49, true, -1, 0, 0 },
		{ 50, COUNT + 1, false, -1, 0, 0 },
		{ SIZE_MAX, SIZE_MAX, false, -1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct expected *place = &places[i];
		const struct hp_rule rule = { HP_RULE_SP, place->cfa, 0, place->ra, place->fp };
		uint64_t wanted = place->cfa < 0 ? HP_RULE_NONE : hp_rule_pack(&rule);
		for (size_t at = place->from; at - place->from <= place->to - place->from; at++) {
			uint64_t found = hp_code_rule(code, COUNT, at, place->returned);
			if (found != wanted)
				fail_msg("%zu: kind %d, CFA %d, ra %d, fp %d", at,
					 (int)hp_rule_kind(found), (int)hp_rule_cfa(found),
					 (int)hp_rule_ra(found), (int)hp_rule_fp(found));
		}
	}
}

/* Whatever the instructions are, the search ends, inside of them. */
static void of_anything(void **state)
{
	uint32_t any[64];
	uint64_t number = 1;

	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		for (size_t j = 0; j < sizeof(any) / sizeof(*any); j++) {
			number = number * UINT64_C(6364136223846793005) + 1442695040888963407;
			any[j] = number >> 62 ? (uint32_t)(number >> 32)
					      : code[(number >> 32) % COUNT];
		}
		enum hp_rule_kind kind = hp_rule_kind(hp_code_rule(any, 64, i % 64, i % 3 == 0));
		assert_true(kind == HP_RULE_NONE || kind == HP_RULE_SP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_each_instruction),
		cmocka_unit_test(of_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
