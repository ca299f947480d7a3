import { expect, test } from "vitest";
import { encodeTransportParameters, readTransportParameters } from "./transport-parameters.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const plain = readTransportParameters(hex("0f 00"), "client");

test("fills in what is absent", () => {
  expect(plain).toMatchObject({
    maxIdleTimeoutMs: 0,
    maxUdpPayloadBytes: 65_527,
    maxData: 0,
    ackDelayExponent: 3,
    maxAckDelayMs: 25,
    activeConnectionIdLimit: 2,
    initialSourceId: hex(""),
  });
});

test("reads what it wrote, and passes over what it does not know", () => {
  const parameters = {
    ...plain,
    maxIdleTimeoutMs: 30_000,
    maxData: 2 ** 40,
    maxStreamsUni: 3,
    disableActiveMigration: true,
    initialSourceId: hex("0102"),
    originalDestinationId: hex("aabb"),
    retrySourceId: hex("cc"),
    statelessResetToken: Buffer.alloc(16, 5),
  };
  const bytes = Buffer.concat([encodeTransportParameters(parameters), hex("1b 02 aabb")]);
  expect(readTransportParameters(bytes, "server")).toEqual(parameters);
});

test.each([
  ["no source connection id", "01 01 05"],
  ["a parameter twice", "0f 00 0f 00"],
  ["a parameter that ends too early", "0f 00 01 04 80"],
  ["bytes behind a number", "0f 00 01 02 05 05"],
  ["datagrams below 1,200 bytes", "0f 00 03 02 44af"],
  ["an exponent over 20", "0f 00 0a 01 15"],
  ["a delay of 2^14", "0f 00 0b 04 80004000"],
  ["one connection id", "0f 00 0e 01 01"],
  ["over 2^60 streams", "0f 00 08 08 d000000000000001"],
  ["a connection id of 21 bytes", `0f 15 ${"00".repeat(21)}`],
  ["a value of disable_active_migration", "0f 00 0c 01 00"],
  ["the original connection id", "0f 00 00 00"],
  ["a reset token", `0f 00 02 10 ${"00".repeat(16)}`],
  ["a preferred address", "0f 00 0d 00"],
])("refuses a client's parameters with %s", (_, text) => {
  expect(() => readTransportParameters(hex(text), "client")).toThrow(
    expect.objectContaining({ name: "QuicError", code: 0x08 }),
  );
});
