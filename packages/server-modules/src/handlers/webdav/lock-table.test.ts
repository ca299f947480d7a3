import { expect, test } from "vitest";
import {
  covers,
  type DavLock,
  LockTable,
  lockTableBytes,
  maxLocks,
  maxLocksOfHolder,
  mayHold,
} from "./lock-table.ts";

function lockOf(file: string, more: Partial<DavLock> = {}): DavLock {
  const rest = {
    token: `t:${file}`,
    href: file,
    owner: "",
    user: "",
    holder: "",
    timeoutS: 60,
    expiresMs: 1000,
  };
  return { file, isDeep: false, ...rest, ...more };
}

function tables(): { one: LockTable; other: LockTable; clock: { now: number } } {
  const memory = new SharedArrayBuffer(lockTableBytes);
  const clock = { now: 0 };
  return {
    one: new LockTable(memory, () => clock.now),
    other: new LockTable(memory, () => clock.now),
    clock,
  };
}

test("two threads see each other's locks, and their names of any bytes", () => {
  const { one, other } = tables();
  const odd = lockOf("/a/\udcff \u00e9");
  expect(one.change((locks) => [...locks, odd])).toBe(true);
  expect(other.locks).toEqual([odd]);
  other.change((locks) => [...locks, lockOf("/b")]);
  expect(one.locks.map(({ file }) => file)).toEqual([odd.file, "/b"]);
  one.change((locks) => locks.slice(1));
  expect(other.locks.map(({ file }) => file)).toEqual(["/b"]);
});

test("a lock ends when its time is over", () => {
  const { one, other, clock } = tables();
  one.change(() => [lockOf("/a"), lockOf("/b", { expiresMs: 2000 })]);
  clock.now = 999;
  expect(other.locks).toHaveLength(2);
  clock.now = 1000;
  expect(other.locks.map(({ file }) => file)).toEqual(["/b"]);
  other.change((locks) => [...locks, lockOf("/c", { expiresMs: 3000 })]);
  expect(one.locks.map(({ file }) => file)).toEqual(["/b", "/c"]);
});

test.each([1, 101, maxLocks])("%i locks", (count) => {
  const { one, other } = tables();
  expect(one.change(() => Array.from({ length: count }, (_, index) => lockOf(`/${index}`)))).toBe(true);
  expect(other.locks).toHaveLength(count);
});

test("too many locks, and too long ones, leave the table as it is", () => {
  const { one, other } = tables();
  one.change(() => [lockOf("/a")]);
  const many = Array.from({ length: maxLocks + 1 }, (_, index) => lockOf(`/${index}`));
  expect(one.change(() => many)).toBe(false);
  expect(one.change(() => [lockOf("/long", { owner: "x".repeat(2_000_000) })])).toBe(false);
  for (const table of [one, other]) {
    expect(table.locks.map(({ file }) => file)).toEqual(["/a"]);
  }
});

test("one holder's share counts locks and their text; others are not counted", () => {
  const held = Array.from({ length: maxLocksOfHolder - 1 }, (_, index) =>
    lockOf(`/${index}`, { holder: "a" }),
  );
  expect(mayHold(held, lockOf("/x", { holder: "a" }))).toBe(true);
  expect(mayHold(held, lockOf("/x", { holder: "a", owner: "x".repeat(100_000) }))).toBe(false);
  expect(mayHold([...held, lockOf("/y", { holder: "a" })], lockOf("/x", { holder: "a" }))).toBe(false);
  expect(mayHold([...held, lockOf("/y", { holder: "a" })], lockOf("/x", { holder: "b" }))).toBe(true);
});

test("an error within a change lets go of the table", () => {
  const { one, other } = tables();
  const fail = () => {
    throw new Error("within");
  };
  expect(() => one.change(fail)).toThrow("within");
  expect(other.change(() => [lockOf("/a")])).toBe(true);
});

test.each([
  ["/a", false, "/a", true],
  ["/a", false, "/a/b", false],
  ["/a", true, "/a/b/c", true],
  ["/a", true, "/ab", false],
  ["/", true, "/x", true],
])("a lock on %s (deep: %s) and %s", (file, isDeep, path, expected) => {
  expect(covers(lockOf(file, { isDeep }), path)).toBe(expected);
});
