/* SPDX-License-Identifier: MIT */
/*
 * Who may ask: the token, and the checks that keep pages of other sites out of a server on this machine.
 *
 * A page of another site can make a browser send requests here. Its name may even be made to mean 127.0.0.1 (DNS rebinding);
 * then the header Host has that name, which is not one of ours. Otherwise the header Origin names the other site.
 */
#ifndef HP_ACCESS_H
#define HP_ACCESS_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/** Characters of a token that a user may choose, with the NUL. */
	HP_TOKEN_MIN = 16,
	HP_TOKEN_SIZE = 129,
	HP_HOST_SIZE = 256,
};

struct hp_access {
	/** Empty if none is needed. */
	char token[HP_TOKEN_SIZE];
	/** The address that was asked for, without brackets; empty for a Unix socket, which any Host may mean. */
	char address[HP_HOST_SIZE];
	/** The name of this machine; it counts unless the address is a loopback one. */
	char machine[HP_HOST_SIZE];
	bool is_loopback;
	uint16_t port;
};

/** What a request says of itself; NULL for a header or value that it does not have. */
struct hp_claim {
	const char *host;
	/** How many headers Host there are. */
	size_t hosts;
	const char *origin;
	const char *authorization;
	const char *cookie;
	/** The value `token` of the query. */
	const char *token;
};

/** Make a token of 128 random bits. Returns 0 or a negative errno. */
int hp_access_make_token(char token[HP_TOKEN_SIZE]);

/** Whether a text can be a token: 16 to 128 letters, digits and characters of "-._~". */
bool hp_access_is_token(const char *text);

/**
 * Judge a request.
 *
 * @param problem
 *         Set to one line for who asks, unless the request is allowed.
 * @return
 *         0 if it is allowed, or the status of HTTP to refuse it with: 400, 401, 403 or 421.
 */
int hp_access_judge(const struct hp_access *access, const struct hp_claim *claim,
		    const char **problem);

/** Whether a text is the token. Takes the same time wherever they differ. */
bool hp_access_has_token(const struct hp_access *access, const char *text);

/** The name of the cookie that holds the token: one for each port, since ports share cookies. */
void hp_access_put_cookie_name(const struct hp_access *access, struct hp_text *text);

#endif
