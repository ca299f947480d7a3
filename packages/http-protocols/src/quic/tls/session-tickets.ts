import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomInt } from "node:crypto";
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

/** Conditions under which a ticket's early data is taken. */
export interface EarlyDataTerms {
  /** Number of the ticket within the memory of used tickets. */
  readonly serial: number;
  /** Number of that memory. Tickets of another one are unknown, so their early data is not taken. */
  readonly epoch: number;
  /** Hash of everything that the client remembers of the session: protocol and limits. */
  readonly terms: Buffer;
}

/** A session that a ticket resumes. */
export interface TicketSession {
  /** Secret that both ends share since the first handshake. */
  readonly psk: Buffer;
  /** TLS number of the cipher suite. The secret belongs to the hash of this suite. */
  readonly suite: number;
  /** Server name of the session; "" when the client sent none. */
  readonly serverName: string;
  /** Undefined: the ticket allows no early data. */
  readonly earlyData?: EarlyDataTerms | undefined;
}

/** A session from a ticket, with the age of the ticket. */
export interface OpenedTicket extends TicketSession {
  /** Milliseconds since the ticket was sealed. */
  readonly ageMs: number;
  /** Number that the client adds to the age, modulo 2^32. */
  readonly ageAdd: number;
}

/** An encrypted ticket, as sent in NewSessionTicket. */
export interface SealedTicket {
  /** Encrypted state of the session; the server stores nothing. */
  readonly ticket: Buffer;
  /** Seconds after which the client must not use the ticket any more. */
  readonly lifetimeSeconds: number;
  /** Random number below 2^32 that hides the ticket's age from observers. */
  readonly ageAdd: number;
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
  const ageAdd = randomInt(2 ** 32);
  const { earlyData } = session;
  const content = new ByteWriter(512)
    .varint(now())
    .u16(session.suite)
    .vector(1, (writer) => writer.bytes(session.psk))
    .vector(1, (writer) => writer.bytes(Buffer.from(session.serverName, "latin1")))
    .u32(ageAdd)
    .vector(1, (writer) => {
      if (earlyData !== undefined) {
        writer.varint(earlyData.serial).varint(earlyData.epoch).bytes(earlyData.terms);
      }
    }).written;
  const ticket = Buffer.concat([name, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { ticket, ageAdd, lifetimeSeconds: Math.min(lifetimeSeconds, maxLifetimeSeconds) };
}

/** Decrypts a ticket. @returns undefined when the key is unknown, or the ticket is too old or was changed */
export function openTicket(tickets: SessionTickets, ticket: Buffer): OpenedTicket | undefined {
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
    const ageMs = now() - reader.varint();
    const suite = reader.u16();
    const psk = reader.take(reader.u8());
    const serverName = reader.take(reader.u8()).toString("latin1");
    const ageAdd = reader.u32();
    const earlyData = readEarlyData(reader.take(reader.u8()));
    const isFresh = ageMs >= 0 && ageMs < 1_000 * Math.min(lifetimeSeconds, maxLifetimeSeconds);
    return isFresh ? { psk, suite, serverName, ageMs, ageAdd, earlyData } : undefined;
  } catch {
    return undefined;
  }
}

function readEarlyData(bytes: Buffer): EarlyDataTerms | undefined {
  if (bytes.length === 0) {
    return undefined;
  }
  const reader = new ByteReader(bytes, shortTicket);
  return { serial: reader.varint(), epoch: reader.varint(), terms: reader.take(reader.left) };
}
