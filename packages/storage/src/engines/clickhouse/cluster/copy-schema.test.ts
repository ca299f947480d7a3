import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { ClickHouseConnection } from "../clickhouse-connection.ts";
import { copySchema, type StoredObject } from "./copy-schema.ts";

const view = (name: string): StoredObject => ({
  name,
  engine: "MaterializedView",
  statement: `CREATE MATERIALIZED VIEW tracing.${name} TO tracing.metrics_local AS SELECT 1 FROM tracing.spans_local`,
});
const table = (name: string): StoredObject => ({
  name,
  engine: "ReplicatedMergeTree",
  statement: `CREATE TABLE tracing.${name} (a UInt8) ENGINE = ReplicatedMergeTree`,
});
const objects = [
  table("metrics_local"),
  table("spans_local"),
  table("trace_minutes_local"),
  view("metrics_view"),
];

const closers: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/**
 * A server with these objects. @param refuses true: the server is older than the setting and refuses views without
 * tables
 */
async function serverWith(stored: readonly StoredObject[], refuses = false) {
  const made: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const sql = await text(request);
    const settings = new URL(request.url ?? "", "http://x").searchParams;
    if (sql.startsWith("SELECT")) {
      response.end(stored.map((object) => `${JSON.stringify(object)}\n`).join(""));
    } else if (refuses && settings.has("allow_materialized_view_with_bad_select")) {
      const error = "Code: 115. DB::Exception: Unknown setting. (UNKNOWN_SETTING)";
      response.writeHead(404, { "x-clickhouse-exception-code": "115" }).end(error);
    } else {
      made.push(/IF NOT EXISTS tracing\.(\w+)/.exec(sql)?.[1] ?? sql);
      response.end();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const connection = new ClickHouseConnection({
    ...{ urls: [url], user: "default", password: "", requestTimeoutMs: 20_000 },
    ...{ maxConnections: 2, maxReadBytes: 1_000_000 },
  });
  closers.push(async () => {
    await connection.close();
    server.closeAllConnections();
    server.close();
  });
  return { connection, made };
}

test.each([
  [
    "spans can come only when every view is there",
    false,
    "metrics_view metrics_local trace_minutes_local spans_local",
  ],
  [
    "older servers get their views after the tables",
    true,
    "metrics_local trace_minutes_local spans_local metrics_view",
  ],
])("%s", async (_name, refuses, order) => {
  const [from, to] = [await serverWith(objects), await serverWith([], refuses)];
  await copySchema(from.connection, to.connection, "tracing");
  expect(to.made.join(" ")).toBe(order);
});
