#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the pictures of the documentation again, in docs/; after make, on a machine that does nothing else.
#
# usage: tools/pictures.sh LUA [NAME...]     LUA: the sources of lua 5.4, of which the flame graph is, as unpacked by
#                                            "apt-get source lua5.4"; NAME: only these pictures
set -eu

names='console console-details flamegraph compare page page-flames page-compare'

lua=${1-}
[ -f "$lua/src/lua.c" ] || {
	echo "usage: tools/pictures.sh LUA [NAME...], of: $names" >&2
	exit 2
}
lua=$(cd "$lua" && pwd)
shift
[ $# = 0 ] || names=$*
cd "$(dirname "$0")/.."
PATH=$PWD/build/src/cli:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

console() { tools/screenshot.py --size 100x21 --keys 'j j' docs/console.png hotpath demo; }

console_details() { tools/screenshot.py --keys 'j j Enter' docs/console-details.png hotpath demo; }

# lua as its authors build it, with frame pointers for whole stacks, on a script that does a bit of everything.
flamegraph()
{
	cp -r "$lua" "$work/lua"
	make -s -C "$work/lua" clean linux MYCFLAGS='-g -fno-omit-frame-pointer' > /dev/null
	hotpath run --format none "$work/lua/src/lua" tests/subjects/hot.lua > /dev/null
	hotpath export -o "$work/lua.svg"
	tools/screenshot.py --page "$work/lua.svg" --size 1280x720 docs/flamegraph.png
}

# The example words, whose hash table has lost most of its buckets. A shell shows the command first, and keeps the screen after it.
compare()
{
	for buckets in 65536 256; do
		hotpath cc --skip hash --skip checked --skip by_count --skip count_word gcc -O2 -g -fno-inline \
			-DBUCKETS="$buckets" examples/words.c -o "$work/words.$buckets"
	done
	cat /usr/include/linux/*.h /usr/include/linux/*.h > "$work/text.txt"
	command="hotpath compare --runs 10 --report timing --base './words.65536 text.txt' --head './words.256 text.txt'"
	printf 'cd "%s"\ncat <<- "end"\n$ %s\nend\n%s\nread -r _\n' "$work" "$command" "$command" > "$work/show"
	tools/screenshot.py --size 112x28 --seconds 120 --until FAILED --title 'hotpath compare' \
		docs/compare.png sh "$work/show"
}

# The demo, measured as by --all, for some seconds.
shop()
{
	[ -e "$work/shop.json" ] || hotpath run --all --format none --save "$work/shop.json" \
		timeout -s INT 12 build/src/demo/hotpath-demo > /dev/null || true
	hotpath report --process hotpath-demo --format html -o "$work/shop.html" "$work/shop.json"
}

page() { shop && tools/screenshot.py --page "$work/shop.html" --size 1280x640 docs/page.png; }

page_flames() { shop && tools/screenshot.py --page "$work/shop.html" --fragment '#tab=flames' --size 1280x560 docs/page-flames.png; }

# What the test of marks sees in a browser, when one function of its program takes twice as long.
page_compare() { meson test -C build consumer_marks && cp build/consumers/marks-slower.png docs/page-compare.png; }

for name in $names; do
	case $name in
	console | flamegraph | compare | page) "$name" ;;
	page-flames) page_flames ;;
	page-compare) page_compare ;;
	console-details) console_details ;;
	*)
		echo "pictures.sh: there is no picture '$name'" >&2
		exit 2
		;;
	esac
done
