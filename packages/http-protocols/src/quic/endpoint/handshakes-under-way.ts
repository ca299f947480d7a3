import { isIPv6 } from "node:net";

/** Limits of unfinished handshakes, for all clients together and for each client. */
export interface HandshakeLimits {
  /** Handshakes of all clients that may run at once. Each handshake uses about 60 kB for up to 10 seconds. */
  readonly total: number;
  /**
   * Handshakes that one IPv4 address, or one /64 network of IPv6, may run at once. Many clients may share an address.
   */
  readonly perClient: number;
}

export const defaultHandshakeLimits: HandshakeLimits = { total: 4_096, perClient: 1_024 };

/** An IPv6 client owns all addresses of its network, so the first 64 bits identify the client. */
function clientOf(address: string): string {
  if (!isIPv6(address)) {
    return address;
  }
  const [head = "", tail] = address.split("::");
  const groups = head.split(":").filter((group) => group !== "");
  if (tail === undefined || groups.length >= 4) {
    return groups.slice(0, 4).join(":");
  }
  const last = tail.split(":").filter((group) => group !== "");
  const zeros = Array.from({ length: Math.max(8 - groups.length - last.length, 0) }, () => "0");
  return [...groups, ...zeros, ...last].slice(0, 4).join(":");
}

/** Counts unfinished handshakes, so that one client cannot use up the memory for all. */
export class HandshakesUnderWay {
  readonly #limits: HandshakeLimits;
  readonly #byClient = new Map<string, number>();
  #total = 0;

  constructor(limits: HandshakeLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  /** True when a client must wait until other handshakes end. */
  isFull(address: string): boolean {
    const { total, perClient } = this.#limits;
    return this.#total >= total || (this.#byClient.get(clientOf(address)) ?? 0) >= perClient;
  }

  /** Counts a handshake. @returns a function to call at its end; a second call does nothing */
  begin(address: string): () => void {
    const client = clientOf(address);
    this.#total++;
    this.#byClient.set(client, (this.#byClient.get(client) ?? 0) + 1);
    let underWay = true;
    return () => {
      if (!underWay) {
        return;
      }
      underWay = false;
      this.#total--;
      const left = (this.#byClient.get(client) ?? 1) - 1;
      if (left === 0) {
        this.#byClient.delete(client);
      } else {
        this.#byClient.set(client, left);
      }
    };
  }
}
