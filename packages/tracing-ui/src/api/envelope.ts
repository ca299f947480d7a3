import * as z from "zod/mini";

/** The part of a zod schema that `readJson` uses. */
export interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { success: true; data: T }
    | { success: false; error: { issues: { path: PropertyKey[]; message: string }[] } };
}

/** Errors of the envelope; absent, null and empty all mean none. */
const errors = z.nullish(z.array(z.looseObject({ msg: z.string(), traceID: z.optional(z.string()) })));

/** Schema of the envelope that Jaeger's API puts around its data: `{"data": …, "errors": null}`. */
export function envelope<T>(data: z.core.$ZodType<T>) {
  return z.object({ data, errors });
}

/** A failure of the analysis endpoints. Source: RFC 9457 */
const problem = z.object({ detail: z.string() });

/**
 * The messages of an envelope with errors, or of a problem; empty for anything else. Examples: `{"errors": [{"msg":
 * "trace not found"}]}` and `{"detail": "bad limit"}` give one message each.
 */
export function errorTexts(body: unknown): string[] {
  const told = problem.safeParse(body);
  if (told.success) {
    return [told.data.detail];
  }
  const parsed = z.object({ errors }).safeParse(body);
  return parsed.success ? (parsed.data.errors ?? []).map((error) => error.msg) : [];
}
