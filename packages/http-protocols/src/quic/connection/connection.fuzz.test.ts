import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import { aes128Gcm } from "../protection/cipher-suites.ts";
import { packetKeysOf, sealPacket } from "../protection/packet-keys.ts";
import type { StreamHandler } from "../streams/quic-stream.ts";
import type { HandshakeEvents } from "../tls/tls-handshake.ts";
import { ByteWriter } from "../wire/byte-writer.ts";
import { writePacketHeader } from "../wire/packet-header.ts";
import { Connection } from "./connection.ts";
import type { CloseReason } from "./connection-options.ts";
import { defaultSettings } from "./settings.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const secret = createHash("sha256").update("both sides").digest();
const localId = { id: Buffer.from("12345678"), resetToken: Buffer.alloc(16, 1) };
const address = { address: "192.0.2.1", port: 1_000 };
const parameters = hex("0f01aa 04048000ffff 05048000ffff 06048000ffff 07048000ffff 08024040 09024040");
const empty = Buffer.alloc(0);

/** Payloads of 1-RTT packets, each good beside the others of its conversation. */
const conversations: readonly (readonly Buffer[])[] = [
  [hex("0a 00 03 616263"), hex("0e 00 03 03 646566"), hex("0f 00 06 00"), hex("02 02 00 00 02")],
  [hex("0e 04 4100 03 616263"), hex("04 04 00 4103"), hex("05 04 01"), hex("01 00 00")],
  [hex("0b 02 01 00"), hex("0a 06 02 2121"), hex("10 8000ffff 11 00 8000ffff 12 4100 13 4100"), hex("01")],
  [
    hex(`18 01 00 08 eeeeeeeeeeeeeee0 ${"11".repeat(16)}`),
    hex(`18 02 01 08 eeeeeeeeeeeeeee1 ${"22".repeat(16)}`),
    hex("19 01"),
    hex("1a 0102030405060708"),
  ],
  [hex("03 00 00 00 00 00 00 00"), hex("14 05 15 00 05 16 05 17 05"), hex("1d 4100 00"), hex("01")],
];

function connected(onClosed: (reason: CloseReason) => void): Connection {
  let handshake: HandshakeEvents | undefined;
  let ids = 0;
  const handler = (stream: { consume(bytes: number): void; write(bytes: Buffer): boolean; end(): void }) =>
    ({
      onData: (bytes) => {
        stream.consume(bytes.length);
        stream.write(bytes);
      },
      onEnd: () => stream.end(),
      onReset: () => stream.end(),
      onStopSending: () => {},
      onWritable: () => {},
    }) satisfies StreamHandler;
  const connection = new Connection({
    role: "server",
    settings: { ...defaultSettings, maxStreamsBidi: 4, maxStreamsUni: 4 },
    events: {
      onConnected: () => {},
      onStream: (stream) => {
        stream.handler = handler(stream);
      },
      onStreamClosed: () => {},
      onClosed,
      onWake: () => {},
    },
    registry: {
      issue: () => ({
        id: Buffer.from(`local${String(ids++).padStart(3, "0")}`),
        resetToken: Buffer.alloc(16, 2),
      }),
      retire: () => {},
    },
    localId,
    remoteId: hex("aa"),
    initialId: localId.id,
    addressValidated: true,
    address,
    now: 0,
    newHandshake: (events) => {
      handshake = events;
      return { receive: () => {} };
    },
  });
  handshake?.onTransportParameters(parameters);
  handshake?.onWriteSecret("1rtt", aes128Gcm, secret);
  handshake?.onReadSecret("1rtt", aes128Gcm, secret);
  handshake?.onHandshakeDone("h3");
  return connection;
}

const keys = packetKeysOf(aes128Gcm, secret);

function sealed(payload: Buffer, number: number): Buffer {
  const writer = new ByteWriter(256);
  writePacketHeader(writer, { type: "1rtt", destinationId: localId.id, sourceId: empty, numberBytes: 2 });
  const numberAt = writer.length;
  writer.u16(number).bytes(payload).zeros(4);
  const payloadEnd = writer.length;
  writer.zeros(16);
  sealPacket(keys, writer.written, { from: 0, numberAt, payloadEnd, packetNumber: number });
  return writer.written;
}

test("takes damaged frames for errors of the peer, never for its own, and never stands still", {
  timeout: 30_000 + rounds * 10,
}, () => {
  const random = randomOf(9_000);
  const seen = { open: 0, closed: 0 };
  for (let round = 0; round < rounds; round++) {
    const chosen = conversations[random(conversations.length)] as readonly Buffer[];
    const payloads = chosen.map((payload) => (random(2) === 0 ? payload : damagedMessage([payload], random)));
    const where = () => payloads.map((payload) => payload.toString("hex")).join(" ");
    let closed: CloseReason | undefined;
    const connection = connected((reason) => {
      closed = reason;
    });
    let now = 0;
    for (const [index, payload] of payloads.entries()) {
      now += random(50);
      const from = random(8) === 0 ? { address: "198.51.100.1", port: index } : address;
      connection.receive(sealed(payload, index), from, now);
      const bytes = connection.takeDatagrams(now).reduce((sum, datagram) => sum + datagram.bytes.length, 0);
      if (bytes > 100_000) {
        throw new Error(`${bytes} bytes for ${where()}`);
      }
    }
    seen[closed === undefined ? "open" : "closed"]++;
    if (closed?.fault !== undefined) {
      throw new Error(where(), { cause: closed.fault });
    }
    // Whatever came, the connection is over some time later, and its timer does not spin.
    let turns = 0;
    for (let at = connection.deadline(); at !== undefined; at = connection.deadline()) {
      now = Math.max(now, at);
      connection.onTimeout(now);
      connection.takeDatagrams(now);
      if (++turns > 200) {
        throw new Error(`the timer spins at ${now} for ${where()}`);
      }
    }
    if (!connection.isOver) {
      throw new Error(`no end for ${where()}`);
    }
  }
  expect(seen.open).toBeGreaterThan(rounds / 20);
  expect(seen.closed).toBeGreaterThan(rounds / 20);
});
