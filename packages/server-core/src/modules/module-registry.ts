import { ServerError } from "../errors.ts";
import type {
  ListedModule,
  ModuleDefinition,
  ModuleInstance,
  ModuleNamespace,
  ModuleTraits,
} from "./module.ts";

/** The package that the program provides for the imports of user modules. */
export interface ModuleApi {
  /** Package names that stand for the imported file. */
  readonly names: readonly string[];
  /** URL of the imported file. */
  readonly url: string;
  /** Folders in which packages are looked up after the working folder. Default: none. */
  readonly packageFolders?: readonly string[];
}

/** All modules of a server, by id. A module that is only listed is loaded on first use. */
export class ModuleRegistry {
  readonly #byId = new Map<string, ModuleDefinition | ListedModule>();
  /**
   * Modules that were looked up, by namespace and name. A config uses few modules, but uses each module in many routes.
   */
  readonly #found = new Map<string, Map<string, ModuleDefinition>>();
  /** The package for modules that are added from files. Absent: importing such a module fails. */
  readonly api: ModuleApi | undefined;
  /** True when the registry includes user modules, whose code may start work that the server does not know of. */
  readonly hasUserModules: boolean;

  /**
   * @param isStandard true: all modules are built in
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

  /** All modules in the order of the list. The getter loads them. */
  get modules(): ModuleDefinition[] {
    return [...this.#byId.values()].map((module) => this.#loaded(module));
  }

  /** All modules, without loading them. */
  get listed(): readonly (ModuleDefinition | ListedModule)[] {
    return [...this.#byId.values()];
  }

  /** Traits of an app, without loading it; undefined when there is no such app. */
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
    // Apps have an empty prefix, so a name with a dot would match modules of other namespaces.
    const isOther = namespace.prefix === "" && name.includes(".") && module?.isApp !== true;
    if (module === undefined || isOther) {
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

  /** @throws ServerError MODULE_DUPLICATE when the id or traits of the loaded module differ from those in the list */
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
