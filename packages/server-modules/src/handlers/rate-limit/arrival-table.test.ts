import { once } from "node:events";
import { Worker } from "node:worker_threads";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ArrivalTable, arrivalTableBytes } from "./arrival-table.ts";

const second = 1e6;
const start = 1.7e15;
const make = (keys = 1000) => new ArrivalTable(new SharedArrayBuffer(arrivalTableBytes(keys)));

test("so many at once, then one by one as time passes", () => {
  const table = make();
  const quota = { maxEvents: 3, windowUs: 3 * second };
  const take = (at: number, key = "a") => table.take(key, quota, start + at);
  expect([take(0), take(0), take(0)].map(({ remaining }) => remaining)).toEqual([2, 1, 0]);
  expect(take(0)).toEqual({ allowed: false, remaining: 0, waitUs: second, fullUs: 3 * second });
  expect(take(0, "b").allowed).toBe(true);
  expect(take(0.9 * second).allowed).toBe(false);
  expect(take(1 * second)).toMatchObject({ allowed: true, remaining: 0 });
  expect(take(1.5 * second).allowed).toBe(false);
  expect(take(10 * second)).toMatchObject({ allowed: true, remaining: 2 });
});

test("a shorter window counts at once, also for a key that used up a longer one", () => {
  const table = make();
  const long = { maxEvents: 2, windowUs: 3600 * second };
  const short = { maxEvents: 2, windowUs: 2 * second };
  expect([table.take("k", long, start), table.take("k", long, start)].map(({ allowed }) => allowed)).toEqual([
    true,
    true,
  ]);
  expect(table.take("k", short, start)).toEqual({
    allowed: false,
    remaining: 0,
    waitUs: second,
    fullUs: 2 * second,
  });
  expect(table.take("k", long, start).allowed).toBe(false);
});

test("never more than the quota in any window", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 200 }),
      (maxEvents, pauses) => {
        const table = make();
        const quota = { maxEvents, windowUs: second };
        const allowed: number[] = [];
        let now = start;
        for (const pause of pauses) {
          now += pause;
          if (table.take("k", quota, now).allowed) {
            allowed.push(now);
          }
        }
        // A burst and the later requests may be twice the quota in one window; over a long time the rate is the quota.
        for (const from of allowed) {
          const inWindow = allowed.filter((at) => at >= from && at < from + second).length;
          expect(inWindow).toBeLessThanOrEqual(2 * maxEvents);
        }
        const span = (allowed.at(-1) ?? 0) - (allowed[0] ?? 0);
        expect(allowed.length).toBeLessThanOrEqual(maxEvents + Math.ceil((span / second) * maxEvents) + 1);
      },
    ),
  );
});

test("memory stays what it is however many keys come", () => {
  const table = make(64);
  const quota = { maxEvents: 1, windowUs: second };
  for (let key = 0; key < 10_000; key++) {
    expect(table.take(`k${key}`, quota, start + key).allowed).toBe(true);
  }
});

test("threads count together", async () => {
  const memory = new SharedArrayBuffer(arrivalTableBytes(100));
  const module = new URL("./arrival-table.ts", import.meta.url).href;
  const code = `
    const { workerData, parentPort } = require("node:worker_threads");
    import(${JSON.stringify(module)}).then(({ ArrivalTable }) => {
      const table = new ArrivalTable(workerData);
      let allowed = 0;
      for (let round = 0; round < 2000; round++) {
        allowed += table.take("k", { maxEvents: 1000, windowUs: 1e9 }, ${start}).allowed ? 1 : 0;
      }
      parentPort.postMessage(allowed);
    });`;
  const answers = [1, 2, 3].map(async () => {
    const [allowed] = await once(new Worker(code, { eval: true, workerData: memory }), "message");
    return Number(allowed);
  });
  expect((await Promise.all(answers)).reduce((sum, each) => sum + each, 0)).toBe(1000);
});
