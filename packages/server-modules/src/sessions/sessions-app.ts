import { configDuration } from "server-core/modules/config-fields";
import { type App, defineModule } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import { z } from "zod";
import { SessionKeyRing } from "./session-key-ring.ts";
import { type KeysRequest, sessionTopics, type WorkResult } from "./session-messages.ts";
import { SharedWork } from "./shared-work.ts";

const dayMs = 24 * 3_600_000;
/** Matches a purpose, which becomes part of a file name. */
const purposePattern = /^[\w-]{1,64}$/;

/** Lifetimes of keys. They must exceed the lifetimes of sessions. */
const schema = z.strictObject({
  rotation_interval: configDuration().nullish().describe("A key seals sessions for so long (7d)."),
  keep_keys: configDuration().nullish().describe("And opens them for so long after that (30d)."),
});

/** Shared work as a resource that outlives configs. */
class SharedWorkResource extends SharedWork implements SharedResource {
  close(): void {}
}

const sharedWorks: ResourceKind<SharedWorkResource> = { name: "sessions.work" };

/** The app `sessions`: keys for session cookies of handlers, one set for all threads and instances. */
class SessionsApp implements App {
  readonly #config: z.infer<typeof schema>;
  readonly #context: ModuleContext;
  /** Keys by purpose, created on first use. */
  readonly #rings = new Map<string, SessionKeyRing>();

  constructor(config: z.infer<typeof schema>, context: ModuleContext) {
    this.#config = config;
    this.#context = context;
  }

  async start(): Promise<void> {
    const { messages } = this.#context;
    const { value: work } = await this.#context.acquire(sharedWorks, "", () => new SharedWorkResource());
    messages.on(sessionTopics.keys, (value) => {
      const { purpose, wanted } = value as KeysRequest;
      return this.#ring(purpose).keys(wanted);
    });
    messages.on(sessionTopics.askWork, (key) => work.ask(String(key)));
    messages.on(sessionTopics.settleWork, (value) => {
      const { key, result } = value as WorkResult;
      work.settle(key, result);
    });
  }

  activate(): void {}

  async stop(): Promise<void> {}

  /** The keys of a purpose. @throws Error for an invalid purpose */
  #ring(purpose: string): SessionKeyRing {
    if (!purposePattern.test(purpose)) {
      throw new Error(`purpose of session keys ${JSON.stringify(purpose)}`);
    }
    let ring = this.#rings.get(purpose);
    if (ring === undefined) {
      ring = new SessionKeyRing(this.#context.storage, purpose, {
        rotateMs: this.#config.rotation_interval || 7 * dayMs,
        keepMs: this.#config.keep_keys ?? 30 * dayMs,
      });
      this.#rings.set(purpose, ring);
    }
    return ring;
  }
}

/** Loaded even without a config, because handlers request keys from it. */
export const sessionsApp = defineModule({
  id: "sessions",
  implied: true,
  config: schema,
  provision: (config, context): App => new SessionsApp(config, context),
});
