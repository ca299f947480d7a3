import { EventEmitter } from "node:events";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onStopRequest } from "./stop-requests.ts";

let heard: string[];
let source: EventEmitter;

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  source = new EventEmitter();
  onStopRequest(
    { stop: (why) => heard.push(why), kill: () => heard.push("kill") },
    source as unknown as NodeJS.Process,
  );
});
afterEach(() => {
  vi.useRealTimers();
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"])(
  "%s stops; again within a second it is the same request, later it kills",
  (signal) => {
    source.emit(signal, signal);
    source.emit("SIGTERM", "SIGTERM");
    vi.advanceTimersByTime(999);
    source.emit(signal, signal);
    expect(heard).toEqual([signal]);
    vi.advanceTimersByTime(1);
    source.emit(signal, signal);
    expect(heard).toEqual([signal, "kill"]);
  },
);

test("the end of whoever started this stops, and kills nothing while it stops already", () => {
  source.emit("disconnect");
  expect(heard).toEqual(["the process that started this is gone"]);
  vi.advanceTimersByTime(5_000);
  source.emit("disconnect");
  expect(heard).toHaveLength(1);
});
