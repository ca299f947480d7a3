import { WireError } from "../errors.ts";
import { CompactReader } from "./compact-reader.ts";
import type { MessageEnvelope } from "./message-envelope.ts";

/** First byte of every message. */
export const compactProtocolId = 0x82;
/** Low five bits of the second byte; the type of the message stands above. */
export const compactVersion = 1;

/** @throws WireError WIRE_MALFORMED for another protocol or version, WIRE_TRUNCATED */
export function readCompactEnvelope(bytes: Buffer): MessageEnvelope {
  const reader = new CompactReader(bytes);
  const protocol = reader.byte();
  if (protocol !== compactProtocolId) {
    throw new WireError(
      "WIRE_MALFORMED",
      `first byte 0x${protocol.toString(16)} is not compact Thrift's 0x82`,
    );
  }
  const second = reader.byte();
  if ((second & 0x1f) !== compactVersion) {
    throw new WireError("WIRE_MALFORMED", `compact version ${second & 0x1f} is not ${compactVersion}`);
  }
  reader.varint32(); // The sequence number: nobody is answered.
  return { method: reader.string(), type: second >>> 5, end: reader.offset };
}
