import { ServerError } from "../errors.ts";
import type {
  ListedModule,
  ModuleDefinition,
  ModuleInstance,
  ModuleNamespace,
  ModuleTraits,
} from "./module.ts";

/** The imports of user modules from the program that loads them. */
export interface ModuleApi {
  /** By which they import it. */
  readonly name: string;
  /** URL of the file that they get. */
  readonly url: string;
  /** Folders in which packages are looked up after the working folder. Default: none. */
  readonly packageFolders?: readonly string[];
}

/** All modules of a server, by id. Those that are only listed are loaded when they are looked up. */
export class ModuleRegistry {
  readonly #byId = new Map<string, ModuleDefinition | ListedModule>();
  /** Modules that were looked up, by namespace and name. A config needs few modules, but each for every route. */
  readonly #found = new Map<string, Map<string, ModuleDefinition>>();
  /** For modules that are added from files; absent: they find nothing by that name. */
  readonly api: ModuleApi | undefined;
  /** Modules of the user's own are among them: the server does not know what their code starts. */
  readonly hasUserModules: boolean;

  /**
   * @param isStandard whether all are the server's own
   * @throws ServerError MODULE_DUPLICATE
   */
  constructor(modules: Iterable<ModuleDefinition | ListedModule>, api?: ModuleApi, isStandard = true) {
    this.api = api;
    this.hasUserModules = !isStandard;
    for (const module of modules) {
      if (this.#byId.has(module.id)) {
        throw new ServerError("MODULE_DUPLICATE", `module ${module.id} is listed twice`);
      }
      this.#byId.set(module.id, module);
    }
  }

  /** Every module, in the order of the list, loaded. */
  get modules(): ModuleDefinition[] {
    return [...this.#byId.values()].map((module) => this.#loaded(module));
  }

  /** The same without loading any. */
  get listed(): readonly (ModuleDefinition | ListedModule)[] {
    return [...this.#byId.values()];
  }

  /** The facts about an app without loading it; undefined when there is none of that name. */
  appTraits(name: string): ModuleTraits | undefined {
    return this.#byId.get(name);
  }

  find<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
  ): ModuleDefinition | undefined {
    const known = this.#found.get(namespace.prefix)?.get(name);
    if (known !== undefined) {
      return known;
    }
    const module = this.#byId.get(namespace.prefix === "" ? name : `${namespace.prefix}.${name}`);
    if (module === undefined) {
      return undefined;
    }
    const loaded = this.#loaded(module);
    const found = this.#found.get(namespace.prefix) ?? new Map<string, ModuleDefinition>();
    this.#found.set(namespace.prefix, found.set(name, loaded));
    return loaded;
  }

  /** @throws ServerError MODULE_UNKNOWN */
  get<Instance extends ModuleInstance>(namespace: ModuleNamespace<Instance>, name: string): ModuleDefinition {
    const module = this.find(namespace, name);
    // Apps have no prefix of their own: a name with a dot would reach into other namespaces.
    if (module === undefined || (namespace.prefix === "" && name.includes("."))) {
      const id = namespace.prefix === "" ? name : `${namespace.prefix}.${name}`;
      throw new ServerError("MODULE_UNKNOWN", `unknown module: ${id}`);
    }
    return module;
  }

  /** Names of all modules of a namespace, in the order of the list. */
  names<Instance extends ModuleInstance>(namespace: ModuleNamespace<Instance>): string[] {
    const start = `${namespace.prefix}.`;
    return [...this.#byId.keys()].filter((id) => id.startsWith(start)).map((id) => id.slice(start.length));
  }

  /** @throws ServerError MODULE_DUPLICATE when it stands in the list under the name of another one */
  #loaded(module: ModuleDefinition | ListedModule): ModuleDefinition {
    if (!("load" in module)) {
      return module;
    }
    const loaded = module.load();
    if (
      loaded.id !== module.id ||
      loaded.inWorkers !== (module.inWorkers === true) ||
      loaded.implied !== (module.implied === true)
    ) {
      throw new ServerError(
        "MODULE_DUPLICATE",
        `module ${loaded.id} is not what the list says of ${module.id}`,
      );
    }
    this.#byId.set(module.id, loaded);
    return loaded;
  }
}
