/* SPDX-License-Identifier: MIT */
/*
 * Programs whose stacks have room for what they do and hardly more: a signal that is not theirs does not fit.
 *
 * usage: small_stacks handler|overflow|coroutine|thread|query|fork|many|late
 *
 * Each computes for a while on such a stack, so that there would be signals, and prints what it saw; the same with and
 * without a profiler. It is linked with -z now: the dynamic linker's own work would not fit either.
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	BELOW = 1 << 16,
	/* What SIGSTKSZ was for decades. */
	SIGNAL_STACK = 8192,
	/* Less than the registers take that the kernel saves for a signal, on a processor with wide ones. */
	COROUTINE_STACK = 3072,
	ROUNDS = 20,
};

static volatile sig_atomic_t handled;
static volatile int sum;
static sigjmp_buf outside;

static long long cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void compute(unsigned milliseconds)
{
	long long end = cpu_us() + milliseconds * 1000LL;

	while (cpu_us() < end)
		for (volatile int i = 0; i < 20000; i++)
			;
}

/* A stack, and memory below it that nobody may write to. */
static char *new_stack(size_t size)
{
	char *room = malloc(BELOW + size);

	if (!room)
		errx(2, "no memory");
	memset(room, 'x', BELOW + size);
	return room + BELOW;
}

static size_t spilled(const char *stack)
{
	size_t count = 0;

	for (size_t i = 1; i <= BELOW; i++)
		count += *(stack - i) != 'x';
	return count;
}

/* Uses more than half of what is left of its stack. */
static void on_signal(int signal)
{
	volatile char room[2500];

	(void)signal;
	room[0] = room[sizeof(room) - 1] = 1;
	compute(10);
	handled += room[0];
}

static char *set_stack(size_t size)
{
	char *memory = new_stack(size);
	const stack_t stack = { .ss_sp = memory, .ss_size = size };

	if (sigaltstack(&stack, NULL))
		err(2, "sigaltstack");
	return memory;
}

static void handle(int signal, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	sigaction(signal, &action, NULL);
}

static void in_handler(void)
{
	const char *stack = set_stack(SIGNAL_STACK);

	handle(SIGUSR1, on_signal);
	for (int i = 0; i < ROUNDS; i++) {
		raise(SIGUSR1);
		compute(1);
	}
	printf("handled %d, spilled %zu\n", (int)handled, spilled(stack));
}

static void jump_out(int signal)
{
	on_signal(signal);
	siglongjmp(outside, 1);
}

__attribute__((noinline)) static int endless(int depth)
{
	volatile char room[1000];

	room[0] = (char)depth;
	return handled < 0 ? depth : endless(depth + 1) + room[0];
}

static void overflow(void)
{
	const char *stack = set_stack(SIGNAL_STACK);

	handle(SIGSEGV, jump_out);
	for (volatile int i = 0; i < ROUNDS; i++)
		if (!sigsetjmp(outside, 1))
			sum += endless(0);
	printf("handled %d, spilled %zu\n", (int)handled, spilled(stack));
}

static ucontext_t main_context, contexts[2];

static void coroutine(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		compute(5);
		swapcontext(&contexts[0], &contexts[1]);
	}
}

static void other(void)
{
	for (;;) {
		compute(5);
		swapcontext(&contexts[1], &contexts[0]);
	}
}

static void in_coroutine(void)
{
	static void (*const run[2])(void) = { coroutine, other };
	const char *stacks[2];

	for (int i = 0; i < 2; i++) {
		char *stack = new_stack(COROUTINE_STACK);
		getcontext(&contexts[i]);
		contexts[i].uc_stack = (stack_t){ .ss_sp = stack, .ss_size = COROUTINE_STACK };
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], run[i], 0);
		stacks[i] = stack;
	}
	swapcontext(&main_context, &contexts[0]);
	printf("spilled %zu and %zu\n", spilled(stacks[0]), spilled(stacks[1]));
}

static void *run_in_thread(void *run)
{
	(*(void (**)(void))run)();
	return NULL;
}

static void thread_of(void (*run)(void))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_in_thread, &run))
		errx(2, "no thread");
	pthread_join(thread, NULL);
}

static void in_thread(void)
{
	thread_of(in_coroutine);
	thread_of(in_handler);
	thread_of(in_coroutine);
}

static void print_stack(const char *when, const stack_t *stack, const char *own)
{
	printf("%s: %s, %zu bytes, flags %x\n", when,
	       !stack->ss_sp	     ? "none"
	       : stack->ss_sp == own ? "its own"
				     : "another one",
	       stack->ss_size, (unsigned)stack->ss_flags);
}

static char *asked;
static stack_t seen;
static int refused;

static void ask(int signal)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	(void)signal;
	refused = sigaltstack(&none, NULL) ? errno : 0;
	sigaltstack(NULL, &seen);
}

static void query(void)
{
	const size_t sizes[] = { SIGNAL_STACK, 1 << 18, SIGNAL_STACK };
	stack_t stack, before;

	handle(SIGUSR1, ask);
	sigaltstack(NULL, &before);
	print_stack("at first", &before, asked);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char *memory = new_stack(sizes[i]);
		stack = (stack_t){ .ss_sp = memory, .ss_size = sizes[i] };
		sigaltstack(&stack, &before);
		print_stack("replaced", &before, asked);
		asked = memory;
		sigaltstack(NULL, &before);
		print_stack("now", &before, asked);
		raise(SIGUSR1);
		print_stack("in a handler", &seen, asked);
		printf("  where a change is error %d\n", refused);
		compute(5);
	}
	stack.ss_size = 100;
	if (sigaltstack(&stack, NULL))
		printf("too small: error %d\n", errno);
	stack.ss_flags = 77;
	if (sigaltstack(&stack, NULL))
		printf("no such flags: error %d\n", errno);
	stack = (stack_t){ .ss_flags = SS_DISABLE };
	sigaltstack(&stack, &before);
	print_stack("at last", &before, asked);
	sigaltstack(NULL, &stack);
	print_stack("none any more", &stack, asked);
}

/* Both go on with the handler. */
static void fork_there(int signal)
{
	pid_t child = fork();
	int status = 0;

	on_signal(signal);
	if (child) {
		waitpid(child, &status, 0);
		handled += status;
	}
}

static void in_child(void)
{
	pid_t parent = getpid();
	const char *stack = set_stack(SIGNAL_STACK);

	handle(SIGUSR1, fork_there);
	raise(SIGUSR1);
	handle(SIGUSR1, on_signal);
	raise(SIGUSR1);
	if (getpid() != parent)
		_exit(handled == 2 && spilled(stack) == 0 ? 0 : 1);
	printf("handled %d, spilled %zu\n", (int)handled, spilled(stack));
}

/* As runtimes of other languages have it: each thread has a stack of its own, and takes it away at its end. */
static void one_of_many(void)
{
	const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t before;
	char *stack = set_stack(SIGNAL_STACK);

	raise(SIGUSR1);
	sigaltstack(&none, &before);
	if (before.ss_sp != stack || before.ss_size != SIGNAL_STACK)
		printf("another stack\n");
	free((char *)before.ss_sp - BELOW);
}

static void many(void)
{
	handle(SIGUSR1, on_signal);
	for (int i = 0; i < ROUNDS; i++)
		thread_of(one_of_many);
	printf("handled %d\n", (int)handled);
}

/* The C library takes a thread's own data away in an order that nobody knows: this may be after the profiler's. */
static void at_the_end(void *unused)
{
	(void)unused;
	one_of_many();
}

static void *end_late(void *key)
{
	pthread_setspecific(*(pthread_key_t *)key, key);
	compute(5);
	return NULL;
}

static void late(void)
{
	pthread_key_t keys[8];
	pthread_t thread;

	handle(SIGUSR1, on_signal);
	for (int i = 0; i < 8; i++)
		if (pthread_key_create(&keys[i], at_the_end) ||
		    pthread_create(&thread, NULL, end_late, &keys[i]) || pthread_join(thread, NULL))
			errx(2, "no thread");
	printf("handled %d\n", (int)handled);
}

static const struct {
	const char *name;
	void (*run)(void);
} uses[] = {
	{ "handler", in_handler }, { "overflow", overflow }, { "coroutine", in_coroutine },
	{ "thread", in_thread },   { "query", query },	     { "fork", in_child },
	{ "many", many },	   { "late", late },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < sizeof(uses) / sizeof(*uses); i++)
		if (strcmp(argv[1], uses[i].name) == 0) {
			uses[i].run();
			return 0;
		}
	errx(2, "usage: small_stacks handler|overflow|coroutine|thread|query|fork|many|late");
}
