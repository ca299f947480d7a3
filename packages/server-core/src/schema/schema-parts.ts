import type { z } from "zod";

/** A schema as zod's own interfaces give it. */
export type AnySchema = z.core.$ZodType;

interface Definition extends z.core.$ZodTypeDef {
  readonly innerType?: AnySchema;
  readonly in?: AnySchema;
  readonly element?: AnySchema;
  readonly valueType?: AnySchema;
  readonly shape?: Readonly<Record<string, AnySchema>>;
}

/** The parts of a schema by which one walks down into a document. */
export interface SchemaParts {
  /** For a list. */
  readonly element: AnySchema | undefined;
  /** For an object with any keys. */
  readonly valueType: AnySchema | undefined;
  /** For an object with named fields. */
  readonly shape: Readonly<Record<string, AnySchema>> | undefined;
  /** Modules stand here: of this namespace, by name; or one, named by its member `moduleKey`. */
  readonly moduleNamespace: string | undefined;
  readonly moduleKey: string | undefined;
}

/** Without `.nullish()`, `.transform()` and the like. */
function unwrap(schema: AnySchema): AnySchema {
  const { innerType, in: input } = schema._zod.def as Definition;
  const inner = innerType ?? input;
  return inner === undefined ? schema : unwrap(inner);
}

/** The parts of a schema, without wrappers. */
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
