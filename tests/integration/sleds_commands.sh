#!/bin/sh
# SPDX-License-Identifier: MIT
# Sleds in commands of all kinds: what the compiler is asked for is what comes out, and what people wrote stays as it is.
# shellcheck disable=SC1091,SC2015,SC2086,SC2154,SC2317
set -eu
. "$(dirname "$0")/expect.sh"
. "$(dirname "$0")/sleds_common.sh"
cc="$HOTPATH cc"

# What assemblers call an instruction that does not exist, and how compilers let indirect calls lead only to where they may.
case $(uname -m) in
aarch64)
	unknown='unknown mnemonic\|unrecognized instruction mnemonic'
	protection=-mbranch-protection=standard
	;;
*)
	unknown='no such instruction\|invalid instruction'
	protection=-fcf-protection=full
	;;
esac

cat > main.c << END
#include <stdio.h>
#include "helper.h"
static unsigned long calls;
int main(void)
{
	for (int i = 0; i < 3; i++)
		calls += (unsigned long)helper(i);
	printf("helper %lu\n", calls);
	return 0;
}
END
echo 'int helper(int n);' > helper.h
cat > helper.c << END
#include "helper.h"
__attribute__((noinline)) int helper(int n) { __asm__ volatile(""); return n * 0 + 1; }
int unused(int n);
int unused(int n) { return helper(n) + 2; }
END
cat > library.c << END
int helper(int n);
int helper(int n) { return n * 0 + 1; }
END
cat > host.c << END
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	int calls = 0;
	for (int i = 0; i < 3; i++) {
		void *library = dlopen("./library.so", RTLD_NOW);
		int (*helper)(int) = (int (*)(int))dlsym(library, "helper");
		calls += helper(i);
		dlclose(library);
	}
	printf("helper %d\n", calls);
	return 0;
}
END
# With everything that a compiler writes, but for its name.
cat > by_hand.s << END
	.file	"by_hand.s"
	.text
	.globl	by_hand
	.type	by_hand, %function
by_hand:
	ret
	.size	by_hand, .-by_hand
	.section .note.GNU-stack,"",%progbits
END
cp by_hand.s by_hand_too.S
sed 's/ret/no_such_instruction/' by_hand.s > wrong.s
echo 'void f(void); void f(void) { __asm__ volatile("no_such_instruction"); }' > wrong.c
echo 'helper 3' > expected

# same_file WHAT ONE OTHER
same_file() { cmp -s "$2" "$3" || fail "$1: $2 and $3 differ"; }

# small WHAT ARGUMENT...: this makes a program of main.c and helper.c.
small()
{
	rm -f program
	built "$@" && measured "$1" ./program
}

# says_as_plain WHAT ARGUMENT...: it fails, and with the same words as without us, but for names of temporary files.
says_as_plain()
{
	what=$1
	shift
	! "$@" 2> plain_words || fail "$what: no error"
	! $cc "$@" 2> words || fail "$what: no error"
	sed -i 's|/tmp/[A-Za-z0-9_-]*\.[so]|TEMPORARY|' plain_words words
	same_file "$what" plain_words words
}

texts()
{
	for option in -S -E '-S -g' '-M' '-fsyntax-only'; do
		"$compiler" -O2 $option helper.c -o plain_text 2> log || :
		built "$option" "$compiler" -O2 $option helper.c -o text
		[ "$option" = -fsyntax-only ] || same_file "$option" plain_text text
	done
}

in_steps()
{
	small 'two files' "$compiler" -O2 main.c helper.c -o program
	built '-c' "$compiler" -O2 -Werror -Wall -c main.c helper.c
	small 'objects' "$compiler" -Werror -Wall main.o helper.o -o program
	built '-r' "$compiler" -r main.o helper.o -o both.o
	small 'one of -r' "$compiler" both.o -o program
	ar rc libhelper.a helper.o
	small 'archive' "$compiler" main.o -L. -lhelper -o program
	echo '-O2 main.c "helper.c" -o program' > arguments
	small '@arguments' "$compiler" @arguments
}

standard_input()
{
	cat main.c helper.c | built '-x c -' "$compiler" -I. -O2 -x c - -o program && measured '-x c -' ./program
}

dependencies()
{
	"$compiler" -O2 -MD -MF plain.d -c helper.c -o helper.o
	built -MD "$compiler" -O2 -MD -MF ours.d -c helper.c -o helper.o
	same_file -MD plain.d ours.d
}

# If there is something else to measure, clang does not use its own assembler.
assembly_by_hand()
{
	case $compiler in
	clang) system_assembler=-fno-integrated-as ;;
	*) system_assembler= ;;
	esac
	"$compiler" $system_assembler -g -c by_hand.s by_hand_too.S
	for object in by_hand by_hand_too; do
		mv "$object.o" "plain_$object.o"
	done
	built 'by hand' "$compiler" -g -c main.c by_hand.s by_hand_too.S
	for object in by_hand by_hand_too; do
		same_file 'by hand' "plain_$object.o" "$object.o"
	done
	small 'with it' "$compiler" -g main.c helper.c by_hand.s -o program
}

messages()
{
	says_as_plain 'wrong by hand' "$compiler" -c wrong.s
	! $cc --min-size 1 "$compiler" -c wrong.c 2> words || fail "wrong instruction: no error"
	[ "$(grep -c "$unknown" words)" = 1 ] ||
		fail "wrong instruction: $(head -n 9 words)"
}

# With both, each call would be counted twice.
own_hooks()
{
	small 'own hooks' "$compiler" -O2 -finstrument-functions main.c helper.c -o program
	built 'hooks of one' "$compiler" -O2 -finstrument-functions -c helper.c &&
		small 'and sleds of the other' "$compiler" -O2 main.c helper.o -o program
}

# entries PROGRAM: how many functions have sleds; one number stands for none.
entries()
{
	size=$(objdump -h "$1" | sed -n 's/.* \.hotpath\.sleds\.2\.entries *\([0-9a-f]*\) .*/\1/p')
	echo $((0x${size:-4} / 4 - 1))
}

dropped_functions()
{
	small 'sections' "$compiler" -O2 -ffunction-sections -Wl,--gc-sections main.c helper.c -o program
	[ "$(entries program)" = 2 ] || fail "--gc-sections: $(entries program) entries, not 2"
	small 'all sections' "$compiler" -O2 -ffunction-sections main.c helper.c -o program
	[ "$(entries program)" = 3 ] || fail "without --gc-sections: $(entries program) entries, not 3"
}

loaded_again()
{
	built 'library' "$compiler" -O2 -shared -fPIC library.c -o library.so
	built 'host' "$compiler" -O2 host.c -o program -ldl && measured 'dlopen' ./program
	built 'host without sleds' --skip host.c "$compiler" -O2 host.c -o program -ldl && measured 'dlopen by others' ./program
}

precompiled_header()
{
	echo '#include <stdio.h>' > all.h
	built 'header' "$compiler" -O2 -x c-header all.h -o all.h.gch
	small 'with it' "$compiler" -O2 -Winvalid-pch -Werror -include all.h main.c helper.c -o program
}

# What HOTPATH_SKIP leaves out has no sled, and not an instruction more.
skipped_functions()
{
	cat > skip.c << END
#include "hotpath.h"
#include <stdio.h>
#ifdef __cplusplus
template <typename T> HOTPATH_SKIP __attribute__((noinline)) T skipped_template(T n) { return n + 1; }
#define skipped_too skipped_template
#else
HOTPATH_SKIP static inline __attribute__((always_inline)) int skipped_too(int n) { return n + 1; }
#endif
extern "C" HOTPATH_SKIP __attribute__((noinline)) int skipped(int n);
int skipped(int n) { return n * 7 + 3; }
__attribute__((noinline)) int helper(int n);
int helper(int n) { __asm__ volatile(""); return skipped_too(n) - n; }
int main(void)
{
	int calls = 0;
	for (int i = 0; i < 3; i++)
		calls += helper(i) + skipped(i) * 0;
	printf("helper %d\n", calls);
	return 0;
}
END
	sed 's/^extern "C" //' skip.c > skip_c.c
	for language in 'c skip_c.c' 'c++ skip.c'; do
		for options in -O0 -O2 "-O2 $protection" '-Os -g'; do
			what="HOTPATH_SKIP in $language $options"
			small "$what" "$compiler" -w $options "-I$source_folder/include" -x $language -o program
			! grep -q skipped report || fail "$what: $(paste -sd' ' reported)"
			"$compiler" -w $options "-I$source_folder/include" -x $language -o plain
			[ "$(nm -S plain | awk '/ skipped$/ { print $2 }')" = \
				"$(nm -S program | awk '/ skipped$/ { print $2 }')" ] || fail "$what: another size"
		done
	done
}

rules()
{
	small 'min-size' --min-size 1 "$compiler" -O2 main.c helper.c -o program
	built 'only' --only 'help*' --skip 'a,b c%' "$compiler" -O2 main.c helper.c -o program
	[ "$(entries program)" = 1 ] || fail "--only: $(entries program) entries, not 1"
	built 'skip' --skip helper.c "$compiler" -O2 -c helper.c
	[ "$(entries helper.o)" = 0 ] || fail "--skip helper.c: it has sleds"
}

# Sleds make some code too long. This refuses them for no reason.
refused_sleds()
{
	cat > refusing.c << END
int refusing(int n);
int refusing(int n) { __asm__ volatile(".ifdef .Lhotpath1; .error \"too long\"; .endif"); return n; }
END
	for pipe in '' -pipe; do
		compiled "refused sleds" "$compiler" $pipe -c refusing.c
		grep -q "^hotpath: cc: functions of 'refusing.o' are not measured" said && [ "$(wc -l < said)" = 1 ] ||
			fail "refused sleds: says $(head -n 5 said)"
		[ "$(entries refusing.o)" = 0 ] || fail 'refused sleds: there are some'
	done
}

# table COUNT STORES: a function with a table of so many jumps, with code of several lengths and returns between them.
table()
{
	code=$(printf ' state = n * %d;' $(seq "$2"))
	echo "__attribute__((noinline)) static int table_$1$2(int n) { switch (n) {"
	for i in $(seq 0 "$1"); do
		echo "case $i:$code if (state & $((1 << i % 20))) return $i; return state ^ $((i * 3));"
	done
	echo '} return 0; }'
}

# Distances in tables are only as large as they must be without sleds.
tables_of_jumps()
{
	calls=
	printf '#include <stdio.h>\nstatic volatile int state;\n' > tables.c
	for count in $(seq 5 19); do
		for stores in 1 2 3; do
			table "$count" "$stores" >> tables.c
			calls="$calls + (unsigned long)table_$count$stores(n)"
		done
	done
	cat >> tables.c << END
int main(void)
{
	unsigned long sum = 0;
	for (int n = 0; n < 25; n++)
		sum = sum * 31 $calls;
	printf("sum is %lu\n", sum);
	return 0;
}
END
	cp expected expected_before
	"$1" -O2 tables.c -o plain && $2 ./plain > expected
	built "tables, $1" "$1" -O2 tables.c -o program && runs "tables, $1" $2 ./program
	mv expected_before expected
}

# On another machine, at least what is not armed.
other_machine()
{
	other=aarch64-linux-gnu-gcc
	[ "$compiler" = gcc ] && command -v "$other" > /dev/null && command -v qemu-aarch64 > /dev/null || return 0
	run_other='qemu-aarch64 -L /usr/aarch64-linux-gnu'
	tables_of_jumps "$other" "$run_other"
	cp expected expected_before
	"$other" -w -O2 "$sources/sleds_kinds.c" -o plain -lm 2> log && $run_other ./plain > expected
	for options in -O0 -O2 -Os '-O2 -flto' '-O2 -mbranch-protection=standard' '-O2 -fpatchable-function-entry=3,1'; do
		built "$other $options" "$other" -w $options "$sources/sleds_kinds.c" -o program -lm &&
			runs "$other $options" $run_other ./program
	done
	mv expected_before expected
}

tables() { tables_of_jumps "$compiler" ''; }

for check in texts in_steps standard_input dependencies assembly_by_hand messages own_hooks dropped_functions loaded_again \
	precompiled_header skipped_functions rules refused_sleds tables other_machine; do
	"$check" || fail "$check ended early"
done

exit "$failed"
