/* SPDX-License-Identifier: MIT */
/*
 * Hides the sampling signal from the program: together with all others, it can neither block it, nor wait for it, nor
 * ignore it. If it uses that very signal, we leave it to the program and take another. Its alternate signal stacks
 * also look as if ours did not exist.
 */
#include "cpu/sampling.h"
#include "front.h"
#include "process/platform.h"

/* Names are in parentheses, because in the recorder they are macros that consult the seccomp filter first. */

/* Whether a set means all signals: it contains both signals that may be ours. */
static bool means_all(const sigset_t *set)
{
	return sigismember(set, SIGURG) && sigismember(set, SIGWINCH);
}

/* A copy of a signal set without ours; NULL stays NULL. */
static const sigset_t *without(const sigset_t *set, sigset_t *copy)
{
	int ours = hotpath__sampling_signal();

	if (!set || !ours || !sigismember(set, ours))
		return set;
	if (!means_all(set) && !hotpath__is_locking()) {
		hotpath__sampling_gives_way(ours);
		return set;
	}
	*copy = *set;
	sigdelset(copy, ours);
	return copy;
}

VISIBLE int sigprocmask(int how, const sigset_t *set, sigset_t *before)
{
	sigset_t copy;

	return NEXT(sigprocmask)(how, how == SIG_UNBLOCK ? set : without(set, &copy), before);
}

VISIBLE int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	sigset_t copy;

	return NEXT(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without(set, &copy), before);
}

VISIBLE int sigwait(const sigset_t *set, int *signal)
{
	sigset_t copy;

	return NEXT(sigwait)(without(set, &copy), signal);
}

VISIBLE int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	sigset_t copy;

	return NEXT(sigwaitinfo)(without(set, &copy), info);
}

VISIBLE int(sigtimedwait)(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	sigset_t copy;

	return NEXT(sigtimedwait)(without(set, &copy), info, timeout);
}

VISIBLE int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t copy;

	return NEXT(signalfd)(fd, without(set, &copy), flags);
}

VISIBLE int(sigaltstack)(const stack_t *stack, stack_t *before)
{
	if (hotpath__owns_signal_stack())
		return hotpath__change_signal_stack(stack, before);
	if (stack)
		hotpath__sampling_sees_stack(stack);
	return NEXT(sigaltstack)(stack, before);
}

static bool is_handler(const struct sigaction *action)
{
	return (action->sa_flags & SA_SIGINFO) ||
	       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

VISIBLE int(sigaction)(int signal, const struct sigaction *action, struct sigaction *before)
{
	struct sigaction pretended;

	if (hotpath__is_locking() || !hotpath__is_sampling_with(signal))
		return NEXT(sigaction)(signal, action, before);
	hotpath__sampling_pretends(action, &pretended);
	if (before)
		*before = pretended;
	if (!action || !is_handler(action))
		return 0;
	hotpath__sampling_gives_way(signal);
	return NEXT(sigaction)(signal, action, NULL);
}

VISIBLE void (*signal(int signal, void (*handler)(int)))(int)
{
	struct sigaction pretended, action = { .sa_handler = handler };

	if (!hotpath__is_sampling_with(signal))
		return NEXT(signal)(signal, handler);
	hotpath__sampling_pretends(is_handler(&action) ? NULL : &action, &pretended);
	if (is_handler(&action)) {
		hotpath__sampling_gives_way(signal);
		NEXT(signal)(signal, handler);
	}
	return pretended.sa_handler;
}
