import type { HeaderField } from "./header-field.ts";

/**
 * Encodes a header block that neither uses nor changes the table. Equal fields therefore give equal bytes on every
 * connection.
 * @param fields fields with lower-case names; characters up to U+00FF
 * Source: RFC 7541, section 6.2.2
 */
export function encodeHeaders(fields: readonly HeaderField[]): Buffer {
  const parts: Buffer[] = [];
  for (const { name, value } of fields) {
    parts.push(literalWithNewName, encodeString(name), encodeString(value));
  }
  return Buffer.concat(parts);
}

const literalWithNewName = Buffer.of(0);

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  return Buffer.concat([encodeLength(bytes.length), bytes]);
}

function encodeLength(length: number): Buffer {
  if (length < 0x7f) {
    return Buffer.of(length);
  }
  const bytes = [0x7f];
  let rest = length - 0x7f;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) {
    bytes.push((rest % 0x80) | 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
