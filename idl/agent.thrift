# What the agent's UDP ports take: one message a packet, never answered.

include "tracing.thrift"
include "zipkincore.thrift"

namespace java io.tracing.agent.thrift

service Agent {
  oneway void emitZipkinBatch(1: list<zipkincore.Span> spans)
  oneway void emitBatch(1: tracing.Batch batch)
}
