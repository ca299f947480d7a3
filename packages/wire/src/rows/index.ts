export {
  attributeListOf,
  attributeMark,
  attributeNeedle,
  attributeTypeLetters,
  valueMark,
} from "./attribute-list.ts";
export { attributeText, doubleText, parseAttributeText } from "./attribute-text.ts";
export { AttributeWriter } from "./attribute-writer.ts";
export { ByteWriter } from "./byte-writer.ts";
export { fromFirstLayout } from "./from-first-layout.ts";
export type { MessageTranscoder, TranscodeResult, TranscoderOptions } from "./message-transcoder.ts";
export { PackedSpans, type SpanOutline } from "./packed-spans.ts";
export { readSpanRows } from "./read-span-rows.ts";
export { RowScanner } from "./row-scanner.ts";
export type { ServiceTally } from "./service-tally.ts";
export { soughtDoubleText } from "./sought-double.ts";
export { type SpanColumn, spanColumns } from "./span-columns.ts";
export { SpanRowWriter } from "./span-row-writer.ts";
export type { SpanRows } from "./span-rows.ts";
