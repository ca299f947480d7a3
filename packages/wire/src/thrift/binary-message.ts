import { WireError } from "../errors.ts";
import { BinaryChecker } from "./binary-checker.ts";
import type { MessageEnvelope } from "./message-envelope.ts";

const strictVersion = 0x8001;

/**
 * Reads the strict form (version and type, name, sequence) or the old one (name, type, sequence).
 * @throws WireError WIRE_MALFORMED for another version, WIRE_TRUNCATED
 */
export function readBinaryEnvelope(bytes: Buffer): MessageEnvelope {
  const checker = new BinaryChecker(bytes);
  const first = checker.int32();
  if (first >= 0) {
    const method = checker.text(first);
    const type = checker.byte();
    checker.int32(); // The sequence number: nobody is answered.
    return { method, type, end: checker.offset };
  }
  if (first >>> 16 !== strictVersion) {
    throw new WireError("WIRE_MALFORMED", `binary version 0x${(first >>> 16).toString(16)} is not 0x8001`);
  }
  const method = checker.text(checker.int32());
  checker.int32();
  return { method, type: first & 0xff, end: checker.offset };
}
