import type { Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import { errorAt, errorWithin, messageOf, ServerError } from "../errors.ts";
import {
  type EmittedEvent,
  type EventData,
  type EventOutcome,
  emitTopic,
  isEventSink,
} from "../events/server-event.ts";
import { encodeJson } from "../json/encode-json.ts";
import { isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import type { PortSource } from "../listen/port-source.ts";
import type { App, ModuleInstance, ModuleNamespace } from "../module-instance.ts";
import type { Storage } from "../storage/storage.ts";
import { type ErrorOwner, runFor } from "../threads/error-owner.ts";
import { ModuleOwner } from "../threads/module-owner.ts";
import type { SharedState } from "../threads/shared-state.ts";
import type { ThreadMessages } from "../threads/thread-messages.ts";
import { ConfigScope } from "./config-scope.ts";
import { decodeConfig } from "./decode-config.ts";
import { withErrors } from "./in-turn.ts";
import type { ModuleDefinition } from "./module.ts";
import type { ModuleContext } from "./module-context.ts";
import type { Part } from "./part-cache.ts";
import type { Lease, ResourceKind, SharedResource } from "./usage-pool.ts";

/** The services of a module, bound to its config. */
export class ConfigContext implements ModuleContext {
  /** Path of the module's config in the document: `/config/apps/http`. */
  readonly path: string;
  readonly #scope: ConfigScope;
  /** Id of the module; "" when the context belongs to the server itself. */
  readonly #module: string;

  constructor(scope: ConfigScope, path: string, module = "") {
    this.#scope = scope;
    this.path = path;
    this.#module = module;
  }

  get log(): Logger {
    return this.#scope.services.log;
  }

  get metrics(): Registry {
    return this.#scope.services.metrics;
  }

  get shared(): SharedState {
    const { shared } = this.#scope.services;
    const keep = (release: () => void) => this.#scope.onClose(release);
    return {
      counter: (name) => shared.counter(name, keep),
      gauge: (name) => shared.gauge(name, keep),
      list: (prefix) => shared.list(prefix),
      memory: (name, byteLength) => shared.memory(name, byteLength),
    };
  }

  get processShared(): SharedState {
    return this.#scope.services.shared;
  }

  get messages(): ThreadMessages {
    const { messages } = this.#scope.services;
    const untilClosed = (end: () => void) => {
      this.#scope.onClose(end);
      return end;
    };
    return {
      thread: messages.thread,
      on: (topic, listener) => untilClosed(messages.on(topic, listener)),
      onNews: (topic, listener) => untilClosed(messages.onNews(topic, listener)),
      askServing: (topic, value) => messages.askServing(topic, value),
      tell: (thread, topic, value) => messages.tell(thread, topic, value),
      askMain: (topic, value) => messages.askMain(topic, value),
    };
  }

  async emit(name: string, data: EventData = {}): Promise<EventOutcome> {
    const event: EmittedEvent = { name, module: this.#module, at: Date.now(), data };
    const { apps, services } = this.#scope;
    try {
      const own = apps.get("events");
      // An object that a reload keeps outlives the app that created it, so this checks that the app is still open.
      if (isEventSink(own) && own.isOpen) {
        return await own.emit(event);
      }
      // The event waits until the config runs: before that, other threads do not know the config.
      return (await this.#scope.running) === false
        ? { data }
        : ((await services.messages.askMain(emitTopic, event)) as EventOutcome);
    } catch (error) {
      services.log.warn(`event ${name} is lost: ${messageOf(error)}`);
      return { data };
    }
  }

  get dataFolder(): string {
    return this.#scope.services.dataFolder;
  }

  get changesTrustStores(): boolean {
    return this.#scope.services.changesTrustStores;
  }

  get storage(): Storage {
    const { storage } = this.#scope;
    if (storage === undefined) {
      throw new ServerError("THREAD", "this thread has no storage");
    }
    return storage;
  }

  app(name: string): App | undefined {
    return this.#scope.apps.get(name);
  }

  appConfig(name: string): JsonValue | undefined {
    return this.#scope.appConfigs.get(name);
  }

  get ports(): PortSource {
    return this.#scope.services.ports;
  }

  resources<Resource extends SharedResource>(kind: ResourceKind<Resource>): Resource[] {
    return this.#scope.services.pool.list(kind);
  }

  async parts<Key extends object, Value>(
    keys: readonly Key[],
    build: (key: Key, index: number, context: ModuleContext) => Value | Promise<Value>,
  ): Promise<Value[]> {
    const { services, fresh } = this.#scope;
    const { parts } = services;
    const found = fresh ? [] : parts.takeAll(keys);
    const taken = found.filter((part) => part !== undefined);
    this.#scope.onClose(() => parts.release(taken));
    const all = new Array<Part>(keys.length);
    const values = new Array<Value>(keys.length);
    for (let index = 0; index < keys.length; index++) {
      let part = found[index];
      if (part === undefined) {
        const made = this.#makePart(keys[index] as Key, index, build);
        part = made instanceof Promise ? await made : made;
        taken.push(part);
      }
      all[index] = part;
      values[index] = part.value as Value;
    }
    parts.keep(keys, all);
    return values;
  }

  #makePart<Key extends object>(
    key: Key,
    index: number,
    build: (key: Key, index: number, context: ModuleContext) => unknown,
  ): Part | Promise<Part> {
    const { services, fresh } = this.#scope;
    const scope = new ConfigScope(services, fresh, this.#scope);
    let value: unknown;
    try {
      value = build(key, index, new ConfigContext(scope, this.path, this.#module));
    } catch (error) {
      return failedPart(scope, error);
    }
    return value instanceof Promise
      ? value.then(
          (made) => this.#addPart(key, made, scope),
          (error: unknown) => failedPart(scope, error),
        )
      : this.#addPart(key, value, scope);
  }

  #addPart(key: object, value: unknown, scope: ConfigScope): Part {
    if (scope.hasChecks) {
      this.#scope.add({ validate: () => scope.validate() });
    }
    return this.#scope.services.parts.add(key, value, scope);
  }

  async acquire<Resource extends SharedResource>(
    kind: ResourceKind<Resource>,
    key: string,
    create: () => Resource | Promise<Resource>,
  ): Promise<Lease<Resource>> {
    const lease = await this.#scope.services.pool.acquire(kind, key, create);
    this.#scope.onClose(() => lease.release());
    return lease;
  }

  async load<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
    config: JsonValue,
    subpath: string,
  ): Promise<Instance> {
    return this.provide(namespace, name, config, subpath);
  }

  provide<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
    config: JsonValue,
    subpath: string,
  ): Instance | Promise<Instance> {
    const path = `${this.path}/${subpath}`;
    let module: ModuleDefinition;
    try {
      module = this.#scope.services.registry.get(namespace, name);
    } catch (error) {
      throw errorAt(path, error);
    }
    this.#refuseMissingApps(module, path);
    let decoded: unknown;
    try {
      decoded = decodeConfig(module.config, config, path);
    } catch (error) {
      throw errorWithin(`decoding module config: ${module.id}`, error);
    }
    let instance: ModuleInstance | Promise<ModuleInstance>;
    try {
      const context = new ConfigContext(this.#scope, path, module.id);
      instance = runFor(this.#ownerOf(module), () => module.provision(decoded, context));
    } catch (error) {
      throw errorAt(path, error);
    }
    if (instance instanceof Promise) {
      return this.#added(instance as Promise<Instance>, path);
    }
    this.#scope.add(instance);
    return instance as Instance;
  }

  /** @throws ServerError MODULE_CONFIG when the config lacks an app that the module needs */
  #refuseMissingApps({ id, needsApps = [] }: ModuleDefinition, path: string): void {
    const { appConfigs, services } = this.#scope;
    for (const name of needsApps) {
      if (!appConfigs.has(name) && services.registry.appTraits(name)?.implied !== true) {
        throw new ServerError(
          "MODULE_CONFIG",
          `${id} needs the app ${name}, which the config does not have, at ${path}`,
        );
      }
    }
  }

  get hasUserModules(): boolean {
    return this.#scope.services.registry.hasUserModules;
  }

  /** The owner for errors in a module's background work. */
  #ownerOf({ id }: ModuleDefinition): ErrorOwner {
    const { owners, services } = this.#scope;
    let owner = owners.get(id);
    if (owner === undefined) {
      owner = new ModuleOwner(id, services.log);
      owners.set(id, owner);
    }
    return owner;
  }

  async #added<Instance extends ModuleInstance>(made: Promise<Instance>, path: string): Promise<Instance> {
    let instance: Instance;
    try {
      instance = await made;
    } catch (error) {
      throw errorAt(path, error);
    }
    this.#scope.add(instance);
    return instance;
  }

  async loadInline<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    key: string,
    config: JsonValue,
    subpath: string,
  ): Promise<Instance> {
    return this.provideInline(namespace, key, config, subpath);
  }

  provideInline<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    key: string,
    config: JsonValue,
    subpath: string,
  ): Instance | Promise<Instance> {
    const name = isJsonObject(config) ? member(config, key) : undefined;
    if (!isJsonObject(config) || typeof name !== "string" || name === "") {
      const text = `module name not specified with key '${key}' in ${encodeJson(config).slice(0, 200)}`;
      throw new ServerError("MODULE_CONFIG", `${text}, at ${this.path}/${subpath}`);
    }
    const { [key]: _, ...rest } = config;
    return withErrors(
      () => this.provide(namespace, name, rest, subpath),
      (error) => errorWithin(`loading module '${name}'`, error),
    );
  }
}

async function failedPart(scope: ConfigScope, error: unknown): Promise<never> {
  await scope.close();
  throw error;
}
