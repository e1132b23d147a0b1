/* SPDX-License-Identifier: MIT */
/* Why a program could not be started, in words that say what to do. */
#include "not_started.h"

#include "command.h"
#include "elf_file.h"
#include "output.h"
#include "program_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Read the interpreter from the first line of a script. */
static bool read_script(const char *path, char interpreter[PATH_MAX])
{
	char line[PATH_MAX] = "";
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t length = file < 0 ? 0 : read(file, line, sizeof(line) - 1);

	if (file >= 0)
		close(file);
	if (length <= 0 || strncmp(line, "#!", 2) != 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	const char *word = line + 2 + strspn(line + 2, " \t");
	snprintf(interpreter, PATH_MAX, "%.*s", (int)strcspn(word, " \t"), word);
	return true;
}

/* The file exists, but its interpreter or dynamic linker does not. */
static void explain_interpreter(const char *program, const char *path)
{
	char interpreter[PATH_MAX];
	struct hp_elf elf;

	if (read_script(path, interpreter)) {
		complain("cannot run '%s': its interpreter '%s' does not exist", program,
			 interpreter);
		return;
	}
	const char *linker = hp_elf_open(&elf, path) == 0 ? hp_elf_interpreter(&elf) : NULL;
	if (linker)
		complain("cannot run '%s': its dynamic linker '%s' does not exist", program,
			 linker);
	else
		complain("cannot run '%s': %s", program, strerror(ENOENT));
	hp_elf_close(&elf);
}

static const char *reason(const char *path, const struct stat *status, int error)
{
	if (S_ISDIR(status->st_mode))
		return "it is a directory";
	if (error == EACCES && S_ISREG(status->st_mode) && access(path, X_OK) < 0)
		return "it is not executable";
	return strerror(error);
}

int not_started(const char *program, int error)
{
	bool is_path = strchr(program, '/');
	struct stat status;
	char path[PATH_MAX];

	if (is_path)
		snprintf(path, sizeof(path), "%s", program);
	if (!is_path && !program_find(program, path))
		complain("cannot run '%s': %s", program,
			 error == ENOENT ? "not found in PATH" : strerror(error));
	else if (stat(path, &status) < 0)
		complain("cannot run '%s': %s", program, strerror(errno));
	else if (error == ENOENT)
		explain_interpreter(program, path);
	else
		complain("cannot run '%s': %s", program, reason(path, &status, error));
	return error == ENOENT ? STATUS_NOT_FOUND : STATUS_NOT_EXECUTABLE;
}
