import { expect, test } from "vitest";
import { type Absence, runOutage } from "./outage-run.ts";
import { newSeed } from "./seeded-random.ts";

/** `node packages/conformance/bin/faults.ts outage` runs the outage for five minutes. */
const settings = { awayMs: 3_000, journalBytes: 3_000_000, say: () => {} };
/** The collector's limit in MiB at full load, plus half of it because the machine may be busy. */
const maxMemoryMiB = 450;

test.each<Absence>(["killed", "frozen"])(
  "storage is %s under load: senders are told, and all that was acknowledged is stored once in the end",
  async (absence) => {
    const seed = newSeed();
    const report = await runOutage({ ...settings, absence, seed });
    const what = `seed ${seed}: ${JSON.stringify(report)}`;
    expect(report.problems, what).toEqual([]);
    expect(report.found, what).toBe(report.acknowledged);
    expect(report.cutReasons, what).toEqual([]);
    expect(report.refusals, what).toEqual({
      "OTLP gRPC": ["RESOURCE_EXHAUSTED, RetryInfo of 5 s"],
      "OTLP HTTP JSON": ["429, Retry-After 5"],
      PostSpans: ["RESOURCE_EXHAUSTED, RetryInfo of 5 s"],
      "Thrift HTTP": ["429, Retry-After 5"],
      Zipkin: ["429, Retry-After 5"],
    });
    expect(report.memoryPeakMiB ?? 0, what).toBeLessThan(maxMemoryMiB);
    const said = (text: string) => report.logLines.filter((line) => line.includes(text)).length;
    // A storage that is frozen for less than a time limit is never reported as away; one that starts slowly is not
    // ready at first.
    expect(said("storage is away") + said("storage is not ready"), what).toBe(said("storage is back"));
    if (absence === "killed") {
      expect(said("storage is away"), what).toBe(1);
    }
  },
  180_000,
);
