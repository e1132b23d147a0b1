/* SPDX-License-Identifier: MIT */
/*
 * Any bytes in place of a request: its target and its headers Host, Origin, Authorization and Cookie, a line each. What is
 * taken apart stays inside, and nobody is trusted who has not got the token.
 */
#include "read_all.h"

#include "access.h"
#include "query.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TOKEN "0123456789abcdef"

static void check_inside(const struct hp_query *query, const char *string)
{
	must(string >= query->text && string + strlen(string) < query->text + sizeof(query->text));
}

static void check_query(const struct hp_query *query)
{
	check_inside(query, query->path);
	must(query->path[0] == '/' && query->count <= HP_QUERY_VALUES);
	for (size_t i = 0; i < query->count; i++) {
		check_inside(query, query->items[i].name);
		must(!*query->items[i].value || query->items[i].value > query->items[i].name);
		must(hp_query_value(query, query->items[i].name) == query->items[i].value);
	}
}

/* A header that was left out is NULL. */
static const char *next_line(char **rest)
{
	char *line = strsep(rest, "\n");

	return line && *line ? line : NULL;
}

static void check_judgement(const struct hp_access *access, const struct hp_claim *claim,
			    bool has_token)
{
	const char *problem = NULL;
	int status = hp_access_judge(access, claim, &problem);

	must(status == 0 || status == 400 || status == 401 || status == 403 || status == 421);
	must(status == 0 || problem);
	must(status || (claim->host && claim->hosts == 1));
	must(status || has_token || !*access->token);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct hp_access accesses[] = {
		{ .token = TOKEN,
		  .address = "127.0.0.1",
		  .machine = "box",
		  .is_loopback = true,
		  .port = 6770 },
		{ .token = TOKEN, .address = "::", .machine = "box", .port = 80 },
		{ .token = TOKEN },
		{ .address = "localhost", .is_loopback = true, .port = 6770 },
	};
	char *text = malloc(size + 1), *rest = text;
	struct hp_query query;
	const char *problem;

	memcpy(text, data, size);
	text[size] = '\0';
	const char *target = next_line(&rest);
	bool is_right = hp_query_parse(&query, target ? target : "", &problem) == 0;
	if (is_right)
		check_query(&query);
	struct hp_claim claim = { .hosts = 1 };
	claim.host = next_line(&rest);
	claim.origin = next_line(&rest);
	claim.authorization = next_line(&rest);
	claim.cookie = next_line(&rest);
	claim.token = is_right ? hp_query_value(&query, "token") : NULL;
	bool has_token = (claim.token && strcmp(claim.token, TOKEN) == 0) ||
			 (claim.authorization && strstr(claim.authorization, TOKEN)) ||
			 (claim.cookie && strstr(claim.cookie, TOKEN));
	for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++)
		check_judgement(&accesses[i], &claim, has_token);
	hp_access_is_token(text);
	free(text);
	return 0;
}
