/* SPDX-License-Identifier: MIT */
/* What a seccomp filter says of a call, as the kernel would find it. */
#include "process/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define END(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
#define SKIP_UNLESS(value, count) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define SET(code) set(code, sizeof(code) / sizeof(*(code)))

static const struct hotpath__filter *set(struct sock_filter *code, size_t length)
{
	const struct sock_fprog program = { (unsigned short)length, code };

	return hotpath__filter_comes(&program);
}

static void without_a_filter(void **state)
{
	(void)state;
	assert_true(hotpath__may(SYS_openat));
	assert_true(hotpath__may_all());
}

static void actions(void **state)
{
	static const struct {
		uint32_t action;
		bool may;
	} known[] = {
		{ SECCOMP_RET_ALLOW, true },	     { SECCOMP_RET_LOG, true },
		{ SECCOMP_RET_ERRNO | 1, true },     { SECCOMP_RET_TRAP, false },
		{ SECCOMP_RET_TRACE, false },	     { SECCOMP_RET_USER_NOTIF, false },
		{ SECCOMP_RET_KILL_PROCESS, false }, { SECCOMP_RET_KILL_THREAD, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct sock_filter code[] = { LOAD(nr), SKIP_UNLESS(SYS_read, 1),
					      BPF_STMT(BPF_RET | BPF_K, known[i].action),
					      END(ALLOW) };
		const struct hotpath__filter *filter = SET(code);
		errno = 0;
		assert_int_equal(hotpath__may(SYS_read), known[i].may);
		assert_int_equal(errno, known[i].may ? 0 : EPERM);
		assert_true(hotpath__may(SYS_close));
		assert_int_equal(hotpath__may_all(), known[i].may);
		hotpath__filter_refused(filter);
		assert_true(hotpath__may(SYS_read));
	}
}

/* What depends on an argument that is not known is not allowed. */
static void arguments(void **state)
{
	struct sock_filter code[] = {
		LOAD(nr),	   SKIP_UNLESS(SYS_mmap, 4),
		LOAD(args[2]),	   BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
		END(KILL_PROCESS), END(ALLOW),
		END(ALLOW)
	};
	const struct hotpath__filter *filter = SET(code);

	(void)state;
	assert_false(hotpath__may(SYS_mmap));
	assert_true(hotpath__may(SYS_munmap));
	assert_true(hotpath__may_with(SYS_mmap, 0, 1, PROT_READ | PROT_WRITE, 0));
	assert_false(hotpath__may_with(SYS_mmap, 0, 1, PROT_READ | PROT_EXEC, 0));
	hotpath__filter_refused(filter);
}

static void several(void **state)
{
	struct sock_filter first[] = { LOAD(nr), SKIP_UNLESS(SYS_read, 1), END(KILL_PROCESS),
				       END(ALLOW) };
	struct sock_filter second[] = { LOAD(nr), SKIP_UNLESS(SYS_close, 1), END(KILL_PROCESS),
					END(ALLOW) };
	const struct hotpath__filter *a = SET(first), *b = SET(second);

	(void)state;
	assert_false(hotpath__may(SYS_read));
	assert_false(hotpath__may(SYS_close));
	assert_true(hotpath__may(SYS_write));
	hotpath__filter_refused(b);
	hotpath__filter_refused(a);
	assert_null(hotpath__filters);
}

/* Each instruction that the kernel takes in a filter. */
static void arithmetic(void **state)
{
	enum { NUMBER = 2 };
	/* As C has it. */
	const uint32_t value = ((((40u - NUMBER + 2) * 6 / 3) << 4 >> 3) | 1) & 0xfe;
	const uint32_t expected = NUMBER + -(value ^ 0xff);
	struct sock_filter code[] = {
		LOAD(nr),
		BPF_STMT(BPF_ST, 3),
		BPF_STMT(BPF_LDX | BPF_MEM, 3),
		BPF_STMT(BPF_LD | BPF_IMM, 40),
		BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0),
		BPF_STMT(BPF_STX, 4),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, 2),
		BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 6),
		BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 3),
		BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 4),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 3),
		BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 1),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xfe),
		BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 0xff),
		BPF_STMT(BPF_ALU | BPF_NEG, 0),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_MEM, 4),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_MISC | BPF_TXA, 0),
		BPF_STMT(BPF_JMP | BPF_JA, 1),
		END(KILL_PROCESS),
		SKIP_UNLESS(expected, 1),
		END(ALLOW),
		END(KILL_PROCESS),
	};
	const struct hotpath__filter *filter = SET(code);

	(void)state;
	assert_true(hotpath__may(NUMBER));
	assert_false(hotpath__may(NUMBER + 1));
	hotpath__filter_refused(filter);
}

/* The kernel would not take these; they must do no harm, and allow nothing. */
static void broken(void **state)
{
	struct sock_filter endless[] = { LOAD(nr) },
			   far[] = { BPF_STMT(BPF_JMP | BPF_JA, UINT32_MAX) },
			   outside[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4096), END(ALLOW) },
			   odd[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), END(ALLOW) },
			   unknown[] = { BPF_STMT(0xffff & ~BPF_RET, 0), END(ALLOW) };
	const struct sock_fprog programs[] = {
		{ 1, endless }, { 1, far }, { 2, outside }, { 2, odd }, { 2, unknown },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct hotpath__filter *filter = hotpath__filter_comes(&programs[i]);
		assert_false(hotpath__may(SYS_read));
		hotpath__filter_refused(filter);
	}
	assert_null(hotpath__filter_comes((const struct sock_fprog *)8));
	const struct sock_fprog nowhere = { 3, (struct sock_filter *)8 };
	assert_null(hotpath__filter_comes(&nowhere));
}

static void strict_mode(void **state)
{
	const struct hotpath__filter *filter = hotpath__filter_comes(NULL);

	(void)state;
	assert_ptr_equal(hotpath__filter_comes(NULL), filter);
	assert_true(hotpath__may(SYS_rt_sigreturn));
	assert_false(hotpath__may(SYS_openat));
	assert_false(hotpath__may(SYS_exit_group));
	hotpath__filter_refused(filter);
	assert_null(hotpath__filters);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_filter), cmocka_unit_test(actions),
		cmocka_unit_test(arguments),	    cmocka_unit_test(several),
		cmocka_unit_test(arithmetic),	    cmocka_unit_test(broken),
		cmocka_unit_test(strict_mode),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
