/* SPDX-License-Identifier: MIT */
/* Spends its time with throwing and catching. */
#include <ctime>
#include <stdexcept>
#include <string>
#include <unwind.h>
volatile unsigned long sum;
static _Unwind_Exception ours;
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
/* The last call is a jump. */
__attribute__((noinline)) int by_jump(_Unwind_Exception *e)
{
	return _Unwind_RaiseException(e);
}
__attribute__((noinline)) void raises(void)
{
	std::string kept(100, 'x');
	ours = {};
	sum = sum + by_jump(&ours) + kept.size();
}
__attribute__((noinline)) void catches(void)
{
	for (int i = 0; i < 1000; i++)
		try {
			if (i % 3 == 0)
				between(i);
			else if (i % 3 == 1)
				rethrows(i);
			else
				raises();
		} catch (const std::exception &e) {
			sum = sum + e.what()[0];
		} catch (...) {
			sum = sum + 1;
		}
}
/* As many times a quarter of a second as there are arguments, and once more. */
int main(int argc, char **)
{
	while (clock() < CLOCKS_PER_SEC / 4 * argc)
		catches();
	return 0;
}
