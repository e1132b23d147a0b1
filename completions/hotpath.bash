# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Completion of hotpath for bash.

# The segments there are, by process id.
_hotpath_pids()
{
	hotpath list --json 2> /dev/null | grep -o '"pid":[0-9]*' | cut -d: -f2
}

# _hotpath_offer WORDS: those that begin with what is typed.
_hotpath_offer()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

# Where the program of run or the compiler of cc begins; 0 when it is not there yet.
_hotpath_program()
{
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--) echo $((i + 1)) && return ;;
		--format | --output-path | -o | --report | --limit | --timing-limit | --tree-limit | \
			--alloc-limit | --live-limit | --threads-limit | --cpu-limit | --alloc-metric | \
			--channels-limit | --streams-limit | --futures-limit | --loops-limit | \
			--percentiles | --focus | --exclude | --sort | --rate | --probes | --only | --skip | --min-size)
			[ "${COMP_WORDS[i + 1]}" = = ] || ((i++))
			;;
		=) ((i++)) ;;
		-*) ;;
		*) echo "$i" && return ;;
		esac
	done
	echo 0
}

_hotpath()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} program
	local report='--format --output-path --report --tree --limit --timing-limit --tree-limit
		--alloc-limit --live-limit --threads-limit --cpu-limit --channels-limit
		--streams-limit --futures-limit --loops-limit --percentiles --focus --exclude --sort
		--exclude-wrapper --time-exclusive --alloc-metric --alloc-cumulative --cpu-inclusive --help'
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_hotpath_offer 'run cc report compare console top export list doctor demo help --help --version'
		return
	fi
	if [ "${COMP_WORDS[1]}" = run ] || [ "${COMP_WORDS[1]}" = cc ]; then
		program=$(_hotpath_program)
		if ((program > 0)) && declare -F _command_offset > /dev/null; then
			_command_offset "$program"
			return
		fi
	fi
	case $previous in
	=) [ "${COMP_WORDS[COMP_CWORD - 2]}" = --alloc ] && _hotpath_offer 'live freed count' && return ;;
	--format)
		if [ "${COMP_WORDS[1]}" = export ]; then
			_hotpath_offer 'flamegraph firefox pprof speedscope folded'
		elif [ "${COMP_WORDS[1]}" = compare ]; then
			_hotpath_offer 'table markdown json json-pretty'
		else
			_hotpath_offer 'table json json-pretty none'
		fi
		return
		;;
	--sort) _hotpath_offer 'function calls avg p50 p95 p99 total self min max temporary' && return ;;
	--report) _hotpath_offer 'auto all timing tree alloc alloc-bytes alloc-count live channels channels-latency streams futures loops threads cpu bottlenecks debug user-metadata' && return ;;
	--alloc-metric) _hotpath_offer 'bytes count' && return ;;
	--probes) _hotpath_offer 'uv glib' && return ;;
	--fail-on) _hotpath_offer 'slower alloc any none' && return ;;
	--runs | --warmup | --threshold | --min-share | --id) return ;;
	--save | --budget | --output-path | -o | --only | --skip) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
	--limit | --timing-limit | --tree-limit | --alloc-limit | --live-limit | --threads-limit | --cpu-limit) return ;;
	--channels-limit | --streams-limit | --futures-limit | --loops-limit) return ;;
	--percentiles | --focus | --exclude | --rate | --min-size) return ;;
	--calls | --callers | --callees | --refresh-ms) return ;;
	esac
	case ${COMP_WORDS[1]},$current in
	run,-*) _hotpath_offer "--alloc --cpu --rate --probes --merge $report" ;;
	cc,-*) _hotpath_offer '--only --skip --min-size --alloc --help' ;;
	run,* | cc,*) mapfile -t COMPREPLY < <(compgen -c -f -- "$current") ;;
	report,-*) _hotpath_offer "--save --calls --callers --callees $report" ;;
	compare,-*)
		_hotpath_offer '--base --head --runs --warmup --alloc --cpu --rate --probes --show-output --ignore-failure
			--save --threshold --min-share --fail-on --budget --percentiles --report --format --id
			--output-path --help'
		;;
	console,-*)
		_hotpath_offer '--refresh-ms --percentiles --focus --exclude --sort --exclude-wrapper --time-exclusive --alloc-metric
			--alloc-cumulative --cpu-inclusive --help'
		;;
	top,-*) _hotpath_offer "--once --json-lines --refresh-ms $report" ;;
	export,-*) _hotpath_offer '--format --output-path --help' ;;
	report,* | compare,* | console,* | top,* | export,*)
		_hotpath_offer "$(_hotpath_pids)"
		mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
		;;
	list,*) _hotpath_offer '--json --clean --help' ;;
	demo,*) _hotpath_offer '--help' ;;
	doctor,*) _hotpath_offer '--json --help' ;;
	help,*) _hotpath_offer 'run cc report compare console top export list doctor demo help' ;;
	esac
}

complete -o filenames -F _hotpath hotpath
