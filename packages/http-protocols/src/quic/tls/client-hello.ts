import { QuicError, transportErrors } from "../quic-error.ts";
import { ByteReader } from "../wire/byte-reader.ts";
import { extensionTypes, tls13 } from "./handshake-messages.ts";
import { alerts, shortMessage, tlsAlert } from "./tls-alert.ts";

/** The offers of a client. Lists keep the client's order. */
export interface ClientHello {
  /** Numbers of cipher suites. Those that are not of TLS 1.3 are ignored. */
  readonly cipherSuites: readonly number[];
  /** Server name in lower case, without a dot at the end; undefined when the client sends none. */
  readonly serverName: string | undefined;
  /** Numbers of key exchange groups that the client supports. */
  readonly groups: readonly number[];
  /** Public keys by group. */
  readonly keyShares: ReadonlyMap<number, Buffer>;
  /** Numbers of signature schemes that the client can verify. */
  readonly signatureSchemes: readonly number[];
  /** ALPN protocols, such as `h3`. */
  readonly protocols: readonly string[];
  /** Encoded transport parameters, as sent. */
  readonly transportParameters: Buffer;
  /** True when the client sends early data with the first ticket. */
  readonly sendsEarlyData: boolean;
  /** Tickets of earlier sessions; empty when the client cannot exchange keys in addition to them. */
  readonly tickets: readonly OfferedTicket[];
  /** Bytes of the message's body that the tickets' binders cover. */
  readonly binderlessBytes: number;
}

/** A ticket with the proof that the client has its secret. */
export interface OfferedTicket {
  /** The encrypted ticket, which only servers with its key can read. */
  readonly ticket: Buffer;
  /** Milliseconds since the client got the ticket, plus the random number of the ticket, modulo 2^32. */
  readonly hiddenAge: number;
  /** HMAC over the hello up to the binders. Source: RFC 8446, section 4.2.11.2 */
  readonly binder: Buffer;
}

/** Key exchange mode that adds forward secrecy to a ticket. Source: RFC 8446, section 4.2.9 */
const pskWithKeyExchange = 1;
/** Maximum number of tickets that are checked. Further tickets are ignored. */
const maxTickets = 4;

const maxExtensions = 64;
const hostName = /^[0-9a-z_-]+(?:\.[0-9a-z_-]+)*\.?$/i;

const reader = (bytes: Buffer) => new ByteReader(bytes, shortMessage);

/** Reads all items of `bytes` with `read`. */
function listOf<T>(bytes: Buffer, read: (items: ByteReader) => T): T[] {
  const items = reader(bytes);
  const list: T[] = [];
  while (items.left > 0) {
    list.push(read(items));
  }
  return list;
}

const numbersOf = (bytes: Buffer) => listOf(bytes, (items) => items.u16());

/** The content of an extension that consists of one vector, whose length field has `lengthBytes` bytes. */
function soleVector(extension: Buffer | undefined, lengthBytes: 1 | 2): Buffer {
  if (extension === undefined) {
    return Buffer.alloc(0);
  }
  const content = reader(extension);
  const vector = content.take(lengthBytes === 1 ? content.u8() : content.u16());
  if (content.left > 0) {
    throw tlsAlert(alerts.decodeError, "bytes behind the end of an extension");
  }
  return vector;
}

function extensionsOf(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const extensions = new Map<number, Buffer>();
  const items = reader(bytes);
  while (items.left > 0) {
    const type = items.u16();
    if (extensions.has(type) || extensions.size === maxExtensions) {
      throw tlsAlert(alerts.illegalParameter, `extension ${type} comes twice, or there are too many`);
    }
    extensions.set(type, items.take(items.u16()));
  }
  return extensions;
}

function serverNameOf(extension: Buffer | undefined): string | undefined {
  const [first] = listOf(soleVector(extension, 2), (items) => ({
    type: items.u8(),
    name: items.take(items.u16()).toString("latin1"),
  }));
  if (first === undefined || first.type !== 0) {
    return undefined;
  }
  if (first.name.length > 255 || !hostName.test(first.name)) {
    throw tlsAlert(alerts.illegalParameter, "the server name is no host name");
  }
  return first.name.toLowerCase().replace(/\.$/, "");
}

function keySharesOf(extension: Buffer): ReadonlyMap<number, Buffer> {
  const shares = new Map<number, Buffer>();
  for (const [group, key] of listOf(soleVector(extension, 2), (items): [number, Buffer] => [
    items.u16(),
    items.take(items.u16()),
  ])) {
    if (shares.has(group)) {
      throw tlsAlert(alerts.illegalParameter, `two key shares of group ${group}`);
    }
    shares.set(group, key);
  }
  return shares;
}

function needed(extensions: ReadonlyMap<number, Buffer>, type: number): Buffer {
  const extension = extensions.get(type);
  if (extension === undefined) {
    throw tlsAlert(alerts.missingExtension, `extension ${type} is missing`);
  }
  return extension;
}

/**
 * @returns the tickets, and the number of bytes that the binders take at the end of the ClientHello. Source: RFC 8446,
 * section 4.2.11
 */
function ticketsOf(extensions: ReadonlyMap<number, Buffer>): {
  tickets: OfferedTicket[];
  binderBytes: number;
} {
  const extension = extensions.get(extensionTypes.preSharedKey);
  if (extension === undefined) {
    return { tickets: [], binderBytes: 0 };
  }
  if ([...extensions.keys()].at(-1) !== extensionTypes.preSharedKey) {
    throw tlsAlert(alerts.illegalParameter, "pre_shared_key is not the last extension");
  }
  const modes = soleVector(needed(extensions, extensionTypes.pskModes), 1);
  const content = reader(extension);
  const identities = listOf(content.take(content.u16()), (items) => {
    const ticket = items.take(items.u16());
    return { ticket, hiddenAge: items.u32() };
  });
  const binderBytes = content.left;
  const binders = listOf(content.take(content.u16()), (items) => items.take(items.u8()));
  if (content.left > 0 || binders.length !== identities.length || binders.length === 0) {
    throw tlsAlert(alerts.illegalParameter, "not as many binders as tickets");
  }
  const tickets = identities
    .slice(0, modes.includes(pskWithKeyExchange) ? maxTickets : 0)
    .map((identity, index) => ({ ...identity, binder: binders[index] as Buffer }));
  return { tickets, binderBytes };
}

/** @throws QuicError with an alert for early data without a ticket. Source: RFC 8446, section 4.2.10 */
function sendsEarlyData(extensions: ReadonlyMap<number, Buffer>): boolean {
  const extension = extensions.get(extensionTypes.earlyData);
  if (extension !== undefined && (extension.length > 0 || !extensions.has(extensionTypes.preSharedKey))) {
    throw tlsAlert(alerts.illegalParameter, "early data without a ticket, or with a content");
  }
  return extension !== undefined;
}

/**
 * Reads a ClientHello, without its message header.
 * @throws QuicError with an alert for a malformed message, another TLS version, or missing extensions of QUIC
 * Source: RFC 8446, section 4.1.2; RFC 9001, section 8
 */
export function readClientHello(body: Buffer): ClientHello {
  const hello = reader(body);
  // The legacy version has no meaning: supported_versions counts.
  hello.u16();
  hello.take(32);
  if (hello.u8() !== 0) {
    throw new QuicError(transportErrors.protocolViolation, "a session id in the ClientHello", 0x06);
  }
  const suites = numbersOf(hello.take(hello.u16()));
  const compressions = hello.take(hello.u8());
  if (compressions.length !== 1 || compressions[0] !== 0) {
    throw tlsAlert(alerts.illegalParameter, "a compression in the ClientHello");
  }
  const extensions = extensionsOf(hello.left > 0 ? hello.take(hello.u16()) : Buffer.alloc(0));
  if (hello.left > 0) {
    throw tlsAlert(alerts.decodeError, "bytes behind the ClientHello");
  }
  const versions = numbersOf(soleVector(extensions.get(extensionTypes.supportedVersions), 1));
  if (!versions.includes(tls13)) {
    throw tlsAlert(alerts.protocolVersion, "the client does not offer TLS 1.3");
  }
  const { tickets, binderBytes } = ticketsOf(extensions);
  return {
    tickets,
    sendsEarlyData: sendsEarlyData(extensions),
    binderlessBytes: body.length - binderBytes,
    cipherSuites: suites,
    serverName: serverNameOf(extensions.get(extensionTypes.serverName)),
    groups: numbersOf(soleVector(needed(extensions, extensionTypes.supportedGroups), 2)),
    keyShares: keySharesOf(needed(extensions, extensionTypes.keyShare)),
    signatureSchemes: numbersOf(soleVector(needed(extensions, extensionTypes.signatureAlgorithms), 2)),
    protocols: listOf(soleVector(extensions.get(extensionTypes.alpn), 2), (items) =>
      items.take(items.u8()).toString("latin1"),
    ),
    transportParameters: needed(extensions, extensionTypes.transportParameters),
  };
}
