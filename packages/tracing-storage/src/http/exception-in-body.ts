import { randomBytes } from "node:crypto";

/** A random word that does not occur in results; sent in the header X-ClickHouse-Exception-Tag. */
export function exceptionTag(): string {
  return randomBytes(8).toString("hex");
}

/**
 * The end of a body when its query has failed after the status was sent. Source: ClickHouse
 * src/Server/HTTP/WriteBufferFromHTTPServerResponse.cpp (25.11 and later)
 */
export function exceptionInBody(text: string, tag: string): Buffer {
  const line = `${text}\n`;
  const length = Buffer.byteLength(line);
  return Buffer.from(`\r\n__exception__\r\n${tag}\r\n${line}${length} ${tag}\r\n__exception__\r\n`);
}
