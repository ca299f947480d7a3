import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { eventually } from "../../src/expect.ts";
import { metricOf, openFaultProcesses } from "./fault-processes.ts";
import { newSeed, randomOf } from "./seeded-random.ts";
import { doorNames } from "./span-doors.ts";
import { SpanLedger } from "./span-ledger.ts";
import { SpanSenders } from "./span-senders.ts";

const startWithinMs = 60_000;

function run(program: string, ...parameters: string[]): void {
  execFileSync(program, parameters, { stdio: "ignore" });
}

test("the journal's disk is full under load: every protocol says so, and goes on when there is room again", async (context) => {
  const disk = mkdtempSync(join(tmpdir(), "disk-"));
  context.onTestFinished(() => rmSync(disk, { recursive: true, force: true }));
  try {
    run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk);
  } catch {
    context.skip("needs the right to mount a small file system");
  }
  const seed = newSeed();
  const journal = join(disk, "journal");
  mkdirSync(journal);
  const backend = await openFaultProcesses({ journal });
  const { collector, storage } = backend;
  try {
    const ledger = new SpanLedger();
    await collector.start();
    const { addresses } = backend;
    const senders = new SpanSenders({ addresses, ledger, random: randomOf(seed), ballastBytes: 1_000 });
    try {
      await senders.until(
        () => doorNames.every((name) => senders.counts[name].refused.size > 0),
        `every protocol is refused (seed ${seed})`,
        startWithinMs,
      );
      await storage.start();
      await senders.more(5, startWithinMs);
    } finally {
      await senders.stop();
    }
    await eventually(async () => {
      expect(await metricOf(collector, "tracing_collector_queue_length")).toBe(0);
    }, startWithinMs);
    const report = await ledger.compare(backend.storageUrl);
    const what = `seed ${seed}: ${JSON.stringify(report)}`;
    expect(report.problems, what).toEqual([]);
    expect(report.found, what).toBe(report.acknowledged);
    expect(senders.cut, what).toBe(0);
    expect(senders.refusals(), what).toEqual({
      "OTLP gRPC": ["UNAVAILABLE, RetryInfo of 5 s"],
      "OTLP HTTP JSON": ["503, Retry-After 5"],
      PostSpans: ["UNAVAILABLE, RetryInfo of 5 s"],
      "Thrift HTTP": ["503, Retry-After 5"],
      Zipkin: ["503, Retry-After 5"],
    });
    expect(collector.log).toContain("the journal cannot write");
    expect(collector.log).toContain("the journal can write again");
  } finally {
    await backend.close();
    run("umount", disk);
  }
}, 240_000);
