/* SPDX-License-Identifier: MIT */
/* Whom a server answers. */
#include "access.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define TOKEN "0123456789abcdef"

static const struct hp_access local = {
	.token = TOKEN, .address = "127.0.0.1", .machine = "box", .is_loopback = true, .port = 6770
};
static const struct hp_access open_to_all = {
	.token = TOKEN, .address = "0.0.0.0", .machine = "box", .port = 6770
};

static int judge(const struct hp_access *access, struct hp_claim claim)
{
	const char *problem = NULL;
	int status = hp_access_judge(access, &claim, &problem);

	assert_true(status == 0 || (problem && *problem));
	return status;
}

/* A request with the right token. */
static int judge_host(const struct hp_access *access, const char *host)
{
	return judge(access, (struct hp_claim){ .host = host, .hosts = 1, .token = TOKEN });
}

static int judge_origin(const struct hp_access *access, const char *origin)
{
	return judge(access, (struct hp_claim){ .host = "localhost:6770",
						.hosts = 1,
						.origin = origin,
						.token = TOKEN });
}

static void a_token_may_come_in_three_ways(void **state)
{
	struct hp_claim claim = { .host = "localhost:6770", .hosts = 1 };

	(void)state;
	assert_int_equal(judge(&local, claim), 401);
	claim.token = TOKEN;
	assert_int_equal(judge(&local, claim), 0);
	claim.token = "0123456789abcdeg";
	assert_int_equal(judge(&local, claim), 401);
	claim.authorization = "Bearer " TOKEN;
	assert_int_equal(judge(&local, claim), 0);
	claim.authorization = "bearer " TOKEN;
	assert_int_equal(judge(&local, claim), 0);
	claim.authorization = "Basic " TOKEN;
	assert_int_equal(judge(&local, claim), 401);
	claim.cookie = "hotpath_token_6770=" TOKEN;
	assert_int_equal(judge(&local, claim), 0);
}

static void tokens_are_compared_as_a_whole(void **state)
{
	(void)state;
	assert_true(hp_access_has_token(&local, TOKEN));
	assert_false(hp_access_has_token(&local, ""));
	assert_false(hp_access_has_token(&local, "0123456789abcde"));
	assert_false(hp_access_has_token(&local, TOKEN "0"));
	assert_false(hp_access_has_token(&local, "1123456789abcdef"));
}

static void cookies_are_found_by_their_names(void **state)
{
	static const struct {
		const char *header;
		int status;
	} cases[] = {
		{ "a=b; hotpath_token_6770=" TOKEN "; c=d", 0 },
		{ "hotpath_token_6770=wrong;hotpath_token_6770=" TOKEN, 0 },
		{ "hotpath_token_6771=" TOKEN, 401 },
		{ "hotpath_token_67700=" TOKEN, 401 },
		{ "xhotpath_token_6770=" TOKEN, 401 },
		{ "hotpath_token_6770", 401 },
		{ "hotpath_token_6770=", 401 },
		{ "hotpath_token_6770=" TOKEN "x", 401 },
		{ "a=hotpath_token_6770=" TOKEN, 401 },
		{ "", 401 },
		{ ";;; ;", 401 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(judge(&local, (struct hp_claim){ .host = "localhost:6770",
								  .hosts = 1,
								  .cookie = cases[i].header }),
				 cases[i].status);
}

static void a_server_of_this_machine_knows_its_names(void **state)
{
	static const char *const known[] = { "127.0.0.1:6770", "localhost:6770", "LOCALHOST:6770",
					     "[::1]:6770" };
	static const char *const unknown[] = {
		"",
		"localhost",
		"localhost:6771",
		"localhost:",
		":6770",
		"evil.example:6770",
		"box:6770",
		"10.0.0.1:6770",
		"[::1:6770",
		"[::1]6770",
		"::1:6770",
		"localhost:06770x",
		"localhost.:6770",
		"localhost:6770:6770",
		"localhost:72306",
		"[]:6770",
		"localhost:4294974066",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		assert_int_equal(judge_host(&local, known[i]), 0);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		assert_int_equal(judge_host(&local, unknown[i]), 421);
	assert_int_equal(judge_host(&local, NULL), 421);
}

static void an_open_server_has_no_names_of_others(void **state)
{
	(void)state;
	assert_int_equal(judge_host(&open_to_all, "10.0.0.1:6770"), 0);
	assert_int_equal(judge_host(&open_to_all, "[fe80::1]:6770"), 0);
	assert_int_equal(judge_host(&open_to_all, "box:6770"), 0);
	assert_int_equal(judge_host(&open_to_all, "box.example.org:6770"), 0);
	assert_int_equal(judge_host(&open_to_all, "localhost:6770"), 0);
	assert_int_equal(judge_host(&open_to_all, "boxer:6770"), 421);
	assert_int_equal(judge_host(&open_to_all, "evil.example:6770"), 421);
	assert_int_equal(judge_host(&open_to_all, "10.0.0.1:80"), 421);
}

static void port_80_need_not_be_named(void **state)
{
	struct hp_access access = local;

	(void)state;
	access.port = 80;
	assert_int_equal(judge_host(&access, "localhost"), 0);
	assert_int_equal(judge_host(&access, "localhost:80"), 0);
	assert_int_equal(judge_host(&access, "localhost:6770"), 421);
}

static void other_sites_are_kept_out(void **state)
{
	(void)state;
	assert_int_equal(judge_origin(&local, "http://localhost:6770"), 0);
	assert_int_equal(judge_origin(&local, "http://127.0.0.1:6770"), 0);
	assert_int_equal(judge_origin(&local, "https://localhost:6770"), 403);
	assert_int_equal(judge_origin(&local, "http://localhost:8080"), 403);
	assert_int_equal(judge_origin(&local, "http://evil.example:6770"), 403);
	assert_int_equal(judge_origin(&local, "null"), 403);
	assert_int_equal(judge_origin(&local, ""), 403);
}

static void two_hosts_are_refused(void **state)
{
	(void)state;
	assert_int_equal(
		judge(&local,
		      (struct hp_claim){ .host = "localhost:6770", .hosts = 2, .token = TOKEN }),
		400);
}

/* A Unix socket can be called anything, and pages cannot use it. */
static void a_socket_has_any_name(void **state)
{
	static const struct hp_access access = { .token = TOKEN };

	(void)state;
	assert_int_equal(judge_host(&access, "anything"), 0);
	assert_int_equal(judge_origin(&access, "http://localhost"), 403);
}

static void no_token_is_needed_if_there_is_none(void **state)
{
	struct hp_access access = local;

	(void)state;
	access.token[0] = '\0';
	assert_int_equal(judge(&access, (struct hp_claim){ .host = "localhost:6770", .hosts = 1 }),
			 0);
	assert_int_equal(judge(&access, (struct hp_claim){ .host = "evil.example", .hosts = 1 }),
			 421);
}

static void tokens_are_made_and_checked(void **state)
{
	char one[HP_TOKEN_SIZE] = "", other[HP_TOKEN_SIZE] = "";
	char longest[HP_TOKEN_SIZE + 1];

	(void)state;
	assert_int_equal(hp_access_make_token(one), 0);
	assert_int_equal(hp_access_make_token(other), 0);
	assert_int_equal(strlen(one), 32);
	assert_true(hp_access_is_token(one));
	assert_string_not_equal(one, other);
	assert_false(hp_access_is_token("short"));
	assert_false(hp_access_is_token("with a space in it"));
	assert_false(hp_access_is_token("with;a=semicolon;in-it"));
	memset(longest, 'x', HP_TOKEN_SIZE);
	longest[HP_TOKEN_SIZE] = '\0';
	assert_false(hp_access_is_token(longest));
	longest[HP_TOKEN_SIZE - 1] = '\0';
	assert_true(hp_access_is_token(longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_may_come_in_three_ways),
		cmocka_unit_test(tokens_are_compared_as_a_whole),
		cmocka_unit_test(cookies_are_found_by_their_names),
		cmocka_unit_test(a_server_of_this_machine_knows_its_names),
		cmocka_unit_test(an_open_server_has_no_names_of_others),
		cmocka_unit_test(port_80_need_not_be_named),
		cmocka_unit_test(other_sites_are_kept_out),
		cmocka_unit_test(two_hosts_are_refused),
		cmocka_unit_test(a_socket_has_any_name),
		cmocka_unit_test(no_token_is_needed_if_there_is_none),
		cmocka_unit_test(tokens_are_made_and_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
