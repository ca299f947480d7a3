import { z } from "zod";

/** A query parameter, and its new value. */
const keyAndValue = z.strictObject({
  key: z.string().nullish().describe("Name of the parameter; placeholders allowed."),
  val: z.string().nullish().describe("Its value, or its new name; placeholders allowed."),
});

/** Fields of the handler `rewrite`, also used by the reverse proxy. Source: Caddy 2.11 */
export const rewriteSchema = z.strictObject({
  method: z.string().nullish().describe("Another method; placeholders allowed."),
  uri: z
    .string()
    .nullish()
    .describe(
      "Another path and query; placeholders allowed. Without `?` the query stays, `?` alone clears it, without a path the path stays.",
    ),
  strip_path_prefix: z
    .string()
    .nullish()
    .describe("What the path loses at its start; case and escapes do not count."),
  strip_path_suffix: z
    .string()
    .nullish()
    .describe("What the path loses at its end; case and escapes do not count."),
  uri_substring: z
    .array(
      z.strictObject({
        find: z.string().nullish().describe("Text in path or query; placeholders allowed."),
        replace: z.string().nullish().describe("Text in its place; placeholders allowed."),
        limit: z.int().nullish().describe("The most replacements in each (0 or less: all)."),
      }),
    )
    .nullish()
    .describe("Texts to replace in path and query."),
  path_regexp: z
    .array(
      z.strictObject({
        find: z.string().min(1).describe("Regular expression in RE2 syntax for the path as sent."),
        replace: z.string().nullish().describe("Text in its place; groups as `$1`, placeholders allowed."),
      }),
    )
    .nullish()
    .describe("Regular expressions to replace in the path."),
  query: z
    .strictObject({
      rename: z.array(keyAndValue).nullish().describe("Parameters that get the name `val`."),
      set: z.array(keyAndValue).nullish().describe("Parameters with exactly this value."),
      add: z.array(keyAndValue).nullish().describe("Values added to what there is."),
      replace: z
        .array(
          z.strictObject({
            key: z.string().nullish().describe("Name of the parameter, `*` for all."),
            search: z.string().nullish().describe("Text to look for."),
            search_regexp: z.string().nullish().describe("Regular expression to look for."),
            replace: z.string().nullish().describe("Text in its place."),
          }),
        )
        .nullish()
        .describe("Texts to replace in values."),
      delete: z.array(z.string()).nullish().describe("Parameters to take away."),
    })
    .nullish()
    .describe("Changes of the query, in the order rename, set, add, replace, delete."),
});

export type RewriteConfig = z.infer<typeof rewriteSchema>;
