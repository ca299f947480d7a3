import * as z from "zod/mini";
import { jsonValue } from "./json-value.ts";

/**
 * An operation of a JSON patch: `{"op": "replace", "path": "/apps/http/grace_period", "value": "5s"}`. Source: RFC 6902
 */
export const patchOperation = z.object({
  op: z.enum(["add", "remove", "replace", "move", "copy", "test"]),
  /** Pointer to the changed place; a final `-` means the place after the last element of a list. */
  path: z.string(),
  /** Pointer to the old place, for `move` and `copy` only. */
  from: z.optional(z.string()),
  /** The new value, for `add`, `replace` and `test` only. */
  value: z.optional(jsonValue),
});

/** One operation of a JSON patch. */
export type PatchOperation = z.infer<typeof patchOperation>;
