import { randomBytes } from "node:crypto";

/** A word that no result has by chance; told in the header X-ClickHouse-Exception-Tag. */
export function exceptionTag(): string {
  return randomBytes(8).toString("hex");
}

/**
 * The end of a body whose query failed when its status was sent already.
 * @param text of the error, in one piece
 * Source: ClickHouse src/Server/HTTP/WriteBufferFromHTTPServerResponse.cpp (25.11 and later)
 */
export function exceptionInBody(text: string, tag: string): Buffer {
  const line = `${text}\n`;
  const length = Buffer.byteLength(line);
  return Buffer.from(`\r\n__exception__\r\n${tag}\r\n${line}${length} ${tag}\r\n__exception__\r\n`);
}
