/** The message of the Zipkin micro benches: server spans with 10 tags and both endpoints, as a client sends them. */

const tags = {
  "http.method": "GET",
  "http.path": "/api/products/42",
  "http.scheme": "http",
  "http.host": "shop.example",
  "http.status_code": "200",
  "http.user_agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0.0.0 Safari/537.36",
  "http.flavor": "1.1",
  "mvc.controller.class": "ProductController",
  "mvc.controller.method": "product",
  "cache.hit": "true",
};

/** Zipkin v2 JSON of `spanCount` spans. */
export function zipkinV2JsonRequest(spanCount: number): Buffer {
  const spans = Array.from({ length: spanCount }, (_, index) => ({
    traceId: Buffer.alloc(16, index + 1).toString("hex"),
    parentId: Buffer.alloc(8, index + 2).toString("hex"),
    id: Buffer.alloc(8, index + 1).toString("hex"),
    kind: "SERVER",
    name: "get /api/products/{id}",
    timestamp: 1_700_000_000_000_000 + index * 1003,
    duration: 1234 + index,
    localEndpoint: { serviceName: "shop", ipv4: "192.0.2.1", port: 8080 },
    remoteEndpoint: { ipv4: "198.51.100.17", port: 51_234 },
    tags,
  }));
  return Buffer.from(JSON.stringify(spans));
}
