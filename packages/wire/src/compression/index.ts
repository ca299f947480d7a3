export { decompress, isKnownEncoding, isPlainEncoding } from "./decompress.ts";
