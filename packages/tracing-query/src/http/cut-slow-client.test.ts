import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cutSlowClient } from "./cut-slow-client.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An answer whose socket times out when the test says so. */
class FakeAnswer extends EventEmitter {
  writableLength = 0;
  timeouts: number[] = [];

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.timeouts.push(ms);
    return onTimeout === undefined ? this : this.on("timeout", onTimeout);
  }

  destroy = vi.fn(() => void this.emit("close"));
}

function watched(): FakeAnswer {
  const answer = new FakeAnswer();
  cutSlowClient(answer as unknown as ServerResponse, { stalledMs: 60_000, maxWaitMs: 300_000 });
  return answer;
}

test("an answer that is long in the making is not cut, however long nothing is sent", () => {
  const answer = watched();
  for (let minute = 1; minute <= 60; minute++) {
    vi.advanceTimersByTime(60_000);
    answer.emit("timeout");
    expect(answer.timeouts).toHaveLength(minute + 1);
  }
  expect(answer.destroy).not.toHaveBeenCalled();
});

test("a client that takes nothing is cut off", () => {
  const answer = watched();
  answer.emit("timeout");
  expect(answer.destroy).not.toHaveBeenCalled();
  answer.writableLength = 1;
  answer.emit("timeout");
  expect(answer.destroy).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("so is one that takes a little at a time, after what it was waited for in all", () => {
  const answer = watched();
  answer.writableLength = 1;
  vi.advanceTimersByTime(200_000);
  answer.writableLength = 0;
  vi.advanceTimersByTime(1_000_000);
  answer.writableLength = 1;
  vi.advanceTimersByTime(99_000);
  expect(answer.destroy).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(answer.destroy).toHaveBeenCalledOnce();
});
