"""Writes the blocks `pyarrow-*.parquet` of the tests, by the schema in Tempo's documentation: python3 make-blocks.py FOLDER.

Needs pyarrow. Tempo itself is not used.
"""

import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq

START = 1769860830123456789
text, integer, unsigned, count = pa.string(), pa.int64(), pa.uint64(), pa.int32()


def required(name, kind):
    return pa.field(name, kind, nullable=False)


def list_of(kind):
    return pa.list_(pa.field("element", kind, nullable=False))


def dedicated(version):
    """vParquet5 has 20 columns of text and 5 of numbers; both can be lists."""
    if version < 5:
        return pa.struct([pa.field(f"String{n:02}", text) for n in range(1, 11)])
    return pa.struct(
        [pa.field(f"String{n:02}", list_of(text)) for n in range(1, 21)]
        + [pa.field(f"Int{n:02}", list_of(integer)) for n in range(1, 6)]
    )


def attribute(version):
    if version == 3:
        return pa.struct(
            [required("Key", text), pa.field("Value", text), pa.field("ValueInt", integer)]
            + [pa.field("ValueDouble", pa.float64()), pa.field("ValueBool", pa.bool_())]
            + [pa.field("ValueKVList", text), pa.field("ValueArray", text)]
        )
    return pa.struct(
        [required("Key", text), required("IsArray", pa.bool_()), required("Value", list_of(text))]
        + [required("ValueInt", list_of(integer)), required("ValueDouble", list_of(pa.float64()))]
        + [required("ValueBool", list_of(pa.bool_())), pa.field("ValueUnsupported", text)]
    )


def schema(version):
    attrs = list_of(attribute(version))
    dropped = required("DroppedAttributesCount", count)
    event = [required("Name", text), dropped]
    if version == 3:
        encoded = pa.struct([required("Key", text), required("Value", pa.binary())])
        event += [required("TimeUnixNano", unsigned), required("Attrs", list_of(encoded))]
    else:
        event += [required("TimeSinceStartNano", unsigned), required("Attrs", attrs)]
    if version == 5:
        event += [required("DedicatedAttributes", dedicated(5))]
    link = [required("TraceID", pa.binary()), required("SpanID", pa.binary()), required("TraceState", text)]
    links = pa.binary() if version == 3 else list_of(pa.struct(link + [required("Attrs", attrs), dropped]))
    http = [pa.field("HttpMethod", text), pa.field("HttpUrl", text), pa.field("HttpStatusCode", integer)]
    span = [required(name, pa.binary()) for name in ("SpanID", "ParentSpanID")]
    span += [required(name, text) for name in ("Name", "TraceState", "StatusMessage")]
    span += [required(name, integer) for name in ("Kind", "StatusCode")]
    span += [required(name, unsigned) for name in ("StartTimeUnixNano", "DurationNano")]
    span += [required(name, count) for name in ("DroppedEventsCount", "DroppedLinksCount")]
    span += [dropped, required("Attrs", attrs), required("Links", links)]
    span += [required("Events", list_of(pa.struct(event))), required("DedicatedAttributes", dedicated(version))]
    span += [] if version == 5 else http
    scope = [required("Name", text), required("Version", text)]
    scope += [] if version == 3 else [required("Attrs", attrs), dropped]
    named = ["Cluster", "Namespace", "Pod", "Container", "K8sClusterName", "K8sNamespaceName", "K8sPodName", "K8sContainerName"]
    resource = [required("ServiceName", text), required("Attrs", attrs), required("DedicatedAttributes", dedicated(version))]
    resource += [] if version == 3 else [dropped]
    resource += [] if version == 5 else [pa.field(name, text) for name in named]
    scope_spans = pa.struct([required("Scope", pa.struct(scope)), required("Spans", list_of(pa.struct(span)))])
    resource_spans = pa.struct([required("Resource", pa.struct(resource)), required("ss", list_of(scope_spans))])
    return pa.schema([required("TraceID", pa.binary()), required("rs", list_of(resource_spans))])


def attr(version, key, kind, value):
    """kind: the column of the value, or None for an array of texts."""
    if version == 3:
        if kind is None:
            return {"Key": key, "ValueArray": json.dumps({"arrayValue": {"values": [{"stringValue": each} for each in value]}})}
        return {"Key": key, kind: value}
    row = {"Key": key, "IsArray": kind is None, "Value": [], "ValueInt": [], "ValueDouble": [], "ValueBool": []}
    if kind == "ValueKVList":
        return {**row, "ValueUnsupported": value}
    row[kind or "Value"] = value if kind is None else [value]
    return row


def message(field, content):
    """A field of protobuf with a length below 128."""
    return bytes([field << 3 | 2, len(content)]) + content


def event(version):
    if version == 3:
        value = message(1, b"broken")
        return {"TimeUnixNano": START + 5, "Attrs": [{"Key": "exception.message", "Value": value}]}
    row = {"TimeSinceStartNano": 5, "Attrs": [attr(version, "exception.message", "Value", "broken")]}
    return row if version == 4 else {**row, "DedicatedAttributes": {"String01": ["Oops"], "Int01": [9]}}


def links(version):
    trace, span = bytes(15) + b"\x07", bytes(7) + b"\x08"
    if version == 3:
        pair = message(1, b"why") + message(2, message(1, b"retry"))
        return message(1, message(1, trace) + message(2, span) + message(3, b"a=b") + message(4, pair))
    attrs = [attr(version, "why", "Value", "retry")]
    return [{"TraceID": trace, "SpanID": span, "TraceState": "a=b", "Attrs": attrs, "DroppedAttributesCount": 0}]


def trace(version, number):
    root = {"ParentSpanID": b"", "Name": "GET /", "Kind": 2, "StatusCode": 2, "StatusMessage": "no money ☕", "TraceState": "ot=th:8"}
    child = {"ParentSpanID": bytes([0] * 7 + [1]), "Name": "charge", "Kind": 3, "StatusCode": 0, "StatusMessage": "", "TraceState": ""}
    attrs = [("text", "Value", "a"), ("int", "ValueInt", -9007199254740993), ("double", "ValueDouble", 1.5)]
    attrs += [("bool", "ValueBool", False), ("texts", None, ["x", "y"])]
    attrs += [("map", "ValueKVList", '{"kvlistValue":{"values":[{"key":"k","value":{"intValue":"7"}}]}}')]
    own = {"String01": "/cart", "String02": f"u{number}"}
    if version == 5:
        own = {"String01": ["/cart"], "String02": [f"u{number}", "admin"], "Int01": [200]}
    else:
        root["HttpMethod"], root["HttpStatusCode"] = "GET", 200
    spans = []
    for index, span in enumerate((root, child)):
        empty = b"" if version == 3 else []
        spans.append({
            **span, "SpanID": bytes([0] * 7 + [index + 1]), "StartTimeUnixNano": START + index, "DurationNano": 1000,
            "DroppedAttributesCount": index, "DroppedEventsCount": 0, "DroppedLinksCount": 4 * index,
            "Attrs": [] if index else [attr(version, *each) for each in attrs],
            "Events": [] if index else [{"Name": "exception", "DroppedAttributesCount": 1, **event(version)}],
            "Links": empty if index else links(version), "DedicatedAttributes": {} if index else own,
        })
    resource = {"ServiceName": "shop", "Attrs": [attr(version, "host.cpus", "ValueInt", 4)], "DroppedAttributesCount": 0}
    resource["DedicatedAttributes"] = {"String01": ["eu"] if version == 5 else "eu"}
    if version != 5:
        resource["K8sPodName"] = "pod-1"
    scope = {"Name": "lib", "Version": "1.2", "Attrs": [], "DroppedAttributesCount": 0}
    scopes = [{"Scope": scope, "Spans": spans[:1]}, {"Scope": {**scope, "Name": ""}, "Spans": spans[1:]}]
    return {"TraceID": number.to_bytes(16, "big"), "rs": [{"Resource": resource, "ss": scopes}]}


def fill(value, kind):
    """Lists and groups that a row leaves out are empty."""
    if pa.types.is_struct(kind):
        value = value or {}
        return {each.name: fill(value.get(each.name), each.type) for each in kind}
    if pa.types.is_list(kind):
        return [fill(each, kind.value_type) for each in value or []]
    return value


def write(folder, name, version, traces, **options):
    own = schema(version)
    rows = [fill(trace(version, number), pa.struct(list(own))) for number in range(1, traces + 1)]
    table = pa.Table.from_pylist(rows, schema=own)
    pq.write_table(table, f"{folder}/pyarrow-{name}.parquet", store_schema=False, **options)


if __name__ == "__main__":
    folder = sys.argv[1]
    write(folder, "v3-snappy", 3, 3, compression="snappy")
    write(folder, "v4-zstd", 4, 3, compression="zstd", data_page_version="2.0", write_page_index=True)
    write(folder, "v4-gzip", 4, 2, compression="gzip", use_dictionary=False)
    write(folder, "v4-lz4", 4, 2, compression="lz4", write_page_index=True)
    write(folder, "v4-brotli", 4, 2, compression="brotli")
    write(folder, "v5-none", 5, 3, compression="none", row_group_size=2, write_page_index=True)
