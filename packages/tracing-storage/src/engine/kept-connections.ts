import type { NativeBinding, NativeConnection } from "./native-binding.ts";

/**
 * Connections between two questions of one kind: to open one and tell it its settings takes as long as a small question. Of a kind are
 * questions with the same key, which names all that a connection was told and is not told again. The one that waited longest is
 * closed when there are too many; one takes some 200 KiB.
 */
export class KeptConnections {
  readonly #native: Pick<NativeBinding, "CloseConnection">;
  readonly #maxIdle: number;
  /** Those that wait, the one that came last at the end. */
  readonly #idle: { readonly key: string; readonly connection: NativeConnection }[] = [];

  constructor(native: Pick<NativeBinding, "CloseConnection">, maxIdle: number) {
    this.#native = native;
    this.#maxIdle = maxIdle;
  }

  /** @returns a connection that its taker has for itself; undefined when none of this kind waits */
  take(key: string): NativeConnection | undefined {
    const at = this.#idle.findLastIndex((kept) => kept.key === key);
    return at === -1 ? undefined : this.#idle.splice(at, 1)[0]?.connection;
  }

  /** Nothing runs on it, and its last question succeeded: what a failed one leaves behind is not known. */
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
