import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FrameReader } from "../http2/frame-reader.ts";
import {
  defaultFrameBytes,
  defaultWindowBytes,
  errorCodes,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
} from "../http2/frames.ts";
import { SendWindow } from "./send-window.ts";

type Frame = [type: number, flags: number, streamId: number, payload: string];

/** A window, and its sent frames. */
function open() {
  const frames: Frame[] = [];
  const reader = new FrameReader({
    frame: (type, flags, streamId, payload) =>
      void frames.push([type, flags, streamId, payload.toString("latin1")]),
  });
  return { frames, window: new SendWindow((bytes) => reader.push(bytes)) };
}

const { data, headers } = frameTypes;
const { endStream, endHeaders } = frameFlags;
const trailers = Buffer.from("trailers");
const lengths = (frames: readonly Frame[]) => frames.map(([, , , payload]) => payload.length);

describe("SendWindow", () => {
  test("sends what fits at once, and ends the stream", () => {
    const { window, frames } = open();
    window.send(1, Buffer.from("body"));
    window.send(3, Buffer.from("body"), trailers);
    window.send(5, Buffer.alloc(0), trailers);
    expect(frames).toEqual([
      [data, endStream, 1, "body"],
      [data, 0, 3, "body"],
      [headers, endHeaders | endStream, 3, "trailers"],
      [headers, endHeaders | endStream, 5, "trailers"],
    ]);
    expect(window.size).toBe(0);
  });

  test("waits for the stream's window", () => {
    const { window, frames } = open();
    window.setInitial(3);
    window.send(1, Buffer.from("12345678"), trailers);
    expect(window.has(1)).toBe(true);
    expect(window.grantStream(1, 4)).toBe(true);
    expect(lengths(frames)).toEqual([3, 4]);
    window.setInitial(4);
    expect(frames.at(-1)).toEqual([headers, endHeaders | endStream, 1, "trailers"]);
    expect(window.has(1)).toBe(false);
  });

  test("counts what was granted before there was a body", () => {
    const { window, frames } = open();
    window.setInitial(0);
    expect(window.grantStream(1, 2)).toBe(true);
    window.send(1, Buffer.from("1234"));
    expect(lengths(frames)).toEqual([2]);
  });

  test("waits when new settings take room away", () => {
    const { window, frames } = open();
    window.setInitial(3);
    window.send(1, Buffer.from("12345678"));
    window.setInitial(0);
    expect(window.grantStream(1, 3)).toBe(true);
    expect(lengths(frames)).toEqual([3]);
    window.grantStream(1, 1);
    expect(lengths(frames)).toEqual([3, 1]);
  });

  test("shares the connection's window", () => {
    const { window, frames } = open();
    window.setInitial(100_000);
    window.send(1, Buffer.alloc(defaultWindowBytes - 1));
    window.send(3, Buffer.alloc(10));
    window.send(5, Buffer.alloc(10));
    expect(lengths(frames).at(-1)).toBe(1);
    window.grantConnection(12);
    expect(frames.slice(-2).map(([, , streamId, payload]) => [streamId, payload.length])).toEqual([
      [3, 9],
      [5, 3],
    ]);
  });

  test("keeps to the largest frame", () => {
    const { window, frames } = open();
    window.send(1, Buffer.alloc(defaultFrameBytes + 1));
    expect(lengths(frames)).toEqual([defaultFrameBytes, 1]);
    const pieces: number[] = [];
    const other = new SendWindow(({ length }) => void pieces.push(length));
    other.setMaxFrame(20_000);
    other.send(1, Buffer.alloc(20_001));
    expect(pieces).toEqual([frameHeaderBytes, 20_000, frameHeaderBytes, 1]);
  });

  test("forgets a stream", () => {
    const { window, frames } = open();
    window.setInitial(1);
    window.send(1, Buffer.from("12"));
    window.drop(1);
    window.setInitial(10);
    expect(lengths(frames)).toEqual([1]);
    expect(window.size).toBe(0);
  });

  test("refuses windows past 2^31 - 1", () => {
    const tooLarge = expect.objectContaining({ code: errorCodes.flowControlError });
    const { window } = open();
    expect(() => window.grantConnection(2 ** 31 - 1)).toThrow(tooLarge);
    expect(window.grantStream(1, 2 ** 31 - 1)).toBe(false);
    const other = open().window;
    other.setInitial(0);
    other.send(3, Buffer.from("waits"));
    expect(other.grantStream(3, 2 ** 31)).toBe(false);
    expect(() => other.setInitial(2 ** 31 - 1)).toThrow(tooLarge);
  });

  test("sends each body whole and in order, however it is granted", () => {
    const grant = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 9 }));
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 30 }), { maxLength: 3 }),
        fc.array(grant),
        (texts, grants) => {
          const { window, frames } = open();
          window.setInitial(0);
          for (const [index, text] of texts.entries()) {
            window.send(index + 1, Buffer.from(text), trailers);
          }
          for (const [streamId, bytes] of grants) {
            if (streamId === 0) {
              window.grantConnection(bytes);
            } else if (window.has(streamId)) {
              window.grantStream(streamId, bytes);
            }
          }
          for (const [index, text] of texts.entries()) {
            const own = frames.filter(([type, , streamId]) => type === data && streamId === index + 1);
            const sent = own.map(([, , , payload]) => payload).join("");
            const whole = Buffer.from(text).toString("latin1");
            expect(whole.startsWith(sent)).toBe(true);
            expect(window.has(index + 1)).toBe(sent !== whole);
          }
        },
      ),
    );
  });
});
