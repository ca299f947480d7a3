/** Types, flags, settings and error codes of HTTP/2. Source: RFC 9113, 6 and 7 */
export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlags = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export const settingIds = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

export const errorCodes = {
  noError: 0,
  protocolError: 1,
  flowControlError: 3,
  frameSizeError: 6,
  refusedStream: 7,
  cancel: 8,
  compressionError: 9,
  enhanceYourCalm: 11,
  inadequateSecurity: 12,
} as const;

/** What a client sends first on a connection. */
export const connectionPreface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

export const frameHeaderBytes = 9;
/** Largest payload unless the receiver allows more; we allow no more. */
export const defaultMaxFrameBytes = 16_384;
export const defaultWindowBytes = 65_535;
export const maxWindowBytes = 2 ** 31 - 1;

/** The header of a frame whose payload of `length` bytes follows. */
export function frameHeader(length: number, type: number, flags: number, streamId: number): Buffer {
  const header = Buffer.allocUnsafe(frameHeaderBytes);
  header.writeUIntBE(length, 0, 3);
  header[3] = type;
  header[4] = flags;
  header.writeUInt32BE(streamId, 5);
  return header;
}

/** A whole frame. */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  return Buffer.concat([frameHeader(payload.length, type, flags, streamId), payload]);
}

/** A frame whose payload is one 32-bit number: RST_STREAM, WINDOW_UPDATE. */
export function numberFrame(type: number, streamId: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return frame(type, 0, streamId, payload);
}
