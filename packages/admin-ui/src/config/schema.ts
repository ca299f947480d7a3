import { isObject, type JsonValue } from "../api/json-value.ts";
import { pointerParts } from "./json-pointer.ts";

/** The part of JSON Schema 2020-12 that the server's schema uses. */
export interface JsonSchema {
  /** A definition in `$defs`: `#/$defs/duration`. Other members of this schema apply too. */
  $ref?: string;
  /** The meaning, a sentence or two; shown beside the field. */
  description?: string;
  /** Allowed JSON types; absent allows any. */
  type?: string | string[];
  /** Schemas of the fields by name. */
  properties?: Record<string, JsonSchema>;
  /** Schema of other fields; false allows none. */
  additionalProperties?: JsonSchema | boolean;
  /** Required fields. */
  required?: string[];
  /** Schema of a list's elements. */
  items?: JsonSchema | boolean;
  /** The only allowed values. */
  enum?: JsonValue[];
  /** The only allowed value. In a variant of a module it is the module's name. */
  const?: JsonValue;
  /** Alternatives; the reader selects those that fit the value. */
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  /** Not checked here; the server checks it. */
  exclusiveMinimum?: number;
  /** Not checked here. */
  pattern?: string;
  /** Not checked here. */
  not?: JsonSchema;
}

/** The schema of a whole config, with the definitions that it refers to. */
export interface ConfigSchema extends JsonSchema {
  /** Named schemas for `$ref`. */
  $defs?: Record<string, JsonSchema>;
}

/** The allowed values at a place, with all references and alternatives resolved. */
export interface PlaceSchema {
  /** The first description: that of the place itself precedes those of its references. */
  description: string;
  /** Allowed JSON types; an empty set allows any. */
  types: ReadonlySet<string>;
  /** Values to choose from; empty when the schema lists none. */
  choices: readonly JsonValue[];
  /** Schemas of the known fields by name, including fields of chosen variants. */
  fields: ReadonlyMap<string, JsonSchema>;
  /** Names of required fields. */
  required: ReadonlySet<string>;
  /** Schema of fields with other names; false allows none, undefined when the schema does not say. */
  otherFields: JsonSchema | false | undefined;
  /** Schema of a list's elements. */
  items: JsonSchema | undefined;
  /** Minimum; undefined for no limit. */
  minimum: number | undefined;
  /** Maximum; undefined for no limit. */
  maximum: number | undefined;
}

/** Maximum number of nested references and alternatives at one place, which stops recursive schemas. */
const maxDepth = 12;

/**
 * Answers questions about places of a config from the server's schema. It has no state besides the schema.
 */
export class SchemaReader {
  readonly #schema: ConfigSchema;

  constructor(schema: ConfigSchema) {
    this.#schema = schema;
  }

  /** The allowed values at a place. The document selects the applicable module. */
  at(document: JsonValue, pointer: string): PlaceSchema {
    const { schema, value } = this.#walk(document, pointer);
    return this.place(schema, value);
  }

  /** The schema of the value at a place; an empty schema when unknown. */
  schemaAt(document: JsonValue, pointer: string): JsonSchema {
    return this.#walk(document, pointer).schema;
  }

  /** Follows a pointer through schema and document together: the values on the path select the variants. */
  #walk(document: JsonValue, pointer: string): { schema: JsonSchema; value: JsonValue | undefined } {
    let schema: JsonSchema | undefined = this.#schema;
    let value: JsonValue | undefined = document;
    for (const part of pointerParts(pointer)) {
      schema = schema === undefined ? undefined : this.below(this.place(schema, value), part);
      value = Array.isArray(value) ? value[Number(part)] : isObject(value) ? value[part] : undefined;
    }
    return { schema: schema ?? {}, value };
  }

  /** Schema of a member of a place. @returns undefined when unknown */
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

  /** Collects the schema's statements about a value; undefined means any value. */
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
    // Null means "not set": every alternative applies.
    this.#collect(schema, value ?? undefined, draft, 0);
    return draft;
  }

  /**
   * Adds the statements of a schema, of its references and of the fitting variants to `draft`. The first description
   * and the first limits win; types, choices and fields are combined.
   */
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
      // The list of all module names is more useful than the single name of the chosen variant.
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

  /**
   * Selects the applicable variants:
   * - those whose constant members equal the value's: the value names this module
   * - else those without constants whose type fits the value
   * - else all without constants
   */
  #variants(variants: readonly JsonSchema[], value: JsonValue | undefined): JsonSchema[] {
    if (variants.length < 2) {
      return [...variants];
    }
    const resolved = variants.map((variant) => this.#target(variant));
    const named = resolved.filter((variant) => this.#isNamedBy(variant, value));
    if (named.length > 0) {
      return named;
    }
    // Before a module is chosen, no module's own fields are valid.
    const plain = resolved.filter((variant) => !hasConstant(variant));
    const fitting = plain.filter((variant) => value === undefined || fitsType(variant, value));
    // A value that fits no variant violates all of them.
    return fitting.length > 0 ? fitting : plain;
  }

  /** True when a member of the value equals a constant of the variant: `{"handler": "file_server"}`. */
  #isNamedBy(variant: JsonSchema, value: JsonValue | undefined): boolean {
    if (!isObject(value)) {
      return false;
    }
    return Object.entries(variant.properties ?? {}).some(
      ([name, field]) => field.const !== undefined && value[name] === field.const,
    );
  }

  /** The schema at the end of a chain of references. */
  #target(schema: JsonSchema): JsonSchema {
    let target = schema;
    for (let depth = 0; target.$ref !== undefined && depth < maxDepth; depth += 1) {
      target = this.#schema.$defs?.[target.$ref.replace("#/$defs/", "")] ?? {};
    }
    return target;
  }
}

/** A place while its statements are being collected. */
type Draft = { -readonly [Key in keyof PlaceSchema]: PlaceSchema[Key] } & {
  types: Set<string>;
  fields: Map<string, JsonSchema>;
  required: Set<string>;
};

/** Types of a schema without null, which every field accepts as "not set". */
function typesOf(schema: JsonSchema): string[] {
  if (schema.type === undefined) {
    return [];
  }
  return (Array.isArray(schema.type) ? schema.type : [schema.type]).filter((type) => type !== "null");
}

/** True for a schema of one module: it fixes the value of a member. */
function hasConstant(schema: JsonSchema): boolean {
  return Object.values(schema.properties ?? {}).some((field) => field.const !== undefined);
}

/** True when the value has a type that the schema allows. */
function fitsType(schema: JsonSchema, value: JsonValue): boolean {
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? [] : [schema.type];
  return types.length === 0 || types.some((type) => isOfType(value, type));
}

/** True when the value has the JSON Schema type. */
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
      // The remaining types have the same names as in typeof.
      return typeof value === type;
  }
}
