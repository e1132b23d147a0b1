# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What the tests of hotpath cc share: whether functions of a file can be measured, and how.
#
# Sourced after expect.sh.

# sleds FILE: how many functions have them. Each is a number of 4 bytes in a section; one more stands for no function.
sleds()
{
	size -A -d "$1" | awk '$1 == ".hotpath.sleds.2.entries" { bytes += $2 } END { print bytes ? bytes / 4 - 1 : 0 }'
}

# hooks FILE: how many calls of the first hook are in an object, a program or a library. A call in an object is told by its
# relocation; on aarch64, objdump shows the name in the instruction, too, at address 0.
hooks()
{
	objdump -dr "$1" | grep -cE 'R_.*__cyg_profile_func_enter|(call\s.*|bl\s+[1-9a-f]\S* )<__cyg_profile_func_enter(@plt)?>' || true
}

# noted FILE: whether it has rules for functions that call hooks.
noted() { readelf -n "$1" | grep -q '^  hotpath '; }
