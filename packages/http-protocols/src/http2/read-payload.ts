import { defaultFrameBytes, errorCodes, frameFlags, maxWindowBytes, settingIds } from "./frames.ts";
import { Http2Error } from "./http2-error.ts";

const priorityBytes = 5;
const settingBytes = 6;
const maxFrameBytes = 2 ** 24 - 1;

/**
 * Returns the data of a DATA frame.
 * @throws Http2Error PROTOCOL_ERROR for padding that is longer than the payload
 * Source: RFC 9113, section 6.1
 */
export function dataOf(flags: number, payload: Buffer): Buffer {
  if ((flags & frameFlags.padded) === 0) {
    return payload;
  }
  const padding = payload[0] ?? payload.length;
  if (padding >= payload.length) {
    throw new Http2Error(errorCodes.protocolError, "padding is longer than the frame");
  }
  return payload.subarray(1, payload.length - padding);
}

/**
 * The header block of a HEADERS frame, or its first fragment.
 * @throws Http2Error PROTOCOL_ERROR for padding that is too long and for a stream that depends on itself,
 * FRAME_SIZE_ERROR
 * Source: RFC 9113, section 6.2
 */
export function headerBlockOf(flags: number, streamId: number, payload: Buffer): Buffer {
  const block = dataOf(flags, payload);
  if ((flags & frameFlags.priority) === 0) {
    return block;
  }
  if (block.length < priorityBytes) {
    throw new Http2Error(errorCodes.frameSizeError, "HEADERS without priority");
  }
  if ((block.readUInt32BE(0) & 0x7fff_ffff) === streamId) {
    throw new Http2Error(errorCodes.protocolError, "a stream depends on itself");
  }
  return block.subarray(priorityBytes);
}

/**
 * Reads the values of a SETTINGS frame, by `settingIds`. If a setting is repeated, its last value counts; unknown
 * settings are ignored.
 * @throws Http2Error FRAME_SIZE_ERROR; PROTOCOL_ERROR or FLOW_CONTROL_ERROR for values that are not allowed
 * Source: RFC 9113, section 6.5
 */
export function settingsOf(payload: Buffer): ReadonlyMap<number, number> {
  if (payload.length % settingBytes !== 0) {
    throw new Http2Error(errorCodes.frameSizeError, `SETTINGS of ${payload.length} bytes`);
  }
  const settings = new Map<number, number>();
  for (let at = 0; at < payload.length; at += settingBytes) {
    const id = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    checkSetting(id, value);
    if (id >= settingIds.headerTableSize && id <= settingIds.maxHeaderListSize) {
      settings.set(id, value);
    }
  }
  return settings;
}

function checkSetting(id: number, value: number): void {
  if (id === settingIds.enablePush && value > 1) {
    throw new Http2Error(errorCodes.protocolError, `SETTINGS_ENABLE_PUSH of ${value}`);
  }
  if (id === settingIds.initialWindowSize && value > maxWindowBytes) {
    throw new Http2Error(errorCodes.flowControlError, `SETTINGS_INITIAL_WINDOW_SIZE of ${value}`);
  }
  if (id === settingIds.maxFrameSize && (value < defaultFrameBytes || value > maxFrameBytes)) {
    throw new Http2Error(errorCodes.protocolError, `SETTINGS_MAX_FRAME_SIZE of ${value}`);
  }
}
