/* SPDX-License-Identifier: MIT */
/* The two halves of a program in which exceptions of C++ pass functions of C. */
#ifndef THROW_H
#define THROW_H

#ifdef __cplusplus
extern "C" {
#endif

/** Call itself so many times, then throw. */
void throw_through(int more);
void throw_here(void);

#ifdef __cplusplus
}
#endif

#endif
