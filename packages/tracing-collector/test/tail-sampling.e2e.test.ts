// Tail sampling in the program itself: what was acknowledged before a kill is decided and stored after it.

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { killCollectors, noStorage, RunningCollector } from "./running-collector.ts";

let folder: string;
let policies: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "collector-tail-"));
  const path = join(folder, "policies.yaml");
  writeFileSync(
    path,
    "policies:\n  - type: error\n  - { type: attribute, name: vip, key: tier, values: [gold] }\n",
  );
  policies = ["--sampling.tail.policies-file", path, "--sampling.tail.decision-wait"];
});

afterEach(() => {
  killCollectors();
  rmSync(folder, { recursive: true, force: true });
});

/** An OTLP request of one span. */
function span(trace: number, { isError = false, tier = "none" } = {}): string {
  const digits = trace.toString(16);
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: digits.padStart(32, "a"),
                spanId: Math.floor(Math.random() * 2 ** 32)
                  .toString(16)
                  .padStart(16, "b"),
                name: "x",
                startTimeUnixNano: "1795236904924000000",
                endTimeUnixNano: "1795236904934000000",
                status: isError ? { code: 2 } : {},
                attributes: [{ key: "tier", value: { stringValue: tier } }],
              },
            ],
          },
        ],
      },
    ],
  });
}

/** A port that was free a moment ago: the admin port is not told in the log. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function metricsOf(port: number): Promise<Map<string, number>> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const values = text.split("\n").flatMap((line) => {
    const match = /^tracing_collector_(\S+) (\S+)$/.exec(line);
    return match === null ? [] : [[match[1] ?? "", Number(match[2])] as const];
  });
  return new Map(values);
}

test("a kill before the decision loses nothing: the next start decides, and stores each kept span once", async () => {
  const killed = new RunningCollector(join(folder, "journal"), ...policies, "1h", ...noStorage);
  await killed.line("listening");
  for (let trace = 1; trace <= 20; trace++) {
    expect(await killed.postJson(span(trace))).toBe(200);
  }
  killed.child.kill("SIGKILL");
  await killed.exit;

  const port = await freePort();
  const collector = new RunningCollector(
    join(folder, "journal"),
    ...[...policies, "1s", "--span-storage.type=memory", "--admin.http.host-port", `127.0.0.1:${port}`],
  );
  await collector.line("listening");
  // The spans that decide about them come after the restart.
  await collector.postJson(span(3, { isError: true }));
  await collector.postJson(span(7, { tier: "gold" }));
  let metrics = await metricsOf(port);
  while ((metrics.get("journal_segments") ?? 1) > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    metrics = await metricsOf(port);
  }
  expect(metrics.get("spans_saved_total")).toBe(4);
  expect(metrics.get('tail_sampling_traces_kept_total{policy="error"}')).toBe(1);
  expect(metrics.get('tail_sampling_traces_kept_total{policy="vip"}')).toBe(1);
  expect(metrics.get("tail_sampling_traces_dropped_total")).toBe(18);
  expect(metrics.get("tail_sampling_spans_dropped_total")).toBe(18);
  expect(metrics.get("tail_sampling_forgotten_spans_total")).toBe(0);
});

test("a graceful stop with the journal in memory decides at once and writes", async () => {
  const collector = new RunningCollector(
    join(folder, "journal"),
    ...[...policies, "1h", "--collector.journal.mode=memory", "--span-storage.type=memory"],
  );
  await collector.line("listening");
  expect(await collector.postJson(span(1, { isError: true }))).toBe(200);
  collector.child.kill("SIGTERM");
  expect(await collector.exit).toBe(0);
  expect(collector.lines.map(({ msg }) => msg)).not.toContain(
    "spans in memory are lost: storage did not take them in time",
  );
});

test("a wrong policy is one clear line", async () => {
  writeFileSync(join(folder, "policies.yaml"), "policies:\n  - type: latency\n    threshold: soon\n");
  const collector = new RunningCollector(join(folder, "journal"), ...policies, "1s");
  expect(await collector.exit).not.toBe(0);
  expect(collector.lines.map(({ msg }) => msg).join()).toContain(
    'policies.yaml: policies.0.threshold: "soon" is not a duration such as 300ms or 1.5s',
  );
});
