// Each process without the process that it needs: the agent without its collector, the query service without its
// storage.

import { createSocket } from "node:dgram";
import { afterEach, beforeEach, expect, test } from "vitest";
import { encodeAgentPacket } from "wire/testing/encode-agent-packet";
import { type AllProcesses, openAllProcesses } from "../../src/all-processes/all-processes.ts";
import { eventually } from "../../src/expect.ts";
import { ask, askData, askTraces } from "../../src/tracing-api/ask.ts";
import { memoryMiB } from "./fault-processes.ts";

let backend: AllProcesses;

beforeEach(async () => {
  backend = await openAllProcesses();
});

afterEach(() => backend?.close());

const service = "lost-neighbours";
/** The agent's limit in MiB, plus half of it because the sources are not bundled. */
const maxAgentMiB = 150;

/** Sends spans to the agent, one in each packet, a few at a time, so that no socket buffer overflows. */
async function sendToAgent(firstId: number, count: number): Promise<void> {
  const socket = createSocket("udp4");
  const startUs = BigInt(Date.now()) * 1_000n;
  for (let index = 0; index < count; index++) {
    const id = { high: 1, low: firstId + index };
    const packet = encodeAgentPacket(
      {
        process: { serviceName: service, tags: [] },
        spans: [
          {
            ...{
              traceIdLow: id,
              spanId: id,
              traceIdHigh: { high: 0, low: 0 },
              operationName: "work",
              flags: 1,
            },
            ...{ parentSpanId: { high: 0, low: 0 }, duration: { high: 0, low: 100 }, tags: [] },
            startTime: { high: Number(startUs >> 32n), low: Number(BigInt.asIntN(32, startUs)) },
          },
        ],
      },
      "compact",
    );
    await new Promise((resolve) => socket.send(packet, backend.agentCompactPort, "127.0.0.1", resolve));
    if (index % 20 === 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await new Promise<void>((resolve) => socket.close(() => resolve()));
}

/** The sum over all labels of a metric of the agent. */
async function counted(name: string): Promise<number> {
  const { text } = await ask(backend.agent.metricsUrl);
  return [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, "gm"))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

test("an agent whose collector is away counts every span that it loses, and delivers again when it is back", async () => {
  const sent = 300;
  const { pid } = backend.agent;
  await backend.collector.end("SIGKILL");
  await sendToAgent(1, sent);
  await eventually(async () => {
    const failed = await counted("tracing_agent_reporter_spans_failures_total");
    const dropped = await counted("tracing_agent_thrift_udp_server_packets_dropped_total");
    expect(failed + dropped, `${failed} failed, ${dropped} dropped`).toBe(sent);
    expect(failed, "failed at the collector").toBeGreaterThan(0);
  }, 60_000);
  expect(await counted("tracing_agent_reporter_spans_submitted_total")).toBe(0);

  await backend.collector.start();
  let nextId = 10_000;
  await eventually(async () => {
    await sendToAgent(nextId++, 1);
    expect(await counted("tracing_agent_reporter_spans_submitted_total")).toBeGreaterThan(0);
  }, 30_000);
  await eventually(async () => {
    const traces = await askTraces(`${backend.addresses.query}/api/traces?service=${service}`);
    expect(traces.length).toBeGreaterThan(0);
  }, 30_000);
  expect(backend.agent.pid).toBe(pid);
  expect(memoryMiB(backend.agent, "VmHWM") ?? 0, "MiB of the agent").toBeLessThan(maxAgentMiB);
  const complaints = backend.agent.log
    .split("\n")
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line));
  expect(complaints.length, complaints.join("\n")).toBeLessThanOrEqual(3);
}, 180_000);

test("a query service whose storage is away says so at once, and answers again when it is back", async () => {
  const { pid } = backend.query;
  const { query } = backend.addresses;
  // Names are cached for a second, so the test asks for data that is not cached.
  await askData(`${query}/api/dependencies`);
  await backend.storage.end("SIGKILL");
  const paths = [
    "/api/services",
    `/api/traces?service=${service}`,
    `/api/traces/${"a".repeat(32)}`,
    `/api/operations?service=${service}`,
    `/api/services/${service}/operations`,
  ];
  for (const path of paths) {
    const answer = await ask(query + path);
    expect([answer.status, answer.contentType], `${path}: ${answer.text}`).toEqual([
      503,
      "text/plain; charset=utf-8",
    ]);
    expect(JSON.parse(answer.text)).toMatchObject({
      data: null,
      errors: [{ code: 503, msg: expect.stringContaining("storage") }],
    });
  }
  // All concurrent requests are answered.
  const answers = await Promise.all(Array.from({ length: 50 }, () => ask(`${query}/api/services`)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));

  await backend.storage.start();
  await eventually(() => askData(`${query}/api/services`), 30_000);
  expect(backend.query.pid).toBe(pid);
}, 180_000);
