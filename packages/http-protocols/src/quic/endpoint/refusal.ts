import { initialServerKeys } from "../protection/initial-keys.ts";
import { tagBytes } from "../protection/packet-cipher.ts";
import { sealPacket } from "../protection/packet-keys.ts";
import { ByteWriter } from "../wire/byte-writer.ts";
import { frameTypes } from "../wire/frames.ts";
import { type PacketHeader, writePacketHeader } from "../wire/packet-header.ts";

/** Encodes the answer to a client's first packet that refuses the connection. @param code of the transport */
export function encodeRefusal(to: PacketHeader, code: number): Buffer {
  const writer = new ByteWriter(128);
  const lengthAt = writePacketHeader(writer, {
    type: "initial",
    destinationId: to.sourceId,
    sourceId: to.destinationId,
    numberBytes: 1,
  });
  const numberAt = writer.length;
  // Packet number 0, then the close: code, no frame type (0), and an empty reason.
  writer.u8(0).u8(frameTypes.connectionClose).varint(code).varint(0).varint(0);
  const payloadEnd = writer.length;
  writer.zeros(tagBytes).patchVarint2(lengthAt, payloadEnd + tagBytes - numberAt);
  const packet = writer.written;
  sealPacket(initialServerKeys(to.destinationId), packet, {
    from: 0,
    numberAt,
    payloadEnd,
    packetNumber: 0,
  });
  return packet;
}
