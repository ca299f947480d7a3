import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "lifecycle";
import type { AdapterRegistry } from "server-core/adapters/adapter-registry";
import { type ConfigDocument, decodeDocument } from "server-core/engine/config-document";
import type { ConfigEngine } from "server-core/engine/config-engine";
import type { Participant, Transition } from "server-core/engine/participant";
import { messageOf, ServerError } from "server-core/errors";
import { parseJson } from "server-core/json/parse-json";
import { decodeAdminConfig } from "../admin-config.ts";
import type { IdentityCertificates } from "../identity/identity-certificates.ts";
import { shownCertificate } from "../identity/server-identity.ts";
import type { PullConfig } from "../pull-config.ts";
import { fetchConfig } from "./fetch-config.ts";
import { shownAddress } from "./source-address.ts";

/** How a config wants to be replaced. */
interface Plan {
  readonly source: PullConfig;
  /** Milliseconds until the pull; 0: pulls once, before the load is acknowledged. */
  readonly delayMs: number;
}

/** The news of the source that the running config is replaced from. */
export interface PullState {
  /** URL without its secret parts. */
  readonly url: string;
  /** RFC 3339; null where it was not asked yet. */
  readonly last_try: string | null;
  readonly last_success: string | null;
  /** The fault of the last try; null where it succeeded. */
  readonly last_error: string | null;
}

/**
 * The plan of a config; undefined without one. @throws ServerError MODULE_CONFIG for settings that contradict each
 * other
 */
function planOf(document: ConfigDocument): Plan | undefined {
  const { config } = decodeAdminConfig(document.admin);
  const source = config?.load;
  if (source === null || source === undefined) {
    return undefined;
  }
  const delayMs = config?.load_delay ?? 0;
  if (source.tls?.use_server_identity === true && delayMs === 0) {
    throw new ServerError(
      "MODULE_CONFIG",
      "use_server_identity needs a load_delay: what is fetched at once comes before the identity of this config",
      { path: "/config/admin/config/load/tls/use_server_identity" },
    );
  }
  return { source, delayMs };
}

/**
 * Replaces the config by one that it fetches from elsewhere, `admin.config.load`. Without a delay the fetched config
 * follows at once, and when the fetch fails, the requesting config is refused. With `load_delay` it is fetched
 * after that time, again and again until there is a new one, which then says itself how it goes on.
 * Source: the public model (Caddy 2.11)
 */
export class ConfigPuller implements Participant {
  readonly #adapters: AdapterRegistry;
  readonly #identity: IdentityCertificates;
  readonly #log: Logger;
  #engine: ConfigEngine | undefined;
  /** Ends the pulling of the config that runs; undefined while it pulls none. */
  #current: AbortController | undefined;
  /** The answer of `GET /pull`. It survives a config with the same source, since pulling goes on there. */
  #state: PullState | undefined;

  constructor(adapters: AdapterRegistry, identity: IdentityCertificates, log: Logger) {
    this.#identity = identity;
    this.#adapters = adapters;
    this.#log = log;
  }

  /** Must be called before the first `prepare`: the engine needs its participants first. */
  use(engine: ConfigEngine): void {
    this.#engine = engine;
  }

  /**
   * Fetches the first config when there is no delay. A failed fetch refuses the config.
   * @throws ServerError CONFIG_PULL
   */
  async prepare(document: ConfigDocument): Promise<Transition> {
    const plan = planOf(document);
    if (plan === undefined) {
      return { commit: () => this.#follow(undefined, undefined), rollback: async () => {} };
    }
    const control = new AbortController();
    const first =
      plan.delayMs > 0 ? undefined : await fetchConfig(plan.source, this.#adapters, control.signal);
    return {
      commit: () => {
        this.#follow(control, plan);
        // Deferred: the change that requested the pull holds the lock.
        setImmediate(() => void this.#pull(plan, first, control.signal));
      },
      rollback: async () => control.abort(),
    };
  }

  /** Undefined where the running config pulls none. */
  get state(): PullState | undefined {
    return this.#state;
  }

  /** Ends the pulls of the last config. @param control aborts the pulls of the next config @param plan plan of the next config */
  #follow(control: AbortController | undefined, plan: Plan | undefined): void {
    this.#current?.abort();
    this.#current = control;
    const url = plan === undefined ? undefined : shownAddress(plan.source.url);
    if (url === undefined) {
      this.#state = undefined;
    } else if (this.#state?.url !== url) {
      this.#state = { url, last_try: null, last_success: null, last_error: null };
    }
  }

  /** @param fault undefined on success. @param url URL of the source; the running config may have changed */
  #note(url: string, fault: unknown): void {
    if (this.#state?.url !== shownAddress(url)) {
      return;
    }
    const last_try = new Date().toISOString();
    this.#state =
      fault === undefined
        ? { ...this.#state, last_try, last_success: last_try, last_error: null }
        : { ...this.#state, last_try, last_error: messageOf(fault) };
  }

  /** Checks the settings, and fetches nothing. @throws ServerError */
  async check(document: ConfigDocument): Promise<void> {
    planOf(document);
  }

  /** Ends pulling; a fetch under way is cancelled. */
  async stop(): Promise<void> {
    this.#follow(undefined, undefined);
  }

  /**
   * Each failure is logged and kept for `GET /pull`; the running config goes on, and the next try follows.
   * @param first already fetched; undefined waits and fetches
   */
  async #pull(plan: Plan, first: Uint8Array | undefined, signal: AbortSignal): Promise<void> {
    let next = first;
    while (!signal.aborted) {
      try {
        if (next === undefined) {
          await sleep(plan.delayMs, undefined, { signal });
          next = await fetchConfig(
            plan.source,
            this.#adapters,
            signal,
            shownCertificate(this.#identity.usual),
          );
        }
        signal.throwIfAborted();
        await this.#apply(next, plan.source.url, signal);
        this.#note(plan.source.url, undefined);
      } catch (error) {
        if (!signal.aborted) {
          this.#note(plan.source.url, error);
          this.#log.error(`the pulled config does not run: ${messageOf(error)}`);
        }
      }
      if (plan.delayMs === 0) {
        return;
      }
      next = undefined;
    }
  }

  /** @param signal aborted when another config has taken the place of the one that asks for this, also while this waits */
  async #apply(body: Uint8Array, url: string, signal: AbortSignal): Promise<void> {
    const next = planOf(decodeDocument(parseJson(body)));
    if (next?.delayMs === 0) {
      throw new ServerError(
        "MODULE_CONFIG",
        "recursive config loading detected: pulled configs cannot pull other configs without positive load_delay",
        { path: "/config/admin/config/load" },
      );
    }
    await this.#engine?.load(body, {
      author: `pulled from ${shownAddress(url)}`,
      persist: false,
      admit: () => signal.throwIfAborted(),
    });
  }
}
