/** Batches of the older formats for micro benches: spans as in `otlp-request.ts`, with ten tags each. */
import type { ApiV2Span, Batch, KeyValue } from "wire/api-v2";
import { boolTag, int64Tag, stringTag } from "wire/api-v2";

function tags(): KeyValue[] {
  return [
    stringTag("http.request.method", "GET"),
    stringTag("url.path", "/api/products/42"),
    stringTag("url.scheme", "http"),
    stringTag("server.address", "shop.example"),
    int64Tag("server.port", 8080n),
    int64Tag("http.response.status_code", 200n),
    stringTag("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0.0.0 Safari/537.36"),
    stringTag("client.address", "192.0.2.17"),
    stringTag("span.kind", "server"),
    boolTag("cache.hit", true),
  ];
}

function span(index: number): ApiV2Span {
  const traceId = Buffer.alloc(16, index + 1);
  return {
    traceId,
    spanId: Buffer.alloc(8, index + 1),
    operationName: "GET /api/products/{id}",
    references: [{ traceId, spanId: Buffer.alloc(8, index + 2), refType: 0 }],
    flags: 1,
    startTime: { seconds: 1_700_000_000n, nanos: index * 1_003_000 },
    duration: { seconds: 0n, nanos: 1_234_000 },
    tags: tags(),
    logs: [],
    process: undefined,
    processId: "",
    warnings: [],
  };
}

/** A batch of spans with a parent and ten tags each, from one process. */
export function apiV2Batch(spanCount: number): Batch {
  return {
    spans: Array.from({ length: spanCount }, (_, index) => span(index)),
    process: {
      serviceName: "shop",
      tags: [stringTag("hostname", "machine-1"), stringTag("client-uuid", "d41d8cd98f00b204")],
    },
  };
}
