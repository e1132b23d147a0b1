#!/bin/sh
# SPDX-License-Identifier: MIT
# The library compiles with musl, and programs are measured the same.
# shellcheck disable=SC1091,SC2016,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/traps_common.sh"

command -v musl-gcc > /dev/null || exit 77
. "$(dirname "$0")/../sources.sh"
objects=$BUILD/musl
programs=$work

# musl-gcc leaves out the kernel's headers, which belong to no C library.
mkdir -p "$objects/kernel"
for folder in linux asm asm-generic; do
	for place in /usr/include /usr/include/"$(gcc -print-multiarch)"; do
		[ ! -d "$place/$folder" ] || ln -sfn "$place/$folder" "$objects/kernel/$folder"
	done
done
options="-std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -isystem $objects/kernel"
# shellcheck disable=SC2086
compile() { musl-gcc $options "$@"; }

# shellcheck disable=SC2046,SC2086
static_library | "$(dirname "$0")/../objects.py" "$objects/library" musl-gcc $options -Wno-missing-field-initializers \
	-DHOTPATH_SHARED=0 $(include_options segment elf recorder kinds reader views shared) > "$work/messages" 2>&1 ||
	fail "does not compile: $(cat "$work/messages")"
[ "$failed" = 0 ] || exit 1
ar rcs "$work/libhotpath.a" "$objects"/library/*.o

for program in jump_depths leave_thread signal_timer fork_open afterlife many_threads deep; do
	compile -DHOTPATH_ENABLE=1 -I"$root/include" "$root/tests/programs/$program.c" -static -pthread \
		-o "$work/$program" "$work/libhotpath.a" || fail "$program does not compile"
done

by_itself "$programs/jump_depths"
agrees
bounded 1
lost abandoned "$(fact jumped_over)"
by_itself "$programs/leave_thread"
agrees
by_itself "$programs/signal_timer" own-stack
agrees
nothing_lost
by_tool "$programs/fork_open" exit
each_agrees
by_tool "$programs/afterlife"
agrees
nothing_lost
by_itself "$programs/many_threads" 1000 50
agrees
nothing_lost
by_itself "$programs/deep" thread
agrees
nothing_lost

# Functions with sleds. The tool, which is of another C library, leaves this compiler alone: so the options are given by hand.
compile -B"$BUILD/src/assembler/" -dp -DHOTPATH_I_SLEDS -fno-ipa-ra -fno-inline -fno-ipa-cp -fno-ipa-sra -w -I"$root/include" \
	"$root/tests/programs/functions_selection.c" -static -pthread -o "$work/functions_selection" \
	-Wl,--undefined=hotpath_module_begins "$work/libhotpath.a" || fail "functions_selection does not compile"
by_tool "$programs/functions_selection"
agrees

# And what programs allocate, by the probe for static ones.
for part in malloc wrap; do
	compile -Wno-missing-field-initializers -DHOTPATH_WRAP=1 -I"$root/include" -I"$root/src/segment" \
		-I"$root/src/recorder" -I"$root/src/elf" -I"$root/src/next" -I"$root/src/probes/alloc" \
		-c "$root/src/probes/alloc/$part.c" -o "$work/probe_$part.o" ||
		fail "the probe does not compile"
done
wrap=$(grep -o -e '-Wl,--undefined[^ ]*' "$BUILD/meson-private/hotpath-alloc.pc")
compile -DHOTPATH_ENABLE=1 -I"$root/include" "$root/examples/overview.c" -static -pthread "$wrap" \
	-o "$work/overview" "$work"/probe_*.o "$work/libhotpath.a" || fail "overview does not compile"
HOTPATH_OUTPUT_FORMAT=json "$work/overview" > "$work/overview.json" 2>&1 ||
	fail "overview ends with $?"
[ "$(jq -c '.functions_alloc.data[0] | [.name, .calls, .bytes, .count]' "$work/overview.json")" = \
	'["sync_alloc",1000,1024000,1000]' ] || fail "not what it allocates: $(cat "$work/overview.json")"

exit "$failed"
