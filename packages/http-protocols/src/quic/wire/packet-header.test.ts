import { expect, test } from "vitest";
import { ByteWriter } from "./byte-writer.ts";
import {
  encodeVersionNegotiation,
  expandPacketNumber,
  packetNumberBytes,
  readPacketHeader,
  readVersionlessHeader,
  writePacketHeader,
} from "./packet-header.ts";

const id = (hex: string) => Buffer.from(hex, "hex");

test("reads the header of an Initial packet", () => {
  // RFC 9001, appendix A.2, with a payload of zeros
  const datagram = Buffer.concat([id("c300000001088394c8f03e5157080000449e00000002"), Buffer.alloc(1_178)]);
  expect(readPacketHeader(datagram, 0, 8)).toEqual({
    type: "initial",
    version: 1,
    destinationId: id("8394c8f03e515708"),
    sourceId: id(""),
    token: id(""),
    from: 0,
    numberAt: 18,
    end: 1_200,
  });
});

test.each([
  ["a length beyond the datagram", "c300000001088394c8f03e5157080000449e00000002"],
  ["a connection id of 21 bytes", `c300000001${"15".padEnd(44, "0")}0000`],
  ["another version", "c3000000020000000100"],
  ["no fixed bit", "8300000001000000010000"],
  ["a token beyond the datagram", "c300000001000044ff"],
  ["a short header without its connection id", "40010203"],
  ["nothing", ""],
])("refuses %s", (_, hex) => {
  expect(readPacketHeader(id(hex), 0, 8)).toBeUndefined();
});

test("finds each packet of a datagram", () => {
  const writer = new ByteWriter();
  for (const type of ["initial", "handshake", "1rtt"] as const) {
    const header = { type, destinationId: id("0102030405060708"), sourceId: id("09"), numberBytes: 2 };
    const lengthAt = writePacketHeader(writer, header);
    writer.zeros(30);
    if (lengthAt >= 0) {
      writer.patchVarint2(lengthAt, 30);
    }
  }
  const datagram = writer.written;
  const types: string[] = [];
  for (let at = 0; at < datagram.length; ) {
    const header = readPacketHeader(datagram, at, 8)!;
    expect(header.destinationId).toEqual(id("0102030405060708"));
    expect(header.end - header.numberAt).toBe(30);
    types.push(header.type);
    at = header.end;
  }
  expect(types).toEqual(["initial", "handshake", "1rtt"]);
});

// RFC 9000, appendix A.2 and A.3
test("shortens packet numbers and expands them", () => {
  expect(packetNumberBytes(0xac5c02, 0xabe8b3)).toBe(2);
  expect(packetNumberBytes(0xace8fe, 0xabe8b3)).toBe(3);
  expect(expandPacketNumber(0xa82f30ea, 0x9b32, 2)).toBe(0xa82f9b32);
  expect(expandPacketNumber(-1, 0, 1)).toBe(0);
  expect(expandPacketNumber(255, 0, 1)).toBe(256);
  expect(expandPacketNumber(256, 255, 1)).toBe(255);
});

test("answers versions that it does not know with those that it does", () => {
  const header = readVersionlessHeader(id("c01a2a3a4a02aabb01cc00"))!;
  expect(header).toEqual({ version: 0x1a2a3a4a, destinationId: id("aabb"), sourceId: id("cc") });
  expect(encodeVersionNegotiation(header, [1], 0x7f).toString("hex")).toBe("ff0000000001cc02aabb00000001");
  expect(readVersionlessHeader(id("c01a2a3a4aff00"))).toBeUndefined();
});
