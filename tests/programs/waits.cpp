// SPDX-License-Identifier: MIT
// Waits of the C++ library, which are those of the C library. Prints how often a condition was waited for.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable ready;
static int waits;
static bool is_ready;

__attribute__((noinline)) static void wait_in_vain()
{
	std::unique_lock<std::mutex> lock(mutex);

	for (int i = 0; i < 3; i++)
		ready.wait_for(lock, std::chrono::milliseconds(1));
}

__attribute__((noinline)) static void nap()
{
	for (int i = 0; i < 5; i++)
		std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

static void wait_until_ready()
{
	std::unique_lock<std::mutex> lock(mutex);

	while (!is_ready) {
		waits++;
		ready.wait(lock);
	}
}

int main()
{
	wait_in_vain();
	std::thread thread(wait_until_ready);
	nap();
	{
		std::lock_guard<std::mutex> guard(mutex);
		is_ready = true;
		ready.notify_one();
	}
	thread.join();
	std::printf("%d\n", waits);
	return 0;
}
