import type { SharedGauge } from "server-core/threads/shared-state";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleConnections } from "./idle-connections.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A gauge that other threads also change. */
function gauge(): SharedGauge & { others: number; own: number; released: number } {
  return {
    name: "g",
    others: 0,
    own: 0,
    released: 0,
    get value() {
      return this.own + this.others;
    },
    add(amount) {
      this.own += amount;
    },
    release() {
      this.released++;
    },
  };
}

test("the oldest are closed when there are more than may be in all threads, a second later", () => {
  const count = gauge();
  const idle = new IdleConnections(3, count);
  const closed: number[] = [];
  const connections = [1, 2, 3, 4, 5].map((id) => ({ id }));
  for (const connection of connections) {
    idle.add(connection, () => closed.push(connection.id));
    idle.add(connection, () => closed.push(connection.id));
  }
  idle.remove(connections[0] ?? {});
  expect([closed, count.own]).toEqual([[], 4]);
  vi.advanceTimersByTime(1_000);
  expect([closed, count.own]).toEqual([[2], 3]);
  count.others = 2;
  idle.add(connections[0] ?? {}, () => closed.push(1));
  vi.advanceTimersByTime(1_000);
  expect([closed, count.own]).toEqual([[2, 3, 4, 5], 1]);
});

test("a burst that is used again within the second costs no connection", () => {
  const count = gauge();
  const idle = new IdleConnections(1, count);
  const close = vi.fn();
  const connections = [{}, {}, {}];
  for (const connection of connections) {
    idle.add(connection, close);
  }
  for (const connection of connections) {
    idle.remove(connection);
    idle.remove(connection);
  }
  vi.advanceTimersByTime(1_000);
  expect(close).not.toHaveBeenCalled();
  expect(count.own).toBe(0);
});

test("closed, it takes its part back and counts nothing more", () => {
  const count = gauge();
  const idle = new IdleConnections(1, count);
  idle.add({}, () => {});
  idle.close();
  idle.close();
  idle.add({}, () => {});
  expect([count.own, count.released]).toEqual([0, 1]);
});
