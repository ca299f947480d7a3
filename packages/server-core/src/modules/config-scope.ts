import type { Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { messageOf } from "../errors.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { PortSource } from "../listen/port-source.ts";
import type { App, ModuleInstance } from "../module-instance.ts";
import type { Storage } from "../storage/storage.ts";
import type { ErrorOwner } from "../threads/error-owner.ts";
import type { SharedState } from "../threads/shared-state.ts";
import type { ThreadMessages } from "../threads/thread-messages.ts";
import type { ModuleRegistry } from "./module-registry.ts";
import type { PartCache } from "./part-cache.ts";
import type { UsagePool } from "./usage-pool.ts";

/** Services that outlive configs. */
export interface ServerServices {
  /** Modules that documents may use. */
  readonly registry: ModuleRegistry;
  /** Resources that several modules share and that outlive a reload. */
  readonly pool: UsagePool;
  /** Log of this thread. */
  readonly log: Logger;
  /** Metrics of this thread; the main thread sums all threads. */
  readonly metrics: Registry;
  /** Counters that all threads see. */
  readonly shared: SharedState;
  readonly messages: ThreadMessages;
  /** Opens ports for all threads. */
  readonly ports: PortSource;
  /** Provisioned parts of the last document; a part with the same config is reused. */
  readonly parts: PartCache;
  /** Folder of the server's data, unless a config names another folder. */
  readonly dataFolder: string;
  /** True when modules may install CA roots in the machine's trust stores. */
  readonly changesTrustStores: boolean;
}

/** All modules of one config, or of a separately cached part of it, from provisioning to the last close. */
export class ConfigScope {
  readonly services: ServerServices;
  /** True: nothing of older configs is reused. */
  readonly fresh: boolean;
  /** Apps of the config that are already loaded, by name. */
  readonly apps: Map<string, App>;
  /** Configs of all apps of the document, by name. */
  appConfigs: ReadonlyMap<string, JsonValue>;
  /** Owners of uncaught errors of modules, by module id. */
  readonly owners: Map<string, ErrorOwner>;
  /** Storage of the config for certificates; undefined in threads that do not use it. */
  storage: Storage | undefined;
  /** Resolves with true when the config runs in all threads, and with false when it will never run. */
  running: Promise<boolean> | undefined;
  // Created on first use: a config of many routes has many scopes, and most modules do not need the list.
  #toValidate: ModuleInstance[] | undefined;
  #closers: Set<() => void | Promise<void>> | undefined;

  /** @param whole the scope of the whole config, when this is the scope of a part */
  constructor(services: ServerServices, fresh = false, whole?: ConfigScope) {
    this.services = services;
    this.fresh = fresh;
    this.apps = whole?.apps ?? new Map();
    this.appConfigs = whole?.appConfigs ?? new Map();
    this.owners = whole?.owners ?? new Map();
    this.storage = whole?.storage;
    this.running = whole?.running;
  }

  add(instance: ModuleInstance): void {
    if (instance.validate !== undefined) {
      this.#toValidate ??= [];
      this.#toValidate.push(instance);
    }
    if (instance.close !== undefined) {
      this.onClose(() => instance.close?.());
    }
  }

  /** @returns a function that removes the closer, for a resource that was already released */
  onClose(closer: () => void | Promise<void>): () => void {
    this.#closers ??= new Set();
    this.#closers.add(closer);
    return () => {
      this.#closers?.delete(closer);
    };
  }

  /** True when there are modules to validate. */
  get hasChecks(): boolean {
    return this.#toValidate !== undefined;
  }

  get hasClosers(): boolean {
    return this.#closers !== undefined;
  }

  /** @throws ServerError of the first module that fails */
  async validate(): Promise<void> {
    for (const instance of this.#toValidate ?? []) {
      await instance.validate?.();
    }
  }

  /** Runs all closers, in reverse order. A closer that fails is logged; the others still run. */
  async close(): Promise<void> {
    const closers = [...(this.#closers ?? [])].reverse();
    this.#closers = undefined;
    for (const closer of closers) {
      try {
        await closer();
      } catch (error) {
        this.services.log.error(`closing a module: ${messageOf(error)}`);
      }
    }
  }
}
