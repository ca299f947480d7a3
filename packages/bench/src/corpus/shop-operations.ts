// The operations of an imaginary shop: its services, their operations, and the calls between them.

import type { Attribute } from "./attributes.ts";
import {
  cacheClient,
  httpClient,
  httpServer,
  internalWork,
  message,
  rpcServer,
  type SpanFacts,
  sqlClient,
} from "./span-attributes.ts";

/** OTLP's numbers of span kinds. */
const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

/** One operation of one service, with the operations that it calls in order. */
export interface Operation {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  /** Name of the instrumentation scope. */
  readonly scope: string;
  readonly attributes: (facts: SpanFacts) => Attribute[];
  /** Typical duration in microseconds, without the operations that it calls. */
  readonly ownUs: number;
  readonly calls: readonly Operation[];
}

type Calls = readonly Operation[];

function serve(service: string, name: string, ownUs: number, ...calls: Calls): Operation {
  const scope = "@opentelemetry/instrumentation-http";
  return { service, name, kind: kinds.server, scope, attributes: httpServer, ownUs, calls };
}
function serveRpc(service: string, name: string, ownUs: number, ...calls: Calls): Operation {
  const scope = "@opentelemetry/instrumentation-grpc";
  return { service, name, kind: kinds.server, scope, attributes: rpcServer, ownUs, calls };
}
/** The client's span around the span of `called`. */
function call(service: string, called: Operation): Operation {
  const scope = "@opentelemetry/instrumentation-http";
  const attributes = (facts: SpanFacts) => httpClient(facts, called.service);
  return { service, name: called.name, kind: kinds.client, scope, attributes, ownUs: 400, calls: [called] };
}
function work(service: string, name: string, ownUs: number, ...calls: Calls): Operation {
  const scope = "shop";
  return { service, name, kind: kinds.internal, scope, attributes: internalWork, ownUs, calls };
}
function sql(service: string, name: string, ownUs: number): Operation {
  const scope = "@opentelemetry/instrumentation-pg";
  return { service, name, kind: kinds.client, scope, attributes: sqlClient, ownUs, calls: [] };
}
function cache(service: string, name: string): Operation {
  const scope = "@opentelemetry/instrumentation-redis";
  return { service, name, kind: kinds.client, scope, attributes: cacheClient, ownUs: 300, calls: [] };
}
function send(service: string, topic: string, ...received: Calls): Operation {
  const scope = "@opentelemetry/instrumentation-kafkajs";
  const name = `${topic} send`;
  return { service, name, kind: kinds.producer, scope, attributes: message, ownUs: 900, calls: received };
}
function receive(service: string, topic: string, ...calls: Calls): Operation {
  const scope = "@opentelemetry/instrumentation-kafkajs";
  const name = `${topic} process`;
  return { service, name, kind: kinds.consumer, scope, attributes: message, ownUs: 1500, calls };
}

const product = serve(
  "catalog",
  "GET /products/{id}",
  800,
  cache("catalog", "GET product"),
  sql("catalog", "SELECT products", 2200),
);
const recommendations = serveRpc(
  "recommendations",
  "shop.Recommendations/List",
  5200,
  cache("recommendations", "MGET profile"),
  work("recommendations", "ranking.score", 7400),
);
const cart = serve("cart", "GET /cart/{id}", 500, cache("cart", "HGETALL cart"));
const payment = serveRpc(
  "payment",
  "shop.Payment/Charge",
  1800,
  work("payment", "fraud.check", 3100),
  sql("payment", "INSERT payments", 2600),
);
const mail = receive("mail", "orders", work("mail", "template.render", 4100));
const shipping = receive("shipping", "orders", sql("shipping", "INSERT shipments", 2400));

/** Operations with which traces begin: the shop's front pages. */
export const rootOperations: readonly [Operation, ...Operation[]] = [
  serve(
    "frontend",
    "GET /api/products/{id}",
    1200,
    work("frontend", "session.load", 300, cache("frontend", "GET session")),
    call("frontend", product),
    call("frontend", recommendations),
    work("frontend", "page.render", 2500),
  ),
  serve("frontend", "GET /api/cart/{id}", 900, call("frontend", cart)),
  serve(
    "frontend",
    "POST /api/checkout",
    2200,
    work("frontend", "session.load", 300, cache("frontend", "GET session")),
    call("frontend", cart),
    call(
      "frontend",
      serve(
        "checkout",
        "POST /orders",
        2600,
        sql("checkout", "SELECT stock", 1800),
        call("checkout", payment),
        sql("checkout", "INSERT orders", 3000),
        send("checkout", "orders", mail, shipping),
      ),
    ),
  ),
  serve(
    "frontend",
    "GET /api/search",
    700,
    call("frontend", serve("catalog", "GET /search", 9000, sql("catalog", "SELECT products", 12_000))),
  ),
];
