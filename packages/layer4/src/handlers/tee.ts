import { Duplex } from "node:stream";
import { messageOf } from "server-core/errors";
import { inlineModule } from "server-core/modules/config-fields";
import { defineModule } from "server-core/modules/module";
import { z } from "zod";
import type { Handler } from "../routes/handler.ts";
import { loadHandlers, runHandlers } from "../routes/routes.ts";

/**
 * The stream of the branch: it reads the same bytes as the next handlers, and may write to the client. It ends when the
 * client ends. A branch that ends earlier gets no more bytes, and the next handlers continue.
 */
class BranchStream extends Duplex {
  readonly #client: Duplex;
  /** Called when the branch reads again; set while its buffer is full. */
  #onRead: (() => void) | undefined;

  constructor(client: Duplex) {
    super({ allowHalfOpen: true });
    this.#client = client;
  }

  /** Passes a chunk of the client on; null at the end. @param taken called when the branch accepts more */
  give(chunk: Buffer | null, taken: () => void): void {
    if (this.destroyed || this.push(chunk) || chunk === null) {
      taken();
    } else {
      this.#onRead = taken;
    }
  }

  override _read(): void {
    const taken = this.#onRead;
    this.#onRead = undefined;
    taken?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#client.write(chunk, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const taken = this.#onRead;
    this.#onRead = undefined;
    done(error);
    taken?.(); // an ended branch does not delay the next handlers
  }
}

/**
 * The stream of the next handlers: they get each chunk once the branch has accepted it. So the slower of both sets the
 * pace, and at most one chunk waits.
 */
class TeedStream extends Duplex {
  readonly #below: Duplex;
  /** True while a chunk waits for the branch. */
  #waits = false;

  constructor(below: Duplex, branch: BranchStream) {
    super({ allowHalfOpen: true });
    this.#below = below;
    below.pause();
    below.on("data", (chunk: Buffer) => {
      below.pause();
      this.#waits = true;
      branch.give(chunk, () => {
        this.#waits = false;
        if (this.push(chunk)) {
          below.resume();
        }
      });
    });
    below.on("end", () => {
      branch.give(null, () => this.push(null));
    });
    below.on("error", (error) => this.destroy(error));
    below.once("close", () => {
      branch.destroy();
      this.destroy();
    });
  }

  override _read(): void {
    if (!this.#waits) {
      this.#below.resume();
    }
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#below.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#below.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#below.destroy();
    done(error);
  }
}

/** Runs handlers in parallel with the next ones, on the same bytes. Source: caddy-l4, `layer4.handlers.tee` */
export const tee = defineModule({
  id: "layer4.handlers.tee",
  config: z.strictObject({
    branch: z
      .array(inlineModule("layer4.handlers", "handler"))
      .nullish()
      .describe("Handlers that get every byte that the next ones get; who reads slower sets the pace."),
  }),
  async provision(config, context): Promise<Handler> {
    const branch = await loadHandlers(config.branch ?? [], context, "branch");
    return {
      handle(connection, next) {
        const below = connection.take();
        const aside = new BranchStream(below);
        const teed = new TeedStream(below, aside);
        for (const stream of [aside, teed]) {
          stream.on("error", () => {}); // readers and writers of the stream get the error themselves
        }
        const beside = connection.over(aside);
        runHandlers(branch, beside, async () => {})
          .catch((error: unknown) => {
            context.log.error(
              `${connection.addresses.remote}: handling the connection in a branch: ${messageOf(error)}`,
            );
          })
          .finally(() => aside.destroy());
        return next(connection.over(teed));
      },
    };
  },
});
