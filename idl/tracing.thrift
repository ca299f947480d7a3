# Spans as the older clients send them: over UDP to the agent, over HTTP to the collector.
# Times and durations are in microseconds; a 64-bit trace id has a high half of zero.

namespace java io.tracing.thrift

enum TagType { STRING, DOUBLE, BOOL, LONG, BINARY }

struct Tag {
  1: required string key
  # A TagType. Declared as its number, the same on the wire: a reader must not refuse a batch for a type of the future.
  2: required i32    vType
  3: optional string vStr
  4: optional double vDouble
  5: optional bool   vBool
  6: optional i64    vLong
  7: optional binary vBinary
}

struct Log {
  1: required i64       timestamp
  2: required list<Tag> fields
}

enum SpanRefType { CHILD_OF, FOLLOWS_FROM }

struct SpanRef {
  # A SpanRefType; a number for the reason given at Tag.
  1: required i32 refType
  2: required i64 traceIdLow
  3: required i64 traceIdHigh
  4: required i64 spanId
}

struct Span {
  1:  required i64           traceIdLow
  2:  required i64           traceIdHigh
  3:  required i64           spanId
  # 0 for a root span.
  4:  required i64           parentSpanId
  5:  required string        operationName
  6:  optional list<SpanRef> references
  # Bits: 1 sampled, 2 debug, 8 firehose.
  7:  required i32           flags
  8:  required i64           startTime
  9:  required i64           duration
  10: optional list<Tag>     tags
  11: optional list<Log>     logs
}

struct Process {
  1: required string    serviceName
  2: optional list<Tag> tags
}

# What a client lost before it could send.
struct ClientStats {
  1: required i64 fullQueueDroppedSpans
  2: required i64 tooLargeDroppedSpans
  3: required i64 failedToEmitSpans
}

struct Batch {
  1: required Process     process
  2: required list<Span>  spans
  3: optional i64         seqNo
  4: optional ClientStats stats
}

struct BatchSubmitResponse {
  1: required bool ok
}

service Collector {
  list<BatchSubmitResponse> submitBatches(1: list<Batch> batches)
}
