import { HpackError } from "./hpack-error.ts";
import { decodeHuffman } from "./huffman-code.ts";
import { staticHeaders } from "./static-headers.ts";

/** Header fields by lower-case name; of a name that comes several times, the last value. */
export type Headers = ReadonlyMap<string, string>;

const maxIntegerBytes = 5;

/** Writes headers as literals that no table remembers: a block that is the same on every connection. */
export function encodeHeaderBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.of(0), encodeString(name), encodeString(value)]),
  );
}

function encodeString(text: string): Buffer {
  const bytes = Buffer.from(text, "latin1");
  const length: number[] = [];
  if (bytes.length < 127) {
    length.push(bytes.length);
  } else {
    length.push(127);
    let rest = bytes.length - 127;
    for (; rest >= 128; rest >>>= 7) {
      length.push((rest & 127) | 128);
    }
    length.push(rest);
  }
  return Buffer.concat([Buffer.from(length), bytes]);
}

/**
 * Reads a header block of a peer that was told to remember nothing (SETTINGS_HEADER_TABLE_SIZE 0): only the static
 * table is there.
 * @throws HpackError when it breaks the format, or counts on a table
 * Source: RFC 7541, 6
 */
export function decodeHeaderBlock(block: Buffer): Headers {
  const headers = new Map<string, string>();
  let at = 0;

  const readInteger = (prefixBits: number): number => {
    const most = 2 ** prefixBits - 1;
    const prefix = byteAt(block, at++) & most;
    if (prefix < most) {
      return prefix;
    }
    let value = most;
    for (let index = 0; index < maxIntegerBytes; index++) {
      const byte = byteAt(block, at++);
      value += (byte & 127) * 2 ** (7 * index);
      if (byte < 128) {
        return value;
      }
    }
    throw new HpackError("a number that is too long");
  };
  const readString = (): string => {
    const isHuffman = (byteAt(block, at) & 128) !== 0;
    const length = readInteger(7);
    if (length > block.length - at) {
      throw new HpackError("a string past the end of its block");
    }
    const bytes = block.subarray(at, at + length);
    at += length;
    return (isHuffman ? decodeHuffman(bytes) : bytes).toString("latin1");
  };

  while (at < block.length) {
    const first = byteAt(block, at);
    if ((first & 0b1000_0000) !== 0) {
      const [name, value] = staticHeader(readInteger(7));
      headers.set(name, value);
    } else if ((first & 0b1110_0000) === 0b0010_0000) {
      if (readInteger(5) !== 0) {
        throw new HpackError("a table larger than allowed");
      }
    } else {
      // A literal; whether to remember it (01) does not matter to a table without room.
      const index = readInteger((first & 0b0100_0000) === 0 ? 4 : 6);
      const name = index === 0 ? readString() : staticHeader(index)[0];
      headers.set(name, readString());
    }
  }
  return headers;
}

function byteAt(block: Buffer, at: number): number {
  const byte = block[at];
  if (byte === undefined) {
    throw new HpackError("a block that ends early");
  }
  return byte;
}

function staticHeader(index: number): readonly [name: string, value: string] {
  const header = staticHeaders[index - 1];
  if (header === undefined) {
    throw new HpackError(`header ${index}, which is in no table`);
  }
  return header;
}
