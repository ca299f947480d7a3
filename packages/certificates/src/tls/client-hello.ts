import { nameInTicket } from "./session-tickets.ts";

/** The client's first message, which is not encrypted. */
export interface ClientHello {
  /** Server name in lower case; "" when the client sends none. */
  readonly serverName: string;
  /** Application protocols, in the order of the client. */
  readonly protocols: readonly string[];
  /** Name of the key of the ticket from an earlier session; "" when the client sends no ticket. */
  readonly ticketKey: string;
}

/** Size limit of a ClientHello in bytes: RFC 8446 allows 2^24, but browsers send less than 4 KiB. */
export const maxHelloBytes = 64 * 1024;

/**
 * Result for the bytes received so far. `partial`: more bytes may complete the ClientHello. `hello`: the ClientHello is
 * complete. `malformed`: the connection gets an alert.
 */
export type HelloState =
  | { readonly kind: "partial" }
  | { readonly kind: "hello"; readonly hello: ClientHello }
  /** The bytes are not TLS; they may be plain HTTP. */
  | { readonly kind: "foreign" }
  | { readonly kind: "malformed"; readonly reason: string };

/** Type of a TLS record. Source: RFC 8446, section 5.1 */
const handshakeRecord = 22;
/** Type of a handshake message. Source: RFC 8446, section 4 */
const clientHelloMessage = 1;
/** Numbers of extensions, from here to the shared key. Source: IANA, "TLS ExtensionType Values" */
const serverNameExtension = 0;
const protocolsExtension = 16;
const ticketExtension = 35;
const sharedKeyExtension = 41;
/** Bytes before a record's content: type, version, length. */
const recordHeader = 5;

/** Error for a wrong length in the message, which more bytes cannot repair. */
class Truncated extends Error {}

/** Reads lengths and vectors of TLS. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Number of bytes that were not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Reads an unsigned number of `size` bytes, big-endian. @throws Truncated */
  number(size: number): number {
    let value = 0;
    for (const byte of this.take(size)) {
      value = value * 256 + byte;
    }
    return value;
  }

  /** @throws Truncated when fewer bytes are left */
  take(length: number): Uint8Array {
    if (length > this.left) {
      throw new Truncated("a length leads past the end");
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  rest(): Uint8Array {
    return this.take(this.left);
  }

  /** Reads a length of `sizeOfLength` bytes, and returns a reader of as many following bytes. @throws Truncated */
  vector(sizeOfLength: number): Reader {
    return new Reader(this.take(this.number(sizeOfLength)));
  }
}

/**
 * The handshake message of several records; undefined while it is incomplete. A client may split its ClientHello into
 * several records.
 * @throws Truncated when a record of another type is between them
 */
function joinRecords(bytes: Uint8Array): Uint8Array | undefined {
  const parts: Uint8Array[] = [];
  let have = 0;
  for (let at = 0; at + recordHeader <= bytes.length; ) {
    if (bytes[at] !== handshakeRecord) {
      throw new Truncated("a record of another kind within the hello");
    }
    const length = ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
    const part = bytes.subarray(at + recordHeader, at + recordHeader + length);
    parts.push(part);
    have += part.length;
    at += recordHeader + length;
    const message = parts.length === 1 ? part : Buffer.concat(parts);
    if (have >= 4) {
      const wanted = 4 + ((message[1] ?? 0) << 16) + ((message[2] ?? 0) << 8) + (message[3] ?? 0);
      if (have >= wanted) {
        return message.subarray(0, wanted);
      }
    }
  }
  return undefined;
}

/**
 * Reads the extensions that determine policy, certificate and ticket key. The TLS library reads all other extensions.
 */
function readExtensions(extensions: Reader): ClientHello {
  let serverName = "";
  const protocols: string[] = [];
  let ticketKey = "";
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (type === serverNameExtension && data.left > 0) {
      const names = data.vector(2);
      while (names.left > 0) {
        const kind = names.number(1);
        const name = Buffer.from(names.vector(2).rest()).toString("latin1");
        serverName = kind === 0 && serverName === "" ? name.toLowerCase().replace(/\.$/, "") : serverName;
      }
    } else if (type === protocolsExtension) {
      const list = data.vector(2);
      while (list.left > 0) {
        protocols.push(Buffer.from(list.vector(1).rest()).toString("latin1"));
      }
    } else if (type === ticketExtension) {
      ticketKey = nameInTicket(data.rest());
    } else if (type === sharedKeyExtension) {
      // If the client sends several sessions, it prefers the first.
      ticketKey = nameInTicket(data.vector(2).vector(2).rest());
    }
  }
  return { serverName, protocols, ticketKey };
}

/**
 * Reads the ClientHello at the start of a connection.
 * Source: RFC 8446 section 4.1.2, RFC 6066 section 3, RFC 7301 section 3.1, RFC 5077 section 3.2, RFC 8446 section
 * 4.2.11
 * @param bytes all received bytes; `maxHelloBytes` without a complete ClientHello are malformed
 */
export function readClientHello(bytes: Uint8Array): HelloState {
  if (bytes.length > 0 && bytes[0] !== handshakeRecord) {
    return { kind: "foreign" };
  }
  try {
    const message = joinRecords(bytes);
    if (message === undefined) {
      return bytes.length >= maxHelloBytes
        ? { kind: "malformed", reason: `no whole ClientHello within ${maxHelloBytes} bytes` }
        : { kind: "partial" };
    }
    const reader = new Reader(message);
    if (reader.number(1) !== clientHelloMessage) {
      return { kind: "malformed", reason: "the first message is no ClientHello" };
    }
    // Length of the message, version, random; then session id, cipher suites, compressions.
    reader.take(3 + 2 + 32);
    reader.vector(1);
    reader.vector(2);
    reader.vector(1);
    const hello =
      reader.left > 0 ? readExtensions(reader.vector(2)) : { serverName: "", protocols: [], ticketKey: "" };
    return { kind: "hello", hello };
  } catch (error) {
    if (error instanceof Truncated) {
      return { kind: "malformed", reason: error.message };
    }
    throw error;
  }
}
