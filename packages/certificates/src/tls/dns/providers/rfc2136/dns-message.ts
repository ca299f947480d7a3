import { ServerError } from "server-core/errors";
import type { DnsRecordType } from "../../dns-provider.ts";

/** Types of records, as numbers on the wire. Source: RFC 1035, 8945 */
export const recordTypes = { A: 1, CNAME: 5, SOA: 6, TXT: 16, AAAA: 28, TSIG: 250 } as const;
/** Classes: the internet's, and the two that updates use. Source: RFC 2136, 2.4 and 2.5 */
export const classes = { IN: 1, NONE: 254, ANY: 255 } as const;
/** Bytes before the first question: ID, flags and four counts. Source: RFC 1035, 4.1.1 */
export const headerBytes = 12;

const updateOpcode = 5;
const maxLabelBytes = 63;
const maxNameBytes = 255;
/** A name with more compression pointers than this contains a loop. */
const maxPointers = 32;

/** Source: RFC 1035, 4.1.1; RFC 2136, 2.2; RFC 8945, 3 */
const codeNames: Readonly<Record<number, string>> = {
  1: "FORMERR",
  2: "SERVFAIL",
  3: "NXDOMAIN",
  4: "NOTIMP",
  5: "REFUSED",
  6: "YXDOMAIN",
  7: "YXRRSET",
  8: "NXRRSET",
  9: "NOTAUTH",
  10: "NOTZONE",
  16: "BADSIG",
  17: "BADKEY",
  18: "BADTIME",
  22: "BADTRUNC",
};

/** Name of an RCODE or of an error of TSIG, for people. */
export const codeName = (code: number): string => codeNames[code] ?? `code ${code}`;

/**
 * A name without final dot in the encoding of DNS messages, in lower case, because signatures need lower case. @throws
 * ServerError ACME
 */
export function encodeName(name: string): Buffer {
  const labels = name === "" ? [] : name.toLowerCase().split(".");
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label);
    if (bytes.length === 0 || bytes.length > maxLabelBytes) {
      throw new ServerError(
        "ACME",
        `rfc2136: ${JSON.stringify(name)} is no name: a part of 1 to 63 bytes is wanted`,
      );
    }
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  const encoded = Buffer.concat([...parts, Buffer.from([0])]);
  if (encoded.length > maxNameBytes) {
    throw new ServerError("ACME", `rfc2136: ${JSON.stringify(name)} is longer than 255 bytes`);
  }
  return encoded;
}

/** Bytes of an IP address. @param address IPv4, or IPv6 in any form */
function addressBytes(address: string): Buffer {
  if (!address.includes(":")) {
    return Buffer.from(address.split(".").map(Number));
  }
  const [head = "", tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string | undefined) => (text ? text.split(":") : []);
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array<string>(8 - first.length - last.length).fill("0");
  return numbers(...[...first, ...zeros, ...last].map((group) => Number.parseInt(group, 16)));
}

/**
 * A record's data in the encoding of DNS messages: strings of at most 255 bytes, a name, or the bytes of an address.
 */
export function encodeData(type: DnsRecordType, value: string): Buffer {
  if (type === "A" || type === "AAAA") {
    return addressBytes(value);
  }
  if (type === "CNAME") {
    return encodeName(value);
  }
  const bytes = Buffer.from(value);
  const parts: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    parts.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(parts);
}

function header(id: number, opcode: number, counts: readonly [number, number, number, number]): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(opcode << 11, 2);
  for (const [index, count] of counts.entries()) {
    bytes.writeUInt16BE(count, 4 + 2 * index);
  }
  return bytes;
}

const numbers = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeUInt16BE(value, 2 * index);
  }
  return bytes;
};

/** A question for the SOA record of a name; the response shows if the name is a zone of the server. */
export function soaQuestion(id: number, name: string): Buffer {
  return Buffer.concat([header(id, 0, [1, 0, 0, 0]), encodeName(name), numbers(recordTypes.SOA, classes.IN)]);
}

/** A change of one record. @param ttlSeconds undefined: the record is removed. Source: RFC 2136, 2.5.1 and 2.5.4 */
export function updateMessage(
  id: number,
  zone: string,
  record: { readonly name: string; readonly type: DnsRecordType; readonly value: string },
  ttlSeconds: number | undefined,
): Buffer {
  const data = encodeData(record.type, record.value);
  const ttl = Buffer.alloc(4);
  ttl.writeUInt32BE(ttlSeconds ?? 0);
  return Buffer.concat([
    header(id, updateOpcode, [1, 0, 1, 0]),
    encodeName(zone),
    numbers(recordTypes.SOA, classes.IN),
    encodeName(record.name),
    numbers(recordTypes[record.type], ttlSeconds === undefined ? classes.NONE : classes.IN),
    ttl,
    numbers(data.length),
    data,
  ]);
}

/** A record of an answer. */
export interface WireRecord {
  /** Position of the record in the message. */
  readonly at: number;
  /** Full, without final dot. */
  readonly name: string;
  /** A value of {@link recordTypes}, or another number. */
  readonly type: number;
  /** RDATA; names inside it may point to other parts of the message. */
  readonly data: Buffer;
}

export interface DnsAnswer {
  /** The ID of the question. */
  readonly id: number;
  /** RCODE; 0 is success. Source: RFC 1035, section 4.1.1 */
  readonly code: number;
  readonly answers: readonly WireRecord[];
  /** Additional records. The signature is the last record. */
  readonly additional: readonly WireRecord[];
}

/** @returns the name, and the position of the bytes after it. @throws RangeError beyond the end of the message */
export function readName(message: Buffer, start: number): { readonly name: string; readonly next: number } {
  const labels: string[] = [];
  let at = start;
  let next: number | undefined;
  for (let pointers = 0; ; ) {
    const length = message.readUInt8(at);
    if (length >= 0xc0) {
      next ??= at + 2;
      at = message.readUInt16BE(at) & 0x3fff;
      if (++pointers > maxPointers) {
        throw new RangeError("a name that points in a circle");
      }
    } else if (length > maxLabelBytes) {
      throw new RangeError("a label of a form that nobody uses");
    } else if (length === 0) {
      return { name: labels.join(".").toLowerCase(), next: next ?? at + 1 };
    } else {
      labels.push(message.toString("latin1", at + 1, at + 1 + length));
      at += 1 + length;
    }
  }
}

/** Reads a response. @throws ServerError ACME for an invalid response */
export function readAnswer(message: Buffer): DnsAnswer {
  try {
    const [questions = 0, ...counts] = [4, 6, 8, 10].map((at) => message.readUInt16BE(at));
    let at = headerBytes;
    for (let index = 0; index < questions; index++) {
      at = readName(message, at).next + 4;
    }
    const sections = counts.map((count) =>
      Array.from({ length: count }, (): WireRecord => {
        const begin = at;
        const { name, next } = readName(message, at);
        const length = message.readUInt16BE(next + 8);
        at = next + 10 + length;
        if (at > message.length) {
          throw new RangeError("it ends early");
        }
        return { at: begin, name, type: message.readUInt16BE(next), data: message.subarray(next + 10, at) };
      }),
    );
    return {
      id: message.readUInt16BE(0),
      code: message.readUInt16BE(2) & 0xf,
      answers: sections[0] ?? [],
      additional: sections[2] ?? [],
    };
  } catch (error) {
    throw new ServerError("ACME", "rfc2136: an answer that is no DNS message", { cause: error });
  }
}
