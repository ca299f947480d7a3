import { QuicError, transportErrors } from "../quic-error.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { PacketType } from "./packet-header.ts";

/** Types of frames. The type of a STREAM frame contains three more bits. Source: RFC 9000, section 19 */
export const frameTypes = {
  padding: 0x00,
  ping: 0x01,
  ack: 0x02,
  ackEcn: 0x03,
  resetStream: 0x04,
  stopSending: 0x05,
  crypto: 0x06,
  newToken: 0x07,
  stream: 0x08,
  maxData: 0x10,
  maxStreamData: 0x11,
  maxStreamsBidi: 0x12,
  maxStreamsUni: 0x13,
  dataBlocked: 0x14,
  streamDataBlocked: 0x15,
  streamsBlockedBidi: 0x16,
  streamsBlockedUni: 0x17,
  newConnectionId: 0x18,
  retireConnectionId: 0x19,
  pathChallenge: 0x1a,
  pathResponse: 0x1b,
  connectionClose: 0x1c,
  applicationClose: 0x1d,
  handshakeDone: 0x1e,
} as const;

/**
 * Bits of a STREAM frame's type: it is the last one, it has a length, it has an offset. Source: RFC 9000,
 * section 19.8
 */
export const streamBits = { fin: 0x01, length: 0x02, offset: 0x04 } as const;

/** Packet numbers from `low` to `high`, both included. */
export interface NumberRange {
  /** The smallest number. */
  readonly low: number;
  /** The largest number. */
  readonly high: number;
}

/** A decoded frame. Larger numbers than 2^53 - 1 are replaced by this value. */
export type Frame =
  | { readonly kind: "padding" | "ping" | "handshakeDone" }
  | {
      readonly kind: "ack";
      /** Acknowledged ranges, descending; never empty. */
      readonly ranges: readonly NumberRange[];
      /** Delay as sent, before the peer's exponent is applied. */
      readonly delay: number;
      /** Total number of packets with a congestion mark that the peer received; undefined without ECN. */
      readonly congestionMarks: number | undefined;
    }
  | {
      readonly kind: "resetStream";
      readonly streamId: number;
      readonly code: number;
      readonly finalSize: number;
    }
  | { readonly kind: "stopSending"; readonly streamId: number; readonly code: number }
  | { readonly kind: "crypto"; readonly offset: number; readonly data: Buffer }
  | { readonly kind: "newToken"; readonly token: Buffer }
  | {
      readonly kind: "stream";
      readonly streamId: number;
      readonly offset: number;
      readonly data: Buffer;
      readonly fin: boolean;
    }
  | { readonly kind: "maxData" | "dataBlocked"; readonly limit: number }
  | {
      readonly kind: "maxStreamData" | "streamDataBlocked";
      readonly streamId: number;
      readonly limit: number;
    }
  | { readonly kind: "maxStreams" | "streamsBlocked"; readonly bidi: boolean; readonly limit: number }
  | {
      readonly kind: "newConnectionId";
      readonly sequence: number;
      readonly retirePriorTo: number;
      readonly id: Buffer;
      readonly resetToken: Buffer;
    }
  | { readonly kind: "retireConnectionId"; readonly sequence: number }
  | { readonly kind: "pathChallenge" | "pathResponse"; readonly data: Buffer }
  | {
      readonly kind: "connectionClose";
      readonly code: number;
      readonly application: boolean;
      readonly reason: Buffer;
    };

/** Maximum number of streams of one kind. Source: RFC 9000, section 4.6 */
const maxStreams = 2 ** 60;
/** Stream offsets must stay below it. Data beyond it is malformed. Source: RFC 9000, section 4.5 */
const maxOffset = 2 ** 62;

/** Error for a frame that ends too early, for readers of frames. */
export const shortFrame = (): QuicError =>
  new QuicError(transportErrors.frameEncodingError, "a frame ends too early");

/** Error for a frame that breaks the encoding. */
const malformed = (type: number, message: string) =>
  new QuicError(transportErrors.frameEncodingError, message, type);

/** Frames that Initial and Handshake packets may carry. Source: RFC 9000, section 12.4, table 3 */
const inHandshake: ReadonlySet<number> = new Set([
  frameTypes.padding,
  frameTypes.ping,
  frameTypes.ack,
  frameTypes.ackEcn,
  frameTypes.crypto,
  frameTypes.connectionClose,
]);

/** Frames that 0-RTT packets must not carry. */
const notInEarlyData: ReadonlySet<number> = new Set([
  frameTypes.ack,
  frameTypes.ackEcn,
  frameTypes.crypto,
  frameTypes.newToken,
  frameTypes.pathResponse,
  frameTypes.retireConnectionId,
  frameTypes.handshakeDone,
]);

/**
 * @throws QuicError PROTOCOL_VIOLATION for a frame that such a packet must not carry. Source: RFC 9000, section
 *   12.4
 */
function checkPlace(type: number, packet: PacketType): void {
  const allowed =
    packet === "1rtt" || (packet === "0rtt" ? !notInEarlyData.has(type) : inHandshake.has(type));
  if (!allowed) {
    throw new QuicError(transportErrors.protocolViolation, `frame ${type} in a packet of ${packet}`, type);
  }
}

/**
 * Reads the next frame of a packet. Its byte strings are views of the packet.
 * @throws QuicError FRAME_ENCODING_ERROR for a malformed frame, PROTOCOL_VIOLATION for a frame not allowed in `packet`
 * Source: RFC 9000, section 19
 */
export function readFrame(reader: ByteReader, packet: PacketType): Frame {
  const typeAt = reader.at;
  const type = reader.varint();
  if (type > frameTypes.handshakeDone) {
    throw malformed(type, `unknown frame ${type}`);
  }
  if (reader.at - typeAt !== 1) {
    throw new QuicError(transportErrors.protocolViolation, "frame type in too many bytes", type);
  }
  checkPlace(type, packet);
  if (type >= frameTypes.stream && type < frameTypes.maxData) {
    return readStream(reader, type);
  }
  if (type >= frameTypes.maxData && type <= frameTypes.streamsBlockedUni) {
    return readLimit(reader, type);
  }
  switch (type) {
    case frameTypes.padding:
      while (reader.left > 0 && reader.bytes[reader.at] === 0) {
        reader.at++;
      }
      return { kind: "padding" };
    case frameTypes.ping:
      return { kind: "ping" };
    case frameTypes.ack:
    case frameTypes.ackEcn:
      return readAck(reader, type);
    case frameTypes.resetStream:
      return {
        kind: "resetStream",
        streamId: reader.varint(),
        code: reader.varint(),
        finalSize: reader.varint(),
      };
    case frameTypes.stopSending:
      return { kind: "stopSending", streamId: reader.varint(), code: reader.varint() };
    case frameTypes.crypto: {
      const offset = reader.varint();
      return { kind: "crypto", offset, data: takeFrom(reader, type, offset) };
    }
    case frameTypes.newToken:
      return readNewToken(reader, type);
    case frameTypes.newConnectionId:
      return readNewConnectionId(reader, type);
    case frameTypes.retireConnectionId:
      return { kind: "retireConnectionId", sequence: reader.varint() };
    case frameTypes.pathChallenge:
      return { kind: "pathChallenge", data: reader.take(8) };
    case frameTypes.pathResponse:
      return { kind: "pathResponse", data: reader.take(8) };
    case frameTypes.connectionClose:
    case frameTypes.applicationClose:
      return readClose(reader, type);
    default:
      return { kind: "handshakeDone" };
  }
}

/** A token for the next connection. Source: RFC 9000, section 19.7 */
function readNewToken(reader: ByteReader, type: number): Frame {
  const token = reader.take(reader.varint());
  if (token.length === 0) {
    throw malformed(type, "an empty token");
  }
  return { kind: "newToken", token };
}

/** The end of a connection. QUIC's own frame names the type of the faulty frame, which is not stored. */
function readClose(reader: ByteReader, type: number): Frame {
  const code = reader.varint();
  if (type === frameTypes.connectionClose) {
    reader.varint();
  }
  const application = type === frameTypes.applicationClose;
  return { kind: "connectionClose", code, application, reason: reader.take(reader.varint()) };
}

/** A frame that raises a limit, or reports that a limit stops its sender. */
function readLimit(reader: ByteReader, type: number): Frame {
  switch (type) {
    case frameTypes.maxData:
      return { kind: "maxData", limit: reader.varint() };
    case frameTypes.dataBlocked:
      return { kind: "dataBlocked", limit: reader.varint() };
    case frameTypes.maxStreamData:
      return { kind: "maxStreamData", streamId: reader.varint(), limit: reader.varint() };
    case frameTypes.streamDataBlocked:
      return { kind: "streamDataBlocked", streamId: reader.varint(), limit: reader.varint() };
    case frameTypes.maxStreamsBidi:
    case frameTypes.maxStreamsUni: {
      const bidi = type === frameTypes.maxStreamsBidi;
      return { kind: "maxStreams", bidi, limit: streamCount(reader, type) };
    }
    default: {
      const bidi = type === frameTypes.streamsBlockedBidi;
      return { kind: "streamsBlocked", bidi, limit: streamCount(reader, type) };
    }
  }
}

/** A length, followed by that many bytes. @throws QuicError for bytes above the largest offset */
function takeFrom(reader: ByteReader, type: number, offset: number): Buffer {
  const length = reader.varint();
  if (offset + length >= maxOffset) {
    throw malformed(type, "data beyond the largest offset");
  }
  return reader.take(length);
}

/** Bytes of a stream. Without a length, they extend to the end of the packet. Source: RFC 9000, section 19.8 */
function readStream(reader: ByteReader, type: number): Frame {
  const streamId = reader.varint();
  const offset = (type & streamBits.offset) === 0 ? 0 : reader.varint();
  const data = (type & streamBits.length) === 0 ? reader.take(reader.left) : takeFrom(reader, type, offset);
  return { kind: "stream", streamId, offset, data, fin: (type & streamBits.fin) !== 0 };
}

/** Reads an acknowledgment. The packet's size limits the number of ranges: each takes at least two bytes. */
function readAck(reader: ByteReader, type: number): Frame {
  const largest = reader.varint();
  const delay = reader.varint();
  const more = reader.varint();
  if (more > reader.left / 2) {
    throw malformed(type, "more ranges than bytes");
  }
  let low = largest - reader.varint();
  const ranges: NumberRange[] = [{ low, high: largest }];
  for (let index = 0; index < more && low >= 0; index++) {
    const high = low - reader.varint() - 2;
    low = high - reader.varint();
    ranges.push({ low, high });
  }
  if (low < 0) {
    throw malformed(type, "a range below packet 0");
  }
  let congestionMarks: number | undefined;
  if (type === frameTypes.ackEcn) {
    reader.varint();
    reader.varint();
    congestionMarks = reader.varint();
  }
  return { kind: "ack", ranges, delay, congestionMarks };
}

/** A number of streams. @throws QuicError FRAME_ENCODING_ERROR above 2^60: RFC 9000, section 19.11 */
function streamCount(reader: ByteReader, type: number): number {
  const at = reader.at;
  const count = reader.varint();
  // 2^53 - 1 may stand for a larger number, so the bytes are checked: RFC 9000 allows counts up to 2^60.
  if (
    count === Number.MAX_SAFE_INTEGER &&
    reader.bytes.readBigUInt64BE(at) - (0xc0n << 56n) > BigInt(maxStreams)
  ) {
    throw malformed(type, "more than 2^60 streams");
  }
  return count;
}

/** A new connection ID of the peer. Source: RFC 9000, section 19.15 */
function readNewConnectionId(reader: ByteReader, type: number): Frame {
  const sequence = reader.varint();
  const retirePriorTo = reader.varint();
  const length = reader.u8();
  if (length < 1 || length > 20 || retirePriorTo > sequence) {
    throw malformed(type, "connection id of a wrong length, or that retires itself");
  }
  return {
    kind: "newConnectionId",
    sequence,
    retirePriorTo,
    id: reader.take(length),
    resetToken: reader.take(16),
  };
}
