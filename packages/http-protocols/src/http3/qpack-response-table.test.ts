import { expect, test } from "vitest";
import { randomOf } from "wire/testing";
import { decodeFieldSection, requiredInserts } from "./qpack-decoder.ts";
import { DecoderStreamReader } from "./qpack-decoder-stream.ts";
import { DynamicTable } from "./qpack-dynamic-table.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import { decoderInstructions, EncoderStreamReader } from "./qpack-instructions.ts";
import { ResponseFieldTable } from "./qpack-response-table.ts";

type Field = readonly [name: string, value: string];

/** The tables of both sides. @param capacity size that the client allows @param blockedStreams streams that may wait */
function connect(capacity: number, blockedStreams = 0) {
  const client = new DynamicTable(capacity);
  const instructions = new EncoderStreamReader(client);
  const table = new ResponseFieldTable((instruction) => {
    instructions.push(instruction);
    return true;
  });
  table.allow(capacity, blockedStreams);
  const acknowledgments = new DecoderStreamReader(table);
  let streamId = 0;
  /** Sends a section, and decodes it. */
  const send = (...fields: Field[]) => {
    const writer = new FieldSectionWriter(table);
    for (const [name, value] of fields) {
      writer.add(name, value);
    }
    const section = Buffer.from(writer.written);
    const required = requiredInserts(section, client);
    if (required > 0) {
      table.written(streamId, required);
    }
    const decoded = decodeFieldSection(section, 1_048_576, client) ?? [];
    expect(decoded.map(({ name, value }) => [name, value])).toEqual(fields);
    streamId += 4;
    return { streamId: streamId - 4, bytes: section.length, required };
  };
  return { client, table, send, tell: (bytes: Buffer) => acknowledgments.push(bytes) };
}

const policy: Field = ["content-security-policy", "default-src 'self'; img-src *"];
const answer: Field[] = [[":status", "200"], ["server", "server"], policy, ["x-own", "a value"]];

test("names a field by number once the client has acknowledged it", () => {
  const { send, tell, client } = connect(4_096);
  const first = send(...answer);
  expect([first.required, client.insertCount]).toEqual([0, 0]);
  expect(send(...answer)).toMatchObject({ required: 0, bytes: first.bytes });
  expect(client.insertCount).toBe(3);
  expect(send(...answer).required).toBe(0); // not acknowledged yet
  tell(decoderInstructions.insertsReceived(2));
  expect(send(...answer).required).toBe(2);
  tell(decoderInstructions.insertsReceived(1));
  const short = send(...answer);
  expect(short).toMatchObject({ required: 3, bytes: 6 });
  tell(decoderInstructions.sectionAcknowledged(short.streamId));
  expect(send([":status", "404"], policy).required).toBe(2);
});

test("lets one section at a time wait for entries, where the client allows that", () => {
  const { send, tell } = connect(4_096, 1);
  send(...answer);
  send(...answer);
  const waiting = send(...answer);
  expect(waiting.required).toBe(3);
  const next = send(...answer);
  expect(next.required).toBe(0);
  tell(decoderInstructions.sectionAcknowledged(waiting.streamId));
  expect(send(...answer).required).toBe(3);
  const more: Field[] = [["x-more", "1"]];
  send(...more);
  send(...more);
  const cancelled = send(...more);
  expect([cancelled.required, send(...more).required, send(...answer).required]).toEqual([4, 0, 3]);
  tell(decoderInstructions.streamCancelled(cancelled.streamId));
  expect(send(...more).required).toBe(4);
  expect(send(...more).required).toBe(0);
  tell(decoderInstructions.insertsReceived(1));
  expect(send(...more).required).toBe(4);
});

test("never inserts secrets and values that change, and nothing where the client allows no table", () => {
  const { send, client } = connect(4_096);
  const none = connect(0);
  const fields: Field[] = [
    ["set-cookie", "id=1"],
    ["date", "Mon, 30 Nov 2026 15:58:55 GMT"],
    ["etag", '"a"'],
    ["x-long", "a".repeat(2_000)],
  ];
  for (let round = 0; round < 3; round++) {
    send(...fields);
    none.send(...answer);
  }
  expect([client.insertCount, none.client.insertCount]).toEqual([0, 0]);
});

test.each([64, 100, 1_000, 4_096, 100_000])(
  "a table of %i bytes is filled, never emptied, and decoded rightly",
  (capacity) => {
    const { send, tell, client } = connect(capacity);
    const random = randomOf(capacity);
    let told = 0;
    let named = 0;
    for (let round = 0; round < 1_000; round++) {
      const fields = Array.from({ length: 4 }, (): Field => {
        const number = random(200);
        return [`x-${number % 7}`, "v".repeat(number)];
      });
      const sent = send(...fields);
      named += sent.required > 0 ? 1 : 0;
      if (client.insertCount > told && random(10) < 3) {
        tell(decoderInstructions.insertsReceived(1));
        told++;
      }
      if (sent.required > 0 && random(10) < 9) {
        tell(
          random(2) === 0
            ? decoderInstructions.sectionAcknowledged(sent.streamId)
            : decoderInstructions.streamCancelled(sent.streamId),
        );
      }
    }
    expect(client.field(0)).toBeDefined();
    expect(named).toBeGreaterThan(0);
  },
);

test("a client that acknowledges no section gets sections without entries in the end", () => {
  const { send, tell } = connect(4_096);
  send(...answer);
  send(...answer);
  tell(decoderInstructions.insertsReceived(3));
  const counts = Array.from({ length: 300 }, () => send(...answer).required);
  expect(counts).toEqual([...Array(256).fill(3), ...Array(44).fill(0)]);
  tell(decoderInstructions.streamCancelled(8));
  expect(send(...answer).required).toBe(3);
});

test.each([
  ["an acknowledgment of no section", decoderInstructions.sectionAcknowledged(4)],
  ["no entry", decoderInstructions.insertsReceived(0)],
  ["more entries than were sent", decoderInstructions.insertsReceived(4)],
  ["an integer without end", Buffer.from("ffffffffffffffffff", "hex")],
])("%s is an error", (_, bytes) => {
  const { send, tell } = connect(4_096);
  send(...answer);
  send(...answer);
  expect(() => tell(bytes)).toThrow(expect.objectContaining({ code: 0x202 }));
});

test("reads acknowledgments byte by byte", () => {
  const { send, tell, table } = connect(4_096);
  send(...answer);
  send(...answer);
  const all = Buffer.concat([
    decoderInstructions.streamCancelled(1_000_000),
    decoderInstructions.insertsReceived(3),
  ]);
  for (const byte of all) {
    tell(Buffer.of(byte));
  }
  expect(table.base).toBe(3);
});
