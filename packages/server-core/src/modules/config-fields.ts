import { parseGoDuration } from "lifecycle/go-duration";
import { z } from "zod";
import { unchangedCheck } from "./unchanged-check.ts";

/**
 * A field of Caddy that this server does not support yet. The field is refused by name, so that users
 * notice.
 * @param reason text for the error
 */
export function notYet(reason?: string) {
  const why = reason === undefined ? "" : `: ${reason}`;
  return z
    .null({
      error: (issue) =>
        `field ${JSON.stringify(String(issue.path?.at(-1) ?? ""))} is not supported yet${why}`,
    })
    .optional();
}

/** @returns milliseconds; undefined for a text that is not a duration */
function readDuration(value: number | string): number | undefined {
  if (typeof value === "number") {
    return value / 1e6;
  }
  const ms = parseGoDuration(value.startsWith("-") ? value.slice(1) : value);
  return ms === undefined || !value.startsWith("-") ? ms : -ms;
}

/**
 * A duration: integer nanoseconds, or text such as `1h30m`, `500ms`, `2d`. The result is in milliseconds. A negative
 * duration becomes 0. Source: Caddy 2.11
 */
export function configDuration() {
  return z.union([z.number(), z.string()]).transform((value, context): number => {
    const ms = readDuration(value);
    if (ms === undefined) {
      context.addIssue(`time: invalid duration ${JSON.stringify(value)}`);
      return z.NEVER;
    }
    return Math.max(0, ms);
  });
}

/** A whole number; a negative number becomes 0. Source: Caddy 2.11 */
export function configCount() {
  return z.int().transform((value) => Math.max(0, value));
}

/**
 * A time limit, in milliseconds. 0 means the default. A negative limit means no limit, and becomes -1. Source:
 * Caddy 2.11
 */
export function configTimeout() {
  return z.union([z.number(), z.string()]).transform((value, context): number => {
    const ms = readDuration(value);
    if (ms === undefined) {
      context.addIssue(`time: invalid duration ${JSON.stringify(value)}`);
      return z.NEVER;
    }
    return ms < 0 ? -1 : ms;
  });
}

/** A module's config in which the member `key` is the module's name; the other members belong to the module. */
export function inlineModule(namespace: string, key: string) {
  return z.record(z.string(), z.unknown()).meta({ moduleNamespace: namespace, moduleKey: key });
}

/** A map of modules by name: `{path: […], host: […]}`. */
export function moduleMap(namespace: string) {
  return z.record(z.string(), z.unknown()).meta({ moduleNamespace: namespace });
}

/**
 * Caches the results of a schema. An object that is unchanged in a later document gets the same result, without being
 * read. The objects must never change in place.
 */
export function remembersDecoded<Schema extends z.ZodType>(schema: Schema): Schema {
  const decoded = new WeakMap<object, unknown>();
  const isUnchanged = unchangedCheck(schema);
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    const { value } = payload;
    if (typeof value !== "object" || value === null) {
      return run(payload, context);
    }
    if (isUnchanged(value)) {
      return payload;
    }
    if (decoded.has(value)) {
      payload.value = decoded.get(value);
      return payload;
    }
    const result = run(payload, context);
    if (!(result instanceof Promise) && result.issues.length === 0) {
      decoded.set(value, result.value);
    }
    return result;
  };
  return schema;
}
