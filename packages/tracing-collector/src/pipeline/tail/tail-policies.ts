import { readFile } from "node:fs/promises";
import { StartError } from "lifecycle/errors";
import { parseGoDuration } from "lifecycle/go-duration";
import { parse } from "yaml";
import { z } from "zod";

/** Maximum number of policies: each is a bit of a 32-bit number, and some bits are spare. */
const maxPolicies = 30;
const maxFileBytes = 1024 * 1024;

const shared = {
  name: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .optional()
    .describe("Names the policy in metrics; its type by default."),
  services: z
    .array(z.string().min(1))
    .min(1)
    .optional()
    .describe(
      "Only spans of these services; for rates, probabilities and durations of traces: only traces whose root is theirs.",
    ),
};

/** A duration in Go's notation, above zero: `300ms`, `1.5s`. */
const milliseconds = z.string().transform((text, context): number => {
  const value = parseGoDuration(text);
  if (value !== undefined && value > 0) {
    return value;
  }
  context.addIssue(`"${text}" is not a duration such as 300ms or 1.5s`);
  return z.NEVER;
});

/** `{ type: latency, threshold: 300ms, of: span, services: [shop] }` */
const policy = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("error"), ...shared }).describe("Traces with a span that failed."),
  z
    .strictObject({
      type: z.literal("latency"),
      ...shared,
      threshold: milliseconds,
      of: z.enum(["trace", "span"]).default("trace"),
    })
    .describe("Traces that took so long, from first start to last end, or that have a span that did."),
  z
    .strictObject({
      type: z.literal("attribute"),
      ...shared,
      key: z.string().min(1),
      values: z
        .array(z.union([z.string(), z.number(), z.boolean()]).transform(String))
        .min(1)
        .optional(),
    })
    .describe(
      "Traces with a span or resource that has this attribute, with one of these values where they are given.",
    ),
  z
    .strictObject({
      type: z.literal("rate"),
      ...shared,
      "traces-per-minute": z.int().min(1),
      per: z.enum(["service", "operation"]).default("service"),
    })
    .describe(
      "So many traces a minute of each service, or of each operation of each service, of the root span.",
    ),
  z
    .strictObject({ type: z.literal("probability"), ...shared, ratio: z.number().min(0).max(1) })
    .describe("A part of the traces, chosen by trace id."),
]);

const policiesFile = z.strictObject({ policies: z.array(policy).min(1).max(maxPolicies) });

/** The first policy that matches a trace keeps it; a trace that matches none is dropped. */
export type TailPolicy = z.output<typeof policy> & { readonly name: string };

/**
 * Parses the policies of a document: `{ policies: [{ type: error }, …] }`.
 * @throws StartError with the position in the document
 */
export function parseTailPolicies(document: unknown, origin: string): TailPolicy[] {
  const parsed = policiesFile.safeParse(document);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue?.path.join(".") || "the document";
    throw new StartError(`option --sampling.tail.policies-file: ${origin}: ${place}: ${issue?.message}`);
  }
  const policies = parsed.data.policies.map((one) => ({ ...one, name: one.name ?? one.type }));
  const names = new Set<string>();
  for (const { name } of policies) {
    if (names.has(name)) {
      throw new StartError(
        `option --sampling.tail.policies-file: ${origin}: two policies are called ${name}: give them a name each`,
      );
    }
    names.add(name);
  }
  return policies;
}

/**
 * @throws StartError when the file cannot be read, is over 1 MiB, is neither YAML nor JSON, or has an invalid
 *   policy
 */
export async function readTailPolicies(path: string): Promise<TailPolicy[]> {
  const refuse = (what: string, cause?: unknown) =>
    new StartError(`option --sampling.tail.policies-file: ${path} ${what}`, { cause });
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw refuse(`cannot be read: ${(error as Error).message}`, error);
  }
  if (text.length > maxFileBytes) {
    throw refuse(`has ${text.length} bytes, over the limit of ${maxFileBytes}`);
  }
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw refuse(`is not YAML or JSON: ${(error as Error).message.split("\n")[0]}`, error);
  }
  return parseTailPolicies(document, path);
}
