/* SPDX-License-Identifier: MIT */
/* Logs texts of 2500 bytes in every way: "0123 0128 0133 …", each number being where it stands. */
#include <hotpath.h>

#include <stdio.h>
#include <string.h>

enum {
	LENGTH = 2500,
};

static char text[LENGTH + 1];

static const char *returned(void)
{
	HOTPATH_MEASURE();
	HOTPATH_RETURN(text);
}

/* Whichever byte it is cut at is inside of a character, or not. */
static const char *umlauts(int skipped)
{
	static char all[LENGTH + 1] = "a";

	HOTPATH_MEASURE_AS("umlauts");
	for (int i = 1; i + 1 < LENGTH; i += 2)
		strcpy(all + i, "\xc3\xa4");
	HOTPATH_RETURN(all + skipped);
}

int main(void)
{
	HOTPATH_MAIN();
	struct hotpath_channel channel;
	struct hotpath_stream stream;
	struct hotpath_future future;

	for (int i = 0; i < LENGTH; i += 5)
		snprintf(text + i, sizeof(text) - (size_t)i, "%04d ", i);
	for (int i = 0; i < 300; i++)
		returned();
	umlauts(0), umlauts(1);
	HOTPATH_CHANNEL_NEW(&channel, "channel", 0);
	HOTPATH_CHANNEL_SEND_LOG(&channel, 1, "%s", text);
	HOTPATH_CHANNEL_SEND_LOG(&channel, 1, "short");
	HOTPATH_CHANNEL_RECV_LOG(&channel, "%s", text);
	HOTPATH_STREAM_NEW(&stream, "stream");
	HOTPATH_STREAM_YIELD_LOG(&stream, 1, "%s", text);
	HOTPATH_FUTURE_NEW(&future, "future");
	HOTPATH_FUTURE_READY_LOG(&future, text);
	HOTPATH_VAL("value", text);
	return 0;
}
