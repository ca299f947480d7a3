import type { z } from "zod";
import type { ModuleContext } from "./module-context.ts";

/** Members that every provisioned module may have beside those of its namespace. */
export interface ModuleInstance {
  /** Checks what only the provisioned whole shows. Called once, after everything is provisioned. @throws ServerError */
  validate?(): void | Promise<void>;
  /** Gives back what the module took. Called once, when its config is gone and nothing of it is under way. */
  close?(): void | Promise<void>;
}

/** One part of the top level `apps`. */
export interface App extends ModuleInstance {
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

/** A module as its file describes it. */
export interface ModuleSource<Config, Instance extends ModuleInstance> {
  /** Namespace and name: `http.matchers.path`. */
  readonly id: string;
  /** For an app: it runs in every worker thread instead of the main thread, when there are workers. */
  readonly inWorkers?: boolean;
  /** For an app: it exists for every config, named or not, and before the others. */
  readonly implied?: boolean;
  /** Strict; null members count as absent (`.nullish()`); every field is described. */
  readonly config: z.ZodType<Config>;
  /**
   * Makes an instance from checked config. Resources must be released in `close`, or acquired through
   * `context.acquire`.
   * @throws ServerError when the config fits its schema and still cannot be
   */
  provision(config: Config, context: ModuleContext): Instance | Promise<Instance>;
}

/** A module as lists and the registry hold it: `provision` takes what `config` decoded. */
export type ModuleDefinition = ModuleSource<unknown, ModuleInstance>;

/** Facts about a module before its file is loaded. */
export interface ModuleTraits {
  readonly id: string;
  readonly inWorkers?: boolean;
  readonly implied?: boolean;
}

/**
 * A module in a list that is loaded when a config names it. Most configs name few modules, and in each thread
 * a module needs memory for its code and schema. Built programs have separate files for them; the sources
 * load all at once.
 */
export interface ListedModule extends ModuleTraits {
  readonly load: () => ModuleDefinition;
}

/** Puts a module in a list. @param traits those of the module, where it has some */
export function listed(
  id: string,
  load: () => ModuleDefinition,
  traits: Omit<ModuleTraits, "id"> = {},
): ListedModule {
  return { id, load, ...traits };
}

/** Declares a module. Nothing registers by being imported: the one list is `server-modules/standard`. */
export function defineModule<Config, Instance extends ModuleInstance>(
  source: ModuleSource<Config, Instance>,
): ModuleDefinition {
  return {
    id: source.id,
    inWorkers: source.inWorkers === true,
    implied: source.implied === true,
    config: source.config,
    provision: (config, context) => source.provision(config as Config, context),
  };
}
