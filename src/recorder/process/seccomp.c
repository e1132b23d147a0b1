/* SPDX-License-Identifier: MIT */
/* System calls under a seccomp filter: an interpreter runs the filter before the kernel does. */
#include "seccomp.h"

#include "calls/modules.h"
#include "cpu/sampling.h"
#include "lifecycle.h"
#include "platform.h"
#include "recorder_state.h"
#include "room.h"
#include "segment_file.h"
#include "sleds/sleds.h"
#include "threads.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>

enum {
	/* Bytes of the segment, and of the recorder's memory, that are allocated ahead of a filter: enough for
	   some hundred functions. */
	SEGMENT_ROOM = 4 * 1024 * 1024,
	OWN_ROOM = 1024 * 1024,
};

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
/* No filter allows this architecture: with a filter, the recorder makes no system calls at all. */
#define ARCHITECTURE 0
#endif

struct hotpath__filter {
	const struct hotpath__filter *next;
	uint32_t length;
	const struct sock_filter *code;
};

const struct hotpath__filter *hotpath__filters;

/* All system calls that the recorder makes, and those that the C library makes to print the report. */
static const uint16_t calls[] = {
	SYS_brk,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_close,
	SYS_fchmod,
	SYS_fcntl,
	SYS_fstat,
	SYS_fstatfs,
	SYS_ftruncate,
	SYS_futex,
	SYS_getcwd,
	SYS_getdents64,
	SYS_geteuid,
	SYS_getpid,
	SYS_getppid,
	SYS_getrandom,
	SYS_getrusage,
	SYS_gettid,
	SYS_ioctl,
	SYS_kill,
	SYS_lseek,
	SYS_madvise,
	SYS_mkdirat,
	SYS_mmap,
	SYS_mprotect,
	SYS_mremap,
	SYS_munlock,
	SYS_munmap,
	SYS_newfstatat,
	SYS_openat,
	SYS_perf_event_open,
	SYS_ppoll,
	SYS_prctl,
	SYS_pread64,
	SYS_prlimit64,
	SYS_process_vm_readv,
	SYS_read,
	SYS_readlinkat,
	SYS_rt_sigaction,
	SYS_rt_sigpending,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_rt_sigtimedwait,
	SYS_sched_getaffinity,
	SYS_sched_yield,
	SYS_sigaltstack,
	SYS_tgkill,
	SYS_timer_create,
	SYS_timer_delete,
	SYS_timer_settime,
	SYS_tkill,
	SYS_truncate,
	SYS_uname,
	SYS_unlinkat,
	SYS_write,
	SYS_writev,
#ifdef SYS_poll
	SYS_mkdir,
	SYS_poll,
	SYS_readlink,
#endif
};

/* ---- what a filter says ---- */

/* The state of the BPF machine that interprets a filter. */
struct machine {
	uint32_t a;
	uint32_t x;
	uint32_t memory[BPF_MEMWORDS];
	const struct seccomp_data *data;
	/* Whether the arguments of the system call are known. */
	bool known;
};

static uint32_t compute(uint16_t operation, uint32_t a, uint32_t b)
{
	switch (operation) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
		return b ? a / b : 0;
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_LSH:
		return b < 32 ? a << b : 0;
	case BPF_RSH:
		return b < 32 ? a >> b : 0;
	case BPF_XOR:
		return a ^ b;
	default:
		return -a;
	}
}

static bool holds(uint16_t condition, uint32_t a, uint32_t b)
{
	switch (condition) {
	case BPF_JEQ:
		return a == b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	default:
		return a & b;
	}
}

/* Load a word of struct seccomp_data; false when that is not known. */
static bool load_word(const struct machine *machine, uint32_t at, uint32_t *word)
{
	bool about_call = at <= offsetof(struct seccomp_data, arch);

	if (at % sizeof(*word) || at >= sizeof(*machine->data) || (!about_call && !machine->known))
		return false;
	memcpy(word, (const char *)machine->data + at, sizeof(*word));
	return true;
}

/* Execute an instruction that is neither a jump nor a return; false when its input is not known. */
static bool step(struct machine *machine, const struct sock_filter *code)
{
	uint32_t b = BPF_SRC(code->code) == BPF_X ? machine->x : code->k;

	switch (code->code) {
	case BPF_LD | BPF_W | BPF_ABS:
		return load_word(machine, code->k, &machine->a);
	case BPF_LD | BPF_W | BPF_LEN:
		machine->a = sizeof(*machine->data);
		return true;
	case BPF_LDX | BPF_W | BPF_LEN:
		machine->x = sizeof(*machine->data);
		return true;
	case BPF_LD | BPF_IMM:
		machine->a = code->k;
		return true;
	case BPF_LDX | BPF_IMM:
		machine->x = code->k;
		return true;
	case BPF_LD | BPF_MEM:
		machine->a = machine->memory[code->k % BPF_MEMWORDS];
		return true;
	case BPF_LDX | BPF_MEM:
		machine->x = machine->memory[code->k % BPF_MEMWORDS];
		return true;
	case BPF_ST:
		machine->memory[code->k % BPF_MEMWORDS] = machine->a;
		return true;
	case BPF_STX:
		machine->memory[code->k % BPF_MEMWORDS] = machine->x;
		return true;
	case BPF_MISC | BPF_TAX:
		machine->x = machine->a;
		return true;
	case BPF_MISC | BPF_TXA:
		machine->a = machine->x;
		return true;
	default:
		machine->a = compute(BPF_OP(code->code), machine->a, b);
		return BPF_CLASS(code->code) == BPF_ALU;
	}
}

/* The offset of a jump, relative to the next instruction. */
static uint32_t jump(const struct machine *machine, const struct sock_filter *code)
{
	uint32_t b = BPF_SRC(code->code) == BPF_X ? machine->x : code->k;

	if (BPF_OP(code->code) == BPF_JA)
		return code->k;
	return holds(BPF_OP(code->code), machine->a, b) ? code->jt : code->jf;
}

/* The filter's verdict on a system call; where it depends on something that is not known, that the thread is
   killed. */
static uint32_t run(const struct hotpath__filter *filter, const struct seccomp_data *data,
		    bool known)
{
	struct machine machine = { .data = data, .known = known };

	for (uint64_t at = 0; at < filter->length; at++) {
		const struct sock_filter *code = &filter->code[at];

		if (BPF_CLASS(code->code) == BPF_RET)
			return BPF_RVAL(code->code) == BPF_A ? machine.a : code->k;
		if (BPF_CLASS(code->code) == BPF_JMP)
			at += jump(&machine, code);
		else if (!step(&machine, code))
			break;
	}
	return SECCOMP_RET_KILL_THREAD;
}

/* Whether a filter allows a system call. One that would only fail does no harm. */
static bool allows(const struct hotpath__filter *filter, const struct seccomp_data *data,
		   bool known)
{
	uint32_t action = run(filter, data, known) & SECCOMP_RET_ACTION_FULL;

	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG ||
	       action == SECCOMP_RET_ERRNO;
}

static bool allow(const struct hotpath__filter *filters, const struct seccomp_data *data,
		  bool known)
{
	for (; filters; filters = filters->next)
		if (!allows(filters, data, known))
			return false;
	return true;
}

static bool allow_number(const struct hotpath__filter *filters, long number)
{
	const struct seccomp_data data = { .nr = (int)number, .arch = ARCHITECTURE };

	return allow(filters, &data, false);
}

static bool refuse(void)
{
	hotpath__count(HP_COUNTER_filtered);
	errno = EPERM;
	return false;
}

bool hotpath__may_with(long number, unsigned long a, unsigned long b, unsigned long c,
		       unsigned long d)
{
	const struct seccomp_data data = { .nr = (int)number,
					   .arch = ARCHITECTURE,
					   .args = { a, b, c, d } };

	return likely(!hotpath__filters) || allow(hotpath__filters, &data, true) || refuse();
}

bool hotpath__may(long number)
{
	return likely(!hotpath__filters) || allow_number(hotpath__filters, number) || refuse();
}

static bool allow_all(const struct hotpath__filter *filters)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!allow_number(filters, calls[i]))
			return false;
	return true;
}

bool hotpath__may_all(void)
{
	return !hotpath__filters || allow_all(hotpath__filters);
}

/* ---- a filter is set ---- */

/* Strict mode as a filter: of the four system calls that it leaves, two are of use to us. */
static const struct sock_filter strict_code[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static struct hotpath__filter strict = { NULL, sizeof(strict_code) / sizeof(*strict_code),
					 strict_code };

/* Do now what the filter will forbid: create the segment, look up all modules, allocate ahead, and store the
   figures that are otherwise stored at the end. */
static void prepare(const struct hotpath__filter *filter)
{
	struct recorder *recorder;
	struct guard guard;

	hotpath__reserve_segment();
	recorder = hotpath__recorder;
	if (!recorder || !recorder->base || allow_all(filter))
		return;
	hotpath__lock(&guard);
	hotpath__learn_modules();
	hotpath__sleds_know();
	hotpath__note_memory(hotpath__header());
	hotpath__note_threads();
	hotpath__note_title(hotpath__header());
	hotpath__private_prepare(OWN_ROOM);
	hotpath__segment_prepare(SEGMENT_ROOM);
	hotpath__unlock(&guard);
}

/* The system calls of the sampling signal's handler: it returns from a signal, blocks signals, and reads CPU time. */
static bool allows_samples(const struct hotpath__filter *filter)
{
	return allow_number(filter, SYS_rt_sigreturn) && allow_number(filter, SYS_rt_sigprocmask) &&
	       allow_number(filter, SYS_clock_gettime);
}

/* Copy a filter to memory that a forked child keeps. NULL when there is no memory. */
static struct hotpath__filter *copy(const struct sock_fprog *program)
{
	size_t size = program->len * sizeof(*program->filter);
	struct hotpath__filter *made = mmap(NULL, sizeof(*made) + size, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (made == MAP_FAILED)
		return NULL;
	memcpy(made + 1, program->filter, size);
	*made = (struct hotpath__filter){ NULL, program->len,
					  (const struct sock_filter *)(const void *)(made + 1) };
	return made;
}

/* Whether memory can be read: the kernel copies the first and the last byte, and returns EFAULT where we would
   crash. */
static bool is_there(const void *from, size_t size)
{
	char last;
	const char *const ends[] = { from, (const char *)from + size - 1 };
	bool there = from && size;

	for (unsigned i = 0; there && i < sizeof(ends) / sizeof(*ends); i++) {
		struct iovec local = { &last, 1 }, remote = { (void *)(uintptr_t)ends[i], 1 };
		there = process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1 ||
			errno != EFAULT;
	}
	return there;
}

static bool is_set(const struct hotpath__filter *wanted)
{
	const struct hotpath__filter *filter = hotpath__filters;

	while (filter && filter != wanted)
		filter = filter->next;
	return filter;
}

const struct hotpath__filter *hotpath__filter_comes(const struct sock_fprog *program)
{
	struct hotpath__filter *filter = NULL;
	int saved_errno = errno;

	if (program && (!is_there(program, sizeof(*program)) ||
			!is_there(program->filter, program->len * sizeof(*program->filter))))
		return NULL;
	filter = program ? copy(program) : NULL;
	if (!filter)
		filter = &strict;
	prepare(filter);
	if (!allow_all(filter))
		hotpath__listen_no_more();
	if (!allows_samples(filter))
		hotpath__sampling_filtered();
	if (!program)
		hotpath__give_up();
	if (filter != &strict || !is_set(filter)) {
		filter->next = hotpath__filters;
		/* RELEASE: the filter is complete before other threads find it. */
		store(&hotpath__filters, filter, RELEASE);
	}
	errno = saved_errno;
	return filter;
}

void hotpath__filter_refused(const struct hotpath__filter *filter)
{
	if (filter && hotpath__filters == filter)
		store(&hotpath__filters, filter->next, RELEASE);
}
