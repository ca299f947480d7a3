// Kills each process under load with SIGKILL: no acknowledged span is missing, and the other processes continue and
// recover.

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AllProcesses, openAllProcesses } from "../src/all-processes/all-processes.ts";
import type { TestedProcess } from "../src/all-processes/tested-process.ts";
import { eventually, expectEqual } from "../src/expect.ts";
import { ask, askTraces } from "../src/tracing-api/ask.ts";

let backend: AllProcesses;

// The tests share the processes: each test must leave all of them running.
beforeAll(async () => {
  backend = await openAllProcesses();
});

afterAll(() => backend?.close());

function request(service: string, traceId: string): string {
  const now = BigInt(Date.now()) * 1_000_000n;
  const span = {
    traceId,
    spanId: randomBytes(8).toString("hex"),
    name: "work",
    kind: 1,
    startTimeUnixNano: String(now),
    endTimeUnixNano: String(now + 1_000_000n),
  };
  const resource = { attributes: [{ key: "service.name", value: { stringValue: service } }] };
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ spans: [span] }] }] });
}

/** Sends traces with one span of a service, several at a time, until it is stopped; records the acknowledged traces. */
function sender(service: string) {
  const acknowledged = new Set<string>();
  let refused = 0;
  let isOpen = true;
  const lanes = Array.from({ length: 4 }, async () => {
    while (isOpen) {
      const traceId = randomBytes(16).toString("hex");
      try {
        const answer = await ask(`${backend.addresses.otlpHttp}/v1/traces`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: request(service, traceId),
        });
        if (answer.status === 200) {
          acknowledged.add(traceId);
        } else {
          refused += 1;
        }
      } catch {
        refused += 1;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  return {
    acknowledged,
    refused: () => refused,
    /** Resolves when `count` more traces were acknowledged. */
    async more(count: number) {
      const goal = acknowledged.size + count;
      while (acknowledged.size < goal) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
    async stop() {
      isOpen = false;
      await Promise.all(lanes);
    },
  };
}

async function storedTraceIds(service: string): Promise<string[]> {
  const traces = await askTraces(`${backend.addresses.query}/api/traces?service=${service}&limit=100000`);
  return traces.flatMap((trace) => trace.spans.map((span) => span.traceID.padStart(32, "0")));
}

test.each(["storage", "collector", "query", "agent", "adminServer"] as const)(
  "kill -9 of %s under load",
  async (victim: "storage" | "collector" | "query" | "agent" | "adminServer") => {
    const load = sender(`without-${victim}`);
    await load.more(50);
    await backend[victim].end("SIGKILL");
    if (victim !== "collector") {
      await load.more(50);
    }
    const others: TestedProcess[] = [
      backend.storage,
      backend.collector,
      backend.query,
      backend.agent,
      backend.adminServer,
    ];
    for (const other of others) {
      if (other !== backend[victim]) {
        expect(other.isRunning, `${other.name} still runs`).toBe(true);
      }
    }
    await backend[victim].start();
    await load.more(50);
    await load.stop();

    await eventually(async () => {
      const stored = await storedTraceIds(`without-${victim}`);
      const missing = load.acknowledged.difference(new Set(stored));
      expectEqual([...missing], [], "acknowledged, but not stored");
      expectEqual(stored.length, new Set(stored).size, "stored once");
    }, 30_000);
  },
  60_000,
);

test("a graceful stop of the collector loses nothing, and it says that the store is away in one line", async () => {
  const load = sender("without-store");
  const saidBefore = backend.collector.log.length;
  const said = () => backend.collector.log.slice(saidBefore);
  await load.more(20);
  await backend.storage.end("SIGKILL");
  await load.more(50);
  await eventually(async () => expect(said()).toMatch(/storage/i), 10_000);
  await load.stop();
  const awayLines = said()
    .split("\n")
    .filter((line) => /"level":"(warn|error)"/.test(line));
  expect(awayLines.length, awayLines.join("\n")).toBeLessThanOrEqual(2);
  expect(await backend.collector.end("SIGTERM")).not.toBeNull();
  await backend.storage.start();
  await backend.collector.start();
  await eventually(async () => {
    const missing = load.acknowledged.difference(new Set(await storedTraceIds("without-store")));
    expectEqual([...missing], [], "acknowledged, but not stored");
  }, 30_000);
});
