import { isObject, type JsonValue } from "../api/json-value.ts";
import { pointerParts } from "./json-pointer.ts";

/** The part of JSON Schema 2020-12 that the server's schema uses. */
export interface JsonSchema {
  /** A definition in `$defs`: `#/$defs/duration`. Its statements are added to those beside it. */
  $ref?: string;
  /** The meaning, a sentence or two; shown beside the field. */
  description?: string;
  /** Allowed JSON types; absent for any. */
  type?: string | string[];
  /** Schemas of the fields by name. */
  properties?: Record<string, JsonSchema>;
  /** Schema of other fields; false: there may be none. */
  additionalProperties?: JsonSchema | boolean;
  /** Fields that must be there. */
  required?: string[];
  /** Schema of a list's elements. */
  items?: JsonSchema | boolean;
  /** The only allowed values. */
  enum?: JsonValue[];
  /** The only allowed value. In a variant of a module it is the module's name. */
  const?: JsonValue;
  /** Alternatives; the reader picks those that the value can mean. */
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  /** Least number. */
  minimum?: number;
  /** Largest number. */
  maximum?: number;
  /** Accepted in the schema and not checked here; the server checks it. */
  exclusiveMinimum?: number;
  /** Keyword of JSON Schema. */
  pattern?: string;
  /** As above. */
  not?: JsonSchema;
}

/** The schema of a whole config, with the definitions that it refers to. */
export interface ConfigSchema extends JsonSchema {
  /** Named schemas, which `$ref` names. */
  $defs?: Record<string, JsonSchema>;
}

/** The values that are allowed at a place, with all references and alternatives resolved. */
export interface PlaceSchema {
  /** The first description: the place's own one precedes its references. */
  description: string;
  /** Allowed JSON types; an empty set allows any. */
  types: ReadonlySet<string>;
  /** The values to choose from; empty where there is no such list. */
  choices: readonly JsonValue[];
  /** Schemas of the known fields by name, including fields of chosen variants. */
  fields: ReadonlyMap<string, JsonSchema>;
  /** Names of fields that must be there. */
  required: ReadonlySet<string>;
  /** Schema of fields with other names; false when there may be none, undefined when the schema is silent. */
  otherFields: JsonSchema | false | undefined;
  /** Schema of a list's elements. */
  items: JsonSchema | undefined;
  /** Least number; undefined for no limit. */
  minimum: number | undefined;
  /** Largest number; undefined for no limit. */
  maximum: number | undefined;
}

/** Limit of nested references and alternatives at one place; it stops recursive schemas. */
const maxDepth = 12;

/**
 * Reads what the server's schema says of places in a config. It holds no state beside the schema, so it
 * lives as long as that.
 */
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

  /** Follows a pointer through schema and document together: the values on the way choose the variants. */
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
    // Null means "not set": every alternative is possible.
    this.#collect(schema, value ?? undefined, draft, 0);
    return draft;
  }

  /**
   * Adds the statements of a schema, of its references and of its fitting variants to `draft`. The first
   * description and the first limits win; types, choices and fields add up.
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

  /**
   * The schemas, out of several, that can be meant:
   * - those whose constant members the value has: it names a module
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
    // Before a module is chosen none of the modules' own fields is right.
    const plain = resolved.filter((variant) => !hasConstant(variant));
    const fitting = plain.filter((variant) => value === undefined || fitsType(variant, value));
    // A value that fits none is a fault of all of them.
    return fitting.length > 0 ? fitting : plain;
  }

  /** Whether the value has a member that equals a constant of the variant: `{"handler": "file_server"}`. */
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

/** A place while its statements are collected. */
type Draft = { -readonly [Key in keyof PlaceSchema]: PlaceSchema[Key] } & {
  types: Set<string>;
  fields: Map<string, JsonSchema>;
  required: Set<string>;
};

/** Types of a schema, without null, which every field takes as "not set". */
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

/** Whether a value is of a type that the schema allows. */
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
