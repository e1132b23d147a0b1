# SPDX-License-Identifier: MIT
"""Metrics in protocol buffers, taken apart by the rules of the format and the schema io.prometheus.client."""
import struct

from exposition import seconds

COUNTER, GAUGE, HISTOGRAM = 0, 1, 4
SCHEMA = 5
TYPE = "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
# As Prometheus 2.42 asks if it takes native histograms.
ACCEPT = ("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,"
          "application/openmetrics-text;version=1.0.0;q=0.8,application/openmetrics-text;version=0.0.1;q=0.75,"
          "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def signed(value):
    return value >> 1 ^ -(value & 1)


def fields(data):
    """Each field has a list: numbers, doubles or bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = struct.unpack_from("<d", data, at)[0], at + 8
        elif key & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            assert len(value) == length, "a field ends too early"
        else:
            raise AssertionError(f"wire type {key & 7}")
        found.setdefault(key >> 3, []).append(value)
    return found


def families_of(data):
    """Name, type and metrics of each."""
    at = 0
    while at < len(data):
        length, at = varint(data, at)
        family = fields(data[at:at + length])
        at += length
        yield family[1][0].decode(), family.get(3, [COUNTER])[0], [fields(metric) for metric in family[4]]


def labels_of(metric):
    pairs = (fields(label) for label in metric.get(1, []))
    return tuple(sorted((pair[1][0].decode(), pair[2][0].decode()) for pair in pairs))


def classic_of(name, labels, histogram):
    """The samples that the text formats have of it."""
    count = histogram.get(1, [0])[0]
    for bucket in map(fields, histogram[3]):
        yield (name + "_bucket", tuple(sorted((*labels, ("le", seconds(round(bucket[2][0] * 1e9)))))), bucket.get(1, [0])[0])
    yield name + "_bucket", tuple(sorted((*labels, ("le", "+Inf")))), count
    yield name + "_sum", labels, histogram[2][0]
    yield name + "_count", labels, count


def native_of(histogram):
    """What is in each bucket, by its number; None is the one for zeros."""
    assert signed(histogram[5][0]) == SCHEMA and histogram[6][0] > 0, histogram
    counts, index, at, count = {None: histogram.get(7, [0])[0]}, 0, 0, 0
    deltas = histogram[13][0]
    for span in map(fields, histogram.get(12, [])):
        index += signed(span.get(1, [0])[0])
        for _ in range(span[2][0]):
            delta, at = varint(deltas, at)
            count += signed(delta)
            counts[index] = count
            index += 1
    assert at == len(deltas), "more deltas than buckets"
    assert sum(counts.values()) == histogram.get(1, [0])[0], "the buckets have not what is counted"
    return {index: count for index, count in counts.items() if count}


def samples_and_natives(data):
    """What samples_of has of the text, with numbers for values; and native histograms by name and labels."""
    samples, natives = {}, {}
    for name, kind, metrics in families_of(data):
        for metric in metrics:
            labels = labels_of(metric)
            if kind == HISTOGRAM:
                histogram = fields(metric[7][0])
                samples.update({(sample, pairs): value for sample, pairs, value in classic_of(name, labels, histogram)})
                natives[name, labels] = native_of(histogram)
            else:
                samples[name, labels] = fields(metric[3 if kind == COUNTER else 2][0])[1][0]
    return samples, natives
