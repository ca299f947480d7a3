import { ServerError } from "../errors.ts";
import type { ModuleDefinition, ModuleInstance, ModuleNamespace } from "./module.ts";

/** All modules of a server, by id. */
export class ModuleRegistry {
  readonly #byId = new Map<string, ModuleDefinition>();

  /** @throws ServerError MODULE_DUPLICATE */
  constructor(modules: Iterable<ModuleDefinition>) {
    for (const module of modules) {
      if (this.#byId.has(module.id)) {
        throw new ServerError("MODULE_DUPLICATE", `module ${module.id} is listed twice`);
      }
      this.#byId.set(module.id, module);
    }
  }

  /** Every module, in the order of the list. */
  get modules(): ModuleDefinition[] {
    return [...this.#byId.values()];
  }

  find<Instance extends ModuleInstance>(
    namespace: ModuleNamespace<Instance>,
    name: string,
  ): ModuleDefinition | undefined {
    return this.#byId.get(namespace.prefix === "" ? name : `${namespace.prefix}.${name}`);
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
}
