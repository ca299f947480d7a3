/** A token that grants access for a while, and the time when it ends, in milliseconds since 1970. */
export interface AccessToken {
  /** Sent with each call; whoever has it may change the zones. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly endsAtMs: number;
}

/** How long before its end a token is no longer used. */
const marginMs = 60_000;

/** Keeps a token until shortly before its end. Callers that ask meanwhile wait for one answer. */
export class KeptToken {
  readonly #obtain: () => Promise<AccessToken>;
  #token: Promise<AccessToken> | undefined;
  #endsAtMs = 0;

  constructor(obtain: () => Promise<AccessToken>) {
    this.#obtain = obtain;
  }

  /** @throws what `obtain` throws; the next call tries again */
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
