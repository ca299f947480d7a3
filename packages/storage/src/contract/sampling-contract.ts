import { expect } from "vitest";
import type { OperationThroughput } from "../api/sampling-store.ts";
import { type ContractContext, expectStorageError, newToken } from "./contract-context.ts";

/** Tests share the store, so each test uses another hour. Later tests use later hours, all in the past. */
let lastTime = Date.now() - 20 * 3_600_000;
function ownTime(): number {
  lastTime += 3_600_000;
  return lastTime;
}

function sorted(throughput: readonly OperationThroughput[]): OperationThroughput[] {
  return throughput
    .map((entry) => ({ ...entry, probabilities: [...entry.probabilities].sort() }))
    .sort((one, other) =>
      `${one.service}/${one.operation}`.localeCompare(`${other.service}/${other.operation}`),
    );
}

/** The contract of the data for adaptive sampling. */
export function samplingContract({ store, test }: ContractContext): void {
  test("adds the throughput of several collectors, operation by operation", async () => {
    const { sampling } = store();
    const time = ownTime();
    const entry = { service: "a", operation: "GET é😀\t\"\\'", count: 4, probabilities: ["0.100000"] };
    await sampling.insertThroughput(
      [entry, { service: "b", operation: "", count: 0, probabilities: [] }],
      time,
    );
    await sampling.insertThroughput(
      [{ ...entry, count: 2 ** 33, probabilities: ["0.200000", "0.100000"] }],
      time,
    );
    await sampling.insertThroughput([{ ...entry, service: "", count: 7 }], time + 1);
    expect(sorted(await sampling.getThroughput(time - 1, time + 1))).toEqual([
      { ...entry, service: "", count: 7 },
      { ...entry, count: 2 ** 33 + 4, probabilities: ["0.100000", "0.200000"] },
      { service: "b", operation: "", count: 0, probabilities: [] },
    ]);
  });

  test("gives throughput taken after the start and up to the end", async () => {
    const { sampling } = store();
    const time = ownTime();
    for (const offset of [0, 1, 2, 3]) {
      const entry = { service: "s", operation: "op", count: 10 ** offset, probabilities: [] };
      await sampling.insertThroughput([entry], time + offset);
    }
    const counts = async (start: number, end: number) =>
      (await sampling.getThroughput(time + start, time + end)).map(({ count }) => count);
    expect(await counts(0, 2)).toEqual([110]);
    expect(await counts(-1, 0)).toEqual([1]);
    expect(await counts(3, 10)).toEqual([]);
    expect(await counts(2, 2)).toEqual([]);
  });

  test("takes no throughput as nothing to do", async () => {
    const time = ownTime();
    await store().sampling.insertThroughput([], time);
    expect(await store().sampling.getThroughput(time - 1, time)).toEqual([]);
  });

  test("gives the probabilities of the latest calculation, and of it all", async () => {
    const { sampling } = store();
    const time = ownTime();
    const operations = Array.from({ length: 500 }, (_, index) => ({
      service: `s${index % 3}`,
      operation: `op ${index}`,
      probability: 1 / (index + 3),
      qps: index / 7,
    }));
    const calculated = { owner: "one", calculatedUnixMs: time + 5, operations };
    await sampling.insertProbabilities(calculated);
    await sampling.insertProbabilities({
      owner: "two",
      calculatedUnixMs: time + 4,
      operations: operations.slice(0, 1),
    });
    expect(await sampling.latestProbabilities()).toEqual(calculated);
  });

  test("remembers that the latest calculation had nothing", async () => {
    const { sampling } = store();
    const calculated = { owner: "one", calculatedUnixMs: ownTime(), operations: [] };
    await sampling.insertProbabilities(calculated);
    expect(await sampling.latestProbabilities()).toEqual(calculated);
  });

  test("gives a lease to one owner, who may renew it, until it is released", async () => {
    const { sampling } = store();
    const name = newToken();
    expect(await sampling.acquireLease(name, "one", 60_000)).toBe(true);
    expect(await sampling.acquireLease(name, "two", 60_000)).toBe(false);
    expect(await sampling.acquireLease(name, "one", 60_000)).toBe(true);
    await sampling.releaseLease(name, "two");
    expect(await sampling.acquireLease(name, "two", 60_000)).toBe(false);
    expect(await sampling.acquireLease(`${name} other`, "two", 60_000)).toBe(true);
    await sampling.releaseLease(name, "one");
    expect(await sampling.acquireLease(name, "two", 60_000)).toBe(true);
    expect(await sampling.acquireLease(name, "one", 60_000)).toBe(false);
  });

  test("ends a lease that is not renewed", async () => {
    const { sampling } = store();
    const name = newToken();
    expect(await sampling.acquireLease(name, "one", 2_000)).toBe(true);
    await expect.poll(() => sampling.acquireLease(name, "two", 60_000), { timeout: 15_000 }).toBe(true);
    expect(await sampling.acquireLease(name, "one", 100)).toBe(false);
  });

  test("leaves one of many owners who ask at the same moment, when they have asked again", async () => {
    const { sampling } = store();
    const name = newToken();
    const owners = Array.from({ length: 6 }, (_, index) => `owner ${index}`);
    const ask = () => Promise.all(owners.map((owner) => sampling.acquireLease(name, owner, 60_000)));
    expect((await ask()).filter(Boolean).length).toBeGreaterThan(0);
    expect((await ask()).filter(Boolean)).toHaveLength(1);
  });

  test("does nothing for a caller who has given up", async () => {
    const { sampling } = store();
    const signal = AbortSignal.abort();
    await expectStorageError(sampling.latestProbabilities({ signal }), "STORAGE_ABORTED");
    await expectStorageError(sampling.acquireLease(newToken(), "one", 1, { signal }), "STORAGE_ABORTED");
  });
}
