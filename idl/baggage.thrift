# Which baggage keys a client may set, and how long their values may be.

namespace java io.tracing.baggage.thrift

struct BaggageRestriction {
  1: required string baggageKey
  2: required i32    maxValueLength
}

service BaggageRestrictionManager {
  list<BaggageRestriction> getBaggageRestrictions(1: string serviceName)
}
