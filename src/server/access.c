/* SPDX-License-Identifier: MIT */
/* Who may ask: the token, and the checks that keep pages of other sites out of a server on this machine. */
#include "access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum {
	TOKEN_BYTES = 16,
	HTTP_PORT = 80,
};

/* A part of a header; it does not end with NUL. */
struct part {
	const char *begin;
	size_t length;
};

/* ---- the token ---- */

int hp_access_make_token(char token[HP_TOKEN_SIZE])
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -errno;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

bool hp_access_is_token(const char *text)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-._~";
	size_t length = strlen(text);

	return length >= HP_TOKEN_MIN && length < HP_TOKEN_SIZE && strspn(text, allowed) == length;
}

static bool is_token(const struct hp_access *access, struct part given)
{
	size_t length = strlen(access->token);
	unsigned differ = length != given.length;

	for (size_t i = 0; i < length; i++)
		differ |= (unsigned char)access->token[i] ^
			  (unsigned char)(i < given.length ? given.begin[i] : 0);
	return differ == 0;
}

bool hp_access_has_token(const struct hp_access *access, const char *text)
{
	return is_token(access, (struct part){ text, strlen(text) });
}

void hp_access_put_cookie_name(const struct hp_access *access, struct hp_text *text)
{
	hp_text_printf(text, "hotpath_token_%u", access->port);
}

/* Take the next "name=value" off a header Cookie; false at the end. */
static bool next_cookie(const char **header, struct part *name, struct part *value)
{
	const char *begin = *header + strspn(*header, "; \t");
	size_t length = strcspn(begin, ";");
	size_t before = strcspn(begin, "=;");

	if (!*begin)
		return false;
	*header = begin + length;
	*name = (struct part){ begin, before };
	*value = before < length ? (struct part){ begin + before + 1, length - before - 1 }
				 : (struct part){ begin + length, 0 };
	return true;
}

/* A browser may send several cookies of one name, if they were set for several paths. */
static bool has_cookie(const struct hp_access *access, const char *header)
{
	struct hp_text wanted = HP_TEXT_INIT;
	struct part name, value;
	bool found = false;

	hp_access_put_cookie_name(access, &wanted);
	while (!wanted.failed && next_cookie(&header, &name, &value))
		if (name.length == wanted.length &&
		    memcmp(name.begin, wanted.bytes, name.length) == 0)
			found |= is_token(access, value);
	hp_text_free(&wanted);
	return found;
}

static bool has_bearer(const struct hp_access *access, const char *header)
{
	static const char scheme[] = "Bearer ";
	size_t length = sizeof(scheme) - 1;

	return strncasecmp(header, scheme, length) == 0 &&
	       hp_access_has_token(access, header + length);
}

static bool is_trusted(const struct hp_access *access, const struct hp_claim *claim)
{
	return !*access->token || (claim->token && hp_access_has_token(access, claim->token)) ||
	       (claim->authorization && has_bearer(access, claim->authorization)) ||
	       (claim->cookie && has_cookie(access, claim->cookie));
}

/* ---- the host ---- */

/* Split "name", "name:80" or "[::1]:80"; the name is without brackets. */
static bool split_host(const char *host, struct part *name, unsigned *port)
{
	bool has_brackets = *host == '[';
	const char *begin = host + has_brackets;
	size_t length = strcspn(begin, has_brackets ? "]" : ":");
	const char *rest = begin + length;

	*name = (struct part){ begin, length };
	*port = HTTP_PORT;
	if (length == 0 || (has_brackets && *rest++ != ']'))
		return false;
	if (!*rest)
		return true;
	size_t digits = strspn(rest + 1, "0123456789");
	if (*rest != ':' || digits == 0 || digits > 5 || rest[1 + digits])
		return false;
	*port = (unsigned)strtoul(rest + 1, NULL, 10);
	return true;
}

static bool is_name(struct part given, const char *name)
{
	return *name && strlen(name) == given.length &&
	       strncasecmp(given.begin, name, given.length) == 0;
}

/* No name can be made to mean another machine if there is none. */
static bool is_numeric(struct part given)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;

	if (given.length >= sizeof(text))
		return false;
	memcpy(text, given.begin, given.length);
	text[given.length] = '\0';
	return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

/* "machine", or "machine.example.org". */
static bool is_machine(struct part given, const char *machine)
{
	size_t length = strlen(machine);

	return length && given.length >= length && strncasecmp(given.begin, machine, length) == 0 &&
	       (given.length == length || given.begin[length] == '.');
}

static bool knows_host(const struct hp_access *access, const char *host)
{
	struct part name;
	unsigned port;

	if (!*access->address)
		return true;
	if (!split_host(host, &name, &port) || port != access->port)
		return false;
	if (is_name(name, access->address) || is_name(name, "localhost"))
		return true;
	if (access->is_loopback)
		return is_name(name, "127.0.0.1") || is_name(name, "::1");
	return is_numeric(name) || is_machine(name, access->machine);
}

static bool knows_origin(const struct hp_access *access, const char *origin)
{
	static const char scheme[] = "http://";
	size_t length = sizeof(scheme) - 1;

	return *access->address && strncmp(origin, scheme, length) == 0 &&
	       knows_host(access, origin + length);
}

int hp_access_judge(const struct hp_access *access, const struct hp_claim *claim,
		    const char **problem)
{
	if (claim->hosts > 1) {
		*problem = "the request has more than one header Host";
		return 400;
	}
	if (!claim->host || !knows_host(access, claim->host)) {
		*problem = "the header Host does not name this server; use the address that "
			   "'hotpath serve' printed";
		return 421;
	}
	if (claim->origin && !knows_origin(access, claim->origin)) {
		*problem = "pages of other sites may not ask this server";
		return 403;
	}
	if (!is_trusted(access, claim)) {
		*problem = "a token is needed; open the address that 'hotpath serve' printed, or "
			   "send it as 'Authorization: Bearer TOKEN'";
		return 401;
	}
	return 0;
}
