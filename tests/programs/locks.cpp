// SPDX-License-Identifier: MIT
// Locks of the C++ library, which are those of the C library.
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex orders_mutex;
static std::shared_timed_mutex table_mutex;
static std::recursive_mutex again_mutex;
static std::timed_mutex timed_mutex;
static std::condition_variable ready;
static int queued, taken, waits;

struct account {
	std::mutex lock;
	long balance = 0;
};

__attribute__((noinline)) static void deposit(account &into)
{
	std::lock_guard<std::mutex> guard(into.lock);

	into.balance++;
}

// Inlined into the library's function that a thread begins with.
__attribute__((always_inline)) static inline void withdraw(account &from)
{
	std::lock_guard<std::mutex> guard(from.lock);

	from.balance--;
}

static void produce()
{
	for (int i = 0; i < 1000; i++) {
		std::lock_guard<std::mutex> guard(orders_mutex);
		queued++;
		ready.notify_one();
	}
}

static void consume()
{
	for (int i = 0; i < 1000; i++) {
		std::unique_lock<std::mutex> lock(orders_mutex);
		while (queued == 0) {
			ready.wait(lock);
			waits++;
		}
		queued--;
		taken++;
	}
}

int main()
{
	account *one = new account;
	std::thread producer(produce), consumer(consume);

	for (int i = 0; i < 100; i++) {
		deposit(*one);
		std::shared_lock<std::shared_timed_mutex> shared(table_mutex);
		std::lock_guard<std::recursive_mutex> outer(again_mutex), inner(again_mutex);
		std::lock_guard<std::timed_mutex> timed(timed_mutex);
	}
	account *two = new account;
	std::thread cashier([two] { withdraw(*two); });
	cashier.join();
	delete two;
	producer.join();
	consumer.join();
	std::printf("%d\n%d\n", taken, 2000 + waits);
	delete one;
	return 0;
}
