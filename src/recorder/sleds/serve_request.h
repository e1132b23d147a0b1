/* SPDX-License-Identifier: MIT */
/* Requests from outside: which functions with sleds are to be measured. `src/segment/arm_request.h` says how they come. */
#ifndef HOTPATH_SERVE_REQUEST_H
#define HOTPATH_SERVE_REQUEST_H

#pragma GCC visibility push(hidden)

/* Show in the list of mappings that requests are served, and by which signal they come; 0 for none any more. The lock is held. */
void hotpath__tell_listening(int signal);

/* Somebody has sent the signal: do what is wanted, if there is a request. For signal handlers. */
void hotpath__serve_request(void);

#pragma GCC visibility pop

#endif
