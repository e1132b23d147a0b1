// SPDX-License-Identifier: MIT
// Streams of C++, with and without those of C behind them. The argument is a file.
#include <fstream>
#include <iostream>
#include <string>

static __attribute__((noinline)) void save(const char *path)
{
	std::ofstream file(path);

	for (int i = 0; i < 20000; i++)
		file << "line " << 10000 + i << '\n';
}

static __attribute__((noinline)) int load(const char *path)
{
	std::ifstream file(path);
	std::string line;
	int lines = 0;

	while (std::getline(file, line))
		lines++;
	return lines;
}

int main(int count, char **arguments)
{
	if (count != 2)
		return 1;
	save(arguments[1]);
	std::cout << load(arguments[1]) << " lines" << std::endl;
}
