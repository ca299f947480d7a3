import type { CipherSuite } from "../protection/cipher-suites.ts";
import { type OpenedPacket, openPacket, type PacketKeys, packetKeysOf } from "../protection/packet-keys.ts";
import type { PacketHeader } from "../wire/packet-header.ts";

/**
 * Reading side of 0-RTT packets.
 *
 * | State | 0-RTT packets |
 * |---|---|
 * | `undecided` | kept, because the ClientHello may follow |
 * | `taken` | read |
 * | `over` | dropped; the client sends their frames again in 1-RTT packets |
 */
export class EarlyData {
  #state: "undecided" | "taken" | "over" = "undecided";
  #keys: PacketKeys | undefined;
  /** Time from which packets are dropped. Late ones are read for a while after the handshake. */
  #endsAt = Number.POSITIVE_INFINITY;
  /** True when the state has changed and kept packets were not looked at again. */
  hasNews = false;

  get isUndecided(): boolean {
    return this.#state === "undecided";
  }

  /** True when the client's early data was taken, even if the handshake is over now. */
  wasTaken = false;

  /** @param secret undefined: early data is not taken */
  decide(suite: CipherSuite, secret: Buffer | undefined): void {
    this.hasNews = true;
    this.wasTaken = secret !== undefined;
    this.#state = this.wasTaken ? "taken" : "over";
    this.#keys = secret && packetKeysOf(suite, secret);
  }

  /** Called for each 1-RTT packet. @param graceMs time after the first one in which late 0-RTT packets are read */
  onOneRttPacket(now: number, graceMs: number): void {
    if (this.#endsAt === Number.POSITIVE_INFINITY) {
      this.#endsAt = now + graceMs;
    } else if (now >= this.#endsAt) {
      this.#state = "over";
      this.#keys = undefined;
    }
  }

  /** True while packets are read or kept. */
  isReadable(now: number): boolean {
    return this.#state !== "over" && now < this.#endsAt;
  }

  /** @returns undefined for bytes that were not encrypted with the keys */
  open(datagram: Buffer, header: PacketHeader, largest: number): OpenedPacket | undefined {
    return this.#keys && openPacket(this.#keys, datagram, header, largest);
  }
}
