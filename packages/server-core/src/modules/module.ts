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

/** Definition of a module in its file. */
export interface ModuleSource<Config, Instance extends ModuleInstance> extends ModuleText {
  /** Namespace and name: `http.matchers.path`. */
  readonly id: string;
  /** For an app: true when the app runs in every worker thread instead of the main thread, if there are workers. */
  readonly inWorkers?: boolean;
  /**
   * For an app: true when the app exists for every config, even without a member. It is loaded before the other apps.
   */
  readonly implied?: boolean;
  /** True for an app whose name has a dot. */
  readonly isApp?: boolean;
  /** Apps that the module needs. A config that uses the module without these apps is refused when it is loaded. */
  readonly needsApps?: readonly string[];
  /** Schema of the config: strict; null members count as absent (`.nullish()`); every field has a description. */
  readonly config: z.ZodType<Config>;
  /**
   * Creates an instance from a valid config. Resources must be released in `close`, or acquired through
   * `context.acquire`.
   * @throws ServerError when the config matches the schema but is still invalid
   */
  provision(config: Config, context: ModuleContext): Instance | Promise<Instance>;
}

/** A module in lists and the registry: `provision` gets the result of `config`. */
export type ModuleDefinition = ModuleSource<unknown, ModuleInstance>;

/** Data about a module that is known before its file is loaded. */
export interface ModuleTraits {
  /** Full id: `http.handlers.file_server`. */
  readonly id: string;
  /** For an app: true when the app runs in every worker thread instead of the main thread. Default: false. */
  readonly inWorkers?: boolean;
  /** True when the module is provisioned even without a member in the document. */
  readonly implied?: boolean;
  /** True for an app whose name has a dot; an id with a dot is otherwise that of a module in a namespace. */
  readonly isApp?: boolean;
  /**
   * npm package of the module. A config that lists a package with this name under `modules` gets the module of that
   * package instead.
   */
  readonly package?: string;
}

/**
 * A module in a list that is loaded when a config uses it. Most configs use few modules, and every loaded module takes
 * memory in each thread for its code and schema. A built program has a separate file for each module; in a source
 * checkout, all modules are loaded at once.
 */
export interface ListedModule extends ModuleTraits, ListedText {
  /** Loads the code; called when a document uses the module. */
  readonly load: () => ModuleDefinition;
}

/** Makes an entry of the list. @param more traits of the module, and its directive names */
export function listed(
  id: string,
  load: () => ModuleDefinition,
  more: Omit<ModuleTraits, "id"> & ListedText = {},
): ListedModule {
  return { id, load, ...more };
}

/**
 * Declares a module. Importing a module does not register it. `server-modules/standard` lists the standard modules, and
 * `admin-server/src/all-modules.ts` adds the modules of `layer4` and of the process.
 */
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
