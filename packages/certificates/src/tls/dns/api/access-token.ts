/** A token that grants access until `endsAtMs`. */
export interface AccessToken {
  /** The secret token, which each call contains. Anybody with this token may change the zones. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly endsAtMs: number;
}

/** Time in milliseconds before its expiry from which a token is no longer used. */
const marginMs = 60_000;

/**
 * Caches a token until shortly before its expiry. Callers that come while a token is being requested wait for the same
 * response.
 */
export class KeptToken {
  readonly #obtain: () => Promise<AccessToken>;
  #token: Promise<AccessToken> | undefined;
  #endsAtMs = 0;

  constructor(obtain: () => Promise<AccessToken>) {
    this.#obtain = obtain;
  }

  /** @throws any error of `obtain`; the next call tries again */
  async get(): Promise<string> {
    if (this.#token === undefined || Date.now() > this.#endsAtMs - marginMs) {
      this.#endsAtMs = Number.POSITIVE_INFINITY;
      this.#token = this.#obtain();
    }
    try {
      const { token, endsAtMs } = await this.#token;
      this.#endsAtMs = endsAtMs;
      return token;
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }
}
