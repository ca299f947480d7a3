import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

/** Seconds for which a challenge is valid. */
export const challengeLifetimeS = 300;
const expiryBytes = 4;
const randomLength = 16;
const signedBytes = expiryBytes + randomLength;
const signatureBytes = 16;

/** Maximum number of used challenges that are remembered. */
const slots = 16_384;
/** Number of slots in which a challenge may be recorded. */
const probes = 16;
/** Bytes of the table of used challenges. */
export const usedChallengeBytes = slots * BigInt64Array.BYTES_PER_ELEMENT;

const secondsNow = () => Math.floor(Date.now() / 1000);

/** The one action that a challenge allows. */
export type ChallengePurpose = "sign_in" | "register" | "remove";

/**
 * Challenges of one handler. A challenge is signed, so any thread can check it without having stored it. It is valid
 * once, for one user and one purpose, for five minutes. Used challenges are recorded in memory shared by all threads.
 */
export class Challenges {
  readonly #key: Buffer;
  readonly #used: BigInt64Array;

  /** @param memory memory of {@link usedChallengeBytes}, zero at first */
  constructor(key: Buffer, memory: SharedArrayBuffer) {
    this.#key = key;
    this.#used = new BigInt64Array(memory);
  }

  /** A new challenge in base64url. */
  create(user: string, purpose: ChallengePurpose): string {
    const head = Buffer.alloc(expiryBytes);
    head.writeUInt32BE(secondsNow() + challengeLifetimeS);
    const signed = Buffer.concat([head, randomBytes(randomLength)]);
    return Buffer.concat([signed, this.#signature(signed, user, purpose)]).toString("base64url");
  }

  /** Uses a challenge up. @returns false if it was made for another user or purpose, expired, or was used */
  take(challenge: string, user: string, purpose: ChallengePurpose): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    if (bytes.length !== signedBytes + signatureBytes) {
      return false;
    }
    const signed = bytes.subarray(0, signedBytes);
    if (!timingSafeEqual(bytes.subarray(signedBytes), this.#signature(signed, user, purpose))) {
      return false;
    }
    const expiry = signed.readUInt32BE(0);
    return expiry > secondsNow() && this.#useOnce(signed, expiry);
  }

  #signature(signed: Buffer, user: string, purpose: ChallengePurpose): Buffer {
    return createHmac("sha256", this.#key)
      .update(signed)
      .update(`${purpose}\0${user}`)
      .digest()
      .subarray(0, signatureBytes);
  }

  /** Writes the challenge to a free slot, in one step: hash in the upper half, expiry in the lower one. */
  #useOnce(signed: Buffer, expiry: number): boolean {
    const digest = createHash("sha256").update(signed).digest();
    const entry = (digest.readBigInt64BE(0) & ~0xff_ff_ff_ffn) | BigInt(expiry);
    const first = digest.readUInt32BE(8);
    const now = BigInt(secondsNow());
    for (let probe = 0; probe < probes; ) {
      const slot = (first + probe) % slots;
      const found = Atomics.load(this.#used, slot);
      if (found === entry) {
        return false;
      }
      if ((found & 0xff_ff_ff_ffn) > now) {
        probe++;
      } else if (Atomics.compareExchange(this.#used, slot, found, entry) === found) {
        return true;
      }
    }
    return false; // all slots hold recent challenges: the user is asked again
  }
}
