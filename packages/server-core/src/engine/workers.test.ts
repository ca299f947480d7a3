import { Worker } from "node:worker_threads";
import { createLogger } from "lifecycle";
import { expect, onTestFinished, test, vi } from "vitest";
import { SharedTable } from "../threads/shared-table.ts";
import { MessageTopics } from "../threads/thread-messages.ts";
import { MainMessages } from "../threads/worker-messages.ts";
import type { ConfigDocument } from "./config-document.ts";
import { Workers, workerTopics } from "./workers.ts";

const count = 3;

/** Answers each question, a preparation only when the gate is open, and dies when the gate says so. */
const code = `
const { parentPort, workerData: gate } = require("node:worker_threads");
parentPort.on("message", ({ id, topic }) => {
  if (topic === "${workerTopics.prepare}") {
    Atomics.wait(gate, 0, 0);
    if (Atomics.load(gate, 0) === 2) process.exit(1);
  }
  parentPort.postMessage({ kind: "answer", id, value: null });
});`;

const waitsLong = { timeout: 20_000 };

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
  /** How many successors were starting before one served, at each start. */
  const beside: number[] = [];
  const workers = new Workers({
    count,
    table: SharedTable.create(count + 1),
    topics,
    messages: new MainMessages(topics),
    log: createLogger({ name: "test", level: "info", encoding: "json", take: () => true }),
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
  const document = { config: {}, text: "{}", hasIds: false, force: false } as unknown as ConfigDocument;
  await (await workers.prepare(document)).commit();

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
