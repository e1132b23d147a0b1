#!/bin/bash
# SPDX-License-Identifier: MIT
# Compares hotpath with itself: how long two versions of it take to read a large saved report and to show it.
#
# usage: tools/ci/self.sh BASE [HEAD [OPTION...]]    options are those of hotpath compare
#        tools/ci/self.sh --build BASE [HEAD]        only builds, and prints what to compare, and with what:
#                                                    lines base=COMMAND, head=COMMAND and hotpath=PATH
#
# BASE and HEAD are commits, or folders with sources; HEAD is the working tree if it is not given.
#
#	sources of base ──► hotpath ──► runs a program of 1500 functions, and saves its report
#	                └─► hotpath, every function measured ──┐
#	sources of head ──► hotpath, every function measured ──┴─► both show that report, again and again
#	                └─► hotpath ──► hotpath compare
set -eu

cd "$(dirname "$0")/../.."
root=$PWD
work=$root/build-compare

usage()
{
	sed -n 's/^# \(usage: .*\)/\1/p; s/^#  \( *tools.*\)/ \1/p' "$0" >&2
	exit 2
}

refuse()
{
	echo "self.sh: $*" >&2
	exit 2
}

# quoted WORD: as a shell reads it, and Meson in CC.
quoted() { printf "'%s'" "${1//\'/\'\\\'\'}"; }

# is_commit NAME: git has it. Sources without a repository, as of a release, have none.
is_commit() { git rev-parse --quiet --verify --end-of-options "$1^{commit}" > /dev/null 2>&1; }

# sources SIDE WHAT: the folder that they are in; those of a commit are taken out of git. Folders are known by what is
# in them, as a build would not notice sources that are older than those of another commit.
sources()
{
	local commit folder
	if [ -e "$2/meson.build" ]; then
		(cd "$2" && pwd)
		return
	fi
	is_commit "$2" || refuse "'$2' is neither a commit nor a folder with the sources of hotpath"
	commit=$(git rev-parse --verify "$2^{commit}")
	folder=$work/commits/$commit/sources
	[ -e "$folder/meson.build" ] || {
		mkdir -p "$folder.new"
		git archive "$commit" | tar -x -C "$folder.new"
		mv "$folder.new" "$folder"
	}
	echo "$folder"
}

# quietly COMMAND...: what it prints is shown when it fails.
quietly()
{
	"$@" > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		echo "self.sh: this failed: $*" >&2
		exit 1
	}
}

# plain SOURCES BUILD: hotpath as it is.
plain()
{
	[ -e "$2/build.ninja" ] || quietly meson setup "$2" "$1" -Dtests=false -Dexamples=false
	quietly ninja -C "$2"
}

# measured SOURCES BUILD: the command alone, which the other hotpath can measure. Of the small functions of src/shared/,
# which are called some hundred thousand times, it would be measured for the most part how long measuring takes. They are
# not left out by their size, as that differs between versions.
measured()
{
	local cc
	cc="$(quoted "$tool") cc --only src/reader/ --only src/views/ --only src/cli/ gcc"
	[ -e "$2/build.ninja" ] || CC=$cc quietly meson setup "$2" "$1" -Dtests=false -Dexamples=false
	quietly ninja -C "$2" src/cli/hotpath
}

# program: a tree of functions that allocate.
program()
{
	awk 'BEGIN {
		count = 1500
		print "#include <stdlib.h>\nvoid *volatile kept;"
		for (i = count; i > 0; i--) {
			printf "__attribute__((noinline)) int f%d(int n)\n{\n", i
			printf "\tkept = malloc(%d);\n\tfree(kept);\n\treturn n", i % 64 + 1
			for (j = 2 * i; j <= 2 * i + 1 && j <= count; j++)
				printf " + f%d(n)", j
			print ";\n}"
		}
		print "int main(void)\n{\n\tint sum = 0;\n\tfor (int i = 0; i < 20; i++)\n\t\tsum += f1(i);"
		print "\treturn sum == 1;\n}"
	}'
}

# report HOTPATH FILE: a large saved report, which that hotpath can read, and any newer one.
report()
{
	local folder=$work/report
	rm -rf "$folder"
	mkdir -p "$folder"
	mkdir -m 700 "$folder/segments"
	program > "$folder/many.c"
	{
		"$1" cc gcc -O1 "$folder/many.c" -o "$folder/many" &&
			HOTPATH_DIR=$folder/segments "$1" run --alloc --format none "$folder/many" &&
			HOTPATH_DIR=$folder/segments "$1" report --save "$2"
	} > "$work/log" 2>&1 || refuse "base cannot make the report that both are to show; is it too old? $(tail -n 1 "$work/log")"
	rm -rf "$folder"
}

# command_of SIDE: for a shell. Nothing differs between them but the tool.
command_of()
{
	printf '%s report --format table --report all --limit 0 %s' \
		"$(quoted "$work/$1/measured/src/cli/hotpath")" "$(quoted "$work/report.json")"
}

# One build for each folder with sources: a commit's is kept, that of the working tree is brought up to date.
build()
{
	local base head side
	base=$(sources base "$1")
	head=$(sources head "$2")
	mkdir -p "$work/base" "$work/head"
	for side in base head; do
		local -n tree=$side
		# Another commit than the last time: another build.
		[ "$(cat "$work/$side/sources" 2> /dev/null)" = "$tree" ] || rm -rf "${work:?}/$side/"{plain,measured}
		echo "$tree" > "$work/$side/sources"
		echo "building $side: ${tree#"$root"/}" >&2
		plain "$tree" "$work/$side/plain"
	done
	tool=$work/head/plain/src/cli/hotpath
	for side in base head; do
		local -n from=$side
		measured "$from" "$work/$side/measured"
	done
	report "$work/base/plain/src/cli/hotpath" "$work/report.json"
}

only_build=false
[ "${1-}" != --build ] || {
	only_build=true
	shift
}
[ $# -ge 1 ] || usage
case $root in
*[:[:blank:]]*) refuse "'$root' has a blank or a colon in it: no library can be preloaded from there, move it elsewhere" ;;
esac
base=$1 head=${2-$root}
shift $(($# < 2 ? $# : 2))
mkdir -p "$work"
build "$base" "$head"
if $only_build; then
	printf '%s\n' "base=$(command_of base)" "head=$(command_of head)" "hotpath=$tool"
	exit
fi
exec "$tool" compare --id=self --runs=10 --min-share=2% "$@" --base "$(command_of base)" --head "$(command_of head)"
