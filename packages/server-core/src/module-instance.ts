/** Members that every provisioned module may have, in addition to the members of its namespace. */
export interface ModuleInstance {
  /**
   * Checks that need the whole provisioned config. Called once, after everything is provisioned. @throws ServerError
   */
  validate?(): void | Promise<void>;
  /**
   * Releases the resources of the module. Called once, when its config is no longer used and all its work has ended.
   */
  close?(): void | Promise<void>;
}

/** One part of the top level `apps`. */
export interface App extends ModuleInstance {
  /** Addresses on which the app listens: no two apps of a config may share an address. Absent: no addresses. */
  readonly listensOn?: readonly string[];
  /**
   * Acquires everything that can fail, such as ports, but serves nothing: the old config still runs. @throws
   * ServerError
   */
  start(): void | Promise<void>;
  /**
   * Takes over from the old config. `activate` must not fail or wait, so that all apps switch in one turn of the event
   * loop.
   */
  activate(): void;
  /** Called when the config runs in all threads. This function must not fail. */
  started?(): void;
  /**
   * Called before the config is stopped. @returns a promise that delays the stop at the end of the process. It must not
   * fail
   */
  stopping?(): Promise<void>;
  /** Accepts no new work and finishes running work, within the app's grace period. */
  stop(): Promise<void>;
}

/** A namespace for modules of one interface, such as `http.handlers`. The type parameter is that interface. */
export interface ModuleNamespace<Instance extends ModuleInstance> {
  /** Prefix of the ids of its modules, without the last dot. */
  readonly prefix: string;
  /** Never set; only carries the type. */
  readonly instance?: Instance;
}

/** Apps have no prefix: `apps.http` in the document is the module `http`. */
export const appNamespace: ModuleNamespace<App> = { prefix: "" };

/**
 * The member `logging` of the document is the module `logging.app`. The module exists for every config, and is
 * provisioned before all apps.
 */
export const loggingNamespace: ModuleNamespace<App> = { prefix: "logging" };

/**
 * The member `admin.identity` of the document is the module `admin.identity.app`. The module is provisioned after all
 * apps.
 */
export const identityNamespace: ModuleNamespace<App> = { prefix: "admin.identity" };
