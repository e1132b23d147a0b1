/* SPDX-License-Identifier: MIT */
/*
 * Escapes untrusted strings for markdown as GitHub and GitLab render it: they cannot leave their place, mention
 * people or issues, or become links. Unprintable characters become '?', and long strings are shortened in the middle.
 */
#ifndef HP_MARKDOWN_TEXT_H
#define HP_MARKDOWN_TEXT_H

#include "text.h"

/** As code, also in a table. */
void hp_markdown_put_code(const char *string, struct hp_text *text);

/** As part of a sentence. */
void hp_markdown_put_words(const char *string, struct hp_text *text);

/** For use in an HTML comment. Characters that could end it, or are not plain, become '_'. */
void hp_markdown_put_hidden(const char *string, struct hp_text *text);

#endif
