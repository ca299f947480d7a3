import type { Logger } from "lifecycle";
import type { Registry } from "prom-client";
import { messageOf } from "../errors.ts";
import type { ModuleInstance } from "./module.ts";
import type { ModuleRegistry } from "./module-registry.ts";
import type { UsagePool } from "./usage-pool.ts";

/** What lives longer than any config. */
export interface ServerServices {
  readonly registry: ModuleRegistry;
  readonly pool: UsagePool;
  readonly log: Logger;
  readonly metrics: Registry;
}

/** All modules of one config, from provisioning to the last close. */
export class ConfigScope {
  readonly services: ServerServices;
  readonly #instances: ModuleInstance[] = [];
  readonly #closers: (() => void | Promise<void>)[] = [];

  constructor(services: ServerServices) {
    this.services = services;
  }

  add(instance: ModuleInstance): void {
    this.#instances.push(instance);
    if (instance.close !== undefined) {
      this.#closers.push(() => instance.close?.());
    }
  }

  onClose(closer: () => void | Promise<void>): void {
    this.#closers.push(closer);
  }

  /** @throws ServerError of the first module that says no */
  async validate(): Promise<void> {
    for (const instance of this.#instances) {
      await instance.validate?.();
    }
  }

  /** Closes everything, last made first. One that fails is logged and holds the others not up. */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        this.services.log.error(`closing a module: ${messageOf(error)}`);
      }
    }
  }
}
