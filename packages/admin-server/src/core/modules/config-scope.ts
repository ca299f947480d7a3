import type { Logger } from "lifecycle";
import type { Registry } from "prom-client";
import { messageOf } from "../errors.ts";
import type { PortSource } from "../listen/port-source.ts";
import type { Storage } from "../storage/storage.ts";
import type { SharedState } from "../threads/shared-state.ts";
import type { ThreadMessages } from "../threads/thread-messages.ts";
import type { App, ModuleInstance } from "./module.ts";
import type { ModuleRegistry } from "./module-registry.ts";
import type { PartCache } from "./part-cache.ts";
import type { UsagePool } from "./usage-pool.ts";

/** What lives longer than any config. */
export interface ServerServices {
  readonly registry: ModuleRegistry;
  readonly pool: UsagePool;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly shared: SharedState;
  readonly messages: ThreadMessages;
  readonly ports: PortSource;
  readonly parts: PartCache;
  /** Where the server keeps what is its own, unless a config names another place. */
  readonly dataFolder: string;
}

/** All modules of one config, or of a part of it that lives by itself, from provisioning to the last close. */
export class ConfigScope {
  readonly services: ServerServices;
  /** Nothing of older configs is taken over. */
  readonly fresh: boolean;
  /** The apps of the config that are loaded so far, by name. */
  readonly apps = new Map<string, App>();
  /** Where the config keeps certificates; undefined in threads that have nothing to do with it. */
  storage: Storage | undefined;
  readonly #instances: ModuleInstance[] = [];
  readonly #closers = new Set<() => void | Promise<void>>();

  constructor(services: ServerServices, fresh = false) {
    this.services = services;
    this.fresh = fresh;
  }

  add(instance: ModuleInstance): void {
    this.#instances.push(instance);
    if (instance.close !== undefined) {
      this.#closers.add(() => instance.close?.());
    }
  }

  /** @returns takes it back: it was closed already */
  onClose(closer: () => void | Promise<void>): () => void {
    this.#closers.add(closer);
    return () => {
      this.#closers.delete(closer);
    };
  }

  /** @throws ServerError of the first module that says no */
  async validate(): Promise<void> {
    for (const instance of this.#instances) {
      await instance.validate?.();
    }
  }

  /** Closes everything, last made first. One that fails is logged and holds the others not up. */
  async close(): Promise<void> {
    const closers = [...this.#closers].reverse();
    this.#closers.clear();
    for (const closer of closers) {
      try {
        await closer();
      } catch (error) {
        this.services.log.error(`closing a module: ${messageOf(error)}`);
      }
    }
  }
}
