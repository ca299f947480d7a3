export { decompressSnappy } from "./decompress-snappy.ts";
