/* SPDX-License-Identifier: MIT */
/*
 * Any text in place of a request of an agent, with headers of HTTP behind it, each after a NUL: the answer is JSON in one line and
 * in bounds, and its status is one of those that there are.
 */
#include "mcp.h"
#include "names/sampled_lines.h"
#include "read_all.h"

#include <json-c/json.h>

#include <errno.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Lines of source need debug information, which these programs have none of. */
bool hp_sampled_lines_read(struct hp_sampled_lines *lines, const struct hp_cpu *cpu,
			   const char *name, const char *module)
{
	(void)cpu, (void)name, (void)module;
	*lines = (struct hp_sampled_lines){ 0 };
	return true;
}

void hp_sampled_lines_free(struct hp_sampled_lines *lines)
{
	(void)lines;
}

static const char report[] =
	"{\"type\":\"hotpath_report\",\"schema\":1,\"program\":\"shop\",\"pid\":42,\"elapsed_ns\":1000,"
	"\"functions_timing\":{\"percentiles\":[95],\"data\":[{\"name\":\"main\",\"calls\":1,\"total_ns\":1000,"
	"\"p95_ns\":1000},{\"name\":\"a\\u001b\\\"\\\\\",\"calls\":3,\"total_ns\":300,\"p95_ns\":100}]},"
	"\"locks\":{\"percentiles\":[95],\"data\":[{\"name\":\"till\",\"lock_type\":\"mutex\","
	"\"acquired_count\":2,\"wait_p95_ns\":5,\"hold_p95_ns\":5}]}}";

static int list(void *context, hp_mcp_visit *visit, void *to, struct hp_error *error)
{
	(void)context, (void)error;
	visit(to, &(struct hp_mcp_program){ .id = "42", .name = "shop", .state = "saved" });
	return 0;
}

static int read_one(void *context, const char *program, unsigned window,
		    struct hp_mcp_reading *reading, struct hp_error *error)
{
	(void)context;
	must(window <= HP_MCP_WINDOW_MAX);
	snprintf(error->text, sizeof(error->text), "no program '%.80s'", program ? program : "");
	if (program && strcmp(program, "42") != 0)
		return -ENOENT;
	return hp_saved_read(report, sizeof(report) - 1, &reading->report, error);
}

static void check(const struct hp_text *answer, int status, bool is_batch)
{
	struct json_object *object;

	must(status == 200 || status == 202 || status == 400 || status == 404);
	must((status == 202) == !answer->length);
	if (!answer->length)
		return;
	must(!strchr(answer->bytes, '\n') && strlen(answer->bytes) == answer->length);
	object = json_tokener_parse(answer->bytes);
	must(object);
	must(is_batch || answer->length < HP_MCP_ANSWER_MAX ||
	     strstr(answer->bytes, "\"tools\":["));
	json_object_put(object);
}

/* The next part, and what is behind it. NULL if there is none. */
static const char *next(const char **at, const char *end)
{
	const char *part = *at;

	*at = part ? memchr(part, '\0', (size_t)(end - part)) : NULL;
	*at = *at ? *at + 1 : NULL;
	return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct hp_mcp_host host = { .list = list, .read = read_one };
	struct hp_text answer = HP_TEXT_INIT;
	struct hp_mcp_headers headers;
	/* All parts end with NUL. */
	char *text = calloc(1, size + 1);
	const char *at = text;

	must(text);
	memcpy(text, data, size);
	const char *request = next(&at, text + size);
	bool has_headers = at;
	headers.version = next(&at, text + size);
	headers.method = next(&at, text + size);
	headers.name = next(&at, text + size);
	int status = hp_mcp_answer(&host, request, strlen(request), has_headers ? &headers : NULL,
				   &answer);
	check(&answer, status, strchr(request, '['));
	hp_text_free(&answer);
	free(text);
	return 0;
}
