/* SPDX-License-Identifier: MIT */
/* Remembers signals that ask us to end, so that we can clean up first. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

/** From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT are remembered; those that are ignored stay so. */
void interrupts_begin(void);

/** Record a signal that arrived in another way; 0 for none. */
void interrupt_note(int number);

/** The first that came; 0 for none. */
int interrupt_seen(void);

/** They have their usual effect again. */
void interrupts_end(void);

#endif
