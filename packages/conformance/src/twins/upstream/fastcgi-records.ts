/** A record of FastCGI. */
export interface FastCgiRecord {
  readonly type: number;
  readonly id: number;
  readonly content: Buffer;
}

export const recordType = { begin: 1, abort: 2, end: 3, params: 4, stdin: 5, stdout: 6, stderr: 7 } as const;

/** Takes complete records off a buffer. @returns these records and the rest */
export function readRecords(bytes: Buffer): { records: FastCgiRecord[]; rest: Buffer } {
  const records: FastCgiRecord[] = [];
  let at = 0;
  while (bytes.length - at >= 8) {
    const length = bytes.readUInt16BE(at + 4);
    const padding = bytes[at + 6] ?? 0;
    if (bytes.length - at < 8 + length + padding) {
      break;
    }
    const content = bytes.subarray(at + 8, at + 8 + length);
    records.push({ type: bytes[at + 1] ?? 0, id: bytes.readUInt16BE(at + 2), content });
    at += 8 + length + padding;
  }
  return { records, rest: bytes.subarray(at) };
}

export function writeRecord(type: number, id: number, text: string): Buffer {
  const content = Buffer.from(text, "latin1");
  const head = Buffer.from([1, type, 0, 0, 0, 0, 0, 0]);
  head.writeUInt16BE(id, 2);
  head.writeUInt16BE(content.length, 4);
  return Buffer.concat([head, content]);
}

/** Names and values from a stream of parameters, with one code unit for each byte. */
export function readParams(bytes: Buffer): [name: string, value: string][] {
  const params: [string, string][] = [];
  let at = 0;
  const length = () => {
    const first = bytes[at] ?? 0;
    if (first < 0x80) {
      at += 1;
      return first;
    }
    const long = bytes.length - at >= 4 ? bytes.readUInt32BE(at) & 0x7fffffff : 0;
    at += 4;
    return long;
  };
  while (at < bytes.length) {
    const [nameLength, valueLength] = [length(), length()];
    const name = bytes.toString("latin1", at, at + nameLength);
    params.push([name, bytes.toString("latin1", at + nameLength, at + nameLength + valueLength)]);
    at += nameLength + valueLength;
  }
  return params;
}
