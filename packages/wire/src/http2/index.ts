export { encodeHeaders } from "./encode-headers.ts";
export {
  clientPreface,
  defaultFrameBytes,
  defaultWindowBytes,
  encodeFrame,
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
export { HpackDecoder } from "./hpack-decoder.ts";
