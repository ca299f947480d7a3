import { describe, expect, test } from "vitest";
import { FrameDispatcher } from "./frame-dispatcher.ts";
import { FrameReader } from "./frame-reader.ts";
import {
  encodeFrame,
  encodeGoAway,
  encodePingAck,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameTypes,
  settingIds,
  settingsAck,
} from "./frames.ts";

const { data, headers, continuation, priority, settings, ping, goAway, windowUpdate, rstStream } = frameTypes;
const { endStream, endHeaders, padded } = frameFlags;
const bytes = (text: string) => Buffer.from(text, "latin1");
const noSettings = encodeSettings(new Map());

interface Options {
  readonly mayBeginWithGoAway?: boolean;
  readonly knowsStreamErrors?: boolean;
}

/** A dispatcher, and the calls of its handler. */
function open({ mayBeginWithGoAway = false, knowsStreamErrors = true }: Options = {}) {
  const told: unknown[][] = [];
  const tell =
    (name: string) =>
    (...values: unknown[]) =>
      void told.push([
        name,
        ...values.map((value) => (Buffer.isBuffer(value) ? value.toString("latin1") : value)),
      ]);
  const handler = {
    data: tell("data"),
    headers: tell("headers"),
    reset: tell("reset"),
    settings: tell("settings"),
    ping: tell("ping"),
    goAway: tell("goAway"),
    windowUpdate: tell("windowUpdate"),
    ...(knowsStreamErrors && { streamError: tell("streamError") }),
  };
  const dispatcher = new FrameDispatcher(handler, { maxHeaderBlockBytes: 100, mayBeginWithGoAway });
  const reader = new FrameReader(dispatcher);
  return { dispatcher, told, push: (...frames: Buffer[]) => reader.push(Buffer.concat(frames)) };
}

/** The calls for these frames after settings. */
function toldOf(...frames: Buffer[]): unknown[][] {
  const { push, told } = open();
  push(noSettings, ...frames);
  return told.slice(1);
}

describe("FrameDispatcher", () => {
  test("tells what frames mean", () => {
    expect(
      toldOf(
        encodeFrame(data, padded, 1, bytes("\x02data..")),
        encodeFrame(data, endStream, 3, bytes("")),
        encodeRstStream(1, errorCodes.cancel),
        encodeFrame(ping, 0, 0, bytes("12345678")),
        encodeGoAway(5, errorCodes.noError, "bye"),
        encodeWindowUpdate(0, 7),
        encodeWindowUpdate(3, 0),
      ),
    ).toEqual([
      ["data", 1, "data", 7, false],
      ["data", 3, "", 0, true],
      ["reset", 1, errorCodes.cancel],
      ["ping", "12345678"],
      ["goAway", 5, 0],
      ["windowUpdate", 0, 7],
      ["windowUpdate", 3, 0],
    ]);
  });

  test("gives settings, and knows that they were there", () => {
    const { dispatcher, push, told } = open();
    expect(dispatcher.hasSettings).toBe(false);
    push(encodeSettings(new Map([[settingIds.initialWindowSize, 9]])));
    expect(dispatcher.hasSettings).toBe(true);
    expect(told).toEqual([["settings", new Map([[settingIds.initialWindowSize, 9]])]]);
  });

  test("puts header blocks together", () => {
    expect(
      toldOf(
        encodeFrame(headers, endHeaders | endStream, 1, bytes("whole")),
        encodeFrame(headers, endStream, 3, bytes("in ")),
        encodeFrame(continuation, 0, 3, bytes("three ")),
        encodeFrame(continuation, endHeaders, 3, bytes("pieces")),
        encodeFrame(headers, endHeaders, 5, bytes("next")),
      ),
    ).toEqual([
      ["headers", 1, "whole", true],
      ["headers", 3, "in three pieces", true],
      ["headers", 5, "next", false],
    ]);
  });

  test("passes over acknowledgements, priorities and unknown frames", () => {
    expect(
      toldOf(
        settingsAck,
        encodePingAck(bytes("12345678")),
        encodeFrame(priority, 0, 1, bytes("\0\0\0\x03\0")),
        encodeFrame(99, 255, 1, bytes("what")),
      ),
    ).toEqual([]);
  });

  test("tells of frames that are wrong for their stream, to whom wants to know", () => {
    const wrong = [
      encodeFrame(priority, 0, 1, bytes("\0\0\0\x01\0")),
      encodeFrame(priority, 0, 3, bytes("\0\0\0\x01")),
    ];
    expect(toldOf(...wrong)).toEqual([
      ["streamError", 1, errorCodes.protocolError],
      ["streamError", 3, errorCodes.frameSizeError],
    ]);
    const { push, told } = open({ knowsStreamErrors: false });
    push(noSettings, ...wrong);
    expect(told).toHaveLength(1);
  });

  test("tells nothing once it was stopped", () => {
    const { dispatcher, push, told } = open();
    push(noSettings);
    dispatcher.stop();
    push(encodeFrame(data, 0, 1, bytes("late")), encodeFrame(continuation, 0, 1, bytes("wrong")));
    expect(told).toHaveLength(1);
  });

  test.each<[what: string, code: number, frames: Buffer[]]>([
    [
      "DATA with too much padding",
      errorCodes.protocolError,
      [encodeFrame(data, padded, 1, bytes("\x05abc"))],
    ],
    ["HEADERS on stream 0", errorCodes.protocolError, [encodeFrame(headers, endHeaders, 0, bytes("x"))]],
    ["PRIORITY on stream 0", errorCodes.protocolError, [encodeFrame(priority, 0, 0, bytes("12345"))]],
    ["RST_STREAM of 3 bytes", errorCodes.frameSizeError, [encodeFrame(rstStream, 0, 1, bytes("123"))]],
    ["SETTINGS on a stream", errorCodes.protocolError, [encodeFrame(settings, 0, 1, bytes(""))]],
    ["SETTINGS of 5 bytes", errorCodes.frameSizeError, [encodeFrame(settings, 0, 0, bytes("12345"))]],
    [
      "an acknowledgement of SETTINGS with values",
      errorCodes.frameSizeError,
      [encodeFrame(settings, frameFlags.ack, 0, bytes("123456"))],
    ],
    ["PUSH_PROMISE", errorCodes.protocolError, [encodeFrame(frameTypes.pushPromise, 0, 1, bytes("1234"))]],
    ["PING on a stream", errorCodes.protocolError, [encodeFrame(ping, 0, 1, bytes("12345678"))]],
    ["PING of 7 bytes", errorCodes.frameSizeError, [encodeFrame(ping, 0, 0, bytes("1234567"))]],
    ["GOAWAY on a stream", errorCodes.protocolError, [encodeFrame(goAway, 0, 1, bytes("12345678"))]],
    ["GOAWAY of 7 bytes", errorCodes.frameSizeError, [encodeFrame(goAway, 0, 0, bytes("1234567"))]],
    ["WINDOW_UPDATE of 0", errorCodes.protocolError, [encodeWindowUpdate(0, 0)]],
    [
      "WINDOW_UPDATE of 5 bytes",
      errorCodes.frameSizeError,
      [encodeFrame(windowUpdate, 0, 1, bytes("12345"))],
    ],
    ["CONTINUATION alone", errorCodes.protocolError, [encodeFrame(continuation, 0, 1, bytes("x"))]],
    [
      "CONTINUATION of another stream",
      errorCodes.protocolError,
      [encodeFrame(headers, 0, 1, bytes("x")), encodeFrame(continuation, endHeaders, 3, bytes("x"))],
    ],
    [
      "another frame in a header block",
      errorCodes.protocolError,
      [encodeFrame(headers, 0, 1, bytes("x")), encodeFrame(ping, 0, 0, bytes("12345678"))],
    ],
    [
      "a header block over the limit",
      errorCodes.enhanceYourCalm,
      [encodeFrame(headers, 0, 1, Buffer.alloc(60)), encodeFrame(continuation, 0, 1, Buffer.alloc(60))],
    ],
  ])("refuses %s", (_, code, frames) => {
    expect(() => toldOf(...frames)).toThrow(expect.objectContaining({ name: "Http2Error", code }));
  });

  test("wants settings first; from servers GOAWAY will do", () => {
    const refused = expect.objectContaining({ code: errorCodes.protocolError });
    const leaving = encodeGoAway(0, errorCodes.noError);
    expect(() => open().push(encodeFrame(data, 0, 1, bytes("x")))).toThrow(refused);
    expect(() => open().push(settingsAck, encodeFrame(data, 0, 1, bytes("x")))).toThrow(refused);
    expect(() => open().push(leaving)).toThrow(refused);
    const { push, told } = open({ mayBeginWithGoAway: true });
    push(leaving);
    expect(told).toEqual([["goAway", 0, 0]]);
  });
});
