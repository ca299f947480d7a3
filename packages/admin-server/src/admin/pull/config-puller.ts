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

/** The parsed setting `admin.config.load`. */
interface Plan {
  readonly source: PullConfig;
  /** Milliseconds until the pull; 0 pulls once, before the load is acknowledged. */
  readonly delayMs: number;
}

/** State of pulling the config from its source. */
export interface PullState {
  /** URL without user, password and query. */
  readonly url: string;
  /** Time in RFC 3339; null before the first attempt. */
  readonly last_try: string | null;
  readonly last_success: string | null;
  /** Error of the last attempt; null after a success. */
  readonly last_error: string | null;
}

/**
 * Parses the setting of a config; undefined without the setting. @throws ServerError MODULE_CONFIG for contradictory
 * settings
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
 * Replaces the config by a config that it fetches, as the setting `admin.config.load` requires. Without a delay, the
 * fetched config is loaded immediately; if fetching fails, the config with the setting is refused. With `load_delay`,
 * fetching starts after this time, and is repeated until a new config runs. The new config decides about further pulls.
 * Source: Caddy 2.11
 */
export class ConfigPuller implements Participant {
  readonly #adapters: AdapterRegistry;
  readonly #identity: IdentityCertificates;
  readonly #log: Logger;
  #engine: ConfigEngine | undefined;
  /** Stops fetching for the running config; undefined without the setting. */
  #current: AbortController | undefined;
  /**
   * The response of `GET /pull`. It is kept when the next config has the same source, because fetching then continues.
   */
  #state: PullState | undefined;

  constructor(adapters: AdapterRegistry, identity: IdentityCertificates, log: Logger) {
    this.#identity = identity;
    this.#adapters = adapters;
    this.#log = log;
  }

  /**
   * Must be called before the first `prepare`; the engine cannot be passed to the constructor, because it needs its
   * participants first.
   */
  use(engine: ConfigEngine): void {
    this.#engine = engine;
  }

  /**
   * Without a delay, fetches the new config first. A failed fetch refuses the config.
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
        // Deferred, because the change to the config with this setting still holds the lock.
        setImmediate(() => void this.#pull(plan, first, control.signal));
      },
      rollback: async () => control.abort(),
    };
  }

  /** State of fetching; undefined for a running config without the setting. */
  get state(): PullState | undefined {
    return this.#state;
  }

  /**
   * Stops fetching for the previous config. @param control stops fetching for the next config @param plan setting of
   * the next config
   */
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

  /**
   * @param fault error of the attempt; undefined after a success. @param url URL of the attempt; the running config may
   * have another URL by now
   */
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

  /** Checks the settings without fetching. @throws ServerError */
  async check(document: ConfigDocument): Promise<void> {
    planOf(document);
  }

  /** Stops pulling; a running fetch is canceled. */
  async stop(): Promise<void> {
    this.#follow(undefined, undefined);
  }

  /**
   * Pulls until a config runs. Each failure is logged and shown in `GET /pull`; the running config continues.
   * @param first config that was already fetched; undefined: waits for the delay, then fetches
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

  /** @param signal aborted when another config replaces the config with the setting, even while this waits */
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
