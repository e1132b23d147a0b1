/* SPDX-License-Identifier: MIT */
/* What requests ask about marks. */
#ifndef HP_ASKED_MARKS_H
#define HP_ASKED_MARKS_H

#include "marks.h"
#include "request.h"

/** The windows of the program that a request is about; NULL if there are none, and then the request was answered. */
struct hp_marked *hp_asked_marked(struct hp_request *request);

/** Answer with the windows, and their comparison. */
void hp_asked_answer_marked(struct hp_request *request, struct hp_marked *marked);

#endif
