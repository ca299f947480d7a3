import { QuicError, transportErrors } from "../quic-error.ts";
import { ownCopy } from "../wire/own-copy.ts";
import { activeConnectionIdLimit } from "./settings.ts";

/** A connection ID for the peer's packets, and its token for a stateless reset. */
export interface LocalId {
  /** The ID that the peer writes into its packets. */
  readonly id: Buffer;
  /** Token of 16 bytes, derived from the ID and a secret, so that it can be computed without the connection. */
  readonly resetToken: Buffer;
}

/** Finds connections by their IDs. */
export interface ConnectionIdRegistry {
  /** Makes a new ID for the connection. */
  issue(): LocalId;
  /** Forgets the ID. Packets with this ID then belong to no connection. */
  retire(id: Buffer): void;
}

/** IDs for the peer's packets to this side. Source: RFC 9000, section 5.1 */
export class LocalIds {
  readonly #registry: ConnectionIdRegistry;
  /** IDs that the peer may use, by sequence number. */
  readonly #active = new Map<number, LocalId>();
  /** Sequence numbers of IDs that must be sent to the peer in NEW_CONNECTION_ID. */
  readonly announcements = new Set<number>();
  /** Sequence number of the next ID; 0 is the ID of the handshake. */
  #next = 1;

  constructor(registry: ConnectionIdRegistry, first: LocalId) {
    this.#registry = registry;
    this.#active.set(0, first);
  }

  get(sequence: number): LocalId | undefined {
    return this.#active.get(sequence);
  }

  /** Gives the peer as many IDs as it accepts, but no more than this side stores of the peer's IDs. */
  fill(peerLimit: number): void {
    while (this.#active.size < Math.min(peerLimit, activeConnectionIdLimit)) {
      const sequence = this.#next++;
      this.#active.set(sequence, this.#registry.issue());
      this.announcements.add(sequence);
    }
  }

  /** Retires an ID for the peer. @param usedId ID of the packet with the request; it must not be the retired ID */
  retire(sequence: number, usedId: Buffer, peerLimit: number): void {
    if (sequence >= this.#next) {
      throw new QuicError(transportErrors.protocolViolation, "an unknown connection id is retired", 0x19);
    }
    const local = this.#active.get(sequence);
    if (local === undefined) {
      return;
    }
    if (local.id.equals(usedId)) {
      throw new QuicError(transportErrors.protocolViolation, "a connection id retires itself", 0x19);
    }
    this.#active.delete(sequence);
    this.announcements.delete(sequence);
    this.#registry.retire(local.id);
    this.fill(peerLimit);
  }

  /** Forgets all IDs when the connection is over. */
  retireAll(): void {
    for (const { id } of this.#active.values()) {
      this.#registry.retire(id);
    }
    this.#active.clear();
    this.announcements.clear();
  }
}

/** A connection ID that the peer has issued. */
interface RemoteId {
  readonly sequence: number;
  readonly id: Buffer;
  readonly resetToken: Buffer | undefined;
}

/** Maximum number of retirements that wait for an acknowledgment: a peer with more is flooding this side. */
const maxRetirements = 32;

/** IDs for packets to the peer. */
export class RemoteIds {
  /** Destination ID of every packet to the peer. */
  #current: RemoteId;
  /** IDs from the peer that were not used yet, by sequence number. */
  readonly #spare = new Map<number, RemoteId>();
  /** IDs with a smaller sequence number must not be used. Source: RFC 9000, section 19.15 */
  #retirePriorTo = 0;
  /** Sequence numbers that must be sent to the peer in RETIRE_CONNECTION_ID. */
  readonly retirements = new Set<number>();
  #unackedRetirements = 0;

  constructor(id: Buffer) {
    this.#current = { sequence: 0, id, resetToken: undefined };
  }

  get current(): Buffer {
    return this.#current.id;
  }

  /** Replaces the first ID by the server's own ID, or adds its token. Only allowed before any NEW_CONNECTION_ID. */
  replaceFirst(id: Buffer, resetToken?: Buffer): void {
    this.#current = { sequence: 0, id, resetToken };
  }

  /** True when a stateless reset with this token ends the connection. Source: RFC 9000, section 10.3.1 */
  isResetToken(token: Buffer): boolean {
    return (
      this.#current.resetToken?.equals(token) === true ||
      this.#spare.values().some(({ resetToken }) => resetToken?.equals(token) === true)
    );
  }

  /** Stores an ID from NEW_CONNECTION_ID. @throws QuicError PROTOCOL_VIOLATION, CONNECTION_ID_LIMIT_ERROR */
  add(sequence: number, retirePriorTo: number, id: Buffer, resetToken: Buffer): void {
    if (this.#current.id.length === 0) {
      throw new QuicError(transportErrors.protocolViolation, "ids for a peer without connection ids", 0x18);
    }
    const known = sequence === this.#current.sequence ? this.#current : this.#spare.get(sequence);
    if (known !== undefined && !known.id.equals(id)) {
      throw new QuicError(transportErrors.protocolViolation, "a connection id changed", 0x18);
    }
    if (known === undefined) {
      if (sequence < this.#retirePriorTo) {
        this.#retire(sequence);
      } else {
        this.#spare.set(sequence, { sequence, id: ownCopy(id), resetToken: ownCopy(resetToken) });
      }
    }
    if (retirePriorTo > this.#retirePriorTo) {
      this.#retirePriorTo = retirePriorTo;
      for (const old of [...this.#spare.keys()].filter((number) => number < retirePriorTo)) {
        this.#spare.delete(old);
        this.#retire(old);
      }
      if (this.#current.sequence < retirePriorTo && !this.switch()) {
        throw new QuicError(transportErrors.protocolViolation, "no connection id is left", 0x18);
      }
    }
    if (this.#spare.size + 1 > activeConnectionIdLimit) {
      throw new QuicError(transportErrors.connectionIdLimitError, "too many connection ids", 0x18);
    }
  }

  /** Switches to another ID, so that observers cannot link two paths. @returns false when there is none */
  switch(): boolean {
    const next = this.#spare.values().next().value;
    if (next === undefined) {
      return false;
    }
    this.#retire(this.#current.sequence);
    this.#spare.delete(next.sequence);
    this.#current = next;
    return true;
  }

  onRetirementAcked(): void {
    this.#unackedRetirements--;
  }

  #retire(sequence: number): void {
    this.retirements.add(sequence);
    this.#unackedRetirements++;
    if (this.#unackedRetirements > maxRetirements) {
      throw new QuicError(transportErrors.connectionIdLimitError, "too many retired connection ids", 0x18);
    }
  }
}
