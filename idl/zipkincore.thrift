# Spans of Zipkin's first Thrift clients. Times are in microseconds.

namespace java io.tracing.zipkincore

# Annotation values: what happened to a request, and on which side.
const string CLIENT_SEND = "cs"
const string CLIENT_RECV = "cr"
const string SERVER_SEND = "ss"
const string SERVER_RECV = "sr"
const string MESSAGE_SEND = "ms"
const string MESSAGE_RECV = "mr"
const string WIRE_SEND = "ws"
const string WIRE_RECV = "wr"
const string CLIENT_SEND_FRAGMENT = "csf"
const string CLIENT_RECV_FRAGMENT = "crf"
const string SERVER_SEND_FRAGMENT = "ssf"
const string SERVER_RECV_FRAGMENT = "srf"

# Keys of binary annotations: the component of a local span, and addresses of the other side.
const string LOCAL_COMPONENT = "lc"
const string CLIENT_ADDR = "ca"
const string SERVER_ADDR = "sa"
const string MESSAGE_ADDR = "ma"

struct Endpoint {
  # Big-endian: 1.2.3.4 is 0x01020304.
  1: i32             ipv4
  # Unsigned: ports over 32767 look negative.
  2: i16             port
  3: string          service_name
  4: optional binary ipv6
}

struct Annotation {
  1: i64               timestamp
  2: string            value
  3: optional Endpoint host
}

enum AnnotationType { BOOL, BYTES, I16, I32, I64, DOUBLE, STRING }

struct BinaryAnnotation {
  1: string            key
  2: binary            value
  # An AnnotationType; a number for the reason given at Tag in tracing.thrift.
  3: i32               annotation_type
  4: optional Endpoint host
}

struct Span {
  1:  i64                    trace_id
  3:  string                 name
  4:  i64                    id
  5:  optional i64           parent_id
  6:  list<Annotation>       annotations
  8:  list<BinaryAnnotation> binary_annotations
  9:  optional bool          debug
  10: optional i64           timestamp
  11: optional i64           duration
  12: optional i64           trace_id_high
}

struct Response {
  1: required bool ok
}

service ZipkinCollector {
  list<Response> submitZipkinBatch(1: list<Span> spans)
}
