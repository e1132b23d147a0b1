/* SPDX-License-Identifier: MIT */
/* The call instruction before a return address: in all its forms, and where it goes. */
#include "cpu/call_site.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/mman.h>

#if defined(__x86_64__)

/* Each label is an address behind an instruction. The function that is called has entries like those of a PLT. */
__asm__(".data\n"
	".balign 8\n"
	"to_called: .quad called\n"
	".text\n"
	".fill 16, 1, 0x90\n"
	"called: ret; nop; nop\n"
	"stub: jmp *to_called(%rip)\n"
	"stub_bnd: endbr64; .byte 0xf2; jmp *to_called(%rip)\n"
	"calls: call called; direct: call stub; by_stub: call stub_bnd; by_stub_bnd:\n"
	"call *to_called(%rip); by_word: call *%rax; by_rax: call *%r11; by_r11:\n"
	"call *(%rax); at_rax: call *8(%rax); at_rax_8: call *(%rsp); at_rsp:\n"
	"call *8(%r12); at_r12_8: call *1024(%rbx); at_rbx_1024: call *1024(%r12,%rax,8); at_r12_rax:\n"
	"jmp *%rax; no_call: .byte 0xe8, 1, 2, 3; too_short: jmp *to_called(%rip); jump_by_word: ret\n");

extern const char called[], direct[], by_stub[], by_stub_bnd[], by_word[], by_rax[], by_r11[],
	at_rax[], at_rax_8[], at_rsp[], at_r12_8[], at_rbx_1024[], at_r12_rax[], no_call[],
	too_short[], jump_by_word[];

static bool follows(const char *address)
{
	return hotpath__follows_call((uintptr_t)address);
}

static bool goes(const char *address)
{
	return hotpath__call_goes_to((uintptr_t)address, (uintptr_t)called);
}

static void calls_of_all_forms(void **state)
{
	const char *const all[] = {
		direct, by_stub,  by_stub_bnd, by_word,	 by_rax,      by_r11,
		at_rax, at_rax_8, at_rsp,      at_r12_8, at_rbx_1024, at_r12_rax
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!follows(all[i]))
			fail_msg("call %zu", i);
	assert_false(follows(no_call));
	assert_false(follows(too_short));
	assert_false(follows(jump_by_word));
	assert_false(hotpath__follows_call((uintptr_t)direct - 1));
}

static void targets_of_calls(void **state)
{
	(void)state;
	assert_true(goes(direct));
	assert_true(goes(by_stub));
	assert_true(goes(by_stub_bnd));
	assert_true(goes(by_word));
	assert_false(goes(by_rax));
	assert_false(goes(jump_by_word));
	assert_false(hotpath__call_goes_to((uintptr_t)direct, (uintptr_t)called + 1));
	assert_false(hotpath__call_goes_to((uintptr_t)by_stub, (uintptr_t)called + 1));
}

/* Addresses without memory, at the beginning of a mapping, and of calls to nowhere. */
static void no_memory(void **state)
{
	unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				   -1, 0);

	(void)state;
	assert_true(page != MAP_FAILED);
	page[8] = 0xe8;
	page[12] = 0x70;
	assert_true(hotpath__follows_call((uintptr_t)page + 13));
	assert_false(hotpath__call_goes_to((uintptr_t)page + 13, (uintptr_t)called));
	munmap(page, 4096);
	for (unsigned i = 0; i < 16; i++) {
		assert_false(hotpath__follows_call((uintptr_t)page + i));
		assert_false(hotpath__call_goes_to((uintptr_t)page + i, (uintptr_t)called));
		assert_false(hotpath__follows_call(i));
		assert_false(hotpath__follows_call(UINTPTR_MAX - i));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_all_forms),
		cmocka_unit_test(targets_of_calls),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

/* Nothing is known of calls on other processors. */
int main(void)
{
	return hotpath__follows_call((uintptr_t)main) ||
	       hotpath__call_goes_to((uintptr_t)main, (uintptr_t)main);
}

#endif
