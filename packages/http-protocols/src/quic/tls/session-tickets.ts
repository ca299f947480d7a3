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
  /** At most 604,800. Default: 7,200. */
  readonly lifetimeSeconds?: number;
  /** Milliseconds since 1970; the default is the system's time. */
  readonly now?: () => number;
}

/** A session that a ticket brings back. */
export interface TicketSession {
  /** Secret that both ends share since. */
  readonly psk: Buffer;
  /** Number in TLS of the cipher suite, whose hash the secret is for. */
  readonly suite: number;
  /** "" without one. */
  readonly serverName: string;
}

/** A ticket that was sealed, as NewSessionTicket carries it. */
export interface SealedTicket {
  /** Encrypted state of the session; the server stores nothing. */
  readonly ticket: Buffer;
  /** After this time the client must not use it any more. */
  readonly lifetimeSeconds: number;
}

const nameBytes = 8;
const nonceBytes = 12;
const tagBytes = 16;
const defaultLifetimeSeconds = 7_200;
/** Source: RFC 8446, section 4.6.1 */
const maxLifetimeSeconds = 604_800;
const shortTicket = () => new RangeError("the ticket ends too early");

const derived = (key: Buffer, label: string) => createHmac("sha256", key).update(label).digest();
const nameOf = (key: Buffer) => derived(key, "name of a ticket's key").subarray(0, nameBytes);

/** @returns undefined without keys */
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

/** @returns undefined for a ticket of other keys, for one that is too old and for one that was changed */
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
