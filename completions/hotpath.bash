# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of hotpath for bash. Commands, options and most values are those that the tool itself lists.

# What the tool answered, by question, so that it is asked once in a session.
declare -A _hotpath_answers

# _hotpath_ask WORD...: sets "answer" to what the tool on the command line prints for these words.
_hotpath_ask()
{
	local tool=${COMP_WORDS[0]/#~\//$HOME/}
	answer=${_hotpath_answers[$tool $*]-}
	[ -z "$answer" ] || return 0
	answer=$("$tool" "$@" 2>&1 < /dev/null)
	# Any other status means that the tool is missing or broken, which may change.
	case $? in
	0 | 2) _hotpath_answers[$tool $*]=$answer ;;
	esac
}

# _hotpath_offer OPTION-OF-COMPGEN...: adds those that begin with what is typed.
_hotpath_offer()
{
	mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen "$@" -- "$current")
}

# _hotpath_offer_lines REGEX: offers what its last parentheses match in lines of "answer".
_hotpath_offer_lines()
{
	local line words=''
	while IFS= read -r line; do
		[[ ! $line =~ $1 ]] || words+=" ${BASH_REMATCH[-1]}"
	done <<< "$answer"
	_hotpath_offer -W "$words"
}

# _hotpath_offer_choices COMMAND OPTION: the tool lists them when it refuses a value that is none of them.
_hotpath_offer_choices()
{
	local answer words
	_hotpath_ask "$1" "$2" '?'
	[[ $answer =~ "$2: ".*"'?'"(; choose from| is not)" "([^$'\n']*) ]] || return
	words=${BASH_REMATCH[2]//,/} words=${words/ or / }
	# The list leaves out the name for either section about allocations, and has a pattern for percentiles.
	words=${words/alloc-bytes/alloc alloc-bytes} words=${words/pNN/p50 p95 p99}
	_hotpath_offer -W "$words"
}

# _hotpath_value OPTION: sets "value" to the name of its value in the help that is in "answer". Fails for a switch,
# and for an option that takes its value only after "=".
_hotpath_value()
{
	[[ $answer =~ $'\n'\ {2,6}(-.,\ )?"$1"(,\ --[a-z-]+)?\ ([A-Z]+) ]] && value=${BASH_REMATCH[3]}
}

# _hotpath_offer_values COMMAND OPTION
_hotpath_offer_values()
{
	case $value,$1,$2 in
	FILE,* | PATTERN,*) _hotpath_offer -f ;;
	FOLDER,*) _hotpath_offer -d ;;
	WORD,*) _hotpath_offer_arguments "$1" ;;
	*,export,--format) _hotpath_offer -W 'flamegraph firefox pprof speedscope folded' ;;
	*,export,--what) _hotpath_offer -W 'cpu alloc live waits time' ;;
	*,--alloc) _hotpath_offer -W 'live freed count' ;;
	*,--waits) _hotpath_offer -W 'all locks io nohold' ;;
	*,--probes) _hotpath_offer -W 'uv glib' ;;
	*,--report | *,--format | *,--sort | *,--alloc-metric | *,--fail-on) _hotpath_offer_choices "$1" "$2" ;;
	esac
}

# _hotpath_offer_arguments COMMAND: what may stand behind its options, or these where nothing may.
_hotpath_offer_arguments()
{
	case $1 in
	run | cc) _hotpath_offer -c -f ;;
	attach | arm | disarm) _hotpath_offer -W "$(cd /proc && echo [0-9]*)" ;;
	report | compare | console | top | export | mcp | serve)
		_hotpath_offer -W "$("${COMP_WORDS[0]/#~\//$HOME/}" list --json 2> /dev/null | grep -o '"pid":[0-9]*' | cut -d: -f2)"
		_hotpath_offer -f
		;;
	help) _hotpath_ask --help && _hotpath_offer_lines '^  ([a-z]+) ' ;;
	*) _hotpath_offer_options ;;
	esac
}

_hotpath_offer_options() { _hotpath_offer_lines '^ {2,6}(-., )?(--[a-z][-a-z]*)'; }

# Where the program of run or the compiler of cc begins; 0 when it is not there yet.
_hotpath_program()
{
	local i answer value
	_hotpath_ask "${COMP_WORDS[1]}" --help
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) echo $((i + 1)) && return ;;
		=) ((i++)) ;;
		-*) [ "${COMP_WORDS[i + 1]}" = = ] || ! _hotpath_value "${COMP_WORDS[i]}" || ((i++)) ;;
		*) echo "$i" && return ;;
		esac
	done
	echo 0
}

_hotpath()
{
	local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
	local answer='' value='' program=0 equals=''
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_hotpath_offer_arguments help
		_hotpath_offer_options
		return
	fi
	# The shell makes three words of --option=value.
	if [ "$current" = = ]; then
		current='' equals=yes
	elif [ "$option" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]} equals=yes
	fi
	_hotpath_ask "$command" --help
	[[ $command != @(run|cc) ]] || program=$(_hotpath_program)
	if ((program > 0)) && declare -F _command_offset > /dev/null; then
		_command_offset "$program"
	elif _hotpath_value "$option" || [ -n "$equals" ]; then
		_hotpath_offer_values "$command" "$option"
	elif [[ $current = -* ]]; then
		_hotpath_offer_options
	else
		_hotpath_offer_arguments "$command"
	fi
}

complete -o filenames -F _hotpath hotpath
