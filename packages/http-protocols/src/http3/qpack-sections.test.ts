import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import type { QuicStream } from "../quic/streams/quic-stream.ts";
import { collect, SimulatedNetwork } from "../testing/simulated-network.ts";
import { Http3Error } from "./http3-error.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import { FieldSectionReader } from "./qpack-sections.ts";
import { Http3ServerSession } from "./server-session.ts";
import { encodeFrame } from "./settings.ts";

const rounds = Number(process.env.FUZZ_ROUNDS ?? 2_000);
const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const noLimit = 1_000_000;
/** RFC 9204, appendix B.2: capacity 220, :authority www.example.com, :path /sample/path. */
const twoEntries = hex("3fbd01 c00f7777772e6578616d706c652e636f6d c10c2f73616d706c652f70617468");
const customEntry = hex("4a637573746f6d2d6b6579 0c637573746f6d2d76616c7565");
const fieldsOf = (texts: string[]) =>
  texts.map((text) => {
    const at = text.indexOf(": ");
    return { name: text.slice(0, at), value: text.slice(at + 2) };
  });

function newReader() {
  const sent: string[] = [];
  const reader = new FieldSectionReader((instruction) => sent.push(instruction.toString("hex")));
  return { reader, sent };
}

test("reads the examples of RFC 9204, appendix B, whole and byte by byte", () => {
  for (const step of [1, 1_000]) {
    const { reader, sent } = newReader();
    const push = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += step) {
        reader.receiveInstructions(bytes.subarray(at, at + step));
      }
    };
    push(twoEntries);
    expect(reader.read(4, hex("0381 10 11"), noLimit)).toEqual(
      fieldsOf([":authority: www.example.com", ":path: /sample/path"]),
    );
    push(customEntry);
    push(hex("02"));
    const section = hex("0500 80 c1 81");
    const fields = fieldsOf([":authority: www.example.com", ":path: /", "custom-key: custom-value"]);
    expect(reader.read(8, section, noLimit)).toEqual(fields);
    reader.cancel(8);
    // The fifth entry replaces the first ones.
    push(hex("810d637573746f6d2d76616c756532"));
    expect(() => reader.read(12, hex("0381 10 11"), noLimit)).toThrow(Http3Error);
    expect(sent.join()).toBe(step === 1 ? "01,01,84,01,01,88,48,01" : "02,84,01,01,88,48,01");
  }
});

test.each([
  ["a capacity over the limit", "3fe21f"],
  ["an entry without room", "c001ff"],
  ["an entry over the capacity", "3f01 c0 01 61"],
  ["a name of no entry", "3fbd01 80 01 61"],
  ["a copy of no entry", "3fbd01 00"],
  ["a static name that does not exist", "3fbd01 ff24 01 61"],
  ["a string over the limit", "3fbd01 c0 7fe21f"],
  ["an integer without end", "3fffffffffffffffffff"],
  ["a wrong Huffman code", "3fbd01 c0 81 00"],
])("refuses instructions with %s", (_, text) => {
  const { reader } = newReader();
  expect(() => reader.receiveInstructions(hex(text))).toThrow(
    expect.objectContaining({ name: "Http3Error", code: 0x201 }),
  );
});

test.each([
  ["an entry behind those that it needs", "0281 11"],
  ["a base below 0", "0282 10"],
  ["more entries than any table holds", "ff0200"],
  ["a relative number beyond the first entry", "0200 81"],
])("refuses a section with %s", (_, text) => {
  const { reader } = newReader();
  reader.receiveInstructions(twoEntries);
  expect(() => {
    expect(reader.isReady(0, hex(text), () => {})).toBe(true);
    reader.read(0, hex(text), noLimit);
  }).toThrow(expect.objectContaining({ name: "Http3Error", code: 0x200 }));
});

test("refuses a section that becomes large by its entries, and reads no further (quic-go, CVE-2025-64702)", () => {
  const { reader } = newReader();
  const value = Buffer.alloc(3_000, "v");
  reader.receiveInstructions(Buffer.concat([hex("3fe11f c0 7fb916"), value]));
  const bomb = Buffer.concat([hex("0200"), Buffer.alloc(60_000, 0x80)]);
  expect(reader.read(0, bomb, 65_536)).toBeUndefined();
  expect(reader.read(0, bomb.subarray(0, 12), 65_536)).toHaveLength(10);
});

test("copies an entry that must leave for its copy (nginx, CVE-2024-32760)", () => {
  const { reader } = newReader();
  // A capacity of 64 holds one entry. The copy, and then the entry with its name, replace it.
  reader.receiveInstructions(hex("3f21 43616263 0178 00 80 0179"));
  expect(reader.read(0, hex("0400 80"), noLimit)).toEqual([{ name: "abc", value: "y" }]);
  // Without room the table is empty, and instructions that name entries are wrong.
  expect(() => reader.receiveInstructions(hex("20 00"))).toThrow(expect.objectContaining({ code: 0x201 }));
});

function connect() {
  const log: string[] = [];
  const network = new SimulatedNetwork({
    server: {
      onConnection: (connection) => {
        network.serverConnections.push(connection);
        return new Http3ServerSession(connection, {
          onRequest: (request, head) => {
            log.push(`${head.authority} ${head.target}`);
            return {
              onData: (bytes) => request.consume(bytes.length),
              onEnd: (trailers) => {
                log.push(`end ${trailers}`);
                request.respond(204, []);
                request.end();
              },
              onAbort: () => log.push("abort"),
              onWritable: () => {},
            };
          },
        });
      },
    },
  });
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  const open = (kind: "uni" | "bidi", bytes: Buffer) => {
    const stream = network.client.connection.openStream(kind) as QuicStream;
    const answer = collect(stream);
    stream.write(bytes);
    return { stream, answer };
  };
  open("uni", hex("000400"));
  return { network, log, open };
}

/** A GET that uses two table entries which have not arrived yet. */
const blockedHead = encodeFrame(0x01, hex("0381 d1 d7 10 11"));
const trailers = encodeFrame(0x01, new FieldSectionWriter().add("x-last", "1").written);

test("lets a request wait for entries, with what follows it", () => {
  const { network, log, open } = connect();
  const { stream, answer } = open(
    "bidi",
    Buffer.concat([blockedHead, encodeFrame(0, hex("0102")), trailers]),
  );
  stream.end();
  network.pass(200);
  expect(log).toEqual([]);
  open("uni", Buffer.concat([hex("02"), twoEntries]));
  network.run(() => answer.ended);
  expect(log).toEqual(["www.example.com /sample/path", "end x-last,1"]);
  const decoder = network.client.streams.find((each) => each.id === 7);
  expect(decoder).toBeDefined();
});

test("forgets requests that are given up while they wait", () => {
  const { network, log, open } = connect();
  for (let count = 0; count < 40; count++) {
    const { stream } = open("bidi", blockedHead);
    network.pass(60);
    stream.reset(0x10c);
    network.pass(60);
  }
  const encoder = open("uni", Buffer.concat([hex("02"), twoEntries]));
  network.pass(100);
  const { stream, answer } = open("bidi", blockedHead);
  stream.end();
  network.run(() => answer.bytes.length > 0);
  expect(log).toEqual(["www.example.com /sample/path", "end "]);
  expect(encoder.answer.stopped).toBeUndefined();
});

test("ends a connection with more requests that wait than allowed", () => {
  const { network, log, open } = connect();
  for (let count = 0; count < 17; count++) {
    open("bidi", blockedHead);
  }
  network.run(() => network.client.closed !== undefined);
  expect(network.client.closed).toMatchObject({ by: "peer", code: 0x200 });
  expect(log).toEqual([]);
});

test("reads damaged instructions and sections or answers an Http3Error", {
  timeout: 180_000 + rounds * 3,
}, () => {
  const random = randomOf(92_040);
  const instructions = [twoEntries, customEntry, hex("3fe11f 02 810d637573746f6d2d76616c756532")];
  const sections = [hex("0381 10 11"), hex("0500 80 c1 81"), hex("0200 40 01 61 08 01 62")];
  const seen = { good: 0, refused: 0, blocked: 0 };
  for (let round = 0; round < rounds; round++) {
    const { reader } = newReader();
    try {
      reader.receiveInstructions(twoEntries);
      for (let step = 0; step < 4; step++) {
        reader.receiveInstructions(random(2) === 0 ? customEntry : damagedMessage(instructions, random));
        const section = random(3) === 0 ? (sections[step % 3] as Buffer) : damagedMessage(sections, random);
        if (reader.isReady(step, section, () => {})) {
          reader.read(step, section, 1_000);
          seen.good++;
        } else {
          seen.blocked++;
        }
      }
    } catch (error) {
      if (!(error instanceof Http3Error)) {
        throw error;
      }
      seen.refused++;
    }
  }
  expect(Math.min(seen.good, seen.refused)).toBeGreaterThan(rounds / 20);
  expect(seen.blocked).toBeGreaterThan(0);
});
