/** Members that every provisioned module may have beside those of its namespace. */
export interface ModuleInstance {
  /** Checks what only the provisioned whole shows. Called once, after everything is provisioned. @throws ServerError */
  validate?(): void | Promise<void>;
  /** Gives back what the module took. Called once, when its config is gone and nothing of it is under way. */
  close?(): void | Promise<void>;
}

/** One part of the top level `apps`. */
export interface App extends ModuleInstance {
  /** Addresses that it listens on: no two apps of a config may have the same. Absent: it has none. */
  readonly listensOn?: readonly string[];
  /** Takes all that can fail (ports). Serves nothing yet: the old config still runs. @throws ServerError */
  start(): void | Promise<void>;
  /** Takes over from the old config. Cannot fail and cannot wait, so that all apps switch in one turn. */
  activate(): void;
  /** The config runs now, in all threads. Cannot fail. */
  started?(): void;
  /** The config is about to go. @returns how long to wait with that, at the end of the process. Cannot fail */
  stopping?(): Promise<void>;
  /** Takes nothing new and finishes what is under way, for as long as the app's own grace period allows. */
  stop(): Promise<void>;
}

/** A place where modules of one shape plug in, e.g. `http.handlers`. The type parameter is that shape. */
export interface ModuleNamespace<Instance extends ModuleInstance> {
  /** Beginning of the ids of its modules, without the last dot. */
  readonly prefix: string;
  /** Never set; carries the type. */
  readonly instance?: Instance;
}

/** Apps have no prefix: `apps.http` in the document is the module `http`. */
export const appNamespace: ModuleNamespace<App> = { prefix: "" };

/** The top level `logging` of the document is the module `logging.app`: it is there for every config, before all apps. */
export const loggingNamespace: ModuleNamespace<App> = { prefix: "logging" };

/** `admin.identity` of the document, likewise: the module `admin.identity.app`, after all apps. */
export const identityNamespace: ModuleNamespace<App> = { prefix: "admin.identity" };
