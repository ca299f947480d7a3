import type { z } from "zod";
import { isJsonArray, isJsonObject, type JsonValue, member } from "../json/json-value.ts";
import { appNamespace, loggingNamespace } from "../modules/module.ts";
import type { ModuleRegistry } from "../modules/module-registry.ts";

type Schema = z.core.$ZodType;
type Definition = z.core.$ZodTypeDef & {
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly element?: Schema;
  readonly valueType?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
};

interface ModuleMeta {
  /** Namespace of the modules that are allowed at this place. */
  readonly moduleNamespace?: string;
  /** Member with the module's name; absent when the key of the map is the name. */
  readonly moduleKey?: string;
}

/** The schema without `.nullish()`, `.transform()` and the like. */
function unwrap(schema: Schema): Schema {
  const definition = schema._zod.def as Definition;
  const inner = definition.innerType ?? definition.in;
  return inner === undefined ? schema : unwrap(inner);
}

function moduleMeta(schema: Schema): ModuleMeta {
  return ((schema as z.ZodType).meta?.() ?? {}) as ModuleMeta;
}

/** The schema of the member or element `segment`. @param value the value to which `schema` applies */
function step(
  schema: Schema,
  segment: string,
  value: JsonValue,
  registry: ModuleRegistry,
): Schema | undefined {
  const inner = unwrap(schema);
  const definition = inner._zod.def as Definition;
  const { moduleNamespace, moduleKey } = moduleMeta(inner);
  if (moduleNamespace !== undefined && moduleKey === undefined) {
    return registry.find({ prefix: moduleNamespace }, segment)?.config;
  }
  if (moduleNamespace !== undefined && moduleKey !== undefined && isJsonObject(value)) {
    const name = member(value, moduleKey);
    const module = typeof name === "string" ? registry.find({ prefix: moduleNamespace }, name) : undefined;
    return module === undefined ? undefined : step(module.config, segment, value, registry);
  }
  const { shape } = definition;
  // A client may use any name, even `constructor`, so only own members of the shape are fields.
  const field = shape !== undefined && Object.hasOwn(shape, segment) ? shape[segment] : undefined;
  return field ?? definition.element ?? definition.valueType;
}

/**
 * True when, by the schemas of the modules, the config at a path is an array.
 * @param config the whole document, which contains the names of the modules along the path
 * @param segments `config`, `apps`, `http`, …
 * @param admin schema of the member `admin`, which is not a module
 */
export function isArrayBySchema(
  registry: ModuleRegistry,
  config: JsonValue,
  segments: readonly string[],
  admin?: Schema,
): boolean {
  const [root, apps, app, ...rest] = segments;
  if (root === "config" && apps === "logging") {
    const logging = registry.find(loggingNamespace, "app")?.config;
    const value = isJsonObject(config) ? (member(config, "logging") ?? null) : null;
    return endsInArray(logging, segments.slice(2), value, registry);
  }
  if (root === "config" && apps === "admin") {
    const value = isJsonObject(config) ? (member(config, "admin") ?? null) : null;
    return endsInArray(admin, segments.slice(2), value, registry);
  }
  if (root !== "config" || apps !== "apps" || app === undefined) {
    return false;
  }
  let value: JsonValue = isJsonObject(config) ? (member(config, "apps") ?? null) : null;
  value = isJsonObject(value) ? (member(value, app) ?? null) : null;
  return endsInArray(registry.find(appNamespace, app)?.config, rest, value, registry);
}

/** Follows `segments` from a module's config downwards. */
function endsInArray(
  top: Schema | undefined,
  segments: readonly string[],
  config: JsonValue,
  registry: ModuleRegistry,
): boolean {
  let schema = top;
  let value = config;
  for (const segment of segments) {
    if (schema === undefined) {
      return false;
    }
    schema = step(schema, segment, value, registry);
    if (isJsonArray(value)) {
      value = value[Number(segment)] ?? null;
    } else {
      value = isJsonObject(value) ? (member(value, segment) ?? null) : null;
    }
  }
  return schema !== undefined && (unwrap(schema)._zod.def as Definition).type === "array";
}
