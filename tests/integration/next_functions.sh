#!/bin/sh
# SPDX-License-Identifier: MIT
# A wrapper finds the function behind it: at any time, in any kind of library, and of the default version.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)

# The functions behind: each returns a number.
cat > "$work/real.c" << 'END'
int plain(void) { return 1; }
int old_version(void) { return 2; }
int new_version(void) { return 3; }
__asm__(".symver old_version, versioned@V1\n.symver new_version, versioned@@V2");
static int best(void) { return 4; }
static int (*choose(void))(void) { return best; }
int chosen(void) __attribute__((ifunc("choose")));
END
echo 'V1 { versioned; }; V2 { plain; chosen; versioned; } V1;' > "$work/real.map"
echo 'int late(void) { return 5; }' > "$work/late.c"

# The wrappers: each adds 100.
cat > "$work/wrappers.def" << 'END'
FUNCTION(absent, next_fails)
FUNCTION(chosen, next_fails)
FUNCTION(late, next_fails)
FUNCTION(plain, next_fails)
FUNCTION(versioned, next_error)
END
cat > "$work/wrappers.h" << 'END'
int absent(void), chosen(void), late(void), plain(void), versioned(void);
#define NEXT_TABLE "wrappers.def"
#include "next.h"
END
cat > "$work/wrappers.c" << 'END'
#include "wrappers.h"
#define WRAP(name) DEFINE(int, name, void) { return 100 + NEXT(name)(); }
WRAP(absent) WRAP(chosen) WRAP(late) WRAP(plain) WRAP(versioned)
END

# A program that calls one before any constructor, then all of them, and one again when its library is there.
cat > "$work/program.c" << 'END'
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
int absent(void), chosen(void), late(void), plain(void), versioned(void);
static int first;
static void begin(void) { first = plain(); }
__attribute__((section(".preinit_array"), used)) static void (*const early)(void) = begin;
int main(int argc, char **argv)
{
	int before = late(), is_missing = errno == ENOSYS;
	dlopen(argv[argc - 1], RTLD_NOW | RTLD_GLOBAL);
	printf("%d %d %d %d %d %d %d %d %s\n", first, plain(), versioned(), chosen(), before, is_missing, late(),
	       absent(), dlerror() ? "error" : "silent");
}
END

compile()
{
	"${CC:-cc}" -O1 -fPIC -D_GNU_SOURCE -w -I"$work" -I"$root/src/next" -I"$root/src/segment" "$@"
}
wrap()
{
	compile -shared '-DNEXT_HEADER="wrappers.h"' "$work/wrappers.c" "$root/src/next/next.c" -ldl "$@"
}

wrap -o "$work/libwrappers.so"
compile -shared "$work/late.c" -o "$work/liblate.so"
for style in gnu sysv; do
	compile -shared "-Wl,--hash-style=$style,--version-script=$work/real.map" "$work/real.c" -o "$work/libreal.so"
	compile "$work/program.c" -o "$work/program" "$work/libwrappers.so" -Wl,--no-as-needed "$work/libreal.so" -ldl
	LD_LIBRARY_PATH=$work expect 0 "$work/program" "$work/liblate.so"
	[ "$(cat "$work/stdout")" = '101 101 103 104 99 1 105 99 silent' ] || fail "$style: $(cat "$work/stdout")"
done

# In a static program the linker puts them in front.
compile -DHOTPATH_WRAP=1 -c "$work/wrappers.c" -o "$work/wrappers.o"
cat > "$work/static.c" << 'END'
#include <stdio.h>
int plain(void);
int main(void) { printf("%d\n", plain()); }
END
echo 'int absent(void){return 0;} int chosen(void){return 0;} int late(void){return 0;} int plain(void){return 1;}
int versioned(void){return 0;}' > "$work/all.c"
compile -static "$work/static.c" "$work/wrappers.o" "$work/all.c" -o "$work/static" \
	-Wl,--wrap=absent,--wrap=chosen,--wrap=late,--wrap=plain,--wrap=versioned
expect 0 "$work/static"
[ "$(cat "$work/stdout")" = 101 ] || fail "static: $(cat "$work/stdout")"

exit "$failed"
