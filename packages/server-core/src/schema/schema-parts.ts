import type { z } from "zod";

export type AnySchema = z.core.$ZodType;

interface Definition extends z.core.$ZodTypeDef {
  /** Schema inside `optional`, `nullable` and similar wrappers. */
  readonly innerType?: AnySchema;
  /** First schema of a pipe. */
  readonly in?: AnySchema;
  /** Schema of a list's elements. */
  readonly element?: AnySchema;
  /** Schema of a map's values. */
  readonly valueType?: AnySchema;
  /** Schemas of an object's members. */
  readonly shape?: Readonly<Record<string, AnySchema>>;
}

/** The parts of a schema that lead into a document. */
export interface SchemaParts {
  readonly element: AnySchema | undefined;
  /** For an object with any keys. */
  readonly valueType: AnySchema | undefined;
  /** For an object with named fields. */
  readonly shape: Readonly<Record<string, AnySchema>> | undefined;
  /**
   * The value consists of modules of this namespace: a map by name, or one module whose member `moduleKey` is its name.
   */
  readonly moduleNamespace: string | undefined;
  /** Member with the module's name; undefined when the key of the map is the name. */
  readonly moduleKey: string | undefined;
}

/** The schema without `.nullish()`, `.transform()` and the like. */
function unwrap(schema: AnySchema): AnySchema {
  const { innerType, in: input } = schema._zod.def as Definition;
  const inner = innerType ?? input;
  return inner === undefined ? schema : unwrap(inner);
}

/** Finds the parts of a schema behind its wrappers. */
export function schemaParts(schema: AnySchema): SchemaParts {
  const inner = unwrap(schema);
  const { element, valueType, shape } = inner._zod.def as Definition;
  const meta = ((inner as z.ZodType).meta?.() ?? {}) as { moduleNamespace?: string; moduleKey?: string };
  return {
    element,
    valueType,
    shape,
    moduleNamespace: meta.moduleNamespace,
    moduleKey: meta.moduleKey,
  };
}
