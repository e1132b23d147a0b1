/* SPDX-License-Identifier: MIT */
/*
 * Protocol buffers: messages io.prometheus.client.MetricFamily, each after its length. This is the only format in which Prometheus
 * takes native histograms.
 *
 *	family ─► metric ─► label: name, value
 *	              └───► counter, gauge, or histogram ─► classic bucket
 *	                                                └─► span of native buckets
 *
 * Of neighbouring native buckets, a span says how many there are; of each, a delta how many more it has than the one before.
 */
#include "exposition.h"

#include "protobuf.h"

#include <assert.h>

/* ---- https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto ---- */

enum family_field { FAMILY_NAME = 1, FAMILY_HELP = 2, FAMILY_TYPE = 3, FAMILY_METRIC = 4 };

enum metric_field { METRIC_LABEL = 1, METRIC_GAUGE = 2, METRIC_COUNTER = 3, METRIC_HISTOGRAM = 7 };

enum label_field { LABEL_NAME = 1, LABEL_VALUE = 2 };

/* Of counters and gauges. */
enum value_field { VALUE_NUMBER = 1 };

enum histogram_field {
	HISTOGRAM_COUNT = 1,
	HISTOGRAM_SUM = 2,
	HISTOGRAM_BUCKET = 3,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD = 6,
	HISTOGRAM_ZERO_COUNT = 7,
	HISTOGRAM_SPAN = 12,
	HISTOGRAM_DELTAS = 13,
};

enum bucket_field { BUCKET_BELOW = 1, BUCKET_BOUNDARY = 2 };

enum span_field { SPAN_OFFSET = 1, SPAN_LENGTH = 2 };

/* Types of families, by the schema; information is a gauge. */
static const unsigned type_numbers[] = {
	[HP_FAMILY_COUNTER] = 0,
	[HP_FAMILY_GAUGE] = 1,
	[HP_FAMILY_HISTOGRAM] = 4,
	[HP_FAMILY_INFO] = 1,
};

/* Messages that are being written, each inside of one before it. */
enum message { FAMILY, METRIC, VALUE, PART, FIRST_TEXT, SECOND_TEXT };

static_assert(SECOND_TEXT + 1 == HP_EXPOSITION_MESSAGES, "there is room for all messages");

/* ---- families ---- */

static void put_family(struct hp_exposition *exposition)
{
	struct hp_text *family = &exposition->messages[FAMILY];

	exposition->text->failed |= family->failed;
	if (!family->length)
		return;
	hp_protobuf_packed(exposition->text, family->length);
	hp_text_add(exposition->text, family->bytes, family->length);
	family->length = 0;
}

static void begin(struct hp_exposition *exposition)
{
	const struct hp_family *family = &exposition->family;
	struct hp_text *message = &exposition->messages[FAMILY];
	struct hp_text *text = &exposition->messages[FIRST_TEXT];

	put_family(exposition);
	hp_text_puts(text, family->name);
	hp_text_puts(text, hp_family_suffix(family->type));
	hp_protobuf_message(message, FAMILY_NAME, text);
	hp_text_puts(text, family->help);
	hp_protobuf_message(message, FAMILY_HELP, text);
	hp_protobuf_number(message, FAMILY_TYPE, type_numbers[family->type]);
}

static void end(struct hp_exposition *exposition)
{
	put_family(exposition);
	for (size_t i = 0; i < HP_EXPOSITION_MESSAGES; i++)
		hp_text_free(&exposition->messages[i]);
}

/* ---- samples ---- */

static void put_labels(struct hp_exposition *exposition, const char *labels)
{
	struct hp_text *messages = exposition->messages;

	while (labels && *labels) {
		labels = hp_label_read(labels, &messages[FIRST_TEXT], &messages[SECOND_TEXT]);
		hp_protobuf_message(&messages[PART], LABEL_NAME, &messages[FIRST_TEXT]);
		hp_protobuf_message(&messages[PART], LABEL_VALUE, &messages[SECOND_TEXT]);
		hp_protobuf_message(&messages[METRIC], METRIC_LABEL, &messages[PART]);
	}
}

/* The metric consists of its labels, which are written, and its value. */
static void put_metric(struct hp_exposition *exposition, enum metric_field field)
{
	struct hp_text *messages = exposition->messages;

	hp_protobuf_message(&messages[METRIC], field, &messages[VALUE]);
	hp_protobuf_message(&messages[FAMILY], FAMILY_METRIC, &messages[METRIC]);
}

static double seconds(uint64_t ns)
{
	return (double)ns / 1e9;
}

static double number_of(const struct hp_family *family, const struct hp_sample *sample)
{
	if (sample->is_real)
		return sample->real;
	return family->unit == HP_UNIT_SECONDS ? seconds(sample->whole) : (double)sample->whole;
}

static void put_sample(struct hp_exposition *exposition, const char *labels, const char *more,
		       const struct hp_sample *sample)
{
	bool is_counter = exposition->family.type == HP_FAMILY_COUNTER;

	put_labels(exposition, labels);
	put_labels(exposition, more);
	hp_protobuf_real(&exposition->messages[VALUE], VALUE_NUMBER,
			 number_of(&exposition->family, sample));
	put_metric(exposition, is_counter ? METRIC_COUNTER : METRIC_GAUGE);
}

/* ---- histograms ---- */

/* That of everything has no boundary, and is not written: it has the count. */
static void put_classic(struct hp_text *messages, const struct hp_classic *classic)
{
	for (unsigned bucket = 0; bucket < HP_CLASSIC_BUCKETS; bucket++) {
		hp_protobuf_number(&messages[PART], BUCKET_BELOW, classic->below[bucket]);
		hp_protobuf_real(&messages[PART], BUCKET_BOUNDARY,
				 seconds(hp_classic_boundary(bucket)));
		hp_protobuf_message(&messages[VALUE], HISTOGRAM_BUCKET, &messages[PART]);
	}
}

/* A span has up to so many empty buckets in a row, which take less room than a further one. */
enum { GAP_MAX = 2 };

static int next_used(const uint64_t *counts, int from)
{
	while (from < HP_EXPONENTIAL_BUCKETS && !counts[from])
		from++;
	return from;
}

static int end_of_span(const uint64_t *counts, int first)
{
	int last = first;

	for (int i = first; i < HP_EXPONENTIAL_BUCKETS && i <= last + 1 + GAP_MAX; i++)
		if (counts[i])
			last = i;
	return last + 1;
}

static void put_deltas(struct hp_text *deltas, const uint64_t *counts, int first, int end,
		       uint64_t *before)
{
	for (int i = first; i < end; i++) {
		hp_protobuf_packed_signed(deltas, (int64_t)(counts[i] - *before));
		*before = counts[i];
	}
}

/* The offset of the first span is from bucket 0, that of others from the end of the one before. */
static void put_spans(struct hp_text *messages, const uint64_t *counts)
{
	int previous_end = -HP_EXPONENTIAL_FIRST;
	uint64_t before = 0;

	for (int first = next_used(counts, 0); first < HP_EXPONENTIAL_BUCKETS;
	     first = next_used(counts, previous_end)) {
		int end = end_of_span(counts, first);
		hp_protobuf_signed(&messages[PART], SPAN_OFFSET, first - previous_end);
		hp_protobuf_number(&messages[PART], SPAN_LENGTH, (uint64_t)(end - first));
		hp_protobuf_message(&messages[VALUE], HISTOGRAM_SPAN, &messages[PART]);
		put_deltas(&messages[FIRST_TEXT], counts, first, end, &before);
		previous_end = end;
	}
	hp_protobuf_message(&messages[VALUE], HISTOGRAM_DELTAS, &messages[FIRST_TEXT]);
}

/*
 * Prometheus refuses a histogram whose buckets have not as many as it counts. In the snapshot of a running program the number of calls
 * may be another one: so what is in the buckets counts.
 */
static void put_histogram(struct hp_exposition *exposition, const char *labels,
			  const struct hp_histogram *histogram)
{
	const struct hp_exponential *exponential = histogram->exponential;
	struct hp_text *value = &exposition->messages[VALUE];

	put_labels(exposition, labels);
	hp_protobuf_number(value, HISTOGRAM_COUNT, exponential->count);
	hp_protobuf_real(value, HISTOGRAM_SUM, seconds(histogram->classic.sum_ns));
	put_classic(exposition->messages, &histogram->classic);
	hp_protobuf_signed(value, HISTOGRAM_SCHEMA, HP_EXPONENTIAL_SCHEMA);
	/* As small as clients of others have it; more than 0 says that there are native buckets, also while all are empty. */
	hp_protobuf_real(value, HISTOGRAM_ZERO_THRESHOLD, 0x1p-128);
	hp_protobuf_number(value, HISTOGRAM_ZERO_COUNT, exponential->zero_count);
	put_spans(exposition->messages, exponential->counts);
	put_metric(exposition, METRIC_HISTOGRAM);
}

const struct hp_exposition_format hp_exposition_protobuf = {
	.content_type = "application/vnd.google.protobuf; "
			"proto=io.prometheus.client.MetricFamily; encoding=delimited",
	.has_exponential = true,
	.begin = begin,
	.sample = put_sample,
	.histogram = put_histogram,
	.end = end,
};
