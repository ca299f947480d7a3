/** Record types. Source: the FastCGI specification 1.0, section 8 */
export const recordType = {
  beginRequest: 1,
  abortRequest: 2,
  endRequest: 3,
  params: 4,
  stdin: 5,
  stdout: 6,
  stderr: 7,
} as const;

/** Protocol version. */
const version = 1;
const headerBytes = 8;
/**
 * Maximum number of bytes of content in one record, a multiple of eight. Longer content is split into several records.
 */
const maxContentBytes = 65_528;
/** The role that answers requests. Source: the FastCGI specification 1.0, section 6.2 */
const responderRole = 1;
/** A connection carries one request at a time, so the request id is constant. */
const requestId = 1;

/** A record header: version, type, request id (2), content length (2), padding length, reserved. */
function header(type: number, contentBytes: number, paddingBytes: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  bytes[0] = version;
  bytes[1] = type;
  bytes.writeUInt16BE(requestId, 2);
  bytes.writeUInt16BE(contentBytes, 4);
  bytes[6] = paddingBytes;
  return bytes;
}

/** Splits `content` into records. Empty content marks the end of the stream. */
export function encodeRecords(type: number, content: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  do {
    const part = content.subarray(at, at + maxContentBytes);
    const padding = (8 - (part.length % 8)) % 8;
    parts.push(header(type, part.length, padding), part, Buffer.alloc(padding));
    at += maxContentBytes;
  } while (at < content.length);
  return Buffer.concat(parts);
}

/** Begins a request. The responder closes the connection afterwards. */
export function encodeBegin(): Buffer {
  return Buffer.concat([
    header(recordType.beginRequest, 8, 0),
    Buffer.from([0, responderRole, 0, 0, 0, 0, 0, 0]),
  ]);
}

/** Encodes a length: one byte up to 127, otherwise four bytes with the highest bit set. Source: section 3.4 */
function encodeLength(length: number): Buffer {
  if (length < 128) {
    return Buffer.from([length]);
  }
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE((length | 0x80000000) >>> 0);
  return bytes;
}

/**
 * Encodes name-value pairs, and the end of their stream.
 * @param parameters names and values with one character for each byte
 * @throws RangeError for characters above U+00FF: encoding would drop their upper bits, so that U+012F would become `/`
 */
export function encodeParameters(parameters: ReadonlyMap<string, string>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, value] of parameters) {
    if (/[^\0-\xff]/.test(name) || /[^\0-\xff]/.test(value)) {
      throw new RangeError(`FastCGI parameter ${JSON.stringify(name)} is no byte string`);
    }
    const [nameBytes, valueBytes] = [Buffer.from(name, "latin1"), Buffer.from(value, "latin1")];
    parts.push(encodeLength(nameBytes.length), encodeLength(valueBytes.length), nameBytes, valueBytes);
  }
  return Buffer.concat([
    encodeRecords(recordType.params, Buffer.concat(parts)),
    encodeRecords(recordType.params, Buffer.alloc(0)),
  ]);
}

/**
 * Parses records from chunks of any size. Records of other requests on the connection are an error, because this side
 * only begins request 1.
 */
export class RecordReader {
  readonly #take: (type: number, content: Buffer) => void;
  /** An incomplete record, to which the next chunk is appended. */
  #rest: Buffer = Buffer.alloc(0);

  /** @param take called with the content of each record */
  constructor(take: (type: number, content: Buffer) => void) {
    this.#take = take;
  }

  /** True when an incomplete record is buffered. */
  get isPartial(): boolean {
    return this.#rest.length > 0;
  }

  /** @throws Error for bytes that are not a record of request 1 */
  push(bytes: Buffer): void {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (rest.length >= headerBytes) {
      const contentBytes = rest.readUInt16BE(4);
      if (rest[0] !== version || rest.readUInt16BE(2) !== requestId) {
        throw new Error(`malformed FastCGI record: version ${rest[0]}, request ${rest.readUInt16BE(2)}`);
      }
      const end = headerBytes + contentBytes + (rest[6] ?? 0);
      if (rest.length < end) {
        break;
      }
      const content = rest.subarray(headerBytes, headerBytes + contentBytes);
      const type = rest[1] ?? 0;
      rest = rest.subarray(end);
      this.#take(type, content);
    }
    this.#rest = rest;
  }
}
