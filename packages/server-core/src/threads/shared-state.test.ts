import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { memoryKeeper, TableState } from "./shared-state.ts";
import { SharedTable } from "./shared-table.ts";

function stateOf(table: SharedTable): TableState {
  return new TableState(table, memoryKeeper());
}

test("a counter is one number for all threads", () => {
  const main = SharedTable.create(2);
  const [a, b] = [stateOf(main).counter("x"), stateOf(new SharedTable(main.buffer, 1)).counter("x")];
  expect([a.add(2), b.add(-5), a.value]).toEqual([2, -3, -3]);
  expect([b.exchange(-3, 7), b.exchange(-3, 8), a.value]).toEqual([true, false, 7]);
  a.set(2 ** 50);
  expect(b.add(1)).toBe(2 ** 50 + 1);
});

test("what a dead thread had added to a gauge is gone, what it counted stays", () => {
  const main = SharedTable.create(3);
  const [first, second] = [1, 2].map((thread) => stateOf(new SharedTable(main.buffer, thread)));
  first?.gauge("g").add(3);
  second?.gauge("g").add(4);
  first?.counter("g").add(9);
  expect(stateOf(main).list("g")).toEqual([{ name: "g", count: 9, level: 7 }]);
  main.forget(1);
  expect(stateOf(main).list("g")).toEqual([{ name: "g", count: 9, level: 4 }]);
  main.forget(2);
  expect(stateOf(main).list("g")).toEqual([]);
});

test("a name lives until its last user lets go, and its place is used again", () => {
  const state = stateOf(SharedTable.create(1));
  const [a, b] = [state.counter("a"), state.counter("a")];
  a.add(1);
  a.release();
  a.release();
  expect(b.value).toBe(1);
  b.release();
  expect(state.counter("b").value).toBe(0);
  expect(state.counter("a").value).toBe(0);
  expect(
    state
      .list("")
      .map(({ name }) => name)
      .sort(),
  ).toEqual(["a", "b"]);
});

test("names may have any length and script", () => {
  const state = stateOf(SharedTable.create(1));
  const long = (end: string) => `${"ü".repeat(300)}${end}`;
  state.counter(long("1")).add(1);
  state.counter(long("2")).add(2);
  state.counter("日本").add(3);
  expect([long("1"), long("2"), "日本"].map((name) => state.counter(name).value)).toEqual([1, 2, 3]);
});

test("a table that is full says so", () => {
  const state = stateOf(SharedTable.create(1));
  expect(() => {
    for (let index = 0; index < 20_000; index++) {
      state.counter(`c${index}`);
    }
  }).toThrow("no place for another shared counter");
});

test("memory is the same for the same name and size", async () => {
  const state = stateOf(SharedTable.create(1));
  const memory = await state.memory("m", 16);
  expect(await state.memory("m", 16)).toBe(memory);
  expect(await state.memory("m", 8)).not.toBe(memory);
});

test("memory is asked for once, and again after a failure", async () => {
  const asked: string[] = [];
  const memory = memoryKeeper(async (name, byteLength) => {
    asked.push(`${name} ${byteLength}`);
    if (asked.length === 1) {
      throw new Error("the main thread is gone");
    }
    return new SharedArrayBuffer(byteLength);
  });
  await expect(memory("m", 16)).rejects.toThrow("gone");
  const [first, second] = await Promise.all([memory("m", 16), memory("m", 16)]);
  expect(second).toBe(first);
  expect(await memory("m", 16)).toBe(first);
  expect(asked).toEqual(["m 16", "m 16"]);
});

test("threads that take, count and release at once lose nothing", async () => {
  const main = SharedTable.create(4);
  const module = new URL("./shared-state.ts", import.meta.url).href;
  const table = new URL("./shared-table.ts", import.meta.url).href;
  const code = `
    const { workerData } = require("node:worker_threads");
    (async () => {
      const { TableState } = await import(${JSON.stringify(module)});
      const { SharedTable } = await import(${JSON.stringify(table)});
      const state = new TableState(new SharedTable(workerData.buffer, workerData.thread), null);
      for (let round = 0; round < 500; round++) {
        const passing = state.counter("passing" + (round % 7));
        state.counter("all").add(1);
        passing.release();
      }
    })();`;
  const all = stateOf(main).counter("all");
  const threads = [1, 2, 3].map(
    (thread) => new Worker(code, { eval: true, workerData: { buffer: main.buffer, thread } }),
  );
  await Promise.all(threads.map((thread) => once(thread, "exit")));
  expect(all.value).toBe(1500);
});
