import { z } from "zod";
import { schemaOptions } from "./schema-options.ts";

const { database, cluster, replicated, user, password, "password-file": passwordFile } = schemaOptions.shape;

/** Parses a time in UTC to nanoseconds since 1970. */
function timeOf(text: string, context: z.RefinementCtx): bigint {
  const isTime = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z)?$/.test(text);
  const ms = isTime ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    context.addIssue(`"${text}" is not a time in UTC such as 2026-11-21 or 2026-11-21T08:30:00Z`);
    return z.NEVER;
  }
  return BigInt(ms) * 1_000_000n;
}

/** An option with a time in nanoseconds since 1970; "" becomes undefined. */
export const timeField = z
  .string()
  .default("")
  .transform((text, context): bigint | undefined => (text === "" ? undefined : timeOf(text, context)));

/**
 * The text of a condition. An empty text is refused: with `--trace-id "$ID"` and an unset variable, the deletion would
 * lose that condition and take all spans that meet the others.
 */
const condition = z.string().refine((text) => text.trim() !== "", {
  error: "is empty: leave the option out, if you mean spans without this condition",
  abort: true,
});

export const deleteOptions = z.object({
  url: schemaOptions.shape.url.describe("Servers whose spans are deleted; of a cluster all of them."),
  ...{ database, cluster, replicated, user, password, "password-file": passwordFile },
  "trace-id": condition
    .transform((text) =>
      text
        .split(",")
        .map((id) => id.trim())
        .filter((id) => id !== ""),
    )
    .optional()
    .describe("Spans of these traces, at most 1,500: 16 or 32 hex digits each.")
    .meta({ placeholder: "a,b,…" }),
  // The first `=` separates key and value: a key cannot contain `=`, a value may.
  attribute: condition
    .transform((text, context) => {
      const at = text.indexOf("=");
      if (at < 1) {
        context.addIssue(`"${text}" is not key=value`);
        return z.NEVER;
      }
      return { key: text.slice(0, at), value: text.slice(at + 1) };
    })
    .optional()
    .describe("Spans that have this attribute, on themselves, their resource or an event.")
    .meta({ placeholder: "key=value" }),
  tenant: z
    .string()
    .optional()
    .describe(
      "Spans of this tenant; alone also its rates, operations and calls. Without it, of every tenant.",
    ),
  from: condition
    .transform(timeOf)
    .optional()
    .describe("Spans that start at this time, in UTC, or later.")
    .meta({ placeholder: "time" }),
  to: condition
    .transform(timeOf)
    .optional()
    .describe("Spans that start before this time, in UTC.")
    .meta({ placeholder: "time" }),
  // By default nothing is deleted, because a deletion cannot be undone.
  yes: z.boolean().default(false).describe("Delete; without it they are only counted."),
  "requested-by": z
    .string()
    .default("")
    .describe("Who asked for it, for the audit line; by default the user of this process."),
  "audit-file": z
    .string()
    .default("")
    .describe("File to which the audit lines are appended; by default they go to standard error.")
    .meta({ placeholder: "path" }),
});

export type DeleteOptions = z.infer<typeof deleteOptions>;

/**
 * The cluster's settings. `--cluster NAME` means all servers of that cluster; each one gets the statements, without `ON
 * CLUSTER`.
 */
export function clusterOf({ cluster, replicated }: Pick<DeleteOptions, "cluster" | "replicated">) {
  return cluster === ""
    ? undefined
    : { name: cluster, isReplicated: replicated, onCluster: false, insertQuorum: 0 };
}
