export { ChunkedDecoder } from "./chunked-decoder.ts";
export { connectionWords, readFieldLines, trimBlanks } from "./field-lines.ts";
export type { FieldMemo } from "./field-memo.ts";
export { HeadScanner } from "./head-scanner.ts";
export { Http1Error, type Http1Fault } from "./http1-error.ts";
export type { RequestHead } from "./request-head.ts";
