/* SPDX-License-Identifier: MIT */
/* Spends its time with throwing and catching. */
#include <ctime>
#include <stdexcept>
#include <string>
volatile unsigned long sum;
__attribute__((noinline)) void thrower(int n)
{
	if (n >= 0)
		throw std::runtime_error(std::to_string(n));
	sum = sum + 1;
}
__attribute__((noinline)) void between(int n)
{
	std::string kept(100, 'x');
	thrower(n);
	sum = sum + kept.size();
}
__attribute__((noinline)) void rethrows(int n)
{
	try {
		thrower(n);
	} catch (...) {
		sum = sum + 1;
		throw;
	}
}
__attribute__((noinline)) void catches(void)
{
	for (int i = 0; i < 1000; i++)
		try {
			if (i % 2)
				between(i);
			else
				rethrows(i);
		} catch (const std::exception &e) {
			sum = sum + e.what()[0];
		}
}
/* As many times a quarter of a second as there are arguments, and once more. */
int main(int argc, char **)
{
	while (clock() < CLOCKS_PER_SEC / 4 * argc)
		catches();
	return 0;
}
