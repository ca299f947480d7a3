import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { connectedServer, sealedPacket, serverPeer } from "../../testing/connected-server.ts";
import { SimulatedNetwork } from "../../testing/simulated-network.ts";
import type { StreamHandler } from "../streams/quic-stream.ts";
import { ByteWriter } from "../wire/byte-writer.ts";
import type { CloseReason } from "./connection-options.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");

/** A connection whose application reads and answers nothing. */
function connect() {
  const seen: { closed?: CloseReason; streams: number } = { streams: 0 };
  const handler: StreamHandler = {
    onData: () => {},
    onEnd: () => {},
    onReset: () => {},
    onStopSending: () => {},
    onWritable: () => {},
  };
  const connection = connectedServer(() => ({
    onConnected: () => {},
    onStream: (stream) => {
      seen.streams++;
      stream.handler = handler;
    },
    onStreamClosed: () => {},
    onClosed: (reason) => {
      seen.closed = reason;
    },
  }));
  let number = 0;
  const send = (payload: Buffer, from = serverPeer) => {
    connection.receive(sealedPacket(payload, number++), from, 1);
    return connection.takeDatagrams(1);
  };
  return { connection, seen, send };
}

const crypto = (offset: number, bytes: Buffer) =>
  Buffer.from(new ByteWriter(1_200).u8(6).varint(offset).varint(bytes.length).bytes(bytes).written);

test("handshake bytes after the handshake are not kept (quiche, CVE-2024-1765)", () => {
  const { seen, send } = connect();
  let packets = 0;
  for (; packets < 2_000 && seen.closed === undefined; packets++) {
    send(crypto((packets + 1) * 10, Buffer.alloc(8)));
  }
  expect(seen.closed).toMatchObject({ by: "us", code: 0x0d });
  expect(packets).toBe(129);
});

test("ids that are given and retired at once are not queued without end (quic-go, CVE-2024-22189; quiche, CVE-2024-1410)", () => {
  const { seen, send } = connect();
  let packets = 0;
  for (let sequence = 1; sequence < 2_000 && seen.closed === undefined; sequence++, packets++) {
    const frame = new ByteWriter(64)
      .u8(0x18)
      .varint(sequence)
      .varint(sequence)
      .u8(8)
      .zeros(4)
      .u32(sequence)
      .zeros(16);
    send(Buffer.from(frame.written));
  }
  expect(seen.closed).toMatchObject({ by: "us", code: 0x09 });
  expect(packets).toBeLessThan(100);
});

test("challenges from many addresses keep four answers and no paths (quic-go, CVE-2023-49295)", () => {
  const { seen, send } = connect();
  let bytes = 0;
  for (let port = 1; port <= 900; port++) {
    const sent = send(hex("1a 0102030405060708"), { address: "198.51.100.9", port });
    bytes += sent.reduce(
      (sum, each) => sum + (each.address.address === "198.51.100.9" ? each.bytes.length : 0),
      0,
    );
  }
  expect(seen.closed).toBeUndefined();
  // Three times the received bytes, for each address.
  expect(bytes).toBeLessThan(900 * 3 * 60);
});

test("streams that are opened and never ended are bounded (quic-go, CVE-2022-30591)", () => {
  const { seen, send } = connect();
  for (let stream = 0; stream <= 100 && seen.closed === undefined; stream++) {
    send(
      Buffer.from(
        new ByteWriter(16)
          .u8(0x0a)
          .varint(stream * 4)
          .u8(1)
          .u8(0).written,
      ),
    );
  }
  expect([seen.streams, seen.closed?.code]).toEqual([100, 0x04]);
});

test("acknowledgments of packets that were never sent end the connection (quiche, CVE-2025-4820)", () => {
  const { seen, send, connection } = connect();
  connection.takeDatagrams(1);
  send(hex("02 8000ffff 00 00 8000ffff"));
  expect(seen.closed).toMatchObject({ by: "us", code: 0x0a });
});

test("other clients' packets in one datagram make no state (lsquic, CVE-2025-54939)", () => {
  const network = new SimulatedNetwork();
  network.run(() => network.client.protocol !== "" && network.server.isHandshakeDone);
  const before = network.endpoint.size;
  const initial = () =>
    Buffer.concat([hex("c0 00000001 08"), randomBytes(8), hex("00 00 44b0"), randomBytes(1_200)]);
  for (let round = 0; round < 200; round++) {
    network.endpoint.receive(Buffer.concat([initial(), initial()]), network.clientAddress, network.now);
  }
  expect(network.endpoint.size).toBe(before);
  expect(network.endpoint.counts.dropped).toBe(200);
});
