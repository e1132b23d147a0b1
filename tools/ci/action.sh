#!/bin/bash
# SPDX-License-Identifier: MIT
# The steps of the GitHub Action. Its inputs come as environment variables, INPUT_NAME, and are never made part of a
# script.
#
# usage: tools/ci/action.sh place|install|compare|comment|verdict
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# The summary of a step may have 1 MiB.
summary_max=1000000
# More reports than this of one side are nobody's: they may come from anyone.
reports_max=200

options=() base=() head=()
silence=

# The runner takes no commands from here on, and again.
be_silent()
{
	silence=$(od -A n -N 16 -t x1 /dev/urandom | tr -d ' \n')
	echo "::stop-commands::$silence"
}

speak()
{
	[ -z "$silence" ] || echo "::$silence::"
	silence=
}

# say KIND TEXT...: at the pull request, and in the log. It is one line, whatever is in it.
say()
{
	local text=${*:2}
	text=${text//%/%25} text=${text//$'\r'/%0D} text=${text//$'\n'/%0A}
	echo "::$1 title=hotpath compare::$text"
}

refuse()
{
	speak
	say error "$*"
	exit 2
}

# output NAME VALUE: for later steps. A value is one line, or it could be two outputs.
output()
{
	case $2 in
	*$'\n'*) refuse "$1 has a line break in it" ;;
	esac
	echo "$1=$2" >> "$GITHUB_OUTPUT"
}

temporary() { echo "${RUNNER_TEMP:?}/hotpath"; }

# The folder that hotpath is built into, and by which name it is kept for other jobs.
place()
{
	output folder "$(temporary)/installed"
	output key "$("$here/install.sh" --key)"
}

install()
{
	local tool=${INPUT_HOTPATH-}
	[ -n "$tool" ] || {
		"$here/install.sh" "$(temporary)/installed"
		tool=$(temporary)/installed/bin/hotpath
		dirname "$tool" >> "$GITHUB_PATH"
	}
	tool=$(command -v -- "$tool") || refuse "there is no program '$INPUT_HOTPATH': leave the input 'hotpath' out to build it"
	output hotpath "$(realpath "$tool")"
}

# option NAME VALUE: added to the options unless it has no value.
option() { [ -z "$2" ] || options+=("--$1=$2"); }

# flag NAME VALUE: with true, or one of its modes.
flag()
{
	case $2 in
	'' | false) ;;
	true) options+=("--$1") ;;
	*) options+=("--$1=$2") ;;
	esac
}

# lines TEXT: options, one on each, whatever is in it.
lines()
{
	local line
	while IFS= read -r line; do
		line=${line#"${line%%[! ]*}"}
		[ -z "$line" ] || options+=("$line")
	done <<< "$1"
}

# What has to do with running; and with all else: how it is judged and shown.
recording()
{
	option runs "${INPUT_RUNS-}"
	option warmup "${INPUT_WARMUP-}"
	option probes "${INPUT_PROBES-}"
	flag alloc "${INPUT_ALLOC-}"
	flag cpu "${INPUT_CPU-}"
	lines "${INPUT_RUN_ARGS-}"
}

judging()
{
	option id "$id"
	option fail-on "${INPUT_FAIL_ON-}"
	option threshold "${INPUT_THRESHOLD-}"
	option min-share "${INPUT_MIN_SHARE-}"
	option budget "${INPUT_BUDGET-}"
	lines "${INPUT_ARGS-}"
}

# saved SIDE: the reports of a side, into the array of that name. Only files: nothing leads out of the folder.
saved()
{
	local -n files=$1
	mapfile -d '' -t files < <(find "$reports" -maxdepth 1 -type f -name "$1-*.json" -print0 | LC_ALL=C sort -z)
	[ ${#files[@]} -le $reports_max ] || refuse "$reports has ${#files[@]} reports of $1; $reports_max are enough"
}

# run: the two commands, whose reports are kept.
run()
{
	[[ -n ${INPUT_BASE-} && -n ${INPUT_HEAD-} ]] || refuse "the inputs 'base' and 'head' are needed: two commands"
	saved base
	[ ${#base[@]} = 0 ] || refuse "$reports has reports already"
	recording
	judging
	"$hotpath" compare "${options[@]}" --save "$reports" --base "$INPUT_BASE" --head "$INPUT_HEAD"
}

# compare_saved OPTION...: the reports.
compare_saved()
{
	options=()
	judging
	saved base
	saved head
	[[ ${#base[@]} != 0 && ${#head[@]} != 0 ]] || refuse "there are no reports base-*.json and head-*.json in $reports"
	"$hotpath" compare "${options[@]}" "$@" --base "${base[@]}" --head "${head[@]}"
}

first()
{
	case ${INPUT_MODE:-run} in
	run) run ;;
	reports-only) compare_saved ;;
	*) refuse "the input 'mode' is 'run', 'reports-only' or 'install', not '$INPUT_MODE'" ;;
	esac
}

# render FORMAT FILE: what the same reports give; 1 is an answer as good as 0.
render()
{
	local status=0
	compare_saved --format "$1" -o "$2" || status=$?
	[ $status -le 1 ] || refuse "the comparison cannot be written as $1; the log says why"
}

summarize()
{
	if [ "$(wc -c < "$1")" -le $summary_max ]; then
		cat "$1"
	else
		head -c $summary_max "$1" | sed '$d'
		printf '\n\nThe rest is in the reports.\n'
	fi >> "$GITHUB_STEP_SUMMARY"
}

# What programs print, and the names in reports, are no commands for the runner. It reads two streams in any order, so
# there is one.
compare()
{
	local status=0 results
	exec 2>&1
	id=${INPUT_ID:-default}
	[[ $id =~ ^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$ ]] || refuse "the id is to have letters, digits, '.', '_' and '-' only"
	hotpath=${INPUT_TOOL:?}
	results=$(temporary)/results/$id
	reports=${INPUT_REPORTS:-$(temporary)/reports/$id}
	mkdir -p "$reports" "$results"
	reports=$(realpath "$reports")
	be_silent
	first || status=$?
	[ $status -le 1 ] || refuse "nothing was compared; the log says why"
	render markdown "$results/compare.md"
	render json "$results/compare.json"
	speak
	summarize "$results/compare.md"
	output markdown "$results/compare.md"
	output json "$results/compare.json"
	output reports "$reports"
	output status $status
	output failed "$([ $status = 0 ] && echo false || echo true)"
}

comment()
{
	local where=(--repository "${GITHUB_REPOSITORY:?}" --pull "${INPUT_PULL-}" --commit "${INPUT_COMMIT-}")
	if [ "${GITHUB_EVENT_NAME-}" = workflow_run ]; then
		where=(--workflow-run "${GITHUB_EVENT_PATH:?}")
	elif [ -z "${INPUT_PULL-}" ]; then
		say notice "nothing to comment on: this is not the run of a pull request"
		return
	fi
	python3 "$here/comment.py" "${where[@]}" ${INPUT_AUTHOR:+--author "$INPUT_AUTHOR"} "${INPUT_MARKDOWN:?}"
}

verdict()
{
	[ "${INPUT_STATUS:?}" != 0 ] || return 0
	say error "${INPUT_ID:-default}: a regression, or a budget is broken; the summary of the job has the rows"
	exit "$INPUT_STATUS"
}

case ${1-} in
place | install | compare | comment | verdict) "$1" ;;
*)
	echo "usage: tools/ci/action.sh place|install|compare|comment|verdict" >&2
	exit 2
	;;
esac
