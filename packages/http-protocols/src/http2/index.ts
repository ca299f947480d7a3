export { decodeHeaderBlock } from "./decode-header-block.ts";
export { encodeHeaders } from "./encode-headers.ts";
export { FloodGuard } from "./flood-guard.ts";
export { FrameDispatcher, type FrameHandler } from "./frame-dispatcher.ts";
export { FrameReader } from "./frame-reader.ts";
export {
  clientPreface,
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrame,
  encodeFrameHeader,
  encodeGoAway,
  encodePingAck,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
  maxWindowBytes,
  settingIds,
  settingsAck,
} from "./frames.ts";
export type { HeaderField } from "./header-field.ts";
export { HpackDecoder } from "./hpack-decoder.ts";
export { HpackEncoder } from "./hpack-encoder.ts";
export { Http2Error } from "./http2-error.ts";
export { readSentFields } from "./sent-fields.ts";
