#!/bin/sh
# SPDX-License-Identifier: MIT
# Every linker finds all sleds of what it keeps, and keeps what it does without sleds: with --gc-sections, functions that are
# not used are dropped, and what a program finds by the bounds of its own sections stays.
# shellcheck disable=SC1091,SC2086,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/sleds_common.sh"

case $compiler in
*++) language=c++ ;;
*) language=c ;;
esac

# Functions of plugins are only found by their section. In C++, functions of the header are in groups.
cat > parts.h << END
#define KEPT __attribute__((noinline))
struct plugin { void (*run)(void); };
#ifdef __cplusplus
template <int n> KEPT inline int shared_part(int by) { __asm__ volatile(""); return by + n; }
template <int n> KEPT inline int unused_part(int by) { __asm__ volatile(""); return by + n + 1; }
#define shared_part shared_part<1>
#define unused_part unused_part<1>
extern "C" {
#endif
int helper(int n), unused_helper(int n), unused_in_main(int n);
void first_plugin(void), second_plugin(void);
extern int calls_of_plugins;
#ifdef __cplusplus
}
#else
static KEPT int shared_part(int by) { __asm__ volatile(""); return by + 1; }
#define unused_part shared_part
#endif
END
cat > main.c << END
#include "parts.h"
#include <stdio.h>
#include <stdlib.h>
extern const struct plugin __start_plugins[], __stop_plugins[];
int unused_in_main(int n) { return shared_part(unused_part(n)); }
/* The part that is seldom executed is left from another section. */
int rarely(int n);
KEPT int rarely(int n)
{
	if (__builtin_expect(n == 1, 0)) {
		fputs("", stdout);
		return fflush(stdout) + n;
	}
	return n * 2;
}
int main(void)
{
	int calls = 0, plugins = 0, sum = 0;
	for (int i = 0; i < 3; i++)
		calls += helper(i);
	for (const struct plugin *plugin = __start_plugins; plugin < __stop_plugins; plugin++, plugins++)
		plugin->run();
	for (int i = 0; i < 4; i++)
		sum += rarely(i);
	printf("helper %d\nrarely %d\n", calls, sum ? 4 : 0);
	printf("first_plugin %d\nsecond_plugin %d\n%d plugins\n", calls_of_plugins, calls_of_plugins, plugins);
	return 0;
}
END
cat > helper.c << END
#include "parts.h"
KEPT int helper(int n) { __asm__ volatile(""); return shared_part(n) * 0 + 1; }
KEPT int unused_helper(int n) { return unused_part(n) + helper(n); }
END
sed 's/KEPT int unused.*//' helper.c > helper_in_c.c
cat > plugins.c << END
#include "parts.h"
#define PLUGIN(name) \\
	void name(void) { __asm__ volatile(""); calls_of_plugins = 1; } \\
	__attribute__((section("plugins"), used)) static const struct plugin plugin_##name = { name }
int calls_of_plugins;
__attribute__((section("an_own_section"), used)) static const char own[] = "before";
PLUGIN(first_plugin);
PLUGIN(second_plugin);
__attribute__((section("zz_own_section"), used)) static const char last[] = "behind";
END
cat > plain.c << END
__attribute__((section("between"), used)) static const char plain[] = "has no sleds";
END
# What others put between the lists, by name or by a script: numbers that lead to data, to code without sleds, to the header of the
# file, to nowhere; those by which linkers fill gaps, and single bytes.
cat > foreign.c << END
#include <stdio.h>
#include <string.h>
extern const unsigned char __ehdr_start[16];
__attribute__((visibility("hidden"), aligned(4096))) volatile long foreign_data[2048] = { 0, 1 };
__attribute__((visibility("hidden"), noinline, aligned(16))) int foreign_code(int n) { return n * 3 + foreign_data[1]; }
__asm__(".pushsection .hotpath.sleds.1,\"a\"; .long foreign_data+64-.; .popsection\n"
	".pushsection .hotpath.sleds.2.entries,\"a\"; .long foreign_code-., 1, 0; .hidden __ehdr_start\n"
	".long __ehdr_start-., foreign_data+4096-., 0x7ffffff0, -0x7ffffff0; .byte 1; .popsection\n"
	".pushsection .hotpath.sleds.3,\"a\"; .long 0x1234567, foreign_data+8-.; .popsection\n"
	".pushsection .hotpath.sleds.4.exits,\"a\"; .long 1, foreign_code-., foreign_data-.\n"
	".long foreign_data+8192-., __ehdr_start-., 0x7ffffff0, 0; .byte 0, 0; .popsection");
/* Only code is executable, and none of it is writable. */
static void look_at_mappings(void)
{
	unsigned long start, end, table = (unsigned long)foreign_data;
	FILE *maps = fopen("/proc/self/maps", "r");
	char kind[5];
	while (fscanf(maps, "%lx-%lx %4s%*[^\n]", &start, &end, kind) == 3)
		if ((start <= table && table < end && kind[2] == 'x') || (kind[1] == 'w' && kind[2] == 'x'))
			printf("wrong: %lx-%lx %s\n", start, end, kind);
	fclose(maps);
}
void look_at_foreign(void);
void look_at_foreign(void)
{
	look_at_mappings();
	printf("code gives %d\nheader:", foreign_code(7));
	for (int i = 0; i < 7; i++)
		printf(" %02x", __ehdr_start[i]);
	puts("");
	for (int i = 0; i < 2048; foreign_data[i++] = i)
		if (foreign_data[i] != (i == 1))
			printf("data %d: %lx\n", i, foreign_data[i]);
}
END
cat > among.c << END
void look_at_foreign(void);
int helper(int n);
#include <stdio.h>
int main(void)
{
	int calls = 0;
	for (int i = 0; i < 3; i++)
		calls += helper(i);
	look_at_foreign();
	printf("helper %d\n", calls);
	return 0;
}
END
cat > host.c << END
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	int calls = 0;
	void *library = dlopen("./library.so", RTLD_NOW);
	for (int i = 0; i < 3; i++)
		calls += ((int (*)(int))dlsym(library, "helper"))(i);
	printf("helper %d\n", calls);
	return 0;
}
END
"$compiler" -O2 -w -x $language main.c helper.c plugins.c -o plain
./plain > expected

# Of all files; one has no sleds.
objects()
{
	for file in main helper plugins; do
		built "$file.c" "$compiler" -O2 -w -ffunction-sections -fdata-sections -x $language -c $file.c -o $file.o ||
			return 1
	done
	"$compiler" -c -x $language plain.c -o plain.o
}

# dropped WHAT PROGRAM: nothing is left of functions that nobody uses.
dropped()
{
	left=$(nm -C "$2" | grep -o 'unused_[a-z]*' | paste -sd' ')
	[ -z "$left" ] || fail "$1: keeps $left"
}

# linked OBJECTS OPTION...: by the linker under test, and every call is counted.
linked()
{
	files=$1
	shift
	rm -f program
	built "$linker $*" "$compiler" -fuse-ld=$linker "$@" $files -o program && measured "$linker, $files $*" ./program
}

# collected OBJECTS OPTION...: without what is not used.
collected()
{
	linked "$@" $collect || return 0
	dropped "$linker $*" program
}

kinds_of_programs()
{
	for kind in -pie -static -static-pie; do
		[ "$linker$kind" != gold-static-pie ] || continue
		collected 'plain.o main.o plugins.o helper.o' $kind
		linked 'helper.o plain.o plugins.o main.o' $kind
	done
}

# The linker finds the lists in whatever order, and in what other tools made of objects.
kinds_of_objects()
{
	ar rcs libhelper.a helper.o plain.o
	collected 'plugins.o main.o libhelper.a'
	"$compiler" -fuse-ld=$linker -r -nostdlib main.o plugins.o -o both.o
	linked 'both.o plain.o helper.o'
	linked 'helper.o both.o' $collect
	for file in main helper plugins; do
		objcopy --strip-unneeded $file.o stripped_$file.o
	done
	collected 'stripped_plugins.o stripped_helper.o stripped_main.o'
}

stripped_programs()
{
	linked 'main.o helper.o plugins.o' $collect -rdynamic
	for options in --strip-debug --strip-all '--strip-all --remove-section=.comment'; do
		cp program stripped
		strip $options stripped
		measured "$linker, strip $options" ./stripped
	done
}

libraries()
{
	cp expected expected_before
	echo 'helper 3' > expected
	echo '{ global: helper; local: *; };' > library.map
	for options in -O2 '-O2 -Wl,--gc-sections,--version-script=library.map'; do
		built "$linker library $options" "$compiler" -w -fuse-ld=$linker $options -ffunction-sections -shared -fPIC \
			-x $language helper.c -o library.so
		built "$linker host" "$compiler" -fuse-ld=$linker -O2 -w -x c host.c -o program -ldl -rdynamic &&
			measured "$linker, $options library" ./program
	done
	dropped "$linker library" library.so
	mv expected_before expected
}

# all_end WHAT: no call is left without an end that the report knows.
all_end()
{
	jq -e '.functions_timing.data | all(.open // 0 == 0) and all(.name != "foreign_code")' report > log ||
		fail "$1: $(jq -c '.functions_timing.data[] | [.name, .calls, .open]' report)"
}

# Nothing but sleds is changed. Where a linker takes the order of the lists from others, there may be nothing to be measured.
among_others()
{
	cp expected expected_before
	"$compiler" -O2 -w -c -x c foreign.c -o foreign.o
	"$compiler" -O2 -w -x c among.c helper_in_c.c -x none foreign.o -o plain_among
	./plain_among > expected
	for file in among helper_in_c; do
		built $file "$compiler" -O2 -w -x c -c $file.c -o $file.o
	done
	for kind in -pie -no-pie -static; do
		linked 'among.o foreign.o helper_in_c.o' $kind && all_end "$linker $kind"
		rm -f program
		built "$linker $kind" "$compiler" -fuse-ld=$linker $kind foreign.o among.o helper_in_c.o -o program &&
			runs "$linker $kind, others first" "$HOTPATH" run --no-cpu --format json -o report ./program
	done
	mv expected_before expected
}

# Code that is made when the program is linked comes before or behind that of other objects.
late_code()
{
	case $compiler-$linker in
	g*-lld | clang*) return 0 ;;
	esac
	for late in main helper plugins; do
		built "-flto $late" "$compiler" -flto -O2 -w -ffunction-sections -x $language -c $late.c -o late.o
		others=
		for file in main helper plugins; do
			[ $file = $late ] || others="$others $file.o"
		done
		for files in "late.o $others" "$others late.o"; do
			linked "$files" -flto -ffunction-sections -O2
			collected "$files" -flto -ffunction-sections -O2
		done
	done
}

objects
for linker in bfd gold lld; do
	command -v "ld.$linker" > /dev/null || continue
	case $linker in
	# It would otherwise drop the plugins, also without sleds.
	lld) collect=-Wl,--gc-sections,-z,nostart-stop-gc ;;
	*) collect=-Wl,--gc-sections ;;
	esac
	for check in kinds_of_programs kinds_of_objects stripped_programs libraries among_others late_code; do
		"$check" || fail "$linker: $check ended early"
	done
done

exit "$failed"
