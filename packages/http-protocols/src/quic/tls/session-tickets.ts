import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { ByteReader } from "../wire/byte-reader.ts";
import { ByteWriter } from "../wire/byte-writer.ts";

/**
 * Tickets let returning clients skip certificates and signatures. Anybody with the ticket keys can read the secrets of
 * such connections.
 */
export interface SessionTickets {
  /**
   * Keys of 32 bytes or more: the first one encrypts, all of them decrypt. This is called for each handshake, so keys
   * can change. Without keys there are no tickets.
   */
  readonly keys: () => readonly Buffer[];
  /** Lifetime of tickets in seconds: at most 604,800. Default: 7,200. */
  readonly lifetimeSeconds?: number;
  /** Returns the time in milliseconds since 1970. Default: the system's clock. */
  readonly now?: () => number;
}

/** A session that a ticket resumes. */
export interface TicketSession {
  /** Secret that both ends share since the first handshake. */
  readonly psk: Buffer;
  /** TLS number of the cipher suite. The secret belongs to the hash of this suite. */
  readonly suite: number;
  /** Server name of the session; "" when the client sent none. */
  readonly serverName: string;
}

/** An encrypted ticket, as sent in NewSessionTicket. */
export interface SealedTicket {
  /** Encrypted state of the session; the server stores nothing. */
  readonly ticket: Buffer;
  /** Seconds after which the client must not use the ticket any more. */
  readonly lifetimeSeconds: number;
}

const nameBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const defaultLifetimeSeconds = 7_200;
/** Longest lifetime of a ticket in seconds: seven days. Source: RFC 8446, section 4.6.1 */
const maxLifetimeSeconds = 604_800;
const shortTicket = () => new RangeError("the ticket ends too early");

const derived = (key: Buffer, label: string) => createHmac("sha256", key).update(label).digest();
const nameOf = (key: Buffer) => derived(key, "name of a ticket's key").subarray(0, nameBytes);

/** Encrypts a session with the first key. @returns undefined without keys */
export function sealTicket(tickets: SessionTickets, session: TicketSession): SealedTicket | undefined {
  const [key] = tickets.keys();
  if (key === undefined) {
    return undefined;
  }
  const { now = Date.now, lifetimeSeconds = defaultLifetimeSeconds } = tickets;
  const name = nameOf(key);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", derived(key, "ticket"), nonce).setAAD(name);
  const content = new ByteWriter(256)
    .varint(now())
    .u16(session.suite)
    .vector(1, (writer) => writer.bytes(session.psk))
    .vector(1, (writer) => writer.bytes(Buffer.from(session.serverName, "latin1"))).written;
  const ticket = Buffer.concat([name, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { ticket, lifetimeSeconds: Math.min(lifetimeSeconds, maxLifetimeSeconds) };
}

/** Decrypts a ticket. @returns undefined when the key is unknown, or the ticket is too old or was changed */
export function openTicket(tickets: SessionTickets, ticket: Buffer): TicketSession | undefined {
  if (ticket.length < nameBytes + nonceBytes + tagBytes) {
    return undefined;
  }
  const name = ticket.subarray(0, nameBytes);
  const key = tickets.keys().find((candidate) => nameOf(candidate).equals(name));
  if (key === undefined) {
    return undefined;
  }
  const { now = Date.now, lifetimeSeconds = defaultLifetimeSeconds } = tickets;
  const nonceEnd = nameBytes + nonceBytes;
  const decipher = createDecipheriv(
    "aes-256-gcm",
    derived(key, "ticket"),
    ticket.subarray(nameBytes, nonceEnd),
  )
    .setAAD(name)
    .setAuthTag(ticket.subarray(-tagBytes));
  try {
    const content = Buffer.concat([decipher.update(ticket.subarray(nonceEnd, -tagBytes)), decipher.final()]);
    const reader = new ByteReader(content, shortTicket);
    const age = now() - reader.varint();
    const suite = reader.u16();
    const psk = reader.take(reader.u8());
    const serverName = reader.take(reader.u8()).toString("latin1");
    const isFresh = age >= 0 && age < 1_000 * Math.min(lifetimeSeconds, maxLifetimeSeconds);
    return isFresh ? { psk, suite, serverName } : undefined;
  } catch {
    return undefined;
  }
}
