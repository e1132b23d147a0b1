/* SPDX-License-Identifier: MIT */
/* Squares its arguments, one call for each, and prints what is preloaded; exits with 3. It knows nothing of hotpath. */
#include <stdio.h>
#include <stdlib.h>

static int square(int x)
{
	return x * x;
}

int main(int argc, char **argv)
{
	const char *preload = getenv("LD_PRELOAD");

	for (int i = 1; i < argc; i++)
		printf("%d\n", square(atoi(argv[i])));
	printf("preload %s\n", preload ? preload : "nothing");
	return 3;
}
