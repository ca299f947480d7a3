// Attributes that instrumentations of the common libraries set, by the OpenTelemetry semantic conventions.

import { type Attribute, double, flag, int, text, textList, uniqueText } from "./attributes.ts";
import type { Random } from "./random.ts";

/** Inputs that decide the attributes of a span. */
export interface SpanFacts {
  readonly random: Random;
  readonly service: string;
  /** Name of the operation, as `GET /api/products/{id}`. */
  readonly name: string;
  readonly failed: boolean;
}

const userAgents = [
  "Mozilla/5.0 (X11; Linux x86_64) Chrome/149.0 Safari/537.36",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_2) Safari/605.1.15",
  "Mozilla/5.0 (Windows NT 10.0; rv:148.0) Firefox/148.0",
  "okhttp/5.2.1",
] as const;

function statusCode({ random, failed }: SpanFacts): number {
  if (failed) {
    return random.pick([500, 502, 503]);
  }
  return random.chance(0.04) ? random.pick([400, 401, 404]) : 200;
}

function methodAndPath({ random, name }: SpanFacts): { method: string; route: string; path: string } {
  const [method = "GET", route = "/"] = name.split(" ");
  return { method, route, path: route.replace("{id}", String(random.below(5000))) };
}

export function httpServer(facts: SpanFacts): Attribute[] {
  const { random } = facts;
  const { method, route, path } = methodAndPath(facts);
  return [
    text("http.request.method", method),
    text("http.route", route),
    text("url.path", path),
    text("url.scheme", "https"),
    int("http.response.status_code", statusCode(facts)),
    text("server.address", "shop.example"),
    text("client.address", `192.0.2.${random.below(256)}`),
    text("user_agent.original", random.pick(userAgents)),
    text("network.protocol.version", random.pick(["1.1", "2"])),
    uniqueText("http.request.id", 12),
  ];
}

export function httpClient(facts: SpanFacts, peer: string): Attribute[] {
  const { random } = facts;
  const { method, path } = methodAndPath(facts);
  return [
    text("http.request.method", method),
    text("url.full", `http://${peer}:8080${path}`),
    text("server.address", peer),
    int("server.port", 8080),
    int("http.response.status_code", statusCode(facts)),
    text("network.protocol.version", "1.1"),
    text("network.peer.address", `10.0.${random.below(4)}.${random.below(256)}`),
    int("network.peer.port", 8080),
    text("peer.service", peer),
    int("http.request.body.size", random.below(4000)),
  ];
}

export function rpcServer({ random, name, failed }: SpanFacts): Attribute[] {
  const [service = "", method = ""] = name.split("/");
  return [
    text("rpc.system", "grpc"),
    text("rpc.service", service),
    text("rpc.method", method),
    int("rpc.grpc.status_code", failed ? 13 : 0),
    text("server.address", "0.0.0.0"),
    int("server.port", 8080),
    text("client.address", `10.0.${random.below(4)}.${random.below(256)}`),
    int("client.port", 30_000 + random.below(30_000)),
    text("network.transport", "tcp"),
    uniqueText("app.request.id", 16),
  ];
}

export function sqlClient({ random, name }: SpanFacts): Attribute[] {
  const [operation = "SELECT", table = "products"] = name.split(" ");
  return [
    text("db.system.name", "postgresql"),
    text("db.namespace", "shop"),
    text("db.collection.name", table),
    text("db.operation.name", operation),
    text("db.query.text", `${operation} … ${table} WHERE id = $1 AND tenant = $2`),
    text("server.address", "postgres-0"),
    int("server.port", 5432),
    text("network.peer.address", "10.0.9.17"),
    int("db.response.returned_rows", random.below(50)),
    flag("db.connection.reused", random.chance(0.98)),
  ];
}

export function cacheClient({ random, name }: SpanFacts): Attribute[] {
  const [operation = "GET", entity = "product"] = name.split(" ");
  return [
    text("db.system.name", "redis"),
    text("db.operation.name", operation),
    text("db.query.text", `${operation} ${entity}:${random.below(5000)}`),
    int("db.namespace", 0),
    text("server.address", "redis-0"),
    int("server.port", 6379),
    text("network.peer.address", "10.0.9.31"),
    flag("app.cache.hit", random.chance(0.8)),
    int("app.cache.bytes", random.below(20_000)),
  ];
}

export function message({ random, name }: SpanFacts): Attribute[] {
  const [topic = "orders", operation = "send"] = name.split(" ");
  return [
    text("messaging.system", "kafka"),
    text("messaging.destination.name", topic),
    text("messaging.operation.type", operation),
    uniqueText("messaging.message.id", 16),
    int("messaging.message.body.size", 200 + random.below(2000)),
    text("messaging.destination.partition.id", String(random.below(12))),
    int("messaging.kafka.offset", random.uint32()),
    text("messaging.client.id", `shop-${random.below(4)}`),
    text("server.address", "kafka-0"),
    int("server.port", 9092),
  ];
}

export function internalWork({ random, service, name }: SpanFacts): Attribute[] {
  return [
    text("code.function.name", name),
    text("code.file.path", `/app/src/${service}/${name.split(".")[0]}.ts`),
    int("code.line.number", 10 + (name.length % 90)),
    int("thread.id", 1 + random.below(16)),
    text("thread.name", `worker-${random.below(16)}`),
    text("app.user.id", `u-${random.below(20_000)}`),
    text("app.currency", random.pick(["EUR", "USD", "JPY"])),
    double("app.amount", random.below(100_000) / 100 + 0.005),
    flag("app.returning_user", random.chance(0.6)),
    textList("app.flags", random.chance(0.5) ? ["new-checkout"] : ["new-checkout", "fast-search"]),
  ];
}
