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
  /** Where the module's config stands in the document: `/config/apps/http`. */
  readonly path: string;
  /** Logger with the module's id as its name. */
  readonly log: Logger;
  /** Metrics of the process; what a module adds must be shared over configs (see `acquire`). */
  readonly metrics: Registry;
  /**
   * Counters, gauges and memory that all threads share. They are released when the module's config closes.
   * The `http` app runs in several threads, so any state for the whole server belongs here.
   */
  readonly shared: SharedState;
  /** As {@link shared}, for what outlives the config (see {@link acquire}): it gives back itself what it takes. */
  readonly processShared: SharedState;
  /** Messages to other threads. Listeners end when the module's config closes. */
  readonly messages: ThreadMessages;
  /**
   * Reports an event to the handlers of the app `events`, from any thread. Never fails. Events of a config that
   * does not run yet wait until it does, so set-up must not await them.
   * @param data values that `structuredClone` takes
   * @returns when all handlers are done; only an emitter that can still cancel its action needs to wait
   */
  emit(name: string, data?: EventData): Promise<EventOutcome>;
  /** Folder of the server's own data. */
  readonly dataFolder: string;
  /** Whether modules may change whom the machine trusts: not in tests, nor where the user does not want it. */
  readonly changesTrustStores: boolean;
  /** Where the config keeps certificates and keys. @throws ServerError THREAD in threads that only serve */
  readonly storage: Storage;
  /** Another app of the same config; undefined when it is not there, or comes later. */
  app(name: string): App | undefined;
  /** Assigns ports to listeners, over all threads. */
  readonly ports: PortSource;
  /** All resources of a kind that any config uses now. */
  resources<Resource extends SharedResource>(kind: ResourceKind<Resource>): Resource[];
  /**
   * Makes parts of a config, or reuses those that an older config made from the same objects, so unchanged
   * parts are not made again. Everything that a part depends on must be in its object or outlive configs.
   * @param build gets a context of the part's own; its resources are released with the last config that has the
   *   part
   * @throws what `build` throws
   */
  parts<Key extends object, Value>(
    keys: readonly Key[],
    build: (key: Key, index: number, context: ModuleContext) => Value | Promise<Value>,
  ): Promise<Value[]>;
  /** Takes a shared resource; given back when the config closes, unless the module released it before. */
  acquire<Resource extends SharedResource>(
    kind: ResourceKind<Resource>,
    key: string,
    create: () => Resource | Promise<Resource>,
  ): Promise<Lease<Resource>>;
  /**
   * Loads the module `name` of a namespace.
   * @param subpath where its config stands below this module's: `servers/s/routes/0`
   * @throws ServerError MODULE_UNKNOWN, MODULE_CONFIG, or what its provision throws
   */
  load<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
    config: JsonValue,
    subpath: string,
  ): Promise<Instance>;
  /** As `load`, without a promise where the module needs none. @throws ServerError as `load`, or rejects with it */
  provide<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
    config: JsonValue,
    subpath: string,
  ): Instance | Promise<Instance>;
  /** Whether the config names modules of the user's own. */
  readonly hasUserModules: boolean;
  /** Loads a module whose name is the member `key` of its own config. @throws ServerError as `load` */
  loadInline<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    key: string,
    config: JsonValue,
    subpath: string,
  ): Promise<Instance>;
  /** As `loadInline`, without a promise where the module needs none. */
  provideInline<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    key: string,
    config: JsonValue,
    subpath: string,
  ): Instance | Promise<Instance>;
}
