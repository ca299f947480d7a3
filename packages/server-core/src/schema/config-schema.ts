import { z } from "zod";
import { documentSchema } from "../engine/config-document.ts";
import { ServerError } from "../errors.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { ModuleDefinition } from "../modules/module.ts";
import type { ModuleRegistry } from "../modules/module-registry.ts";
import type { AnySchema } from "./schema-parts.ts";

/** JSON Schema while it is made. */
type Draft = Record<string, unknown>;

const dialect = "https://json-schema.org/draft/2020-12/schema";
const idMember = {
  description: "A name of your own, by which /id/<name> reaches this object.",
  type: ["string", "number"],
};

/** A pointer to a definition. Ids and namespaces have neither `/` nor `~`. */
function refTo(name: string): Draft {
  return { $ref: `#/$defs/${name}` };
}

/** Whether the model's field is known and refused, `notYet()`: nobody should be led to it. */
function isRefused(field: unknown): boolean {
  const { type, ...rest } = (field ?? {}) as Draft;
  return type === "null" && Object.keys(rest).length === 0;
}

/** Replaces zod's schema where a module stands, and adds to objects the members that every object may have. */
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
    io: "input", // durations are texts or numbers, whatever they become
    unrepresentable: "any",
    override: ({ jsonSchema }) => mend(jsonSchema as Draft),
  }) as Draft;
  delete draft.$schema;
  return draft;
}

/** Lets all references to a draft's own definitions point to where those of `owner` stand in the whole. */
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

/** As zod names what it must define apart, because it holds itself: `__schema0`. */
const ownDefinition = "#/$defs/__";

function partName(owner: string, name: string): string {
  return `part:${owner}:${name}`;
}

function nameOf(module: ModuleDefinition, namespace: string): string {
  return namespace === "" ? module.id : module.id.slice(namespace.length + 1);
}

/** The schema of a module that stands inline: its own, with the member that names it. */
function inlineDraft(draft: Draft, key: string, name: string): Draft {
  const properties = { [key]: { const: name }, ...((draft.properties ?? {}) as Draft) };
  const required = [...new Set([key, ...((draft.required ?? []) as string[])])];
  return { ...draft, properties, required };
}

/** All references in a draft. */
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
 * JSON Schema of everything that can be configured, made from the schemas that decode it. Modules are resolved: where
 * one is named by a member, the schema offers one variant for each module of the namespace.
 * Source of the form: JSON Schema 2020-12
 */
export class ConfigSchema {
  readonly #registry: ModuleRegistry;
  readonly #sections: Readonly<Record<string, AnySchema>>;
  readonly #definitions = new Map<string, Draft>();

  /** @param sections schemas of the members of the top level that have their own: `admin` */
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
    // Editors name a schema in the document itself; the server would not know the member.
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

  /** With all definitions that it needs, and they need. */
  #complete(title: string, draft: Draft): JsonObject {
    const definitions: Draft = {};
    const wanted = new Set<string>();
    refsIn(draft, wanted);
    // The set grows while it is walked.
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

  /** Definitions inside a schema become definitions of the whole, under a name with their owner's. */
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
