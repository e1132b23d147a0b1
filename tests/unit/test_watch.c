/* SPDX-License-Identifier: MIT */
/* A segment file that is watched, while things happen to it. */
#include "../fuzz/made_flows.h"
#include "compiled.h"
#include "made_entry.h"
#include "read_model.h"

#include "mapping.h"
#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct hp_watch *watch;
/* The file, mapped as a program has it mapped that records: this one, in the file's opinion. */
static char *file_bytes;
static char file_path[256];

static void write_file(const char *name)
{
	snprintf(file_path, sizeof(file_path), "%s", compiled(name));
	int file = open(file_path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, 1 << 20), 0);
	file_bytes = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert_ptr_not_equal(file_bytes, MAP_FAILED);
	memcpy(file_bytes, made.bytes, made.size);
	close(file);
}

static int begin(void **state)
{
	(void)state;
	made_segment(&made);
	made_header(&made)->pid = (uint32_t)getpid();
	char name[64];
	snprintf(name, sizeof(name), "hotpath-%d-%llu.seg", getpid(), 1700000000000000000ULL);
	write_file(name);
	return 0;
}

static int finish(void **state)
{
	hp_watch_free(watch);
	watch = NULL;
	munmap(file_bytes, 1 << 20);
	unlink(file_path);
	return end(state);
}

static void open_watch(const char *target)
{
	struct hp_error error = { "" };

	if (hp_watch_open(&watch, target, &error))
		fail_msg("%s", error.text);
}

static void read_again(void)
{
	struct hp_error error = { "" };

	if (hp_watch_read(watch, NULL, 0, &error))
		fail_msg("%s", error.text);
}

static uint64_t calls_of(const char *name)
{
	const struct hp_model *seen = hp_watch_model(watch);

	for (size_t i = 0; i < seen->function_count; i++)
		if (strcmp(seen->functions[i].name, name) == 0)
			return seen->functions[i].calls;
	return 0;
}

static void nothing_yet(void **state)
{
	struct hp_error error = { "" };
	struct hp_recent *recent;

	(void)state;
	open_watch(NULL);
	read_again();
	assert_int_equal(hp_watch_state(watch), HP_WATCH_WAITING);
	assert_null(hp_watch_model(watch));
	assert_null(hp_watch_whole(watch, &error));
	assert_true(hp_watch_recent(watch, "work", &recent, &error) < 0);
	assert_string_equal(error.text, "no segment is open yet");
}

static void reads_again(void **state)
{
	(void)state;
	open_watch(file_path);
	assert_null(hp_watch_model(watch));
	read_again();
	assert_int_equal(hp_watch_state(watch), HP_WATCH_LIVE);
	assert_true(hp_watch_model(watch)->watched);
	assert_int_equal(calls_of("work"), 2 * MADE_CALLS);
	uint64_t seen_ns = hp_watch_seen_ns(watch);
	struct hp_stat *stat = (void *)(file_bytes + made_offset(&made, made.stats[0]));
	stat->calls += 5;
	read_again();
	assert_int_equal(calls_of("work"), 2 * MADE_CALLS + 5);
	assert_true(hp_watch_seen_ns(watch) > seen_ns);
	for (size_t i = 0; i < hp_watch_model(watch)->function_count; i++) {
		const struct hp_function *function = &hp_watch_model(watch)->functions[i];
		assert_non_null(function->trend);
		assert_int_equal(function->trend->rate > 0, strcmp(function->name, "work") == 0);
	}
}

static uint64_t time_of(const struct hp_model *in, const char *name)
{
	for (size_t i = 0; i < in->function_count; i++)
		if (strcmp(in->functions[i].name, name) == 0)
			return in->functions[i].sum_ns;
	return 0;
}

static uint64_t whole_time_of(struct hp_model *(*read)(struct hp_watch *, struct hp_error *))
{
	struct hp_error error = { "" };
	struct hp_model *whole = read(watch, &error);

	assert_non_null(whole);
	uint64_t time = time_of(whole, "work");
	hp_model_free(whole);
	return time;
}

/* The program finds out that its clock is faster than it thought: the same ticks are less time. */
static void times_do_not_fall(void **state)
{
	struct hp_header *header = (void *)file_bytes;

	(void)state;
	open_watch(file_path);
	uint64_t before = whole_time_of(hp_watch_whole);
	assert_true(before > 1);
	header->ticks_per_second *= 2;
	read_again();
	assert_int_equal(time_of(hp_watch_model(watch), "work"), before);
	assert_int_equal(whole_time_of(hp_watch_whole), before);
	/* Who did not look before takes what is right now, and so does who looks at another session. */
	hp_watch_free(watch);
	open_watch(file_path);
	assert_true(whole_time_of(hp_watch_whole) < before);
	uint64_t exact = whole_time_of(hp_watch_whole);
	header->ticks_per_second *= 2;
	header->session++;
	for (unsigned i = 0; i < MADE_LANES; i++)
		((struct hp_lane *)(void *)(file_bytes + made_offset(&made, made.lanes[i])))
			->session = header->session;
	read_again();
	assert_true(time_of(hp_watch_model(watch), "work") < exact);
}

static void grows(void **state)
{
	struct hp_header *header = (void *)file_bytes;

	(void)state;
	open_watch(file_path);
	read_again();
	/* Much further than anybody has mapped. */
	uint64_t far = (uint64_t)200 << 20;
	assert_int_equal(truncate(file_path, (off_t)far * 2), 0);
	int file = open(file_path, O_RDWR | O_CLOEXEC);
	struct hp_stat stat = *made.stats[0];
	struct hp_lane *lane = (void *)(file_bytes + made_offset(&made, made.lanes[1]));
	stat.next = lane->stats;
	memset(stat.octaves, 0, sizeof(stat.octaves));
	assert_int_equal(pwrite(file, &stat, sizeof(stat), (off_t)far), sizeof(stat));
	close(file);
	header->used = far + sizeof(stat);
	lane->stats = far;
	read_again();
	assert_int_equal(calls_of("work"), 3 * MADE_CALLS);
}

static void has_no_name_any_more(void **state)
{
	struct hp_error error = { "" };

	(void)state;
	open_watch(file_path);
	read_again();
	unlink(file_path);
	((struct hp_stat *)(void *)(file_bytes + made_offset(&made, made.stats[0])))->calls++;
	read_again();
	assert_int_equal(calls_of("work"), 2 * MADE_CALLS + 1);
	assert_int_equal(hp_watch_state(watch), HP_WATCH_LIVE);
	struct hp_model *whole = hp_watch_whole(watch, &error);
	assert_non_null(whole);
	assert_true(whole->has_tree);
	hp_model_free(whole);
}

static void is_cut_short(void **state)
{
	struct hp_error error = { "" };
	struct hp_calling *calling;
	char expected[512];

	(void)state;
	open_watch(file_path);
	read_again();
	assert_int_equal(truncate(file_path, 8192), 0);
	assert_int_equal(hp_watch_read(watch, NULL, 0, &error), -EINVAL);
	snprintf(expected, sizeof(expected), "%s: it was cut short", file_path);
	assert_string_equal(error.text, expected);
	assert_true(hp_watch_calling(watch, 2, &calling, &error) < 0);
	assert_string_equal(error.text, expected);
	/* Named as the user did, not as the descriptor that it is open by. */
	assert_null(hp_watch_whole(watch, &error));
	assert_string_equal(error.text, expected);
	/* The last picture stays. */
	assert_int_equal(calls_of("work"), 2 * MADE_CALLS);
	assert_int_equal(truncate(file_path, 100), 0);
	assert_int_equal(hp_watch_read(watch, NULL, 0, &error), -EINVAL);
	snprintf(expected, sizeof(expected), "%s: it is not a hotpath segment", file_path);
	assert_string_equal(error.text, expected);
}

static void is_cut_short_while_it_is_read(void **state)
{
	struct hp_error error = { "" };
	struct hp_mapping mapping;
	struct sigaction before, after;
	char byte;

	(void)state;
	sigaction(SIGBUS, NULL, &before);
	assert_int_equal(hp_mapping_open(&mapping, file_path, HP_ANY_USER, &error), 0);
	assert_int_equal(hp_mapping_begin(&mapping, &error), 0);
	const volatile char *bytes = mapping.bytes;
	assert_int_equal(bytes[made.size - 1], made.bytes[made.size - 1]);
	assert_true(hp_mapping_read(&mapping, &byte, 1, made.size - 1) == 1);
	assert_int_equal(truncate(file_path, 8192), 0);
	hp_mapping_rest(&mapping);
	/* What is left can be read, and the rest is nothing. */
	assert_int_equal(bytes[0], HP_MAGIC[0]);
	assert_int_equal(bytes[made.size - 1], 0);
	assert_int_equal(bytes[8192], 0);
	assert_true(hp_mapping_read(&mapping, &byte, 1, made.size - 1) == 0);
	assert_int_equal(hp_mapping_end(&mapping, &error), -EINVAL);
	assert_string_equal(error.text, "it was cut short");
	sigaction(SIGBUS, NULL, &after);
	assert_true(before.sa_handler == after.sa_handler);
	/* It can be whole again. */
	assert_int_equal(truncate(file_path, 1 << 20), 0);
	assert_int_equal(hp_mapping_begin(&mapping, &error), 0);
	bytes = mapping.bytes;
	assert_int_equal(bytes[0], HP_MAGIC[0]);
	assert_int_equal(hp_mapping_end(&mapping, &error), 0);
	hp_mapping_close(&mapping);
}

static void refuses_what_is_no_segment(void **state)
{
	struct hp_error error = { "" };

	(void)state;
	((struct hp_header *)(void *)file_bytes)->version_major++;
	assert_int_equal(hp_watch_open(&watch, file_path, &error), -ENOTSUP);
	assert_null(watch);
	assert_non_null(strstr(error.text, "it was written by another version of hotpath"));
	assert_int_equal(hp_watch_open(&watch, "999999999", &error), -ESRCH);
	assert_string_equal(error.text, "process 999999999 does not exist");
	assert_int_equal(hp_watch_open(&watch, "/dev/null", &error), -ESRCH);
	assert_int_equal(hp_watch_open(&watch, "nobody", &error), -ESRCH);
	assert_string_equal(error.text,
			    "no measured program 'nobody' is running; start it with 'hotpath run'");
}

static void stop_child(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static pid_t start_sleeper(void)
{
	pid_t child = fork();

	if (child == 0)
		for (;;)
			pause();
	assert_true(child > 0);
	return child;
}

static void refuses_a_process_without_segment(void **state)
{
	struct hp_error error = { "" };
	pid_t child = start_sleeper();
	char pid[16], expected[128];

	(void)state;
	snprintf(pid, sizeof(pid), "%d", child);
	snprintf(expected, sizeof(expected),
		 "process %1$d is not being measured; 'hotpath attach %1$d' does so", child);
	assert_int_equal(hp_watch_open(&watch, pid, &error), -ESRCH);
	stop_child(child);
	assert_string_equal(error.text, expected);
	/* Root may send signals to process 1, which is how the tool finds out; others only if it is their own. */
	bool another_users = kill(1, 0) && errno == EPERM;
	assert_int_equal(hp_watch_open(&watch, "1", &error), another_users ? -EACCES : -ESRCH);
	assert_string_equal(error.text,
			    another_users
				    ? "process 1 belongs to another user"
				    : "process 1 is not being measured; 'hotpath attach 1' does "
				      "so");
}

static void is_found_by_name(void **state)
{
	static const char *const names[] = { "program", "PID" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char pid[16];
		snprintf(pid, sizeof(pid), "%d", getpid());
		open_watch(strcmp(names[i], "PID") == 0 ? pid : names[i]);
		read_again();
		assert_int_equal(hp_watch_model(watch)->pid, (uint32_t)getpid());
		hp_watch_free(watch);
	}
	watch = NULL;
}

/* A child that has the file mapped as we have, or not. */
static pid_t start_child(bool writes)
{
	int ready[2];
	char byte = 0;

	assert_int_equal(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		if (!writes)
			munmap(file_bytes, 1 << 20);
		close(ready[0]);
		byte = write(ready[1], &byte, 1) == 1;
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	((struct hp_header *)(void *)file_bytes)->pid = (uint32_t)child;
	return child;
}

static void process_that_does_not_write(void **state)
{
	pid_t child = start_child(false);

	(void)state;
	open_watch(file_path);
	read_again();
	assert_int_equal(hp_watch_state(watch), HP_WATCH_ENDED);
	assert_false(hp_watch_model(watch)->exit.running);
	/* There is nothing new. */
	((struct hp_stat *)(void *)(file_bytes + made_offset(&made, made.stats[0])))->calls++;
	read_again();
	assert_int_equal(calls_of("work"), 2 * MADE_CALLS);
	stop_child(child);
}

static void process_that_is_killed(void **state)
{
	pid_t child = start_child(true);

	(void)state;
	open_watch(file_path);
	read_again();
	assert_int_equal(hp_watch_state(watch), HP_WATCH_LIVE);
	assert_true(hp_watch_model(watch)->exit.running);
	((struct hp_stat *)(void *)(file_bytes + made_offset(&made, made.stats[0])))->calls++;
	stop_child(child);
	read_again();
	assert_int_equal(hp_watch_state(watch), HP_WATCH_ENDED);
	assert_int_equal(calls_of("work"), 2 * MADE_CALLS + 1);
}

static void signals_are_as_before(void **state)
{
	struct sigaction before, after;

	(void)state;
	sigaction(SIGBUS, NULL, &before);
	open_watch(file_path);
	read_again();
	sigaction(SIGBUS, NULL, &after);
	assert_true(before.sa_handler == after.sa_handler);
}

static int make(void **state)
{
	if (compiled_make_folder(state))
		return -1;
	return setenv("HOTPATH_DIR", compiled_folder, 1);
}

static const struct hp_entry *channel(void)
{
	const struct hp_entries *entries = &hp_watch_model(watch)->entries;

	for (size_t i = 0; i < entries->count; i++)
		if (entries->items[i].site_kind == HP_SITE_CHANNEL)
			return &entries->items[i];
	fail_msg("no channel");
	return NULL;
}

static void channels_have_trends(void **state)
{
	struct hp_flow_event *events = NULL;

	(void)state;
	made_flows(&made);
	memcpy(file_bytes, made.bytes, made.size);
	open_watch(file_path);
	read_again();
	assert_non_null(channel()->trends[0]);
	assert_true(channel()->trends[0]->rate == 0);
	/* In the file: what receives is the last stat that the second lane took for a channel. */
	for (uint64_t at = made.lanes[1]->stats; at;) {
		struct hp_stat *stat = (void *)(file_bytes + at);
		if (stat->site == channel()->id)
			stat->flow[HP_CHANNEL_RECEIVED] += 1000;
		at = stat->next;
	}
	read_again();
	assert_int_equal(figure_of(channel(), "received_count"), 1007);
	assert_true(channel()->trends[1]->rate > 0);
	assert_true(channel()->trends[0]->rate == 0);
	assert_int_equal(hp_watch_events(watch, channel()->id, &events), 10);
	assert_int_equal(events[0].number, 10);
	free(events);
	assert_int_equal(hp_watch_events(watch, 1, &events), -ENOENT);
	assert_null(events);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_yet),
		TEST(reads_again),
		TEST(times_do_not_fall),
		TEST(grows),
		TEST(has_no_name_any_more),
		TEST(is_cut_short),
		TEST(is_cut_short_while_it_is_read),
		TEST(refuses_what_is_no_segment),
		TEST(refuses_a_process_without_segment),
		TEST(is_found_by_name),
		TEST(process_that_does_not_write),
		TEST(process_that_is_killed),
		TEST(signals_are_as_before),
		TEST(channels_have_trends),
	};

	return cmocka_run_group_tests(tests, make, compiled_remove_folder);
}
