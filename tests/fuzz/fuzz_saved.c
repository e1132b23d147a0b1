/* SPDX-License-Identifier: MIT */
/* Any text in place of a saved report: it is refused with a reason, or it becomes a model like any other. */
#include "read_all.h"
#include "saved/saved.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_error error = { "" };
	struct hp_saved saved;
	int failed = hp_saved_read((const char *)data, size, &saved, &error);

	must(!failed == !!saved.model);
	must(!failed == !error.text[0]);
	must(!memchr(error.text, '\n', sizeof(error.text)) || !failed);
	if (failed)
		return 0;
	must(saved.known.count <= HP_SAVED_PERCENTILES);
	use_model(saved.model, true);
	hp_model_free(saved.model);
	return 0;
}
