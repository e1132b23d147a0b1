/* SPDX-License-Identifier: MIT */
/* What the hammer loads and unloads: computes long enough to be seen in there. */
unsigned hammer_twice(unsigned number);

unsigned hammer_twice(unsigned number)
{
	for (volatile unsigned i = 0; i < 20000; i++)
		;
	return 2 * number;
}
