/* SPDX-License-Identifier: MIT */
/* The library's own functions of string.h do what the C library's do. They are compiled with other names for this. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* After those, which it needs. */
#include <cmocka.h>

__typeof__(memchr) own_memchr;
__typeof__(memcmp) own_memcmp;
__typeof__(memcpy) own_memcpy;
__typeof__(memmem) own_memmem;
__typeof__(memmove) own_memmove;
__typeof__(memset) own_memset;
__typeof__(strcat) own_strcat;
__typeof__(strchr) own_strchr;
__typeof__(strcmp) own_strcmp;
__typeof__(strcpy) own_strcpy;
__typeof__(strcspn) own_strcspn;
__typeof__(strlen) own_strlen;
__typeof__(strncat) own_strncat;
__typeof__(strncmp) own_strncmp;
__typeof__(strncpy) own_strncpy;
__typeof__(strnlen) own_strnlen;
__typeof__(strrchr) own_strrchr;
__typeof__(strspn) own_strspn;
__typeof__(strstr) own_strstr;

static const char *const words[] = { "",	  "a",	      "b",
				     "ab",	  "abc",      "abcdefgh",
				     "abcdefghi", "abcdefgi", "aab",
				     "\xff",	  "a\xff",    "/proc/self/maps",
				     "maps",	  "cdefgh",   "0123456789abcdef0123456789abcdef" };

enum { WORDS = sizeof(words) / sizeof(*words), ROOM = 128 };

static int sign(int number)
{
	return (number > 0) - (number < 0);
}

static void compares(void **state)
{
	(void)state;
	for (size_t i = 0; i < WORDS; i++)
		for (size_t j = 0; j < WORDS; j++) {
			size_t least = strlen(words[i]) < strlen(words[j]) ? strlen(words[i])
									   : strlen(words[j]);
			int whole = memcmp(words[i], words[j], least + 1);
			assert_int_equal(sign(own_memcmp(words[i], words[j], least + 1)),
					 sign(whole));
			assert_int_equal(sign(own_strcmp(words[i], words[j])), sign(whole));
			assert_int_equal(sign(own_strncmp(words[i], words[j], least)),
					 sign(memcmp(words[i], words[j], least)));
		}
}

static void finds(void **state)
{
	(void)state;
	for (size_t i = 0; i < WORDS; i++) {
		const char *in = words[i];
		assert_int_equal(own_strlen(in), strlen(in));
		assert_int_equal(own_strnlen(in, 3), strlen(in) < 3 ? strlen(in) : 3);
		for (int byte = 0; byte < 256; byte++) {
			assert_ptr_equal(own_strchr(in, byte), strchr(in, byte));
			assert_ptr_equal(own_strrchr(in, byte), strrchr(in, byte));
			assert_ptr_equal(own_memchr(in, byte, strlen(in)),
					 memchr(in, byte, strlen(in)));
		}
		for (size_t j = 0; j < WORDS; j++) {
			assert_ptr_equal(own_strstr(in, words[j]), strstr(in, words[j]));
			assert_ptr_equal(own_memmem(in, strlen(in), words[j], strlen(words[j])),
					 memmem(in, strlen(in), words[j], strlen(words[j])));
			assert_int_equal(own_strspn(in, words[j]), strspn(in, words[j]));
			assert_int_equal(own_strcspn(in, words[j]), strcspn(in, words[j]));
		}
	}
}

/* Every length and distance, with overlaps. */
static void copies(void **state)
{
	char ours[ROOM], theirs[ROOM];

	(void)state;
	for (size_t size = 0; size < 40; size++)
		for (size_t from = 0; from < 40; from++) {
			for (size_t i = 0; i < ROOM; i++)
				ours[i] = theirs[i] = (char)i;
			own_memmove(ours + 20, ours + from, size);
			memmove(theirs + 20, theirs + from, size);
			own_memcpy(ours + 80, ours + from, size);
			memmove(theirs + 80, theirs + from, size);
			own_memset(ours + from, (int)(size + 250), size);
			memset(theirs + from, (int)(size + 250), size);
			assert_memory_equal(ours, theirs, ROOM);
		}
}

static void copies_strings(void **state)
{
	(void)state;
	for (size_t i = 0; i < WORDS; i++)
		for (size_t most = 0; most < 40; most++) {
			char ours[ROOM], theirs[ROOM];
			memset(ours, 'x', ROOM);
			memset(theirs, 'x', ROOM);
			own_strcpy(ours, words[i]);
			strcpy(theirs, words[i]);
			own_strcat(ours, "/");
			strcat(theirs, "/");
			own_strncat(ours, words[i], most);
			strncat(theirs, words[i], most);
			own_strncpy(ours + 80, words[i], most);
			strncpy(theirs + 80, words[i], most);
			assert_memory_equal(ours, theirs, ROOM);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares),
		cmocka_unit_test(finds),
		cmocka_unit_test(copies),
		cmocka_unit_test(copies_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
