import { errorWithin, messageOf, ServerError } from "../errors.ts";
import { isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import { addressesOverlap } from "../listen/addresses-overlap.ts";
import { ConfigContext } from "../modules/config-context.ts";
import { ConfigScope, type ServerServices } from "../modules/config-scope.ts";
import { type App, appNamespace, identityNamespace, loggingNamespace } from "../modules/module.ts";
import { defaultStorage, storages } from "../storage/storage.ts";
import { registryFor } from "../user-modules/load-user-modules.ts";
import type { ConfigDocument } from "./config-document.ts";
import type { Participant, Transition } from "./participant.ts";

/** Apps that a thread runs: `all`, the apps that serve traffic (`workers`), or the other apps (`main`). */
export type AppsPart = "all" | "workers" | "main";

/** The provisioned and validated apps of one config. An app set needs only the document, so any thread can build it. */
class AppSet {
  readonly #scope: ConfigScope;
  readonly #apps = new Map<string, App>();
  readonly #running = Promise.withResolvers<boolean>();

  /** @param fresh true: nothing is reused from an older config */
  constructor(services: ServerServices, fresh: boolean) {
    this.#scope = new ConfigScope(services, fresh);
    this.#scope.running = this.#running.promise;
  }

  async build(document: ConfigDocument, part: AppsPart): Promise<void> {
    this.#scope.appConfigs = document.apps;
    const context = new ConfigContext(this.#scope, "/config");
    const { registry } = this.#scope.services;
    if (registry.find(loggingNamespace, "app") !== undefined) {
      try {
        this.#apps.set("logging", await context.load(loggingNamespace, "app", document.logging, "logging"));
      } catch (error) {
        throw errorWithin("setting up logging", error);
      }
    }
    if (part !== "workers" && registry.find(storages, defaultStorage) !== undefined) {
      const config = document.storage ?? { module: defaultStorage };
      try {
        this.#scope.storage = await context.loadInline(storages, "module", config, "storage");
      } catch (error) {
        throw errorWithin("loading storage module", error);
      }
    }
    for (const [name, config] of this.#appsOf(document)) {
      const inWorkers = registry.appTraits(name)?.inWorkers === true;
      if (part !== "all" && inWorkers !== (part === "workers")) {
        continue;
      }
      try {
        const app = await context.load(appNamespace, name, config, `apps/${name}`);
        this.#apps.set(name, app);
        this.#scope.apps.set(name, app);
      } catch (error) {
        throw errorWithin(`loading ${name} app module`, error);
      }
    }
    if (part !== "workers" && registry.find(identityNamespace, "app") !== undefined) {
      try {
        this.#apps.set("identity", await this.#loadIdentity(document));
      } catch (error) {
        throw errorWithin("setting up identity", error);
      }
    }
    await this.#scope.validate();
    this.#refuseSharedAddresses();
  }

  /** Refuses two apps that listen on the same address, because each app would take connections of the other app. */
  #refuseSharedAddresses(): void {
    const claimed: { readonly app: string; readonly address: string }[] = [];
    for (const [app, { listensOn = [] }] of this.#apps) {
      for (const address of listensOn) {
        const other = claimed.find((each) => each.app !== app && addressesOverlap(each.address, address));
        if (other !== undefined) {
          throw new ServerError(
            "MODULE_CONFIG",
            `app ${app}: ${address}: the app ${other.app} listens on ${other.address} already`,
          );
        }
      }
      claimed.push(...listensOn.map((address) => ({ app, address })));
    }
  }

  #loadIdentity({ admin }: ConfigDocument): Promise<App> {
    const config = isJsonObject(admin) ? (member(admin, "identity") ?? null) : null;
    return new ConfigContext(this.#scope, "/config/admin").load(identityNamespace, "app", config, "identity");
  }

  /**
   * Apps in the order of their start. Apps that other apps need come first, even when the config does not contain them.
   */
  #appsOf(document: ConfigDocument): [name: string, config: JsonValue][] {
    const implied = this.#scope.services.registry.listed
      .filter((module) => module.implied === true)
      .map(({ id }): [string, JsonValue] => [id, document.apps.get(id) ?? {}]);
    const names = new Set(implied.map(([name]) => name));
    return [...implied, ...[...document.apps].filter(([name]) => !names.has(name))];
  }

  async start(): Promise<void> {
    for (const [name, app] of this.#apps) {
      try {
        await app.start();
      } catch (error) {
        throw errorWithin(`${name} app module: start`, error);
      }
    }
  }

  activate(): void {
    for (const app of this.#apps.values()) {
      app.activate();
    }
  }

  started(): void {
    this.#running.resolve(true);
    for (const app of this.#apps.values()) {
      app.started?.();
    }
  }

  async stopping(): Promise<void> {
    await Promise.all([...this.#apps.values()].map((app) => app.stopping?.()));
  }

  /** Stops all apps, then releases all resources. */
  async stop(): Promise<void> {
    try {
      await Promise.all([...this.#apps.values()].map((app) => app.stop()));
    } finally {
      await this.#scope.close();
    }
  }

  close(): Promise<void> {
    this.#running.resolve(false);
    return this.#scope.close();
  }
}

/** Runs the apps of the current config in this thread. */
export class AppsParticipant implements Participant {
  readonly #services: ServerServices;
  readonly #part: AppsPart;
  #current: AppSet | undefined;
  /**
   * Parts of the last config that are not routes, but that routes may read. When such a part changes, all routes are
   * created again.
   */
  #surroundings: readonly unknown[] = [];
  /** Apps of older configs that still finish requests. */
  readonly #draining = new Set<Promise<void>>();

  constructor(services: ServerServices, part: AppsPart = "all") {
    this.#services = services;
    this.#part = part;
  }

  async prepare(document: ConfigDocument): Promise<Transition> {
    const surroundings = this.#surroundingsOf(document);
    const fresh = document.force || this.#isNew(surroundings);
    const next = new AppSet(await this.#servicesFor(document), fresh);
    try {
      await next.build(document, this.#part);
      await next.start();
    } catch (error) {
      await next.close();
      throw error;
    }
    let previous: AppSet | undefined;
    return {
      commit: () => {
        previous = this.#current;
        this.#current = next;
        this.#surroundings = surroundings;
        next.activate();
      },
      rollback: () => next.close(),
      committed: () => {
        next.started();
        if (previous !== undefined) {
          void previous.stopping();
          this.#drain(previous);
        }
      },
    };
  }

  async check(document: ConfigDocument): Promise<void> {
    const fresh = this.#isNew(this.#surroundingsOf(document));
    const next = new AppSet(await this.#servicesFor(document), fresh);
    try {
      await next.build(document, "all");
    } finally {
      await next.close();
    }
  }

  async stopping(): Promise<void> {
    await this.#current?.stopping();
  }

  async stop(): Promise<void> {
    const last = this.#current;
    this.#current = undefined;
    if (last !== undefined) {
      this.#drain(last);
    }
    await Promise.all(this.#draining);
  }

  /** The services with the modules that the document loads. @throws ServerError MODULE_LOAD */
  async #servicesFor(document: ConfigDocument): Promise<ServerServices> {
    return { ...this.#services, registry: await registryFor(this.#services.registry, document.modules) };
  }

  /**
   * The parts of a document that routes may read: all except `admin` and the apps of worker threads. An unchanged part
   * is the same object in the next document.
   */
  #surroundingsOf({ apps, modules, logging, storage }: ConfigDocument): unknown[] {
    const { registry } = this.#services;
    const otherApps = [...apps].filter(([name]) => registry.appTraits(name)?.inWorkers !== true);
    return [modules.join("\n"), ...otherApps.flat(), logging, storage];
  }

  #isNew(surroundings: readonly unknown[]): boolean {
    return (
      surroundings.length !== this.#surroundings.length ||
      surroundings.some((each, index) => each !== this.#surroundings[index])
    );
  }

  #drain(apps: AppSet): void {
    const done = apps
      .stop()
      .catch((error: unknown) => this.#services.log.error(`stopping apps: ${messageOf(error)}`))
      .then(() => {
        this.#draining.delete(done);
      });
    this.#draining.add(done);
  }
}
