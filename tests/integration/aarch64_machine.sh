# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# Runs programs of aarch64 on a Linux kernel of their own, in an emulated machine. Sourced, after aarch64_common.sh.
#
# All commands are told first, and then run one after the other. The machine counts instructions for a clock: so it does not matter
# for them how busy the host is, and samples interrupt at any instruction.

kernel=$("$root/tools/aarch64_kernel.sh") || kernel=
command -v qemu-system-aarch64 > /dev/null || {
	echo 'skipped: qemu-system-aarch64 is not installed'
	exit 77
}
[ -n "$kernel" ] || {
	echo 'skipped: no Linux kernel for aarch64; tools/aarch64_kernel.sh download'
	exit 77
}

machine=$work/machine
mkdir "$machine"
: > "$work/commands"
: > "$work/files"

# in_machine NAME WORD...: variables, a program that is to be in the machine, and its arguments. It leaves $machine/NAME.out, which
# ends with its status, and $machine/NAME-*.seg. Libraries of ours are in the variable LD_PRELOAD.
in_machine()
{
	printf '%s' "$1" >> "$work/commands"
	shift
	for word in "LD_LIBRARY_PATH=$system/lib" "$@"; do
		printf '\t%s' "$word"
		[ ! -f "$word" ] || echo "$word" >> "$work/files"
	done >> "$work/commands"
	echo >> "$work/commands"
}

# boot SECONDS: runs all commands. Files have the same paths as here, so that names are found.
boot()
{
	aarch64-linux-gnu-gcc -D_GNU_SOURCE -O2 -static "$root/tests/programs/machine_init.c" -o "$work/init"
	# shellcheck disable=SC2046
	"$root/tests/integration/initramfs.py" "$work/initramfs" "/init=$work/init" "/commands=$work/commands" "/lib@$system/lib" \
		$(find "$system/lib" -name 'lib*.so.[0-9]*' -o -name 'ld-linux-*' | grep -E '/(ld-linux|lib(c|m|gcc_s|stdc\+\+|pthread)\.)') \
		$(find "$objects/src/library" "$objects/src/probes" -name '*.so' -o -name '*.so.0') \
		$(sort -u "$work/files")
	(cd "$machine" && timeout -k 10 "$1" qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp 2 -m 1G \
		-icount shift=3,sleep=off -nic none -display none -monitor none -no-reboot -kernel "$kernel" -initrd "$work/initramfs" \
		-append 'console=ttyAMA0 panic=-1 quiet' -serial file:console \
		-semihosting-config enable=on,target=native,userspace=on > "$work/messages" 2>&1) ||
		fail "the machine ends with $?: $(cat "$work/messages" "$machine/console")"
}

# ended_well NAME: its status was 0.
ended_well()
{
	[ "$(tail -n 1 "$machine/$1.out" 2> /dev/null)" = 'status 0' ] ||
		fail "$1 fails in the machine: $(tail -n 5 "$machine/$1.out" "$machine/console")"
}
