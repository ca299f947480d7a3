import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import type { CloseReason } from "../quic/connection/connection-options.ts";
import { ByteWriter } from "../quic/wire/byte-writer.ts";
import { connectedServer, sealedPacket, serverPeer } from "../testing/connected-server.ts";
import { FieldSectionWriter } from "./qpack-encoder.ts";
import { Http3ServerSession } from "./server-session.ts";
import { encodeControlStream, encodeFrame } from "./settings.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 500);

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const section = (...fields: [string, string][]) => {
  const writer = new FieldSectionWriter();
  for (const [name, value] of fields) {
    writer.add(name, value);
  }
  return writer.written;
};
const request = section(
  [":method", "POST"],
  [":scheme", "https"],
  [":authority", "shop.example"],
  [":path", "/basket?id=1"],
  ["content-type", "application/json"],
  ["x-own", "value of a field"],
);
const connect = section(
  [":method", "CONNECT"],
  [":protocol", "websocket"],
  [":scheme", "https"],
  [":authority", "a"],
  [":path", "/"],
);

interface Written {
  readonly stream: number;
  readonly bytes: Buffer;
  readonly end?: boolean;
}

/** Streams of a client, each of them valid together with the others. */
const good: readonly Written[] = [
  {
    stream: 0,
    bytes: Buffer.concat([
      encodeFrame(1, request),
      encodeFrame(0, Buffer.from("body")),
      encodeFrame(1, section(["x-sum", "1"])),
    ]),
    end: true,
  },
  {
    stream: 0,
    bytes: Buffer.concat([
      encodeFrame(0x21, hex("0102")),
      encodeFrame(1, request),
      encodeFrame(0, Buffer.alloc(0)),
    ]),
  },
  { stream: 0, bytes: Buffer.concat([encodeFrame(1, connect), encodeFrame(0, hex("8100"))]) },
  { stream: 2, bytes: encodeControlStream(65_536, { extendedConnect: true }) },
  {
    stream: 2,
    bytes: Buffer.concat([
      encodeControlStream(100),
      encodeFrame(0x0d, hex("08")),
      encodeFrame(0x07, hex("04")),
      encodeFrame(0x0f0700, Buffer.from("u=1, i")),
    ]),
  },
  { stream: 6, bytes: hex("02 20 20") },
  { stream: 6, bytes: hex("02 3fe11f c0 03 612e62 43 782d79 01 7a 00") },
  { stream: 0, bytes: encodeFrame(1, hex("0400 d1 d7 82 c1 80 81")), end: true },
  { stream: 6, bytes: hex("03 44 48 7f 01") },
  { stream: 10, bytes: hex("40 21 0102030405") },
];

/** A STREAM frame with an offset and a length. */
function streamFrame({ stream, bytes }: Written, from: number, to: number, fin: boolean): Buffer {
  const writer = new ByteWriter(64)
    .u8(fin ? 0x0f : 0x0e)
    .varint(stream)
    .varint(from)
    .varint(to - from);
  return Buffer.from(writer.bytes(bytes.subarray(from, to)).written);
}

/** Codes of HTTP/3 and QPACK, and of the transport below them. Source: RFC 9114, section 8.1; RFC 9204, section 6 */
const isNamed = ({ application, code }: CloseReason) =>
  application
    ? (code >= 0x100 && code <= 0x110) || (code >= 0x200 && code <= 0x202)
    : code > 1 && code <= 0x0d;

test("takes damaged streams for errors of the client, never for its own", {
  timeout: 180_000 + rounds * 10,
}, () => {
  const random = randomOf(9_114);
  const seen = { open: 0, closed: 0, requests: 0 };
  for (let round = 0; round < rounds; round++) {
    const begun = new Map<number, Written>();
    for (let streams = 1 + random(4); streams > 0; streams--) {
      const chosen = good[random(good.length)] as Written;
      begun.set(
        chosen.stream,
        random(3) === 0 ? chosen : { ...chosen, bytes: damagedMessage([chosen.bytes], random) },
      );
    }
    const where = () =>
      [...begun.values()].map(({ stream, bytes }) => `${stream}: ${bytes.toString("hex")}`).join("; ");
    let closed: CloseReason | undefined;
    const connection = connectedServer(
      (made) =>
        new Http3ServerSession(made, {
          maxFieldSectionBytes: 4_096,
          extendedConnect: true,
          onRequest: (stream) => {
            seen.requests++;
            stream.respond(200, ["x-answer", "1"]);
            return {
              onData: (bytes) => {
                stream.write(Buffer.from(bytes));
                stream.consume(bytes.length);
              },
              onEnd: () => stream.end(),
              onAbort: () => {},
              onWritable: () => {},
            };
          },
          onClosed: (reason) => {
            closed = reason;
          },
        }),
    );
    let number = 0;
    for (const written of begun.values()) {
      for (let from = 0; from < written.bytes.length; ) {
        const to = Math.min(from + 1 + random(written.bytes.length), written.bytes.length);
        const isLast = to === written.bytes.length && written.end === true;
        connection.receive(
          sealedPacket(streamFrame(written, from, to, isLast), number++),
          serverPeer,
          number,
        );
        connection.takeDatagrams(number);
        from = to;
      }
    }
    seen[closed === undefined ? "open" : "closed"]++;
    if (closed !== undefined && (closed.fault !== undefined || !isNamed(closed))) {
      throw new Error(`${JSON.stringify(closed)} for ${where()}`, { cause: closed.fault });
    }
  }
  expect(seen.open).toBeGreaterThan(rounds / 20);
  expect(seen.closed).toBeGreaterThan(rounds / 20);
  expect(seen.requests).toBeGreaterThan(rounds / 20);
});
