import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { SingleUseSerials, singleUseBytes } from "./single-use-serials.ts";

const newMemory = () => new SharedArrayBuffer(singleUseBytes);

test("lets each issued number be claimed once", () => {
  const serials = new SingleUseSerials(newMemory());
  const issued = Array.from({ length: 70 }, () => serials.issue());
  expect(new Set(issued).size).toBe(70);
  expect(issued.map((serial) => serials.claim(serial))).toEqual(issued.map(() => true));
  expect(issued.map((serial) => serials.claim(serial))).toEqual(issued.map(() => false));
});

test.each([0, -1, 2, 2 ** 53 - 1])("knows no number %d that nobody issued", (serial) => {
  const serials = new SingleUseSerials(newMemory());
  serials.issue();
  expect(serials.claim(serial)).toBe(false);
});

test("forgets numbers after a million others, and never allows one again", () => {
  const serials = new SingleUseSerials(newMemory());
  const [unused, used] = [serials.issue(), serials.issue()];
  expect(serials.claim(used)).toBe(true);
  let last = 0;
  for (let count = 0; count < 2 ** 20; count++) {
    last = serials.issue();
  }
  expect([unused, used, last].map((serial) => serials.claim(serial))).toEqual([false, false, true]);
});

test("is one memory for all threads: four threads claim each of 20,000 numbers once", async () => {
  const memory = newMemory();
  const serials = new SingleUseSerials(memory);
  const last = Array.from({ length: 20_000 }, () => serials.issue()).at(-1);
  const code = `
    const { workerData, parentPort } = require("node:worker_threads");
    import(workerData.file).then(({ SingleUseSerials }) => {
      const serials = new SingleUseSerials(workerData.memory);
      const gate = new Int32Array(workerData.gate);
      Atomics.add(gate, 0, 1);
      while (Atomics.load(gate, 0) < 4) {}
      let claimed = 0;
      for (let serial = 1; serial <= workerData.last; serial++) {
        claimed += serials.claim(serial) ? 1 : 0;
      }
      parentPort.postMessage([claimed, serials.epoch]);
    });`;
  const file = pathToFileURL(new URL("./single-use-serials.ts", import.meta.url).pathname).href;
  const gate = new SharedArrayBuffer(4);
  const workers = Array.from(
    { length: 4 },
    () => new Worker(code, { eval: true, workerData: { memory, gate, file, last } }),
  );
  const counts = await Promise.all(workers.map(async (worker) => (await once(worker, "message"))[0]));
  expect(counts.reduce((sum, [claimed]) => sum + claimed, 0)).toBe(last);
  expect(new Set(counts.map(([, epoch]) => epoch))).toEqual(new Set([serials.epoch]));
});
