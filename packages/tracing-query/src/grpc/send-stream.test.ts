import { EventEmitter } from "node:events";
import { type ServerWritableStream, status } from "@grpc/grpc-js";
import { PartialReasons } from "storage/api";
import { expect, test, vi } from "vitest";
import { sendAll } from "./send-stream.ts";

/** A call whose client takes so many messages, and then no more until `drain`. */
class FakeCall extends EventEmitter {
  readonly sent: number[] = [];
  failure: { code: status; details: string } | undefined;
  isEnded = false;
  readonly #takes: number;

  constructor(takes: number) {
    super();
    this.#takes = takes;
    this.on("error", (failure) => {
      this.failure = failure;
    });
  }

  write(message: number): boolean {
    this.sent.push(message);
    return this.sent.length < this.#takes;
  }

  end(): void {
    this.isEnded = true;
  }

  get stream(): ServerWritableStream<unknown, number> {
    return this as unknown as ServerWritableStream<unknown, number>;
  }
}

const messages = [1, 2, 3, 4];
const whole = (signal: AbortSignal) => ({ signal, reasons: new PartialReasons() });
const times = { stalledMs: 10, maxWaitMs: 60_000 };
const never = new AbortController().signal;

test("a client that takes all gets all", async () => {
  const call = new FakeCall(9);
  await sendAll(call.stream, messages, whole(never), times);
  expect([call.sent, call.isEnded, call.failure]).toEqual([messages, true, undefined]);
});

test("one that waits, and then goes on, too", async () => {
  const call = new FakeCall(4);
  const sending = sendAll(call.stream, messages, whole(never), { ...times, stalledMs: 60_000 });
  await vi.waitFor(() => expect(call.listenerCount("drain")).toBe(1), { timeout: 60_000 });
  call.emit("drain");
  await sending;
  expect([call.sent, call.isEnded]).toEqual([messages, true]);
});

test.each([
  ["takes nothing for a while", times],
  ["is waited for too long in all", { stalledMs: 60_000, maxWaitMs: 10 }],
])("one that %s is told so, and waited for no longer", async (_, slow) => {
  const call = new FakeCall(2);
  await sendAll(call.stream, messages, whole(never), slow);
  expect([call.sent, call.isEnded]).toEqual([[1, 2], false]);
  expect(call.failure).toMatchObject({
    code: status.DEADLINE_EXCEEDED,
    details: expect.stringContaining("slow"),
  });
});

/** Messages that take long to make. */
function* slowMessages(): Generator<number> {
  for (const message of messages) {
    const until = performance.now() + 5;
    while (performance.now() < until) {}
    yield message;
  }
}

test("what making the messages takes is not the client's", async () => {
  const call = new FakeCall(9);
  await sendAll(call.stream, slowMessages(), whole(never), { stalledMs: 10, maxWaitMs: 10 });
  expect([call.sent, call.isEnded, call.failure]).toEqual([messages, true, undefined]);
});

test("others get their turn while messages are made", async () => {
  const call = new FakeCall(9);
  const sending = sendAll(call.stream, slowMessages(), whole(never), times);
  await new Promise(setImmediate);
  expect(call.sent.length).toBeLessThan(messages.length);
  await sending;
  expect(call.sent).toEqual(messages);
});

test("one that leaves is told nothing", async () => {
  const call = new FakeCall(2);
  const gone = new AbortController();
  const sending = sendAll(call.stream, messages, whole(gone.signal), { ...times, stalledMs: 60_000 });
  await vi.waitFor(() => expect(call.listenerCount("drain")).toBe(1), { timeout: 60_000 });
  gone.abort();
  await sending;
  expect([call.sent, call.isEnded, call.failure]).toEqual([[1, 2], false, undefined]);
});
