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
  /** Namespace of the modules that may stand at the place. */
  readonly moduleNamespace?: string;
  /** Member that names the module; absent when the key of the map names it. */
  readonly moduleKey?: string;
}

/** Without `.nullish()`, `.transform()` and the like. */
function unwrap(schema: Schema): Schema {
  const definition = schema._zod.def as Definition;
  const inner = definition.innerType ?? definition.in;
  return inner === undefined ? schema : unwrap(inner);
}

function moduleMeta(schema: Schema): ModuleMeta {
  return ((schema as z.ZodType).meta?.() ?? {}) as ModuleMeta;
}

/** One step down, into the member or element `segment`. @param value what stands in the tree where `schema` applies */
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
  // A client may name anything, `constructor` too: only what the shape itself has is a field of it.
  const field = shape !== undefined && Object.hasOwn(shape, segment) ? shape[segment] : undefined;
  return field ?? definition.element ?? definition.valueType;
}

/**
 * Whether the schemas of the modules say that the config at a path is an array.
 * @param config the whole document, which names the modules on the way
 * @param segments `config`, `apps`, `http`, …
 * @param admin schema of the member `admin`, which is no module
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

/** Follows `segments` down from a module's config. */
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
