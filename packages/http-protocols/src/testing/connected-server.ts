import { createHash } from "node:crypto";
import { Connection } from "../quic/connection/connection.ts";
import type { ConnectionEvents } from "../quic/connection/connection-options.ts";
import { type ConnectionSettings, defaultSettings } from "../quic/connection/settings.ts";
import { aes128Gcm } from "../quic/protection/cipher-suites.ts";
import { packetKeysOf, sealPacket } from "../quic/protection/packet-keys.ts";
import type { HandshakeEvents } from "../quic/tls/tls-handshake.ts";
import { ByteWriter } from "../quic/wire/byte-writer.ts";
import { writePacketHeader } from "../quic/wire/packet-header.ts";

const hex = (text: string) => Buffer.from(text.replaceAll(" ", ""), "hex");
const secret = createHash("sha256").update("both sides").digest();
const localId = { id: Buffer.from("12345678"), resetToken: Buffer.alloc(16, 1) };
/** Limits of the client: 65,535 bytes, 64 streams. */
const parameters = hex("0f01aa 04048000ffff 05048000ffff 06048000ffff 07048000ffff 08024040 09024040");
const empty = Buffer.alloc(0);
const keys = packetKeysOf(aes128Gcm, secret);

/** Source address of the client's packets. */
export const serverPeer = { address: "192.0.2.1", port: 1_000 };

/** A server's connection whose handshake is done, so that a test can send it any frames. Its clock begins at 0. */
export function connectedServer(
  listen: (connection: Connection) => Omit<ConnectionEvents, "onWake">,
  settings: Partial<ConnectionSettings> = {},
): Connection {
  let handshake: HandshakeEvents | undefined;
  let events: Omit<ConnectionEvents, "onWake"> | undefined;
  let ids = 0;
  const connection = new Connection({
    role: "server",
    settings: { ...defaultSettings, ...settings },
    events: {
      onConnected: (protocol) => events?.onConnected(protocol),
      onStream: (stream) => events?.onStream(stream),
      onStreamClosed: (stream) => events?.onStreamClosed(stream),
      onClosed: (reason) => events?.onClosed(reason),
      onWake: () => {},
    },
    registry: {
      issue: () => ({
        id: Buffer.from(`local${String(ids++ % 1_000).padStart(3, "0")}`),
        resetToken: Buffer.alloc(16, 2),
      }),
      retire: () => {},
    },
    localId,
    remoteId: hex("aa"),
    initialId: localId.id,
    addressValidated: true,
    address: serverPeer,
    now: 0,
    newHandshake: (made) => {
      handshake = made;
      return { receive: () => {} };
    },
  });
  events = listen(connection);
  handshake?.onTransportParameters(parameters);
  handshake?.onWriteSecret("1rtt", aes128Gcm, secret);
  handshake?.onReadSecret("1rtt", aes128Gcm, secret);
  handshake?.onHandshakeDone("h3");
  return connection;
}

/** A 1-RTT packet of the client. @param number below 65,536 @param bits further bits of its first byte */
export function sealedPacket(payload: Buffer, number: number, bits = 0): Buffer {
  const writer = new ByteWriter(256);
  writePacketHeader(writer, { type: "1rtt", destinationId: localId.id, sourceId: empty, numberBytes: 2 });
  writer.written[0] = (writer.written[0] as number) | bits;
  const numberAt = writer.length;
  writer.u16(number).bytes(payload).zeros(4);
  const payloadEnd = writer.length;
  writer.zeros(16);
  sealPacket(keys, writer.written, { from: 0, numberAt, payloadEnd, packetNumber: number });
  return writer.written;
}
