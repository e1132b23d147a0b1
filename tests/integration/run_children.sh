#!/bin/sh
# SPDX-License-Identifier: MIT
# What a program starts runs as it does without us, whichever way it is started; what cannot be measured is named.
# shellcheck disable=SC1091,SC2154
set -eu
. "$(dirname "$0")/expect.sh"

squares=$BUILD/tests/programs/squares
source=$(dirname "$0")/../programs/squares.c

# Starts a program by a function of the C library, with the environment that it has itself.
cat > "$work/starter.c" << 'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
static int result(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
int main(int argc, char **argv)
{
	char *way = argv[1], *path = argv[2], *name = strrchr(path, '/') + 1, *args[] = { path, "5", NULL };
	pid_t pid = 0;

	(void)argc;
	setenv("PATH", strndup(path, (size_t)(name - path)), 1);
	if (strcmp(way, "posix_spawn") == 0)
		return posix_spawn(&pid, path, NULL, NULL, args, environ) ? 98 : result(pid);
	if (strcmp(way, "posix_spawnp") == 0)
		return posix_spawnp(&pid, name, NULL, NULL, args, environ) ? 98 : result(pid);
	if (strcmp(way, "system") == 0)
		return result((pid_t)-1) == 99 ? 99 : WEXITSTATUS(system(path));
	if (strcmp(way, "vfork") == 0) {
		pid = vfork();
		if (pid == 0) {
			execve(path, args, environ);
			_exit(97);
		}
		return getenv("LD_PRELOAD") && strstr(getenv("LD_PRELOAD"), "libhotpath.so") ? result(pid) : 96;
	}
	if (strcmp(way, "execv") == 0)
		execv(path, args);
	if (strcmp(way, "execve") == 0)
		execve(path, args, environ);
	if (strcmp(way, "execvp") == 0)
		execvp(name, args);
	if (strcmp(way, "execvpe") == 0)
		execvpe(name, args, environ);
	if (strcmp(way, "execl") == 0)
		execl(path, path, "5", NULL);
	if (strcmp(way, "execlp") == 0)
		execlp(name, name, "5", NULL);
	if (strcmp(way, "execle") == 0)
		execle(path, path, "5", NULL, environ);
	if (strcmp(way, "fexecve") == 0)
		fexecve(open(path, O_RDONLY | O_CLOEXEC), args, environ);
	if (strcmp(way, "execveat") == 0)
		execveat(open(getenv("PATH"), O_RDONLY | O_DIRECTORY), name, args, environ, 0);
	return 95;
}
EOF
gcc -O1 "$work/starter.c" -o "$work/starter"
gcc -O1 -static "$work/starter.c" -o "$work/static_starter" 2> /dev/null || : > "$work/static_starter"

# started STATUS COMMAND...: run by the tool; its notes are in $work/notes, and nothing is said on standard error.
started()
{
	wanted=$1
	shift
	rm -f "$work/report"
	expect "$wanted" "$HOTPATH" run --no-cpu --format json --output-path "$work/report" -- "$@"
	jq -r '.notes[]' "$work/report" > "$work/notes"
	quiet "$work/stderr"
	# A register is kept as long as there are segments of its run.
	if [ -z "$(find "$HOTPATH_DIR" -name '*.seg')" ] && [ -n "$(find "$HOTPATH_DIR" -name '*.run')" ]; then
		fail "$*: a file is left"
	fi
}

# A sanitiser that wants to be first need not be, and its program is measured; also by options of its own, by what the
# user tells it, and when it is started past the C library.
if gcc -O1 -finstrument-functions -fsanitize=address "$source" -o "$work/sanitised" 2> /dev/null; then
	printf 'const char *__asan_default_options(void);\n%s\n' \
		'const char *__asan_default_options(void) { return "exitcode=7"; }' > "$work/options.c"
	gcc -O1 -finstrument-functions -fsanitize=address "$source" "$work/options.c" -o "$work/optional"
	for program in sanitised optional; do
		for start in "$work/$program 5" "ASAN_OPTIONS=detect_leaks=0 $work/$program 5"; do
			started 3 sh -c "$start; exit \$?"
			quiet "$work/notes"
			grep -q '^25$' "$work/stdout" || fail "$start: $(cat "$work/stdout")"
			found=$(jq 'select(.functions_timing) | .functions_timing.data[] |
				select(.name == "square").calls' "$work/report")
			[ "$found" = 1 ] || fail "$start: ${found:-no} calls, not 1"
		done
	done
	if [ -s "$work/static_starter" ]; then
		started 3 "$work/static_starter" execve "$work/sanitised"
		says 25 "$work/stdout"
	fi
	# It goes on to find what it is for, also while allocations are seen.
	printf '%s\n' '#include <stdlib.h>' 'int main(void)' '{' '	char *p = malloc(3);' '	free(p);' \
		'	return ((volatile char *)p)[1];' '}' > "$work/wrong.c"
	gcc -O0 -fsanitize=address "$work/wrong.c" -o "$work/wrong"
	expect 1 "$HOTPATH" run --alloc --cpu -- sh -c "$work/wrong; exit \$?"
	says heap-use-after-free "$work/stderr"
fi

# Of another C library: our own would keep it from starting. What the user preloads stays.
if command -v musl-gcc > /dev/null && musl-gcc -O1 "$source" -o "$work/musl"; then
	ways='execv execve execvp execvpe execl execlp execle fexecve execveat posix_spawn posix_spawnp vfork'
	for way in $ways; do
		started 3 "$work/starter" "$way" "$work/musl"
		same "$(printf '25\npreload nothing')" "$work/stdout"
		says '1 program could not be measured: musl (different C library)' "$work/notes"
	done
	LD_PRELOAD=libm.so.6:libm.so.6 started 3 sh -c "$work/musl; exit \$?"
	same 'preload libm.so.6:libm.so.6' "$work/stdout"
	started 3 "$work/starter" system "$work/musl"
	same 'preload nothing' "$work/stdout"

	printf '#! %s 7\n' "$work/musl" > "$work/script"
	chmod +x "$work/script"
	started 3 "$work/script"
	started 3 sh -c "$work/script; exit \$?"
	says 'script (different C library)' "$work/notes"
	started 3 sh -c "$work/musl; $work/musl; $work/starter execv $work/musl"
	says '1 program could not be measured: musl (different C library)' "$work/notes"

	# Past the C library, our libraries are loaded all the same: they let it run. What it starts is measured.
	if [ -s "$work/static_starter" ]; then
		printf '%s\n' '#include <unistd.h>' 'int main(int argc, char **argv)' '{' \
			'	(void)argc;' '	return execv(argv[1], argv + 1);' '}' > "$work/through.c"
		musl-gcc -O1 "$work/through.c" -o "$work/through"
		for options in --no-cpu '--alloc --cpu --probes uv,glib'; do
			# shellcheck disable=SC2086
			expect 3 "$HOTPATH" run $options --format json --output-path "$work/report" -- \
				sh -c "$work/static_starter execve $work/musl"
			says 25 "$work/stdout"
			quiet "$work/stderr"
			jq -r '.notes[]' "$work/report" > "$work/notes"
			says 'static_starter (statically linked), musl (different C library)' "$work/notes"
		done
		printf '#! %s %s\n' "$work/through" "$squares" > "$work/passed"
		chmod +x "$work/passed"
		started 3 sh -c "$work/static_starter execve $work/passed; exit \$?"
		[ "$(jq 'select(.functions_timing) | .functions_timing.data[] | select(.name == "square").calls' \
			"$work/report")" = 2 ] || fail 'a child of such a program is not measured'
	fi
fi

# A static program passes on what it was given.
if [ -s "$work/static_starter" ]; then
	started 3 sh -c "$work/static_starter execve $squares; exit \$?"
	says 'static_starter (statically linked)' "$work/notes"
	[ "$(jq 'select(.functions_timing) | .functions_timing.data[] | select(.name == "square").calls' \
		"$work/report")" = 1 ] || fail 'a child of a static program is not measured'
fi

# Of 32 bits: the dynamic linker would say that our libraries are not.
cat > "$work/small.c" << 'EOF'
void _start(void)
{
	__asm__ volatile("int $0x80" : : "a"(1), "b"(3));
}
EOF
if [ -e /lib/ld-linux.so.2 ] && gcc -m32 -O1 -fPIE -pie -nostdlib -Wl,--dynamic-linker=/lib/ld-linux.so.2 \
	"$work/small.c" -o "$work/small" 2> /dev/null && "$work/small" 2> /dev/null || [ $? = 3 ]; then
	started 3 sh -c "$work/small; exit \$?"
	says 'small (different processor)' "$work/notes"
	started 3 "$work/small"
fi

exit "$failed"
