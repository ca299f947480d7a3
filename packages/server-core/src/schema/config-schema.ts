import { z } from "zod";
import { documentSchema } from "../engine/config-document.ts";
import { ServerError } from "../errors.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { ModuleDefinition } from "../modules/module.ts";
import type { ModuleRegistry } from "../modules/module-registry.ts";
import type { AnySchema } from "./schema-parts.ts";

/** JSON Schema under construction. */
type Draft = Record<string, unknown>;

const dialect = "https://json-schema.org/draft/2020-12/schema";
const idMember = {
  description: "A name of your own, by which /id/<name> reaches this object.",
  type: ["string", "number"],
};

/** Makes a pointer to a definition. Ids and namespaces contain neither `/` nor `~`. */
function refTo(name: string): Draft {
  return { $ref: `#/$defs/${name}` };
}

/** True for a field of Caddy that is refused by `notYet()`: editors should not suggest it. */
function isRefused(field: unknown): boolean {
  const { type, ...rest } = (field ?? {}) as Draft;
  return type === "null" && Object.keys(rest).length === 0;
}

/** Replaces zod's schema at the places of modules, and adds the members that every object may have. */
function mend(draft: Draft): void {
  const { moduleNamespace, moduleKey, description } = draft;
  if (typeof moduleNamespace === "string") {
    for (const key of Object.keys(draft)) {
      delete draft[key];
    }
    const kind =
      typeof moduleKey === "string" ? `one:${moduleNamespace}:${moduleKey}` : `map:${moduleNamespace}`;
    Object.assign(draft, refTo(kind), description === undefined ? {} : { description });
    return;
  }
  if (draft.type === "object") {
    const fields = Object.entries((draft.properties ?? {}) as Draft).filter(([, field]) => !isRefused(field));
    draft.properties = { "@id": idMember, ...Object.fromEntries(fields) };
  }
}

function draftOf(schema: AnySchema): Draft {
  const draft = z.toJSONSchema(schema as z.ZodType, {
    target: "draft-2020-12",
    io: "input", // the schema describes durations as users write them, as texts or numbers
    unrepresentable: "any",
    override: ({ jsonSchema }) => mend(jsonSchema as Draft),
  }) as Draft;
  delete draft.$schema;
  return draft;
}

/**
 * Rewrites references to a draft's own definitions, so that they point to the definitions of `owner` in the whole
 * schema.
 */
function moveRefs(value: unknown, owner: string): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    if (key === "$ref" && typeof child === "string" && child.startsWith(ownDefinition)) {
      (value as Draft).$ref = `#/$defs/${partName(owner, child.slice("#/$defs/".length))}`;
    } else {
      moveRefs(child, owner);
    }
  }
}

/** Prefix of the names that zod gives to recursive definitions: `__schema0`. */
const ownDefinition = "#/$defs/__";

function partName(owner: string, name: string): string {
  return `part:${owner}:${name}`;
}

function nameOf(module: ModuleDefinition, namespace: string): string {
  return namespace === "" ? module.id : module.id.slice(namespace.length + 1);
}

/** Schema of an inline module: the module's schema, with the member that contains its name. */
function inlineDraft(draft: Draft, key: string, name: string): Draft {
  const properties = { [key]: { const: name }, ...((draft.properties ?? {}) as Draft) };
  const required = [...new Set([key, ...((draft.required ?? []) as string[])])];
  return { ...draft, properties, required };
}

/** Collects all references in a draft. */
function refsIn(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    if (key === "$ref" && typeof child === "string") {
      found.add(child.slice("#/$defs/".length));
    } else {
      refsIn(child, found);
    }
  }
}

/**
 * JSON Schema of the whole configuration, derived from the schemas that decode it. Modules are resolved: where a member
 * contains a module's name, the schema has one variant for each module of the namespace. Source of the form: JSON
 * Schema 2020-12
 */
export class ConfigSchema {
  readonly #registry: ModuleRegistry;
  readonly #sections: Readonly<Record<string, AnySchema>>;
  readonly #definitions = new Map<string, Draft>();

  /** @param sections schemas of members of the top level that are not modules: `admin` */
  constructor(registry: ModuleRegistry, sections: Readonly<Record<string, AnySchema>>) {
    this.#registry = registry;
    this.#sections = sections;
  }

  /** Schema of a whole config. */
  document(): JsonObject {
    const draft = this.#draftOf("", documentSchema);
    const top =
      ((draft.anyOf as Draft[] | undefined) ?? [draft]).find((each) => each.type === "object") ?? draft;
    const properties = top.properties as Draft;
    for (const [name, schema] of Object.entries(this.#sections)) {
      properties[name] = { ...(properties[name] as Draft), ...this.#draftOf(name, schema) };
    }
    properties.apps = { ...(properties.apps as Draft), ...refTo("map:") };
    // Editors write the schema's name into the document as `$schema`, which the server would refuse.
    return this.#complete("Configuration of the server", draft);
  }

  /**
   * Schema of one module's config. @param id `http.handlers.static_response`. @throws ServerError
   * ADMIN_NOT_FOUND
   */
  module(id: string): JsonObject {
    if (!this.#registry.listed.some((module) => module.id === id)) {
      throw new ServerError("ADMIN_NOT_FOUND", `unknown module: ${id}`);
    }
    return this.#complete(id, refTo(id));
  }

  /** Adds all definitions that the draft needs, directly or through other definitions. */
  #complete(title: string, draft: Draft): JsonObject {
    const definitions: Draft = {};
    const wanted = new Set<string>();
    refsIn(draft, wanted);
    // The set grows during the loop.
    for (const name of wanted) {
      const definition = this.#definition(name);
      definitions[name] = definition;
      refsIn(definition, wanted);
    }
    return { $schema: dialect, title, ...draft, $defs: definitions } as JsonObject;
  }

  #definition(name: string): Draft {
    const known = this.#definitions.get(name) ?? this.#define(name);
    this.#definitions.set(name, known);
    return known;
  }

  #define(name: string): Draft {
    const [kind, namespace = "", key = ""] = name.split(":");
    const modules = this.#modulesOf(namespace);
    switch (kind) {
      case "map":
        return {
          type: "object",
          properties: {
            "@id": idMember,
            ...Object.fromEntries(modules.map((module) => [nameOf(module, namespace), refTo(module.id)])),
          },
          additionalProperties: false,
        };
      case "one":
        if (modules.length === 0) {
          return { not: {}, description: "There is no such module yet." };
        }
        return {
          type: "object",
          required: [key],
          properties: { [key]: { enum: modules.map((module) => nameOf(module, namespace)) } },
          oneOf: modules.map((module) => refTo(`inline:${module.id}:${key}`)),
        };
      case "inline": {
        const module = this.#moduleById(namespace);
        const parent = namespace.slice(0, namespace.lastIndexOf("."));
        return inlineDraft(this.#draftOf(module.id, module.config), key, nameOf(module, parent));
      }
      default:
        return this.#draftOf(name, this.#moduleById(name).config);
    }
  }

  /** Definitions inside the schema become definitions of the whole schema, with the owner's name in their names. */
  #draftOf(owner: string, schema: AnySchema): Draft {
    const { $defs: parts = {}, ...draft } = draftOf(schema);
    moveRefs(draft, owner);
    for (const [name, part] of Object.entries(parts as Record<string, Draft>)) {
      moveRefs(part, owner);
      this.#definitions.set(partName(owner, name), part);
    }
    return draft;
  }

  #moduleById(id: string): ModuleDefinition {
    const module = this.#registry.modules.find((each) => each.id === id);
    if (module === undefined) {
      throw new ServerError("MODULE_UNKNOWN", `unknown module: ${id}`);
    }
    return module;
  }

  #modulesOf(namespace: string): ModuleDefinition[] {
    if (namespace === "") {
      return this.#registry.modules.filter(({ id }) => !id.includes("."));
    }
    return this.#registry.modules.filter(
      ({ id }) => id.startsWith(`${namespace}.`) && !id.slice(namespace.length + 1).includes("."),
    );
  }
}
