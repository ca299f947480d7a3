// The rights that docs/security.md gives to users of ClickHouse are enough for the processes, and for nothing else. The
// test needs a ClickHouse with tables and users as in that document: TRACING_TEST_CLICKHOUSE_WRITER and _READER are
// addresses with user and password, such as http://tracing_writer:word@127.0.0.1:8123.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { tenantSpans } from "./tenant-spans.ts";
import { openTracing, type TracingProcesses } from "./tracing-processes.ts";

const { TRACING_TEST_CLICKHOUSE_WRITER: writer = "", TRACING_TEST_CLICKHOUSE_READER: reader = "" } =
  process.env;
const withinMs = 30_000;

describe.skipIf(writer === "" || reader === "")("with users of a ClickHouse of its own", () => {
  let tracing: TracingProcesses;
  const spans = tenantSpans("", randomBytes(16).toString("hex"), 120_000);

  beforeAll(async () => {
    const adaptive = ["--sampling.config-type", "adaptive", "--sampling.calculation-interval", "1s"];
    tracing = await openTracing({
      clickHouse: { writer, reader },
      collector: [...adaptive, "--sampling.delay", "1s"],
    });
  });
  afterAll(() => tracing?.close());

  test("spans are written, found, counted, compared and archived", async () => {
    const body = JSON.stringify(spans.otlpJson);
    const headers = { "Content-Type": "application/json" };
    const sent = await ask(`http://${tracing.otlpHttp}/v1/traces`, { method: "POST", headers, body });
    expect(sent.status).toBe(200);
    const find = (path: string, method = "GET") => ask(`http://${tracing.queryHttp}${path}`, { method });
    await eventually(async () => {
      expect((await find(`/api/traces/${spans.ownTraceId}`)).text).toContain(spans.marker);
    }, withinMs);
    for (const path of [
      ...["/api/services", "/api/operations?service=shop", "/api/dependencies?lookback=3600000"],
      ...["/api/traces?service=shop", "/api/metrics/calls?service=shop&spanKind=client&step=60000"],
      ...["/api/analysis/v1/heatmap", "/api/analysis/v1/compare?selection.error=true"],
      ...["/tempo/api/search?q=%7B%7D", "/tempo/api/v2/search/tags"],
    ]) {
      const { status, text } = await find(path);
      expect([path, status, text]).toEqual([path, 200, expect.any(String)]);
    }
    expect((await find(`/api/archive/${spans.ownTraceId}`, "POST")).status).toBe(200);
    expect(tracing.collector.log + tracing.query.log).not.toMatch(/ACCESS_DENIED|NOT_ENOUGH_PRIVILEGES/i);
  });

  test.each([
    "DROP TABLE tracing.spans",
    "ALTER TABLE tracing.spans DELETE WHERE 1",
    "TRUNCATE TABLE tracing.spans",
    "CREATE TABLE tracing.more (a UInt8) ENGINE = Memory",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SYSTEM SHUTDOWN",
    "CREATE USER other",
  ])("neither may: %s", async (sql) => {
    for (const address of [writer, reader]) {
      const { username, password, origin } = new URL(address);
      const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
      const { text } = await ask(origin, { method: "POST", headers, body: sql });
      expect(text).toContain("ACCESS_DENIED");
    }
  });

  test("the reader writes no spans", async () => {
    const { username, password, origin } = new URL(reader);
    const headers = { "X-ClickHouse-User": username, "X-ClickHouse-Key": password };
    const body = "INSERT INTO tracing.spans (trace_id) SELECT trace_id FROM tracing.spans";
    expect((await ask(origin, { method: "POST", headers, body })).text).toContain("ACCESS_DENIED");
  });
});
