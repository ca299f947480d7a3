import * as z from "zod/mini";
import { jsonValue } from "./json-value.ts";

/** One operation of a JSON patch, as the server's differences have them. Source: RFC 6902 */
export const patchOperation = z.object({
  op: z.enum(["add", "remove", "replace", "move", "copy", "test"]),
  path: z.string(),
  from: z.optional(z.string()),
  value: z.optional(jsonValue),
});

/** One operation of a JSON patch. */
export type PatchOperation = z.infer<typeof patchOperation>;
