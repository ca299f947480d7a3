import { isObject, type JsonValue } from "../api/json-value.ts";
import { pointerParts } from "./json-pointer.ts";

/** The part of JSON Schema 2020-12 that the server's schema uses. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  required?: string[];
  items?: JsonSchema | boolean;
  enum?: JsonValue[];
  const?: JsonValue;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  pattern?: string;
  not?: JsonSchema;
}

/** The schema of a whole config, with the definitions that it refers to. */
export interface ConfigSchema extends JsonSchema {
  $defs?: Record<string, JsonSchema>;
}

/** The values that are allowed at a place, with all references and alternatives resolved. */
export interface PlaceSchema {
  description: string;
  /** Allowed JSON types; an empty set allows any. */
  types: ReadonlySet<string>;
  /** The values to choose from; empty where there is no such list. */
  choices: readonly JsonValue[];
  fields: ReadonlyMap<string, JsonSchema>;
  required: ReadonlySet<string>;
  /** Schema of fields with other names; false when there may be none, undefined when the schema is silent. */
  otherFields: JsonSchema | false | undefined;
  /** Schema of a list's elements. */
  items: JsonSchema | undefined;
  minimum: number | undefined;
  maximum: number | undefined;
}

/** How deep references and alternatives are followed at one place; schemas that refer to themselves end here. */
const maxDepth = 12;

/** Reads what the server's schema says of places in a config. */
export class SchemaReader {
  readonly #schema: ConfigSchema;

  constructor(schema: ConfigSchema) {
    this.#schema = schema;
  }

  /** The allowed values at a place. The document decides which of several modules applies. */
  at(document: JsonValue, pointer: string): PlaceSchema {
    const { schema, value } = this.#walk(document, pointer);
    return this.place(schema, value);
  }

  /** The schema of the value at a place; an empty schema where none is known. */
  schemaAt(document: JsonValue, pointer: string): JsonSchema {
    return this.#walk(document, pointer).schema;
  }

  #walk(document: JsonValue, pointer: string): { schema: JsonSchema; value: JsonValue | undefined } {
    let schema: JsonSchema | undefined = this.#schema;
    let value: JsonValue | undefined = document;
    for (const part of pointerParts(pointer)) {
      schema = schema === undefined ? undefined : this.below(this.place(schema, value), part);
      value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
    }
    return { schema: schema ?? {}, value };
  }

  /** Schema of a member of a place. @returns undefined where none is known */
  below(place: PlaceSchema, part: string): JsonSchema | undefined {
    const field = place.fields.get(part);
    if (field !== undefined) {
      return field;
    }
    if (place.items !== undefined && /^\d+$/.test(part)) {
      return place.items;
    }
    return place.otherFields === false ? undefined : place.otherFields;
  }

  /** The schema's statements about a value, or about any value when there is none yet. */
  place(schema: JsonSchema, value: JsonValue | undefined): PlaceSchema {
    const draft: Draft = {
      description: "",
      types: new Set(),
      choices: [],
      fields: new Map(),
      required: new Set(),
      otherFields: undefined,
      items: undefined,
      minimum: undefined,
      maximum: undefined,
    };
    // Null means "not set": whatever may be set there can come.
    this.#collect(schema, value ?? undefined, draft, 0);
    return draft;
  }

  #collect(schema: JsonSchema, value: JsonValue | undefined, draft: Draft, depth: number): void {
    if (depth > maxDepth) {
      return;
    }
    const { description, properties, additionalProperties, items, anyOf, oneOf } = schema;
    if (draft.description === "" && description !== undefined) {
      draft.description = description;
    }
    if (schema.$ref !== undefined) {
      const target = this.#schema.$defs?.[schema.$ref.replace("#/$defs/", "")];
      if (target !== undefined) {
        this.#collect(target, value, draft, depth + 1);
      }
    }
    for (const type of typesOf(schema)) {
      draft.types.add(type);
    }
    if (schema.enum !== undefined) {
      draft.choices = [...draft.choices, ...schema.enum];
    }
    if (schema.const !== undefined && !draft.choices.includes(schema.const)) {
      draft.choices = [...draft.choices, schema.const];
    }
    for (const [name, field] of Object.entries(properties ?? {})) {
      // The list of all modules' names says more than the one name of the variant that was chosen.
      if (!draft.fields.has(name)) {
        draft.fields.set(name, field);
      }
    }
    for (const name of schema.required ?? []) {
      draft.required.add(name);
    }
    if (additionalProperties !== undefined && additionalProperties !== true) {
      draft.otherFields = additionalProperties;
    } else if (additionalProperties === true) {
      draft.otherFields = {};
    }
    if (typeof items === "object") {
      draft.items = items;
    }
    draft.minimum ??= schema.minimum;
    draft.maximum ??= schema.maximum;
    for (const variant of this.#variants([...(anyOf ?? []), ...(oneOf ?? [])], value)) {
      this.#collect(variant, value, draft, depth + 1);
    }
  }

  /** Those of several schemas that can be meant: by the value's members that name a module, else by its type. */
  #variants(variants: readonly JsonSchema[], value: JsonValue | undefined): JsonSchema[] {
    if (variants.length < 2) {
      return [...variants];
    }
    const resolved = variants.map((variant) => this.#target(variant));
    const named = resolved.filter((variant) => this.#isNamedBy(variant, value));
    if (named.length > 0) {
      return named;
    }
    // Before a module is chosen none of the modules' own fields is right.
    const plain = resolved.filter((variant) => !hasConstant(variant));
    const fitting = plain.filter((variant) => value === undefined || fitsType(variant, value));
    // A value that fits none is a fault of all of them.
    return fitting.length > 0 ? fitting : plain;
  }

  #isNamedBy(variant: JsonSchema, value: JsonValue | undefined): boolean {
    if (!isObject(value)) {
      return false;
    }
    return Object.entries(variant.properties ?? {}).some(
      ([name, field]) => field.const !== undefined && value[name] === field.const,
    );
  }

  #target(schema: JsonSchema): JsonSchema {
    let target = schema;
    for (let depth = 0; target.$ref !== undefined && depth < maxDepth; depth += 1) {
      target = this.#schema.$defs?.[target.$ref.replace("#/$defs/", "")] ?? {};
    }
    return target;
  }
}

type Draft = { -readonly [Key in keyof PlaceSchema]: PlaceSchema[Key] } & {
  types: Set<string>;
  fields: Map<string, JsonSchema>;
  required: Set<string>;
};

function typesOf(schema: JsonSchema): string[] {
  if (schema.type === undefined) {
    return [];
  }
  return (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
}

function hasConstant(schema: JsonSchema): boolean {
  return Object.values(schema.properties ?? {}).some((field) => field.const !== undefined);
}

function fitsType(schema: JsonSchema, value: JsonValue): boolean {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  return types.length === 0 || types.some((type) => isOfType(value, type));
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: JsonValue, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      // The types that are left are named as typeof names them.
      return typeof value === type;
  }
}
