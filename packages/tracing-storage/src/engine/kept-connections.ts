import type { NativeBinding, NativeConnection } from "./native-binding.ts";

/**
 * Idle connections for queries of the same kind, because opening and preparing a connection takes as long as a small
 * query. Queries are of the same kind if their keys are equal; a key contains all settings that are not sent again.
 * Above the limit, the connection that was idle for the longest time is closed, because each connection needs about 200
 * KiB.
 */
export class KeptConnections {
  readonly #native: Pick<NativeBinding, "CloseConnection">;
  readonly #maxIdle: number;
  /** Idle connections; the connection used last is at the end. */
  readonly #idle: { readonly key: string; readonly connection: NativeConnection }[] = [];

  constructor(native: Pick<NativeBinding, "CloseConnection">, maxIdle: number) {
    this.#native = native;
    this.#maxIdle = maxIdle;
  }

  /** @returns a connection that no other query uses; undefined if no connection of this kind is idle */
  take(key: string): NativeConnection | undefined {
    const at = this.#idle.findLastIndex((kept) => kept.key === key);
    return at === -1 ? undefined : this.#idle.splice(at, 1)[0]?.connection;
  }

  /** The last query on the connection must have succeeded, because its state is unknown after a failure. */
  give(key: string, connection: NativeConnection): void {
    this.#idle.push({ key, connection });
    if (this.#idle.length > this.#maxIdle) {
      this.#close(1);
    }
  }

  closeAll(): void {
    this.#close(this.#idle.length);
  }

  #close(count: number): void {
    for (const { connection } of this.#idle.splice(0, count)) {
      this.#native.CloseConnection(connection);
    }
  }
}
