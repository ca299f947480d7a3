import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * The state of a link.
 * - `open`: bytes pass.
 * - `cut`: connections are reset, and so is whoever connects: the other side is down.
 * - `silent`: nothing passes, and nobody gets an error, as with an unplugged cable. Waiting data passes when
 *   the link is open again.
 * - `slow`: each piece waits, and a piece is at most 64 KiB.
 */
export type LinkState = "open" | "cut" | "silent" | "slow";

/** How long each piece waits on a slow link. */
const slowMs = 150;

interface Passage {
  readonly ends: readonly [Socket, Socket];
}

/** A TCP proxy between two processes, whose faults are those of a network. Bytes are never changed, lost or doubled. */
export class FaultLink {
  readonly #target: string;
  readonly #server: Server;
  readonly #passages = new Set<Passage>();
  #state: LinkState = "open";
  #changed = Promise.withResolvers<void>();

  /** @param target host:port that it leads to; it need not listen yet */
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
      // A side that is reset takes the other with it; one that closed in order has ended its half already.
      end.on("close", (hadError) => {
        this.#passages.delete(passage);
        if (hadError || !end.readableEnded) {
          other.resetAndDestroy();
        }
      });
      void this.#carry(end, other);
    }
  }

  /** Carries bytes one way, until that way ends. */
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
      // The connection is gone; both ends hear of it by themselves.
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
