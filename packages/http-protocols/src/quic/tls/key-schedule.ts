import { createHash, createHmac, type Hash } from "node:crypto";
import { expandLabel, type HashName, hashBytes, hkdfExtract } from "../protection/hkdf.ts";
import { handshakeTypes } from "./handshake-messages.ts";

/** Secrets of both directions at one encryption level. */
export interface TrafficSecrets {
  /** Secret for packets from the client. */
  readonly client: Buffer;
  /** Secret for packets from the server. */
  readonly server: Buffer;
}

const noContext = Buffer.alloc(0);

/** Values that are equal in all handshakes with the same hash. */
interface HashConstants {
  readonly emptyHash: Buffer;
  readonly zeros: Buffer;
  /** The early secret of a handshake without a ticket. */
  readonly earlySecret: Buffer;
}

function constantsOf(hash: HashName): HashConstants {
  const zeros = Buffer.alloc(hashBytes(hash));
  return { emptyHash: createHash(hash).digest(), zeros, earlySecret: hkdfExtract(hash, noContext, zeros) };
}

const constants = { sha256: constantsOf("sha256"), sha384: constantsOf("sha384") };

/** The transcript of a handshake, and the secrets derived from the transcript. Source: RFC 8446, section 7.1 */
export class KeySchedule {
  readonly #hash: HashName;
  readonly #emptyHash: Buffer;
  readonly #zeros: Buffer;
  #transcript: Hash;
  #secret: Buffer;

  constructor(hash: HashName) {
    this.#hash = hash;
    const { emptyHash, zeros, earlySecret } = constants[hash];
    this.#emptyHash = emptyHash;
    this.#zeros = zeros;
    this.#transcript = createHash(hash);
    this.#secret = earlySecret;
  }

  /** Adds a whole handshake message, including its header. */
  addMessage(message: Uint8Array): void {
    this.#transcript.update(message);
  }

  /** Replaces the first ClientHello by its hash, for a HelloRetryRequest. Source: RFC 8446, section 4.4.1 */
  replaceFirstHello(): void {
    const first = this.transcriptHash();
    this.#transcript = createHash(this.#hash)
      .update(Buffer.of(handshakeTypes.messageHash, 0, 0, first.length))
      .update(first);
  }

  /** Includes the secret of an earlier session in the derivation. Must be called before `handshakeSecrets`. */
  usePsk(psk: Uint8Array): void {
    this.#secret = hkdfExtract(this.#hash, noContext, psk);
  }

  /** Secret of early data. The transcript must consist of the ClientHello. */
  earlyTrafficSecret(psk: Uint8Array): Buffer {
    const early = hkdfExtract(this.#hash, noContext, psk);
    const context = this.transcriptHash();
    return expandLabel(this.#hash, early, { label: "c e traffic", context, length: hashBytes(this.#hash) });
  }

  /**
   * Computes the proof that a client has the secret of its ticket.
   * @param hello the ClientHello up to its binders; earlier messages are in the transcript. Source: RFC 8446, section 4.2.11.2
   */
  binder(psk: Uint8Array, hello: Uint8Array): Buffer {
    const length = hashBytes(this.#hash);
    const early = hkdfExtract(this.#hash, noContext, psk);
    const secret = expandLabel(this.#hash, early, { label: "res binder", context: this.#emptyHash, length });
    const key = expandLabel(this.#hash, secret, { label: "finished", length });
    return createHmac(this.#hash, key).update(this.#transcript.copy().update(hello).digest()).digest();
  }

  /** Secret of a ticket. The transcript must include the client's Finished. Source: RFC 8446, section 4.6.1 */
  resumptionPsk(nonce: Uint8Array): Buffer {
    const length = hashBytes(this.#hash);
    const secret = expandLabel(this.#hash, this.#secret, {
      label: "res master",
      context: this.transcriptHash(),
      length,
    });
    return expandLabel(this.#hash, secret, { label: "resumption", context: nonce, length });
  }

  transcriptHash(): Buffer {
    return this.#transcript.copy().digest();
  }

  /** Secrets of Handshake packets. The transcript must include ServerHello. */
  handshakeSecrets(sharedSecret: Uint8Array): TrafficSecrets {
    this.#advance(sharedSecret);
    return this.#trafficSecrets("hs");
  }

  /** Secrets of 1-RTT packets. The transcript must include the server's Finished. */
  applicationSecrets(): TrafficSecrets {
    this.#advance(this.#zeros);
    return this.#trafficSecrets("ap");
  }

  /** `verify_data` of a Finished message over the transcript so far. */
  finished(secret: Uint8Array): Buffer {
    const key = expandLabel(this.#hash, secret, { label: "finished", length: hashBytes(this.#hash) });
    return createHmac(this.#hash, key).update(this.transcriptHash()).digest();
  }

  #advance(input: Uint8Array): void {
    const length = hashBytes(this.#hash);
    const derived = { label: "derived", context: this.#emptyHash, length };
    const salt = expandLabel(this.#hash, this.#secret, derived);
    this.#secret = hkdfExtract(this.#hash, salt, input);
  }

  #trafficSecrets(level: "hs" | "ap"): TrafficSecrets {
    const context = this.transcriptHash();
    const length = hashBytes(this.#hash);
    const derive = (side: "c" | "s") =>
      expandLabel(this.#hash, this.#secret, { label: `${side} ${level} traffic`, context, length });
    return { client: derive("c"), server: derive("s") };
  }
}
