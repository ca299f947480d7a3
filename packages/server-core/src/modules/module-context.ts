import type { Registry } from "@prometheus-io/client";
import type { Logger } from "lifecycle";
import type { EventData, EventOutcome } from "../events/server-event.ts";
import type { JsonValue } from "../json/json-value.ts";
import type { PortSource } from "../listen/port-source.ts";
import type { App, ModuleInstance, ModuleNamespace } from "../module-instance.ts";
import type { Storage } from "../storage/storage.ts";
import type { SharedState } from "../threads/shared-state.ts";
import type { ThreadMessages } from "../threads/thread-messages.ts";
import type { Lease, ResourceKind, SharedResource } from "./usage-pool.ts";

/** The services that a module gets when it is provisioned. */
export interface ModuleContext {
  /** Path of the module's config in the document: `/config/apps/http`. */
  readonly path: string;
  /** Log of this thread. */
  readonly log: Logger;
  /** Metrics of the process. Metrics that a module adds must be shared by all configs (see `acquire`). */
  readonly metrics: Registry;
  /**
   * Counters, gauges and memory that all threads share. Counters and gauges are released when the module's config
   * closes. The `http` app runs in several threads, so any state for the whole server must be stored in `shared`.
   */
  readonly shared: SharedState;
  /**
   * Like {@link shared}, for state that outlives the config (see {@link acquire}). The module itself must release this
   * state.
   */
  readonly processShared: SharedState;
  /** Messages to other threads. Listeners are removed when the module's config closes. */
  readonly messages: ThreadMessages;
  /**
   * Reports an event to the handlers of the app `events`, from any thread. `emit` never fails. Events of a config that
   * does not run yet wait until it runs, so set-up must not await them.
   * @param data values that `structuredClone` takes
   * @returns a promise that resolves when all handlers are done; only an emitter that can still cancel its action needs
   * to wait
   */
  emit(name: string, data?: EventData): Promise<EventOutcome>;
  /** Folder of the server's own data. */
  readonly dataFolder: string;
  /** True when modules may change the machine's trust stores; false in tests, and when the user forbids changes. */
  readonly changesTrustStores: boolean;
  /** Storage of the config for certificates and keys. @throws ServerError THREAD in threads that only serve */
  readonly storage: Storage;
  /** Another app of the same config; undefined when it does not exist, or is loaded later. */
  app(name: string): App | undefined;
  /**
   * Config of an app of the same document; undefined when the document has no such app. The config is available in
   * every thread, also before the app is loaded. A module may read only the configs of apps in the main thread, so not
   * of `http`. A change of such a config creates all routes again, so that no route uses the old config.
   */
  appConfig(name: string): JsonValue | undefined;
  /** Assigns ports to listeners, over all threads. */
  readonly ports: PortSource;
  /** All resources of a kind that are in use by any config. */
  resources<Resource extends SharedResource>(kind: ResourceKind<Resource>): Resource[];
  /**
   * Creates parts of a config. A part that an older config created from the same object is reused. A part may depend
   * only on its object and on things that outlive configs.
   * @param build gets a separate context. Resources acquired with this context are released when the last config with
   *   the part closes
   * @throws errors of `build`
   */
  parts<Key extends object, Value>(
    keys: readonly Key[],
    build: (key: Key, index: number, context: ModuleContext) => Value | Promise<Value>,
  ): Promise<Value[]>;
  /**
   * Acquires a shared resource. The resource is released when the config closes, unless the module released it before.
   */
  acquire<Resource extends SharedResource>(
    kind: ResourceKind<Resource>,
    key: string,
    create: () => Resource | Promise<Resource>,
  ): Promise<Lease<Resource>>;
  /**
   * Loads the module `name` of a namespace.
   * @param subpath path of its config relative to this module's config: `servers/s/routes/0`
   * @throws ServerError MODULE_UNKNOWN, MODULE_CONFIG, or an error of its provision
   */
  load<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
    config: JsonValue,
    subpath: string,
  ): Promise<Instance>;
  /**
   * Like `load`, but returns no promise when the module is synchronous. @throws ServerError as `load`, or rejects with
   * it
   */
  provide<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
    config: JsonValue,
    subpath: string,
  ): Instance | Promise<Instance>;
  /** True when the config uses modules of the user. */
  readonly hasUserModules: boolean;
  /** Loads a module whose name is the member `key` of its own config. @throws ServerError as `load` */
  loadInline<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    key: string,
    config: JsonValue,
    subpath: string,
  ): Promise<Instance>;
  /** Like `loadInline`, but returns no promise when the module is synchronous. */
  provideInline<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    key: string,
    config: JsonValue,
    subpath: string,
  ): Instance | Promise<Instance>;
}
