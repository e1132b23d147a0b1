/* SPDX-License-Identifier: MIT */
/* All that is compared. */
#include "subject.h"

const struct hp_subject *const hp_subjects[] = {
	&hp_subject_program,  &hp_subject_timing,
	&hp_subject_tree,     &hp_subject_alloc,
	&hp_subject_live,     &hp_subject_cpu,
	&hp_subject_channels, &hp_subject_latency,
	&hp_subject_streams,  &hp_subject_futures,
	&hp_subject_loops,    &hp_subject_threads,
	&hp_subject_debug,    NULL,
};
