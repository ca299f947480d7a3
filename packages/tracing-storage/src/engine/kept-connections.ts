import type { NativeBinding, NativeConnection } from "./native-binding.ts";

/**
 * Connections that are kept between questions of one kind, because to open one and set it up takes as long as
 * a small question. The kind is the key, which names all settings that are not sent again. When there are too
 * many, the one that waited longest is closed; each takes about 200 KiB.
 */
export class KeptConnections {
  readonly #native: Pick<NativeBinding, "CloseConnection">;
  readonly #maxIdle: number;
  /** Idle connections, newest last. */
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

  /** The connection must be idle after a successful question; the state after a failed one is unknown. */
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
