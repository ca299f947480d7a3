import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The state of a link.
 * - `open`: bytes pass.
 * - `cut`: existing and new connections are reset, as when the other side is down.
 * - `silent`: no bytes pass, and neither side gets an error, as with an unplugged cable. Waiting data passes when the
 *   link is open again.
 * - `slow`: each piece is delayed, and a piece has at most 64 KiB.
 */
export type LinkState = "open" | "cut" | "silent" | "slow";

/** Milliseconds for which each piece waits on a slow link. */
const slowMs = 150;

interface Passage {
  readonly ends: readonly [Socket, Socket];
}

/** A TCP proxy between two processes that can act like a faulty network. Bytes are never changed, lost or doubled. */
export class FaultLink {
  readonly #target: string;
  readonly #server: Server;
  readonly #passages = new Set<Passage>();
  #state: LinkState = "open";
  #changed = Promise.withResolvers<void>();

  /** @param target host:port of the other side, which may start later */
  constructor(target: string) {
    this.#target = target;
    this.#server = createServer({ allowHalfOpen: true }, (near) => this.#accept(near));
  }

  /** @returns host:port of the link itself */
  async open(): Promise<string> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  set(state: LinkState): void {
    this.#state = state;
    const { resolve } = this.#changed;
    this.#changed = Promise.withResolvers();
    resolve();
    if (state === "cut") {
      this.#breakAll();
    }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.set("cut");
    await closed;
  }

  #breakAll(): void {
    for (const { ends } of this.#passages) {
      for (const end of ends) {
        end.resetAndDestroy();
      }
    }
  }

  #accept(near: Socket): void {
    near.on("error", () => {});
    if (this.#state === "cut") {
      near.resetAndDestroy();
      return;
    }
    const [host = "", port = ""] = this.#target.split(":");
    const far = connect({ host, port: Number(port), allowHalfOpen: true });
    far.on("error", () => near.resetAndDestroy());
    const passage: Passage = { ends: [near, far] };
    this.#passages.add(passage);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      end.setNoDelay(true);
      // A reset on one side resets the other; a side that closed normally has already ended its half.
      end.on("close", (hadError) => {
        this.#passages.delete(passage);
        if (hadError || !end.readableEnded) {
          other.resetAndDestroy();
        }
      });
      void this.#carry(end, other);
    }
  }

  /** Carries bytes in one direction until it ends. */
  async #carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const piece of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        await this.#pass();
        if (to.destroyed) {
          return;
        }
        if (!to.write(piece)) {
          await Promise.race([once(to, "drain"), once(to, "close")]);
        }
      }
      await this.#pass();
      to.end();
    } catch {
      // The connection has ended; both ends notice this themselves.
    }
  }

  async #pass(): Promise<void> {
    if (this.#state === "slow") {
      await sleep(slowMs);
    }
    while (this.#state === "silent") {
      await this.#changed.promise;
    }
  }
}
