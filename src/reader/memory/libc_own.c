/* SPDX-License-Identifier: MIT */
/* Blocks that the C library keeps for itself: by the names that its own functions have in glibc and musl. */
#include "libc_own.h"

#include "file_name.h"

#include <stddef.h>
#include <string.h>

/* Names with a blank behind each. One that ends with '*' is that of all that begin so. */
static const char reserved_names[] =
	/* Buffers of streams. */
	"_IO_file_doallocate _IO_wfile_doallocate _IO_default_doallocate _IO_wdefault_doallocate "
	"_IO_doallocbuf _IO_wdoallocbuf "
	/* atexit, pthread_atfork, environment. */
	"__new_exitfn __register_atfork __add_to_environ "
	/* Libraries and thread-local memory. */
	"_dl_* __dl_* _dlerror_run __libc_dl* __tls_get_addr "
	/* Locales, character sets, messages. */
	"_nl_* __gconv_* __wcsmbs_load_conv "
	/* Time zones, the name service, the resolver. */
	"__tz* __nss_* __res_* __resolv_* __pthread_setspecific ";

/* Names that a program might also use for its own functions, so they only count inside the C library. */
static const char plain_names[] =
	"allocate_dtv allocate_dtv_entry allocate_and_init init_tls "
	"read_alias_file extend_alias_table new_composite_name setlocale textdomain bindtextdomain "
	"gconv_* find_module add_module nss_* global_state_allocate pthread_setspecific tzset* tzfile* "
	/* Functions that keep their last result in memory of their own. */
	"getpwnam getpwuid getpwent getgrnam getgrgid getgrent getspnam getspent gethostbyname "
	"gethostbyname2 gethostbyaddr gethostent getnetbyname getnetbyaddr getnetent getservbyname "
	"getservbyport getservent getprotobyname getprotobynumber getprotoent ";

static bool is_in(const char *names, const char *function)
{
	for (size_t length; *names; names += length + 1) {
		length = strcspn(names, " ");
		bool begins = names[length - 1] == '*';
		size_t compared = begins ? length - 1 : length;
		if (strncmp(names, function, compared) == 0 &&
		    (begins || function[compared] == '\0' || function[compared] == '.'))
			return true;
	}
	return false;
}

static bool begins_with(const char *string, const char *start)
{
	return strncmp(string, start, strlen(start)) == 0;
}

/* With musl, the dynamic linker is the C library itself, which also returns blocks to the program. */
static bool is_linker(const char *file)
{
	return begins_with(file, "ld-linux") || begins_with(file, "ld-2.") ||
	       begins_with(file, "ld64.so");
}

static bool is_libc(const char *file)
{
	return begins_with(file, "libc.so") || begins_with(file, "libc-2.") ||
	       begins_with(file, "libc.musl") || begins_with(file, "ld-musl") ||
	       begins_with(file, "libpthread");
}

bool hp_is_libc_file(const char *path)
{
	const char *file = path ? hp_file_name(path) : "";

	return is_linker(file) || is_libc(file);
}

bool hp_is_libc_own(const char *path, const char *function)
{
	const char *file = path ? hp_file_name(path) : "";

	if (is_linker(file))
		return true;
	return function &&
	       (is_in(reserved_names, function) || (is_libc(file) && is_in(plain_names, function)));
}
