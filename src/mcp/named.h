/* SPDX-License-Identifier: MIT */
/* Functions that agents name, and what is known of one. */
#ifndef HP_MCP_NAMED_H
#define HP_MCP_NAMED_H

#include "neighbours.h"
#include "rows.h"

/**
 * The name in tables of the function that is meant by the argument "name". A name that ends with "…", as in an answer that
 * has cut it, is that of the first function that begins like that.
 *
 * @return
 *         NULL with one line in error, which has the nearest name.
 */
const char *hp_mcp_find_function(const struct hp_mcp_call *call, struct hp_error *error);

/** Say that there is no function of a name, and which one may be meant. Returns -ENOENT. */
int hp_mcp_no_function(const struct hp_model *model, const char *name, struct hp_error *error);

/** The callers or callees of a function, as the report has them; NULL if nothing is known. To be freed. */
struct json_object *hp_mcp_relatives(const struct hp_model *model, enum hp_direction direction,
				     const char *name);

/** The rows of such an object, each with those of its own function to a depth; NULL if there are none. */
struct json_object *hp_mcp_relative_rows(struct json_object *object, const struct hp_model *model,
					 enum hp_direction direction, size_t limit, int depth);

/** The lines of a function, or of the whole program if the name is NULL, as the report has them; NULL if there are none. */
struct json_object *hp_mcp_lines(const struct hp_model *model, const char *name);

/** The rows of such an object, with some of their members. */
struct json_object *hp_mcp_line_rows(struct json_object *object, const char *members, size_t limit);

#endif
