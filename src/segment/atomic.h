/* SPDX-License-Identifier: MIT */
/*
 * Atomic access with the memory order as an argument that the reader must see: load(&x, ACQUIRE).
 *
 * Plain fields, not _Atomic ones: the layout of a segment must not depend on how a compiler represents
 * an atomic type.
 *
 * RELAXED access is a volatile one: for aligned words of at most 64 bits that is the same machine
 * instruction, but compilers address it like any other field, where they spend an instruction of its
 * own on the address of an atomic. That is a tenth of the hot path. ThreadSanitizer gets the real thing.
 */
#ifndef HP_ATOMIC_H
#define HP_ATOMIC_H

#if defined(__SANITIZE_THREAD__)
#define HP_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HP_TSAN 1
#endif
#endif

#ifdef HP_TSAN
#define HP_LOAD_RELAXED(pointer) __atomic_load_n((pointer), __ATOMIC_RELAXED)
#define HP_STORE_RELAXED(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELAXED)
#else
#define HP_LOAD_RELAXED(pointer) (*(const volatile __typeof__(*(pointer)) *)(pointer))
#define HP_STORE_RELAXED(pointer, value) (*(volatile __typeof__(*(pointer)) *)(pointer) = (value))
#endif
/* For loading a pointer: the data dependency orders the reads through it after the load of the pointer itself. */
#ifdef HP_TSAN
#define HP_LOAD_CONSUME(pointer) __atomic_load_n((pointer), __ATOMIC_ACQUIRE)
#else
#define HP_LOAD_CONSUME(pointer) HP_LOAD_RELAXED(pointer)
#endif
#define HP_LOAD_ACQUIRE(pointer) __atomic_load_n((pointer), __ATOMIC_ACQUIRE)
#define HP_STORE_RELEASE(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_RELEASE)

#define HP_LOAD_SEQ_CST(pointer) __atomic_load_n((pointer), __ATOMIC_SEQ_CST)
#define HP_STORE_SEQ_CST(pointer, value) __atomic_store_n((pointer), (value), __ATOMIC_SEQ_CST)

#define load(pointer, order) HP_LOAD_##order(pointer)
#define store(pointer, value, order) HP_STORE_##order(pointer, value)
#define fetch_add(pointer, value, order) __atomic_fetch_add((pointer), (value), __ATOMIC_##order)
#define exchange(pointer, value, order) __atomic_exchange_n((pointer), (value), __ATOMIC_##order)

/* A fence between RELAXED accesses. ThreadSanitizer does not support fences, and those accesses are no data races
   to it. */
#ifdef HP_TSAN
#define fence(order) signal_fence()
#else
#define fence(order) __atomic_thread_fence(__ATOMIC_##order)
#endif

/* Store two neighbouring words of 64 bits, both RELAXED. On aarch64 one instruction does that, which compilers do not use
   for volatile or atomic access. */
#if defined(__aarch64__) && !defined(HP_TSAN)
#define store_pair(pointer, first, second)                                                         \
	__asm__ volatile("stp %2, %3, %0"                                                          \
			 : "=Q"((pointer)[0]), "=m"((pointer)[1])                                  \
			 : "r"(first), "r"(second))
#else
#define store_pair(pointer, first, second)                                                         \
	(store(&(pointer)[0], first, RELAXED), store(&(pointer)[1], second, RELAXED))
#endif

/* For a field with one writer: it may read its own value plainly, and readers see no torn store. */
#define add(pointer, value) store((pointer), *(pointer) + (value), RELAXED)

/* Orders this thread against its own signal handlers; costs no instruction. */
#define signal_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
