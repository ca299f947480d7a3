import { errorCodes, Http2Error } from "wire/http2";

/** The lower 31 bits: the highest is reserved. */
const reserved = 0x7fff_ffff;
const pingBytes = 8;
const goAwayBytes = 8;
const priorityBytes = 5;
const numberBytes = 4;

/** A breach of the rules that ends the connection. */
export function protocolError(what: string): Http2Error {
  return new Http2Error(errorCodes.protocolError, what);
}

function checkSize(payload: Buffer, bytes: number, what: string): void {
  if (payload.length !== bytes) {
    throw new Http2Error(errorCodes.frameSizeError, `${what} not of ${bytes} bytes`);
  }
}

function checkConnection(streamId: number, what: string): void {
  if (streamId !== 0) {
    throw protocolError(`${what} on a stream`);
  }
}

/** @throws Http2Error PROTOCOL_ERROR, FRAME_SIZE_ERROR. Source: RFC 9113, section 6.7 */
export function checkPing(streamId: number, payload: Buffer): void {
  checkConnection(streamId, "PING");
  checkSize(payload, pingBytes, "PING");
}

/** @throws Http2Error PROTOCOL_ERROR, FRAME_SIZE_ERROR. Source: RFC 9113, section 6.8 */
export function checkGoAway(streamId: number, payload: Buffer): void {
  checkConnection(streamId, "GOAWAY");
  if (payload.length < goAwayBytes) {
    throw new Http2Error(errorCodes.frameSizeError, `GOAWAY of under ${goAwayBytes} bytes`);
  }
}

/** @throws Http2Error PROTOCOL_ERROR, FRAME_SIZE_ERROR. Source: RFC 9113, section 6.5 */
export function checkSettings(streamId: number, isAck: boolean, payload: Buffer): void {
  checkConnection(streamId, "SETTINGS");
  if (isAck) {
    checkSize(payload, 0, "an acknowledgement of SETTINGS");
  }
}

/** @throws Http2Error FRAME_SIZE_ERROR. Source: RFC 9113, section 6.4 */
export function checkRstStream(payload: Buffer): void {
  checkSize(payload, numberBytes, "RST_STREAM");
}

/** @returns by how much a window grows; 0 is an error. @throws Http2Error FRAME_SIZE_ERROR. Source: RFC 9113, section 6.9 */
export function windowIncrement(payload: Buffer): number {
  checkSize(payload, numberBytes, "WINDOW_UPDATE");
  return payload.readUInt32BE(0) & reserved;
}

/**
 * @returns the error of its stream, undefined for none: what it asks for is done by nobody
 * @throws Http2Error PROTOCOL_ERROR
 * Source: RFC 9113, section 6.3
 */
export function priorityFault(streamId: number, payload: Buffer): number | undefined {
  if (streamId === 0) {
    throw protocolError("PRIORITY on stream 0");
  }
  if (payload.length !== priorityBytes) {
    return errorCodes.frameSizeError;
  }
  return (payload.readUInt32BE(0) & reserved) === streamId ? errorCodes.protocolError : undefined;
}
