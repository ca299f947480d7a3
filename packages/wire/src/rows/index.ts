export { attributeMark, attributeTypeLetters, valueMark } from "./attribute-list.ts";
export { attributeText, doubleText, soughtDoubleText } from "./attribute-text.ts";
export { AttributeWriter } from "./attribute-writer.ts";
export { ByteWriter } from "./byte-writer.ts";

export type { MessageTranscoder, TranscodeResult } from "./message-transcoder.ts";
export { PackedSpans, StoredOrigins } from "./packed-spans.ts";
export { parseAttributeText } from "./parse-attribute-text.ts";
export { readSpanRows } from "./read-span-rows.ts";
export { readStoredRows, storedColumns } from "./read-stored-rows.ts";
export { RowScanner } from "./row-scanner.ts";

export { spanColumns } from "./span-columns.ts";
export type { SpanFields } from "./span-fields.ts";
export { SpanRowWriter } from "./span-row-writer.ts";
export { plainBytesOf, type SpanRows } from "./span-rows.ts";
