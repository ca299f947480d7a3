import type { z } from "zod";
import { documentSchema } from "../engine/config-document.ts";
import { withoutIds } from "../json/id-index.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, member } from "../json/json-value.ts";
import { type ConfigFault, configFaults, parseConfig } from "../modules/decode-config.ts";
import type { ModuleDefinition } from "../modules/module.ts";
import type { ModuleRegistry } from "../modules/module-registry.ts";
import { type AnySchema, schemaParts } from "./schema-parts.ts";

const maxFaults = 100;

/** Validates a document with its schemas, including all modules in it. */
class FaultFinder {
  readonly faults: ConfigFault[] = [];
  readonly #registry: ModuleRegistry;

  constructor(registry: ModuleRegistry) {
    this.#registry = registry;
  }

  /** Collects the faults of `value`, then the faults of the modules in it. */
  check(schema: AnySchema, value: JsonValue, path: string): void {
    const result = parseConfig(schema as z.ZodType, value);
    if (!result.success) {
      this.#add(...configFaults(result.error, value, path));
    }
    this.#descend(schema, value, path);
  }

  /** Checks the modules of a namespace, by name. */
  checkModules(namespace: string, modules: JsonObject, path: string): void {
    for (const [name, config] of Object.entries(modules)) {
      const module = this.#find(namespace, name, `${path}/${name}`);
      if (module !== undefined) {
        this.check(module.config, config, `${path}/${name}`);
      }
    }
  }

  #descend(schema: AnySchema, value: JsonValue, path: string): void {
    if (value === null || this.faults.length >= maxFaults) {
      return;
    }
    const { element, valueType, shape, moduleNamespace, moduleKey } = schemaParts(schema);
    if (moduleNamespace !== undefined) {
      if (isJsonObject(value)) {
        this.#checkReference(moduleNamespace, moduleKey, value, path);
      }
    } else if (element !== undefined && isJsonArray(value)) {
      for (const [position, child] of value.entries()) {
        this.#descend(element, child, `${path}/${position}`);
      }
    } else if (isJsonObject(value)) {
      for (const [key, child] of Object.entries(value)) {
        const field = shape !== undefined && Object.hasOwn(shape, key) ? shape[key] : valueType;
        if (field !== undefined) {
          this.#descend(field, child, `${path}/${key}`);
        }
      }
    }
  }

  #checkReference(namespace: string, key: string | undefined, value: JsonObject, path: string): void {
    if (key === undefined) {
      this.checkModules(namespace, value, path);
      return;
    }
    const name = member(value, key);
    if (typeof name !== "string" || name === "") {
      this.#add({ path, message: `module name not specified with key '${key}'` });
      return;
    }
    const module = this.#find(namespace, name, `${path}/${key}`);
    if (module !== undefined) {
      const { [key]: _, ...rest } = value;
      this.check(module.config, rest, path);
    }
  }

  #find(namespace: string, name: string, path: string): ModuleDefinition | undefined {
    try {
      return this.#registry.get({ prefix: namespace }, name);
    } catch (error) {
      this.#add({ path, message: (error as Error).message });
      return undefined;
    }
  }

  #add(...faults: ConfigFault[]): void {
    this.faults.push(...faults.slice(0, maxFaults - this.faults.length));
  }
}

/**
 * Finds all faults of a document by its schemas; loading a config reports only the first fault. Faults that modules
 * find beyond their schemas are not included.
 * @param sections schemas of top-level members that have their own schema: `admin`
 * @returns at most 100 faults, in the order of the document
 */
export function findFaults(
  registry: ModuleRegistry,
  sections: Readonly<Record<string, AnySchema>>,
  config: JsonValue,
): ConfigFault[] {
  const document = withoutIds(config);
  const finder = new FaultFinder(registry);
  finder.check(documentSchema, document, "/config");
  if (isJsonObject(document)) {
    for (const [name, schema] of Object.entries(sections)) {
      const section = member(document, name) ?? null;
      if (section !== null) {
        finder.check(schema, section, `/config/${name}`);
      }
    }
    const apps = member(document, "apps");
    if (isJsonObject(apps)) {
      finder.checkModules("", apps, "/config/apps");
    }
  }
  return finder.faults;
}
