# SPDX-License-Identifier: MIT
# Completion of hotpath for fish. Commands, options and most values are those that the tool itself lists.

# The tool on the command line.
function __hotpath_tool
	string replace -r '^~/' "$HOME/" -- (commandline -opc)[1]
end

# __hotpath_ask WORD...: what the tool prints for these words. It is asked once in a session, unless it is missing.
function __hotpath_ask
	set -l tool (__hotpath_tool)
	set -l answer __hotpath_answer_(string escape --style=var -- "$tool $argv")
	if not set -q $answer; and command -sq $tool
		set -l lines ($tool $argv 2>&1 </dev/null)
		contains $status 0 2; and set -g $answer $lines
	end
	printf '%s\n' $$answer
end

function __hotpath_commands
	__hotpath_ask --help | string replace -rf '^  ([a-z]+) +(.*)' '$1'\t'$2'
end

# __hotpath_options [COMMAND]: long and short ones with their help. A line that is indented further continues the one before.
function __hotpath_options
	string replace -ar '\n {7,}' ' ' -- (__hotpath_ask $argv --help | string collect) |
		string replace -rf '^ {2,6}(?:(-.), )?(--[a-z][-a-z]*)(?:\[=[A-Z]+\]| [A-Z]+(?: \.\.\.)?)? +(.*)' '$2'\t'$3'\n'$1'\t'$3' |
		string match -- '-*'
end

# __hotpath_value COMMAND OPTION: the name of its value in the help. Fails for a switch, and for an option that takes its value
# only after "=".
function __hotpath_value
	set -l option (string escape --style=regex -- $argv[2])
	__hotpath_ask $argv[1] --help | string replace -rf "^ {2,6}(?:-., )?$option(?:, --[a-z-]+)? ([A-Z]+).*" '$1'
end

# __hotpath_choices COMMAND OPTION: the tool lists them when it refuses a value that is none of them.
function __hotpath_choices
	# The list leaves out the name for either section about allocations, and has a pattern for percentiles.
	__hotpath_ask $argv '?' | string replace -rf ".* $argv[2]: .*'\?'(?:; choose from| is not) (.*)" '$1' |
		string replace ' or ' ', ' | string replace alloc-bytes 'alloc, alloc-bytes' |
		string replace pNN 'p50, p95, p99' | string split ', '
end

# __hotpath_values TYPED COMMAND OPTION: values of an option, by what its help calls them.
function __hotpath_values
	set -l value (__hotpath_value $argv[2..])
	switch "$value,$argv[2],$argv[3]"
		case 'FILE,*' 'PATTERN,*'
			__fish_complete_path $argv[1]
		case 'FOLDER,*'
			__fish_complete_directories $argv[1]
		case 'WORD,*'
			__hotpath_segments $argv[1]
		case '*,export,--format'
			printf '%s\n' flamegraph firefox pprof speedscope folded
		case '*,export,--what'
			printf '%s\n' cpu alloc live waits time
		case '*,--alloc'
			printf '%s\n' live freed count
		case '*,--waits'
			printf '%s\n' all locks io nohold
		case '*,--probes'
			printf '%s\n' uv glib
		case '*,--report' '*,--format' '*,--sort' '*,--alloc-metric' '*,--fail-on'
			__hotpath_choices $argv[2..]
	end
end

function __hotpath_segments
	set -l tool (__hotpath_tool)
	command -sq $tool; and $tool list 2>/dev/null | awk 'NR > 1 { print $1 "\t" $2 " " $7 }'
	__fish_complete_path $argv
end

# __hotpath_program COMMAND WORD...: the words from the program of run or the compiler of cc on.
function __hotpath_program
	set -l command $argv[1]
	set -e argv[1]
	while string match -q -- '-*' "$argv[1]"
		set -l option $argv[1]
		set -e argv[1]
		test "$option" = --; and break
		__hotpath_value $command $option >/dev/null; and set -e argv[1]
	end
	set -q argv[1]; and string escape -- $argv
end

function __hotpath
	set -l words (commandline -opc)
	set -l typed (commandline -ct)
	set -l command $words[2]
	set -l given (string match -r '^(--[a-z-]+)=(.*)' -- "$typed")
	if not set -q command[1]
		__hotpath_commands
		string match -q -- '-*' "$typed"; and __hotpath_options
	else if contains $command run cc; and set -l program (__hotpath_program $words[2..]); and set -q program[1]
		complete -C "$program $typed"
	else if set -q given[1]
		__hotpath_values "$given[3]" $command $given[2] | string replace -r -- '^' "$given[2]="
	else if __hotpath_value $command $words[-1] >/dev/null
		__hotpath_values "$typed" $command $words[-1]
	else if string match -q -- '-*' "$typed"
		__hotpath_options $command
	else
		switch $command
			case run cc
				complete -C "$typed"
			case attach arm disarm
				__fish_complete_pids
			case report compare console top export mcp serve
				__hotpath_segments "$typed"
			case help
				__hotpath_commands
			case '*'
				__hotpath_options $command
		end
	end
end

complete -c hotpath -f -a '(__hotpath)'
