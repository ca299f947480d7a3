// The OpenTelemetry Collector as a client: every exporter with every compression, batches, retries and sending queues,
// while a store and a collector are stopped.
import { randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { ask } from "../../src/tracing-api/ask.ts";
import { type FaultProcesses, metricOf, openFaultProcesses } from "../faults/fault-processes.ts";
import { ClientCollector, findClientCollector, lanesTo } from "./client-collector.ts";

const program = findClientCollector();
const name =
  "nothing that the OpenTelemetry Collector was given is missing or doubled, whatever exporter and compression";
const spansEach = 20;
const rounds = 12;
/** Rounds in which requests are running when the collector is killed. */
const lateRounds = 3;
/** Less than the lanes send while storage is down, so that they are refused and retry. */
const journalBytes = 400_000;
const patienceMs = 120_000;

let backend: FaultProcesses | undefined;
let client: ClientCollector | undefined;

afterEach(async () => {
  await client?.stop();
  await backend?.close();
  client = undefined;
  backend = undefined;
});

async function storedOf({
  storageUrl,
}: FaultProcesses): Promise<Record<string, [rows: number, distinct: number]>> {
  const { status, text } = await ask(storageUrl, {
    method: "POST",
    body: `SELECT service, count(), uniqExact(trace_id, span_id) FROM tracing.spans GROUP BY service`,
  });
  if (status !== 200) {
    throw new Error(`storage answers ${status}: ${text.slice(0, 300)}`);
  }
  const lines = text.split("\n").filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => {
      const [service, rows, distinct] = line.split("\t");
      return [service, [Number(rows), Number(distinct)]];
    }),
  );
}

test.skipIf(program === undefined)(
  program === undefined ? `${name} (skipped: packages/conformance/peers/build-otelcol.sh builds it)` : name,
  async () => {
    backend = await openFaultProcesses({
      collectorOptions: ["--collector.journal.max-bytes", String(journalBytes)],
    });
    const { collector, storage } = backend;
    await Promise.all([storage.start(), collector.start()]);
    const lanes = lanesTo(backend.addresses);
    client = await ClientCollector.start(program as string, lanes, backend.folder);
    const sendAll = async () => {
      for (const lane of lanes) {
        await client?.send(lane.name, randomBytes(16).toString("hex"), spansEach);
      }
    };
    for (let round = 0; round < rounds / 2; round++) {
      await sendAll();
    }
    await eventually(async () => {
      if ((await metricOf(collector, "tracing_collector_spans_saved_total")) === 0) {
        throw new Error("nothing is stored yet");
      }
    }, patienceMs);
    await storage.end("SIGKILL");
    for (let round = rounds / 2; round < rounds; round++) {
      await sendAll();
    }
    await eventually(async () => {
      const { text } = await ask(collector.metricsUrl);
      if (!/^tracing_collector_requests_total\{[^}]*result="refused"[^}]*\} [1-9]/m.test(text)) {
        throw new Error(`nothing was refused: ${client?.log.slice(-500)}`);
      }
    }, patienceMs);
    await storage.start();
    // Running requests are cut and repeated, although some of their spans are in the journal.
    const rest = Array.from({ length: lateRounds }, sendAll);
    await collector.end("SIGKILL");
    await Promise.all(rest);
    await collector.start();
    const sent = (rounds + lateRounds) * spansEach;
    const wanted = Object.fromEntries(lanes.map((lane) => [lane.name, [sent, sent]]));
    await eventually(async () => {
      expect(await storedOf(backend as FaultProcesses)).toEqual(wanted);
    }, patienceMs);
    // No copy arrives later.
    await client.stop();
    expect(await storedOf(backend)).toEqual(wanted);
  },
  400_000,
);
