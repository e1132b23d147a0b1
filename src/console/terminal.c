/* SPDX-License-Identifier: MIT */
/* Takes over the terminal at the start, and restores it however we end: by the user, a signal, or a crash. */
#include "terminal.h"

#include "curses_library.h"
#include "late.h"

#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

enum {
	/* How long we wait for the rest of an escape sequence. */
	ESCAPE_MS = 25,
};

/* The functions of ncursesw that know the capabilities of terminals. */
static struct {
	__typeof__(setupterm) *setup;
	__typeof__(del_curterm) *forget;
	__typeof__(tigetstr) *get;
	__typeof__(cur_term) *current;
} terminfo;

static SCREEN *screen;
static volatile sig_atomic_t ending;

/* For the signal handler, which cannot use ncurses: the original state, and the sequence that restores it. */
static struct {
	struct termios modes;
	char sequence[256];
	size_t length;
} found;

static int fail(struct hp_error *error, int why, const char *format, const char *name)
{
	snprintf(error->text, sizeof(error->text), format, name);
	return why;
}

/* ---- signals ---- */

static void note_ending(int signal)
{
	ending = signal;
}

/* We crashed: restore the terminal first, then die by the signal. */
static void restore_and_die(int signal)
{
	(void)!write(STDOUT_FILENO, found.sequence, found.length);
	tcsetattr(STDOUT_FILENO, TCSANOW, &found.modes);
	raise(signal);
}

/* A terminal capability; NULL if the terminal does not have it. */
static const char *capability(const char *name)
{
	const char *string = terminfo.get(name);

	return string != (char *)-1 ? string : NULL;
}

static void add_sequence(const char *sequence)
{
	size_t length = sequence ? strlen(sequence) : 0;

	if (found.length + length < sizeof(found.sequence)) {
		memcpy(found.sequence + found.length, sequence ? sequence : "", length);
		found.length += length;
	}
}

/*
 * Build the restoring sequence: reset attributes, mouse and cursor, and the previous screen, or at least a new line.
 */
static void prepare_restoring(void)
{
	found.length = 0;
	add_sequence(capability("sgr0"));
	add_sequence(capability("rmkx"));
	add_sequence(capability("cnorm"));
	if (capability("kmous"))
		add_sequence("\x1b[?1000l\x1b[?1006l");
	add_sequence(capability("rmcup") ? capability("rmcup") : "\r\n");
}

static void catch_signals(void)
{
	static const int endings[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	static const int faults[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT };
	struct sigaction end = { .sa_handler = note_ending };
	struct sigaction fault = { .sa_handler = restore_and_die,
				   .sa_flags = (int)SA_RESETHAND | SA_NODEFER };

	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		sigaction(endings[i], &end, NULL);
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++)
		sigaction(faults[i], &fault, NULL);
}

int terminal_ending(void)
{
	return ending;
}

/* ---- colours ---- */

static chtype styles[STYLES] = {
	[STYLE_BOLD] = A_BOLD, [STYLE_TITLE] = A_BOLD,	   [STYLE_WARM] = A_BOLD,
	[STYLE_HOT] = A_BOLD,  [STYLE_CHOSEN] = A_REVERSE,
};

static void set_colour(enum style style, int colour, chtype more)
{
	init_pair((short)(style + 1), (short)colour, -1);
	styles[style] = COLOR_PAIR(style + 1) | more;
}

static void choose_colours(void)
{
	const char *no_colour = getenv("NO_COLOR");

	if ((no_colour && *no_colour) || !has_colors() || start_color() == ERR ||
	    use_default_colors() == ERR)
		return;
	set_colour(STYLE_TITLE, COLOR_CYAN, A_BOLD);
	set_colour(STYLE_WARM, COLOR_YELLOW, 0);
	set_colour(STYLE_HOT, COLOR_RED, 0);
	set_colour(STYLE_FINE, COLOR_GREEN, 0);
	if (COLORS >= 256)
		set_colour(STYLE_FAINT, 245, 0);
}

unsigned long terminal_style(enum style style)
{
	return styles[style];
}

/* ---- opening and closing ---- */

static bool load_libraries(void)
{
	static const struct hp_late_symbol symbols[] = {
		{ "setupterm", &terminfo.setup },
		{ "del_curterm", &terminfo.forget },
		{ "tigetstr", &terminfo.get },
		{ "cur_term", &terminfo.current },
	};

	return curses_load() &&
	       hp_late_load(CURSES_FILE, symbols, sizeof(symbols) / sizeof(*symbols));
}

static int check_terminal(struct hp_error *error)
{
	const char *type = getenv("TERM");
	int problem;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return fail(error, -ENOTTY,
			    "the console needs a terminal; 'hotpath top' prints plain lines%s", "");
	if (!type || !*type)
		return fail(error, -ENOTSUP, "TERM is not set; 'hotpath top' prints plain lines%s",
			    "");
	if (!load_libraries())
		return fail(error, -ENOTSUP, "cannot load %s; 'hotpath top' prints plain lines",
			    CURSES_FILE);
	if (terminfo.setup(NULL, STDOUT_FILENO, &problem) == ERR)
		return fail(error, -ENOTSUP,
			    "unknown terminal '%.100s' (TERM); 'hotpath top' prints plain lines",
			    type);
	if (!capability("cup"))
		return fail(error, -ENOTSUP,
			    "the terminal '%.100s' (TERM) cannot move its cursor; 'hotpath top' "
			    "prints plain lines",
			    type);
	return 0;
}

static void set_modes(void)
{
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	mouseinterval(0);
	mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
}

int terminal_open(struct hp_error *error)
{
	int problem = check_terminal(error);

	if (problem)
		return problem;
	setlocale(LC_CTYPE, "");
	if (tcgetattr(STDOUT_FILENO, &found.modes))
		return fail(error, -errno, "the terminal: %s", strerror(errno));
	prepare_restoring();
	/* newterm reads it again. */
	terminfo.forget(*terminfo.current);
	catch_signals();
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return fail(error, -ENOTSUP, "the terminal '%.100s' (TERM) cannot be used",
			    getenv("TERM"));
	set_modes();
	choose_colours();
	return 0;
}

void terminal_close(void)
{
	if (!screen)
		return;
	/* Without an alternate screen, the shell continues on the last line. */
	move(LINES - 1, 0);
	clrtoeol();
	refresh();
	endwin();
	delscreen(screen);
	screen = NULL;
	tcsetattr(STDOUT_FILENO, TCSADRAIN, &found.modes);
}

int terminal_key(int milliseconds)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	int key = getch();

	if (key != ERR)
		return key;
	/* Reading from a terminal that is gone returns at once, without data. */
	if (poll(&input, 1, milliseconds) > 0 && input.revents & (POLLHUP | POLLERR | POLLNVAL))
		ending = SIGHUP;
	return getch();
}
