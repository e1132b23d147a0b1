#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes seeds for fuzzing: real segments, cut to what of them is used, real reports and small programs.
#
# usage: tests/fuzz/seeds.sh SEED FOLDER    SEED is the program that is made of seed.c
set -eu

seed=$1 folder=$2
mkdir -p "$folder/segment" "$folder/segment_fields" "$folder/saved" "$folder/compare" "$folder/elf" "$folder/unwind" "$folder/mcp" "$folder/request" "$folder/made"
chmod 700 "$folder/made"
unset HOTPATH_RUN HOTPATH_OFF HOTPATH_OUTPUT_FORMAT HOTPATH_OUTPUT_PATH HOTPATH_LIMIT

for clock in counter monotonic; do
	HOTPATH_DIR=$folder/made HOTPATH_CLOCK=$clock HOTPATH_OUTPUT_FORMAT=none "$seed" run
done
"$seed" made "$folder/made/made.seg"
number=0
for segment in "$folder"/made/*.seg; do
	number=$((number + 1))
	used=$(od -An -t u8 -j 32 -N 8 "$segment" | tr -d ' ')
	head -c "$used" "$segment" > "$folder/segment/$number"
	"$seed" save "$folder/segment/$number" > "$folder/saved/$number"
	# A plain report has no histograms.
	sed 's/,"histogram[a-z_]*":\[[][0-9,]*\]//g' "$folder/saved/$number" > "$folder/saved/plain$number"
done
rm -r "$folder/made"

# Two reports and budgets, with a NUL between them.
budgets='{"budgets":[{"function":"f","metric":"avg","limit":"50 us"},{"metric":"elapsed","limit":"+5 %"}]}'
for report in "$folder"/saved/*; do
	{
		cat "$report"
		printf '\000'
		cat "$folder/saved/1"
		printf '\000%s' "$budgets"
	} > "$folder/compare/${report##*/}"
done
printf '{"type":"hotpath_report","schema":1}\000{"type":"hotpath_report","schema":1}\000%s' "$budgets" \
	> "$folder/compare/empty"

# Patches of the kinds that find the most: header fields, offsets, circles.
for bytes in '\000\000\000\000' '\001\002\000\001' '\002\001\000\002' '\004\003\000\001' '\004\000\000\003' '\005\001\000\005' \
	'\007\001\000\007' '\010\001\000\000' '\011\001\000\010' '\014\001\000\012' '\015\001\000\014' '\016\000\000\000'; do
	number=$((number + 1))
	# shellcheck disable=SC2059
	printf "$bytes\\003\\000\\000\\000\\005\\000\\000\\000\\000\\000\\000\\000" \
		> "$folder/segment_fields/$number"
done

printf 'only a*\nskip [!b-d]?\nmin-size 10\n\000name' > "$folder/elf/selection"
printf '\010\000\000\000\010\000\000\000\001\000\000\000hotpath\000only f\n\000' > "$folder/elf/note"
echo 'static int f(void) { return 1; } int g(void) { return f(); }' |
	clang -x c - -c -o "$folder/elf/object"
echo 'int f(void) { return 1; } int g(void) __attribute__((weak, alias("f")));' |
	clang -x c - -shared -fPIC -nostdlib -Wl,--build-id -Wl,-z,noseparate-code -Wl,-z,max-page-size=4096 \
		-o "$folder/elf/library"
objcopy --only-keep-debug "$folder/elf/library" "$folder/elf/debug"
objcopy --strip-all --add-gnu-debuglink="$folder/elf/debug" "$folder/elf/library" "$folder/elf/linked"

# Two bytes say where in the code to look; then .eh_frame_hdr and .eh_frame follow, as a linker has made them.
code='int h(char *); int f(int n) { char t[n]; return h(t); }
	int g(void) { char t[64] __attribute__((aligned(64))); return h(t) + f(3); }'
# Rules by all kinds of registers, of which the numbers are those of x86-64.
rules='f: .cfi_startproc; .cfi_def_cfa 6, 16; .cfi_offset 6, -16; .cfi_offset 3, -56; .cfi_offset 0, -72; .fill 8, 1, 0
	.cfi_restore 6; .cfi_def_cfa 2, 8; nop; .cfi_register 16, 2; .cfi_register 7, 8; .cfi_register 6, 9; nop
	.cfi_def_cfa 3, 56; nop; .cfi_endproc'
# And with those of aarch64.
other_rules='f: .cfi_startproc; .cfi_return_column 30; .cfi_def_cfa 31, 64; .cfi_offset 29, -64; .cfi_offset 30, -56; nop
	.cfi_offset 0, -48; .fill 8, 1, 0; .cfi_restore 0; .cfi_def_cfa 31, 0; .cfi_offset 30, 8; nop; .cfi_def_cfa 0, 0; nop
	.cfi_endproc'
for options in '-O2 -fomit-frame-pointer -x c' '-O1 -fno-omit-frame-pointer -x c' '-O2 -Wl,-z,lazy -x c' '-x assembler' '-x assembler -g0'; do
	case $options in
	'-x assembler') code=$rules ;;
	'-x assembler -g0') code=$other_rules ;;
	esac
	# shellcheck disable=SC2086
	echo "$code" | clang $options - -shared -fPIC -nostdlib -o "$folder/made.so"
	for section in .eh_frame_hdr .eh_frame; do
		objcopy -O binary --only-section=$section "$folder/made.so" "$folder/made$section"
	done
	number=$((number + 1))
	{
		printf '\004\000'
		cat "$folder/made.eh_frame_hdr" "$folder/made.eh_frame"
	} > "$folder/unwind/$number"
done
rm "$folder/made.so" "$folder/made.eh_frame_hdr" "$folder/made.eh_frame"

# Requests of both eras, some with headers.
meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'
for method in initialize ping tools/list; do
	printf '{"jsonrpc":"2.0","id":1,"method":"%s"}' "$method" > "$folder/mcp/${method##*/}"
done
printf '{"jsonrpc":"2.0","id":"x","method":"server/discover","params":{%s}}' "$meta" > "$folder/mcp/discover"
for tool in overview 'top","arguments":{"metric":"time","limit":50},"x":"' 'function","arguments":{"name":"main"},"x":"' \
	'callers","arguments":{"name":"main","depth":3},"x":"' 'compare","arguments":{"a":"42","b":"42"},"x":"'; do
	number=$((number + 1))
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s",%s}}' "$tool" "$meta" > "$folder/mcp/$number"
	{
		cat "$folder/mcp/$number"
		printf '\0002026-07-28\000tools/call\000=?base64?dG9w?='
	} > "$folder/mcp/headers$number"
	printf '[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s"}}]' "$tool" > "$folder/mcp/legacy$number"
done

# A target, and the headers Host, Origin, Authorization and Cookie.
number=0
while read -r target host origin authorization cookie; do
	number=$((number + 1))
	printf '%s\n%s\n%s\n%s\n%s\n' "$target" "$host" "$origin" "$(echo "$authorization" | tr _ ' ')" "$cookie" > "$folder/request/$number"
done << 'EOF'
/api/report?program=%2Ftmp%2Fa+b.json&token=0123456789abcdef localhost:6770 http://localhost:6770 Basic_x a=b
/?x&y=%41 [::1]:6770 http://[::1]:6770 Bearer_0123456789abcdef c=d
/ 127.0.0.1:6770 http://127.0.0.1 Bearer_no a=b;hotpath_token_6770=0123456789abcdef
/ box.example.org http://box Bearer_no hotpath_token_80=0123456789abcdef
EOF
