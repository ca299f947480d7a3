export { decodeHeaderBlock } from "./decode-header-block.ts";
export { encodeHeaders } from "./encode-headers.ts";
export { FrameReader, type FrameSink } from "./frame-reader.ts";
export {
  clientPreface,
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrame,
  encodeFrameHeader,
  encodeGoAway,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  errorCodes,
  frameFlags,
  frameHeaderBytes,
  frameTypes,
  maxWindowBytes,
  settingIds,
} from "./frames.ts";
export type { HeaderField } from "./header-field.ts";
export { HeaderFragments } from "./header-fragments.ts";
export { HpackDecoder } from "./hpack-decoder.ts";
export { HpackEncoder } from "./hpack-encoder.ts";
export { Http2Error } from "./http2-error.ts";
export { dataOf, headerBlockOf, settingsOf } from "./read-payload.ts";
