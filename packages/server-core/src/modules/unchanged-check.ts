import { z } from "zod";
import type { JsonValue } from "../json/json-value.ts";

/** True when a schema certainly accepts a value without changing it. */
type UnchangedCheck = (value: unknown) => boolean;

const checks = new WeakMap<z.core.$ZodType, UnchangedCheck>();

/**
 * A quick check that avoids decoding: a value that a schema accepts unchanged is used directly. The check is derived
 * from the schema; transforms, refinements and defaults are left to the schema. For JSON values only.
 *
 * Checking a document with many routes takes a tenth of the time of decoding, and memory contains the document only
 * once.
 */
export function unchangedCheck(schema: z.core.$ZodType): UnchangedCheck {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compile(schema as z.core.$ZodTypes);
    checks.set(schema, check);
  }
  return check;
}

/** Lets the schema decide: the value is unchanged when the decoded value is equal. */
function askSchema(schema: z.core.$ZodType): UnchangedCheck {
  return (value) => {
    if (typeof value === "object" && value !== null) {
      return false;
    }
    const result = z.safeParse(schema, value);
    return result.success && result.data === value;
  };
}

function isPlainObject(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function compile(schema: z.core.$ZodTypes): UnchangedCheck {
  const { def } = schema._zod;
  if (def.type !== "number" && (def.checks?.length ?? 0) > 0) {
    return askSchema(schema);
  }
  switch (def.type) {
    case "unknown":
    case "any":
      return () => true;
    case "string":
      return "format" in def ? askSchema(schema) : (value) => typeof value === "string";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "null":
      return (value) => value === null;
    case "optional": {
      const inner = unchangedCheck(def.innerType);
      const staysAbsent = askSchema(schema); // false if an inner schema fills in a default
      return (value) => (value === undefined ? staysAbsent(value) : inner(value));
    }
    case "nullable": {
      const inner = unchangedCheck(def.innerType);
      return (value) => value === null || inner(value);
    }
    case "array":
      return compileArray(def);
    case "record":
      return compileRecord(schema, def);
    case "object":
      return compileObject(schema, def);
    default:
      return askSchema(schema);
  }
}

/** Minimum length of a cached list; for a shorter list, checking is as fast as finding the older list. */
const longArray = 16;

/**
 * Elements of a long list that are identical to the elements at the same positions of an older list are not checked
 * again. After a change of one route in a thousand, only that route is checked. The older list is the last accepted
 * list with the same first object.
 */
function compileArray(def: z.core.$ZodArrayDef): UnchangedCheck {
  const element = unchangedCheck(def.element);
  const accepted = new WeakMap<object, readonly unknown[]>();
  return (value) => {
    if (!Array.isArray(value)) {
      return false;
    }
    const [first] = value as readonly unknown[];
    if (value.length < longArray || typeof first !== "object" || first === null) {
      return value.every(element);
    }
    const older = accepted.get(first);
    for (let index = 0; index < value.length; index++) {
      if (older?.[index] !== value[index] && !element(value[index])) {
        return false;
      }
    }
    accepted.set(first, value);
    return true;
  };
}

function compileRecord(schema: z.core.$ZodTypes, def: z.core.$ZodRecordDef): UnchangedCheck {
  const keys = (def.keyType as z.core.$ZodTypes)._zod.def;
  if (keys.type !== "string" || (keys.checks?.length ?? 0) > 0) {
    return askSchema(schema);
  }
  const values = (def.valueType as z.core.$ZodTypes)._zod.def;
  if (values.type === "unknown") {
    return isPlainObject;
  }
  const check = unchangedCheck(def.valueType);
  return (value) => isPlainObject(value) && Object.values(value).every(check);
}

function compileObject(schema: z.core.$ZodTypes, def: z.core.$ZodObjectDef): UnchangedCheck {
  const rest = (def.catchall as z.core.$ZodTypes | undefined)?._zod.def.type;
  if (rest !== "never" && rest !== "unknown") {
    return askSchema(schema);
  }
  // Created on first use: schemas may refer to themselves.
  let members: ReadonlyMap<string, UnchangedCheck> | undefined;
  let needed: readonly string[] = [];
  return (value) => {
    if (!isPlainObject(value)) {
      return false;
    }
    if (members === undefined) {
      members = new Map(Object.entries(def.shape).map(([key, member]) => [key, unchangedCheck(member)]));
      needed = [...members].filter(([, check]) => !check(undefined)).map(([key]) => key);
    }
    for (const key in value) {
      const check = members.get(key);
      if (check === undefined ? rest === "never" : !check(value[key])) {
        return false;
      }
    }
    return needed.length === 0 || needed.every((key) => Object.hasOwn(value, key));
  };
}
