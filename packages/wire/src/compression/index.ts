export { acceptedEncodings, decompress, isKnownEncoding, isPlainEncoding } from "./decompress.ts";
