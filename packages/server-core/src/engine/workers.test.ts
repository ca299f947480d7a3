import { Worker } from "node:worker_threads";
import { createLogger } from "lifecycle";
import { expect, onTestFinished, test, vi } from "vitest";
import { SharedTable } from "../threads/shared-table.ts";
import { MessageTopics } from "../threads/thread-messages.ts";
import { MainMessages } from "../threads/worker-messages.ts";
import type { ConfigDocument } from "./config-document.ts";
import { Workers, workerTopics } from "./workers.ts";

const count = 3;

/**
 * A thread that answers each request. It answers a prepare only when the gate is open, and dies when the gate requests
 * it.
 */
const code = `
const { parentPort, workerData: gate } = require("node:worker_threads");
parentPort.on("message", ({ id, topic }) => {
  if (topic === "${workerTopics.prepare}") {
    Atomics.wait(gate, 0, 0);
    if (Atomics.load(gate, 0) === 2) process.exit(1);
  }
  parentPort.postMessage({ kind: "answer", id, value: null });
});`;

const waitsLong = { timeout: 60_000 };

const log = createLogger({ name: "test", level: "info", encoding: "json", take: () => true });
const documentOf = (text: string) =>
  ({ config: JSON.parse(text), text, hasIds: false, force: false }) as unknown as ConfigDocument;

test("more threads start when they are asked for, with the config that runs then", async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  Atomics.store(gate, 0, 1);
  const topics = new MessageTopics();
  const started: number[] = [];
  const served: number[] = [];
  const workers = new Workers({
    ...{
      count,
      first: 1,
      table: SharedTable.create(count + 1),
      topics,
      messages: new MainMessages(topics),
      log,
    },
    spawn(thread) {
      started.push(thread);
      return new Worker(code, { eval: true, workerData: gate });
    },
    onServing: (thread) => served.push(thread),
  });
  onTestFinished(() => workers.stop());
  await (await workers.prepare(documentOf("{}"))).commit();
  expect([started, workers.size, workers.areAllServing]).toEqual([[1], 1, true]);
  expect(workers.utilization().size).toBe(0); // its start does not count
  expect([...workers.utilization().keys()]).toEqual([1]);

  // A change that was already prepared is also committed in the additional thread.
  const change = await workers.prepare(documentOf('{"a":1}'));
  Atomics.store(gate, 0, 0);
  const grown = workers.growTo(2);
  await vi.waitFor(() => expect(started).toEqual([1, 2]), waitsLong);
  expect(workers.areAllServing).toBe(false);
  const committed = change.commit();
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await Promise.all([grown, committed]);
  expect([served, workers.size, workers.areAllServing]).toEqual([[2], 2, true]);

  await workers.growTo(8);
  expect([started, workers.size]).toEqual([[1, 2, 3], 3]);
  await workers.growTo(1);
  expect(workers.size).toBe(3);
});

test("a thread that the system refuses is left out, and the others serve on", async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  Atomics.store(gate, 0, 1);
  const topics = new MessageTopics();
  const workers = new Workers({
    ...{
      count,
      first: 1,
      table: SharedTable.create(count + 1),
      topics,
      messages: new MainMessages(topics),
      log,
    },
    spawn(thread) {
      if (thread === 3) {
        throw new Error("the system has no thread left");
      }
      return new Worker(code, { eval: true, workerData: gate });
    },
  });
  onTestFinished(() => workers.stop());
  await (await workers.prepare(documentOf("{}"))).commit();
  await workers.growTo(3);
  expect([workers.size, workers.areAllServing]).toEqual([2, true]);
  await (await workers.prepare(documentOf('{"a":1}'))).commit();
  expect([workers.size, workers.areAllServing]).toEqual([2, true]);
});

test("when all die, one successor starts alone, another one when it dies, and the others once one serves", async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const setGate = (value: number) => {
    Atomics.store(gate, 0, value);
    Atomics.notify(gate, 0);
  };
  setGate(1);
  const topics = new MessageTopics();
  let started = 0;
  let starting = 0;
  const served: number[] = [];
  /** For each start: number of restarted threads that were starting before one served. */
  const beside: number[] = [];
  const workers = new Workers({
    count,
    table: SharedTable.create(count + 1),
    topics,
    messages: new MainMessages(topics),
    log,
    spawn() {
      const worker = new Worker(code, { eval: true, workerData: gate });
      if (++started > count && served.length === 0) {
        beside.push(starting++);
        worker.on("exit", () => starting--);
      }
      return worker;
    },
    onServing: (thread) => served.push(thread),
  });
  onTestFinished(async () => {
    setGate(1);
    await workers.stop();
  });
  await (await workers.prepare(documentOf("{}"))).commit();

  setGate(0);
  await Promise.all([1, 2, 3].map((thread) => workers.kill(thread)));
  await vi.waitFor(() => expect(started).toBe(count + 1), waitsLong);
  setGate(2);
  await vi.waitFor(() => expect(started).toBeGreaterThan(count + 3), waitsLong);
  expect(served).toEqual([]);
  setGate(1);
  await vi.waitFor(() => expect(served.toSorted()).toEqual([1, 2, 3]), waitsLong);
  expect(new Set(beside)).toEqual(new Set([0]));
});
