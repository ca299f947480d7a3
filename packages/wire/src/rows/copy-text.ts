import { isUtf8 } from "node:buffer";
import type { ByteWriter } from "./byte-writer.ts";

/**
 * Writes the string `bytes[start, end)` with its length, as RowBinary and protobuf require. Bytes that are not UTF-8
 * become U+FFFD, for formats whose senders were never required to send UTF-8.
 *
 * Bytes and view are separate parameters, because reading them from cursors of several classes would cost 5 % of the
 * time for a Thrift span.
 * @param view view of the same memory as `bytes`
 */
export function copyText(out: ByteWriter, bytes: Buffer, view: DataView, start: number, end: number): void {
  const textAt = out.length;
  if (out.text(bytes, view, start, end) || isUtf8(bytes.subarray(start, end))) {
    return;
  }
  out.length = textAt;
  out.string(bytes.toString("utf8", start, end));
}
