/* SPDX-License-Identifier: MIT */
/* Requests of the Model Context Protocol, of both eras, and what is wrong with them. */
#include "made_host.h"

#define META(version)                                                                              \
	"\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" version "\","                  \
	"\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define MODERN META("2026-07-28")
#define REQUEST(method, params)                                                                    \
	"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" method "\",\"params\":{" params "}}"

/* The answer is this error. */
static void assert_error(const char *request, const struct hp_mcp_headers *headers, int status,
			 int code)
{
	struct json_object *answer = ask(request, headers, status);

	assert_non_null(answer);
	if (number_at(answer, "error.code") != code)
		fail_msg("%s: %s", request, json_object_to_json_string(answer));
	assert_string_equal(text_at(answer, "jsonrpc"), "2.0");
	assert_null(at(answer, "result"));
	json_object_put(answer);
}

static void assert_nothing(const char *request)
{
	assert_null(ask(request, NULL, 202));
}

/* ---- the older era ---- */

static void assert_initialized(const char *asked, const char *given)
{
	char request[256];

	snprintf(request, sizeof(request), REQUEST("initialize", "\"protocolVersion\":\"%s\""),
		 asked);
	struct json_object *answer = ask(request, NULL, 200);
	assert_int_equal(number_at(answer, "id"), 7);
	assert_string_equal(text_at(answer, "result.protocolVersion"), given);
	assert_string_equal(text_at(answer, "result.serverInfo.name"), "hotpath");
	assert_non_null(at(answer, "result.capabilities.tools"));
	assert_null(at(answer, "result.resultType"));
	json_object_put(answer);
}

static void handshake(void **state)
{
	(void)state;
	assert_initialized("2025-11-25", "2025-11-25");
	assert_initialized("2024-11-05", "2024-11-05");
	assert_initialized("1999-01-01", "2025-11-25");
	/* The newest revision has no handshake. */
	assert_initialized("2026-07-28", "2025-11-25");
	json_object_put(ask(REQUEST("initialize", ""), NULL, 200));
	assert_nothing("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
	assert_nothing(
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{}}");
}

static void ping(void **state)
{
	struct json_object *answer = ask(
		"{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"\\n\",\"method\":\"ping\"}", NULL, 200);

	(void)state;
	assert_string_equal(text_at(answer, "id"), "a\"\n");
	assert_int_equal(json_object_object_length(at(answer, "result")), 0);
	json_object_put(answer);
	assert_error(REQUEST("ping", MODERN), NULL, 404, -32601);
}

static void batches(void **state)
{
	static const char request[] =
		"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"},5,"
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"none\"}]";
	struct json_object *answer = ask(request, NULL, 200);

	(void)state;
	assert_int_equal(json_object_array_length(answer), 3);
	assert_int_equal(number_at(answer, "0.id"), 1);
	assert_int_equal(number_at(answer, "1.error.code"), -32600);
	assert_int_equal(number_at(answer, "2.error.code"), -32601);
	json_object_put(answer);
	assert_error("[]", NULL, 400, -32600);
	assert_nothing("[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}]");
}

/* ---- the newest revision ---- */

static void discovery(void **state)
{
	struct json_object *answer = ask(REQUEST("server/discover", MODERN), NULL, 200);

	(void)state;
	assert_string_equal(text_at(answer, "result.resultType"), "complete");
	assert_string_equal(text_at(answer, "result.supportedVersions.0"), "2026-07-28");
	assert_string_equal(text_at(answer, "result.supportedVersions.1"), "2025-11-25");
	assert_string_equal(text_at(answer, "result.serverInfo.name"), "hotpath");
	assert_string_equal(text_at(answer, "result.cacheScope"), "public");
	assert_non_null(at(answer, "result.capabilities.tools"));
	json_object_put(answer);
}

static void modern_members(void **state)
{
	static const char key[] = "io.modelcontextprotocol/serverInfo";
	struct json_object *answer = ask(REQUEST("tools/list", MODERN), NULL, 200);
	struct json_object *server;

	(void)state;
	assert_string_equal(text_at(answer, "result.resultType"), "complete");
	assert_string_equal(text_at(answer, "result.cacheScope"), "public");
	assert_true(number_at(answer, "result.ttlMs") > 0);
	assert_true(json_object_object_get_ex(at(answer, "result._meta"), key, &server));
	assert_string_equal(text_at(server, "name"), "hotpath");
	json_object_put(answer);
	answer = ask(REQUEST("tools/list", ""), NULL, 200);
	assert_null(at(answer, "result.ttlMs"));
	assert_null(at(answer, "result._meta"));
	json_object_put(answer);
}

static void versions(void **state)
{
	struct json_object *answer = ask(REQUEST("tools/list", META("1900-01-01")), NULL, 400);

	(void)state;
	assert_int_equal(number_at(answer, "error.code"), -32022);
	assert_string_equal(text_at(answer, "error.data.requested"), "1900-01-01");
	assert_string_equal(text_at(answer, "error.data.supported.0"), "2026-07-28");
	json_object_put(answer);
	/* An older one is not asked for like this. */
	assert_error(REQUEST("tools/list", META("2025-11-25")), NULL, 400, -32022);
	assert_error(REQUEST("server/discover", ""), NULL, 400, -32602);
	assert_error(REQUEST("tools/list", "\"_meta\":{\"io.modelcontextprotocol/"
					   "protocolVersion\":\"2026-07-28\"}"),
		     NULL, 400, -32602);
	assert_error(REQUEST("tools/list",
			     "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}"),
		     NULL, 400, -32602);
	assert_error(REQUEST("initialize", MODERN), NULL, 404, -32601);
	assert_error(REQUEST("none", MODERN), NULL, 404, -32601);
	assert_error(REQUEST("none", ""), NULL, 200, -32601);
}

static void headers(void **state)
{
	static const char list[] = REQUEST("tools/list", MODERN);
	static const char call[] = REQUEST("tools/call", "\"name\":\"locks\"," MODERN);
	struct hp_mcp_headers sent = { .version = "2026-07-28", .method = "tools/list" };

	(void)state;
	json_object_put(ask(list, &sent, 200));
	assert_error(call, &sent, 400, -32020);
	sent.method = "tools/call";
	assert_error(call, &sent, 400, -32020);
	sent.name = "waits";
	assert_error(call, &sent, 400, -32020);
	sent.name = "locks";
	json_object_put(ask(call, &sent, 200));
	sent.name = " \tlocks ";
	json_object_put(ask(call, &sent, 200));
	sent.name = "locks locks";
	assert_error(call, &sent, 400, -32020);
	sent.name = " ";
	assert_error(call, &sent, 400, -32020);
	sent.name = "=?base64?bG9ja3M=?= ";
	json_object_put(ask(call, &sent, 200));
	sent.name = "=?base64?bG9ja3!=?=";
	assert_error(call, &sent, 400, -32020);
	sent.name = "=?base64?bG9jaw==?=";
	assert_error(call, &sent, 400, -32020);
	sent.version = NULL;
	assert_error(list, &sent, 400, -32020);
	sent.version = "2025-11-25";
	assert_error(list, &sent, 400, -32020);
}

/* Requests without the members of the newest revision are of the era that the header says. */
static void older_headers(void **state)
{
	static const char list[] = REQUEST("tools/list", "");
	struct hp_mcp_headers sent = { NULL };

	(void)state;
	json_object_put(ask(list, &sent, 200));
	sent.version = "2025-06-18";
	json_object_put(ask(list, &sent, 200));
	sent.version = "2026-07-28";
	assert_error(list, &sent, 400, -32602);
}

/* ---- no requests ---- */

static void malformed(void **state)
{
	static const struct {
		const char *text;
		int code;
	} cases[] = {
		{ "", -32700 },
		{ "{", -32700 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", -32700 },
		{ "{'jsonrpc':'2.0'}", -32700 },
		{ "\"\xff\"", -32700 },
		{ "null", -32700 },
		{ "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", -32700 },
		{ "5 ", -32600 },
		{ "{}", -32600 },
		{ "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0000\",\"method\":\"ping\"}", -32600 },
		{ "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", -32602 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_error(cases[i].text, NULL, 400, cases[i].code);
	/* A response: nothing was asked for. */
	assert_nothing("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
}

static void too_large(void **state)
{
	struct hp_text text = HP_TEXT_INIT;

	(void)state;
	hp_text_puts(&text, "{\"jsonrpc\":\"2.0\",\"id\":\"");
	for (int i = 0; i < 300; i++)
		hp_text_putc(&text, 'x');
	hp_text_puts(&text, "\",\"method\":\"ping\"}");
	assert_error(text.bytes, NULL, 400, -32600);
	text.length = 0;
	hp_text_putc(&text, '[');
	for (int i = 0; i < 20000; i++)
		hp_text_puts(&text, "{},");
	assert_error(text.bytes, NULL, 400, -32600);
	text.length = 0;
	for (int i = 0; i <= HP_MCP_REQUEST_MAX; i++)
		hp_text_putc(&text, ' ');
	assert_error(text.bytes, NULL, 400, -32600);
	hp_text_free(&text);
	assert_int_equal(hp_mcp_refuse("too long", &text), 400);
	assert_non_null(strstr(text.bytes, "\"id\":null"));
	hp_text_free(&text);
}

static int set_up(void **state)
{
	(void)state;
	hp_text_puts(&made_reports[0], "{\"type\":\"hotpath_report\",\"schema\":1}");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	hp_text_free(&made_reports[0]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handshake),	  cmocka_unit_test(ping),
		cmocka_unit_test(batches),	  cmocka_unit_test(discovery),
		cmocka_unit_test(modern_members), cmocka_unit_test(versions),
		cmocka_unit_test(headers),	  cmocka_unit_test(older_headers),
		cmocka_unit_test(malformed),	  cmocka_unit_test(too_large),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
