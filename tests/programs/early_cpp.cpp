/* SPDX-License-Identifier: MIT */
/* A C++ program that computes and allocates before main, and after it. Prints its number and its CPU time. */
#include "compute.h"

#include <cstring>
#include <string>

struct Early {
	Early() : text(1000, 'x') { compute(100); }
	std::string text;
};

static Early early;

int main(int argc, char **argv)
{
	compute(200);
	tell_used();
	if (argc > 1 && std::strcmp(argv[1], "wait") == 0)
		for (;;)
			pause();
	return early.text.size() == 1000 ? 0 : 2;
}
