import type { z } from "zod";
import type { ModuleInstance } from "../module-instance.ts";
import type { ModuleContext } from "./module-context.ts";
import type { ListedText, ModuleText } from "./module-text.ts";

export {
  type App,
  appNamespace,
  identityNamespace,
  loggingNamespace,
  type ModuleInstance,
  type ModuleNamespace,
} from "../module-instance.ts";

/** A module as its file describes it. */
export interface ModuleSource<Config, Instance extends ModuleInstance> extends ModuleText {
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
  /** Full id: `http.handlers.file_server`. */
  readonly id: string;
  /** Whether threads that serve requests provision it. Default: true. */
  readonly inWorkers?: boolean;
  /** Whether it is provisioned though no document names it. */
  readonly implied?: boolean;
}

/**
 * A module in a list that is loaded when a config names it. Most configs name few modules, and in each thread
 * a module needs memory for its code and schema. Built programs have separate files for them; the sources
 * load all at once.
 */
export interface ListedModule extends ModuleTraits, ListedText {
  /** Loads the code, once a document names the module: a start loads only what it needs. */
  readonly load: () => ModuleDefinition;
}

/** Puts a module in a list. @param more traits of the module, and how texts say it */
export function listed(
  id: string,
  load: () => ModuleDefinition,
  more: Omit<ModuleTraits, "id"> & ListedText = {},
): ListedModule {
  return { id, load, ...more };
}

/** Declares a module. Nothing registers by being imported: the one list is `server-modules/standard`. */
export function defineModule<Config, Instance extends ModuleInstance>(
  source: ModuleSource<Config, Instance>,
): ModuleDefinition {
  return {
    ...source,
    inWorkers: source.inWorkers === true,
    implied: source.implied === true,
    provision: (config, context) => source.provision(config as Config, context),
  };
}
