import { expect, test } from "vitest";
import { damagedMessage, randomOf } from "wire/testing";
import {
  serverPeer as address,
  connectedServer,
  sealedPacket as sealed,
} from "../../testing/connected-server.ts";
import type { QuicStream, StreamHandler } from "../streams/quic-stream.ts";
import type { CloseReason } from "./connection-options.ts";

/** More by `FUZZ_ROUNDS=1000000 vitest run .fuzz.test`. */
const rounds = Number(process.env.FUZZ_ROUNDS ?? 3_000);

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
/** Payloads of 1-RTT packets, each of them valid together with the others of its conversation. */
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

function echo(stream: QuicStream): StreamHandler {
  return {
    onData: (bytes) => {
      stream.consume(bytes.length);
      stream.write(bytes);
    },
    onEnd: () => stream.end(),
    onReset: () => stream.end(),
    onStopSending: () => {},
    onWritable: () => {},
  };
}

const connected = (onClosed: (reason: CloseReason) => void) =>
  connectedServer(
    () => ({
      onConnected: () => {},
      onStream: (stream) => {
        stream.handler = echo(stream);
      },
      onStreamClosed: () => {},
      onClosed,
    }),
    { maxStreamsBidi: 4, maxStreamsUni: 4 },
  );

test("takes damaged frames for errors of the peer, never for its own, and never stands still", {
  timeout: 180_000 + rounds * 10,
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
    // After any input, the connection ends within some time, and its timer does not fire in a loop.
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
