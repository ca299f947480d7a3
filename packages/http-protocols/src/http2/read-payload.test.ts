import { describe, expect, test } from "vitest";
import { errorCodes, frameFlags, settingIds } from "./frames.ts";
import { dataOf, headerBlockOf, settingsOf } from "./read-payload.ts";

const { padded, priority } = frameFlags;
const failure = (code: number) => expect.objectContaining({ name: "Http2Error", code });

describe("dataOf", () => {
  test.each([
    ["without padding", 0, "02aabb", "02aabb"],
    ["padded by nothing", padded, "00aabb", "aabb"],
    ["padded", padded, "02aabb0000", "aabb"],
    ["of padding only", padded, "020000", ""],
  ])("reads a frame %s", (_, flags, payload, data) => {
    expect(dataOf(flags, Buffer.from(payload, "hex")).toString("hex")).toBe(data);
  });

  test.each([[""], ["01"], ["03aabb"]])("refuses the padding of %j", (payload) => {
    expect(() => dataOf(padded, Buffer.from(payload, "hex"))).toThrow(failure(errorCodes.protocolError));
  });
});

describe("headerBlockOf", () => {
  test.each([
    ["nothing", 0, "8286", "8286"],
    ["padding", padded, "01828600", "8286"],
    ["priority", priority, "00000000108286", "8286"],
    ["both", padded | priority, "020000000010820000", "82"],
  ])("leaves out %s", (_, flags, payload, block) => {
    expect(headerBlockOf(flags, 1, Buffer.from(payload, "hex")).toString("hex")).toBe(block);
  });

  test("refuses a priority that is cut, and one of a stream on itself", () => {
    expect(() => headerBlockOf(priority, 1, Buffer.alloc(4))).toThrow(failure(errorCodes.frameSizeError));
    const itself = Buffer.from("800000031082", "hex");
    expect(() => headerBlockOf(priority, 3, itself)).toThrow(failure(errorCodes.protocolError));
  });
});

describe("settingsOf", () => {
  const setting = (id: number, value: number) => {
    const bytes = Buffer.alloc(6);
    bytes.writeUInt16BE(id, 0);
    bytes.writeUInt32BE(value, 2);
    return bytes;
  };

  test("takes the last of each, and leaves out those that it does not know", () => {
    const payload = Buffer.concat([
      setting(settingIds.maxConcurrentStreams, 1),
      setting(99, 7),
      setting(0, 7),
      setting(settingIds.maxFrameSize, 2 ** 24 - 1),
      setting(settingIds.maxConcurrentStreams, 2),
    ]);
    expect(settingsOf(payload)).toEqual(
      new Map([
        [settingIds.maxConcurrentStreams, 2],
        [settingIds.maxFrameSize, 2 ** 24 - 1],
      ]),
    );
  });

  test.each([
    [settingIds.enablePush, 2, errorCodes.protocolError],
    [settingIds.initialWindowSize, 2 ** 31, errorCodes.flowControlError],
    [settingIds.maxFrameSize, 16_383, errorCodes.protocolError],
    [settingIds.maxFrameSize, 2 ** 24, errorCodes.protocolError],
  ])("refuses setting %i of %i", (id, value, code) => {
    expect(() => settingsOf(setting(id, value))).toThrow(failure(code));
  });

  test("refuses half a setting", () => {
    expect(() => settingsOf(Buffer.alloc(5))).toThrow(failure(errorCodes.frameSizeError));
  });
});
