import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ClickHouseConnection } from "../clickhouse-connection.ts";
import type { SchemaGuard } from "../schema/schema-guard.ts";
import { KnownCopies } from "./known-copies.ts";

const minuteNano = 60_000_000_000n;
const range = { startUnixNano: 100n * minuteNano, endUnixNano: 101n * minuteNano };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A `KnownCopies` for a store with a copy in one minute. It also returns the parameters of each query. */
function asked({ minute = undefined as number | undefined, isCluster = false } = {}) {
  const questions: Readonly<Record<string, unknown>>[] = [];
  const connection: Pick<ClickHouseConnection, "rows"> = {
    rows: async <Row>(_sql: string, parameters: Readonly<Record<string, unknown>>) => {
      questions.push(parameters);
      const { fromMinute = 0, toMinute = 1e9 } = parameters as { fromMinute?: number; toMinute?: number };
      const isFound = minute !== undefined && minute >= fromMinute && minute <= toMinute;
      return (isFound ? [{ found: 1 }] : []) as Row[];
    },
  };
  const schema: Pick<SchemaGuard, "run"> = { run: (work) => work() };
  const copies = new KnownCopies(connection as ClickHouseConnection, schema as SchemaGuard, {
    ...{ database: "tracing", isCluster },
  });
  return { copies, questions };
}

/** Reads rows that tell if copies exist anywhere, and records the argument of each read. */
function reader(...rows: number[]) {
  const reads: (boolean | "ask")[] = [];
  const read = async (how: boolean | "ask") => {
    reads.push(how);
    return rows.map((areRepeated) => ({ areRepeated }));
  };
  return { reads, read };
}

const later = { startUnixNano: 200n * minuteNano, endUnixNano: 201n * minuteNano };

test("a tenant without copies is asked about once in three seconds, whatever the times are", async () => {
  const { copies, questions } = asked();
  for (const times of [range, later, undefined, range]) {
    expect(await copies.areIn(times, "traceql", {})).toBe(false);
  }
  expect(questions).toEqual([{ tenant: "" }]);
  await copies.areIn(range, "traceql", { tenant: "other" });
  expect(questions.length).toBe(2);
  vi.advanceTimersByTime(3_000);
  await copies.areIn(range, "traceql", {});
  expect(questions.length).toBe(3);
});

test("where there are copies each time has its own answer", async () => {
  const { copies, questions } = asked({ minute: 200 });
  for (const [times, areThere] of [
    [range, false],
    [later, true],
    [{ startUnixNano: range.startUnixNano }, true],
    [range, false],
  ] as const) {
    expect(await copies.areIn(times, "traceql", {})).toBe(areThere);
  }
  expect(questions).toEqual([
    { tenant: "" },
    { tenant: "", fromMinute: 100, toMinute: 101 },
    { tenant: "", fromMinute: 200, toMinute: 201 },
    { tenant: "", fromMinute: 100 },
  ]);
  vi.advanceTimersByTime(3_000);
  expect(await copies.areIn(later, "traceql", {})).toBe(true);
  expect(questions.length).toBe(5);
});

test("a single server is asked in the statement that reads, and not when it is known", async () => {
  const { copies, questions } = asked();
  const { reads, read } = reader(0);
  await copies.readOnce(range, {}, read);
  await copies.readOnce(later, {}, read);
  expect(await copies.areIn(range, "traceql", {})).toBe(false);
  expect(reads).toEqual(["ask", false]);
  expect(questions).toEqual([]);
});

test("a read without rows tells nothing about copies", async () => {
  const { copies } = asked({ minute: 100 });
  const { reads, read } = reader();
  await copies.readOnce(range, {}, read);
  await copies.readOnce(range, {}, read);
  expect(reads).toEqual(["ask", "ask"]);
  expect(await copies.areIn(range, "traceql", {})).toBe(true);
});

test("spans are read once more, without copies, only when their time has some", async () => {
  const { copies, questions } = asked({ minute: 200 });
  const { reads, read } = reader(1);
  await copies.readOnce(range, {}, read);
  await copies.readOnce(later, {}, read);
  expect(reads).toEqual(["ask", true]);
  expect(questions.length).toBe(2);
  const fresh = asked({ minute: 100 });
  const again = reader(1);
  await fresh.copies.readOnce(range, {}, again.read);
  await fresh.copies.readOnce(range, {}, again.read);
  expect(again.reads).toEqual(["ask", true, true]);
});

test("a cluster is asked before it reads", async () => {
  const { copies, questions } = asked({ minute: 100, isCluster: true });
  const { reads, read } = reader(1);
  await copies.readOnce(range, {}, read);
  expect(reads).toEqual([true]);
  expect(questions.length).toBe(2);
});
