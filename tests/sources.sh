# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# The sources of which tests make programs with other compilers and options than those of the build.
#
# Sourced by scripts in a folder beside this file.
root=$(cd "$(dirname "$0")/../.." && pwd)

# sources_in FOLDER...: of src/, without what reads lines of source, which needs libdw, and what loads libraries late.
sources_in()
{
	for folder in "$@"; do
		find "$root/src/$folder" -name '*.c' ! -path '*/front/*' ! -name lines.c ! -name sampled_lines.c ! -name dwarf_file.c \
			! -name scopes.c ! -name symbols.c ! -name inlined.c ! -name libdw.c ! -name demangler.c ! -name late.c
	done
}

# static_library: what a static program is linked with that measures itself and prints its report. What reads saved reports
# needs json-c and is not part of it; nor is what stands before functions of the C library, as sanitizers do themselves.
static_library() { sources_in segment elf recorder shared kinds reader views library | grep -v -e '/saved[^/]*$' -e /report_shared.c; }

# include_options FOLDER...: one in each line; of the public header and these folders of src/.
include_options()
{
	echo "-I$root/include"
	for folder in "$@"; do
		echo "-I$root/src/$folder"
	done
}
