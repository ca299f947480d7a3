import { Socket } from "node:net";
import { expect, test, vi } from "vitest";
import { DrainWaiters } from "./drain-waiters.ts";

/** A socket whose buffer is full. */
function fullSocket(): Socket {
  const socket = new Socket();
  vi.spyOn(socket, "writableNeedDrain", "get").mockReturnValue(true);
  return socket;
}

test("calls back after this turn where the socket takes more already", async () => {
  const callback = vi.fn();
  new DrainWaiters(new Socket(), () => {}).once(callback);
  expect(callback).not.toHaveBeenCalled();
  await new Promise((resolve) => process.nextTick(resolve));
  expect(callback).toHaveBeenCalledOnce();
});

test("calls everybody once when the buffer is empty, and those who wait anew the next time", () => {
  const socket = fullSocket();
  const waiters = new DrainWaiters(socket, () => {});
  const later = vi.fn();
  const callback = vi.fn(() => waiters.once(later));
  waiters.once(callback);
  waiters.once(callback);
  socket.emit("drain");
  expect([callback.mock.calls.length, later.mock.calls.length]).toEqual([2, 0]);
  socket.emit("drain");
  expect([callback.mock.calls.length, later.mock.calls.length]).toEqual([2, 2]);
});

test("calls nobody once it has stopped", () => {
  const socket = fullSocket();
  const waiters = new DrainWaiters(socket, () => {});
  const callback = vi.fn();
  waiters.once(callback);
  waiters.stop();
  socket.emit("drain");
  expect(callback).not.toHaveBeenCalled();
});

test("calls the others when one throws, and tells of it", () => {
  const socket = fullSocket();
  const failed = vi.fn();
  const waiters = new DrainWaiters(socket, failed);
  const callback = vi.fn();
  waiters.once(() => {
    throw new Error("no room");
  });
  waiters.once(callback);
  socket.emit("drain");
  expect(callback).toHaveBeenCalledOnce();
  expect(failed).toHaveBeenCalledWith(new Error("no room"));
});
