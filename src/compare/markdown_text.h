/* SPDX-License-Identifier: MIT */
/*
 * Strings that come from anyone, in markdown as GitHub and GitLab show it: they cannot leave their place, call for
 * people or issues, or link. What is not printable is '?', and what is long is shortened in the middle.
 */
#ifndef HP_MARKDOWN_TEXT_H
#define HP_MARKDOWN_TEXT_H

#include "text.h"

/** As code, also in a table. */
void hp_markdown_put_code(const char *string, struct hp_text *text);

/** As part of a sentence. */
void hp_markdown_put_words(const char *string, struct hp_text *text);

/** In a comment of HTML; what would end it, or is no letter that can be found again, is '_'. */
void hp_markdown_put_hidden(const char *string, struct hp_text *text);

#endif
