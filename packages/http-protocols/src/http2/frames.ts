// The frames of HTTP/2. Source: RFC 9113, sections 4 and 6.

/** The first bytes of every client connection. */
export const clientPreface: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

export const frameHeaderBytes = 9;

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** `ack` and `endStream` are the same bit, but in different frames. */
export const frameFlags = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const;

export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const errorCodes = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  settingsTimeout: 4,
  streamClosed: 5,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
} as const;

/** Initial size of both flow control windows; a peer may change the size for streams. */
export const defaultWindowBytes = 65_535;
export const maxWindowBytes = 2 ** 31 - 1;
/** Size limit of a frame's payload, unless a peer allows more. */
export const defaultFrameBytes = 16_384;

/** A frame. @param payload at most 2^24 - 1 bytes */
export function encodeFrame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + payload.length);
  writeFrameHeader(frame, payload.length, (type << 8) | flags, streamId);
  frame.set(payload, frameHeaderBytes);
  return frame;
}

/** The header of a frame whose payload is written separately, without a copy. @param payloadBytes at most 2^24 - 1 */
export function encodeFrameHeader(
  payloadBytes: number,
  type: number,
  flags: number,
  streamId: number,
): Buffer {
  const header = Buffer.allocUnsafe(frameHeaderBytes);
  writeFrameHeader(header, payloadBytes, (type << 8) | flags, streamId);
  return header;
}

/** @param typeAndFlags the type in the upper byte, the flags in the lower. Source: RFC 9113, section 4.1 */
function writeFrameHeader(
  target: Buffer,
  payloadBytes: number,
  typeAndFlags: number,
  streamId: number,
): void {
  target.writeUIntBE(payloadBytes, 0, 3);
  target[3] = typeAndFlags >> 8;
  target[4] = typeAndFlags & 0xff;
  target.writeUInt32BE(streamId, 5);
}

export function encodeSettings(settings: ReadonlyMap<number, number>): Buffer {
  const payload = Buffer.alloc(settings.size * 6);
  let at = 0;
  for (const [id, value] of settings) {
    payload.writeUInt16BE(id, at);
    payload.writeUInt32BE(value, at + 2);
    at += 6;
  }
  return encodeFrame(frameTypes.settings, 0, 0, payload);
}

/** The answer to a peer's SETTINGS. */
export const settingsAck: Buffer = encodeFrame(frameTypes.settings, frameFlags.ack, 0, Buffer.alloc(0));

/** The answer to a PING. @param payload its eight bytes, which are copied */
export function encodePingAck(payload: Uint8Array): Buffer {
  return encodeFrame(frameTypes.ping, frameFlags.ack, 0, payload);
}

export function encodeWindowUpdate(streamId: number, increment: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(increment);
  return encodeFrame(frameTypes.windowUpdate, 0, streamId, payload);
}

/** @param errorCode one of `errorCodes` */
export function encodeRstStream(streamId: number, errorCode: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(errorCode);
  return encodeFrame(frameTypes.rstStream, 0, streamId, payload);
}

/** @param reason for people, in ASCII */
export function encodeGoAway(lastStreamId: number, errorCode: number, reason = ""): Buffer {
  const payload = Buffer.alloc(8 + reason.length);
  payload.writeUInt32BE(lastStreamId);
  payload.writeUInt32BE(errorCode, 4);
  payload.write(reason, 8, "latin1");
  return encodeFrame(frameTypes.goAway, 0, 0, payload);
}
