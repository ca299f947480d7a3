import { z } from "zod";

/** A fault in a strategies file, with its position. */
export class StrategiesError extends Error {
  override readonly name = "StrategiesError";
}

/** A text member. Go treats an absent member and `null` alike. */
const text = z
  .string()
  .nullish()
  .transform((value) => (value ?? "").toWellFormed());
const number = z
  .number()
  .nullish()
  .transform((value) => value ?? 0);
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);

const strategy = { type: text, param: number };
const operationStrategy = z.object({ operation: text, ...strategy });
const serviceStrategy = z.object({
  service: text,
  ...strategy,
  operation_strategies: listOf(operationStrategy),
});
const strategiesFile = z.object({
  default_strategy: serviceStrategy.nullish().transform((value) => value ?? undefined),
  service_strategies: listOf(serviceStrategy),
});

const memberNames: ReadonlySet<string> = new Set([
  ...Object.keys(strategiesFile.shape),
  ...Object.keys(serviceStrategy.shape),
  ...Object.keys(operationStrategy.shape),
]);

/** A rule in the file; its type is not validated. */
export type OperationStrategy = z.output<typeof operationStrategy>;
export type ServiceStrategy = z.output<typeof serviceStrategy>;
export type StrategiesFile = z.output<typeof strategiesFile>;

/**
 * Reads the JSON of a strategies file. As in Jaeger, upper and lower case are equal in names of members, and
 * unknown members are ignored.
 * @param unknownMember called with the path of each unknown member, such as `service_strategies[0].sevrice`
 * @returns undefined for `null`: no strategies
 * @throws StrategiesError with line and column, or the path of the member
 */
export function parseStrategies(
  json: string,
  unknownMember: (path: string) => void = () => {},
): StrategiesFile | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new StrategiesError(`is not JSON: ${(error as Error).message}`, { cause: error });
  }
  if (value === null) {
    return undefined;
  }
  const result = strategiesFile.safeParse(withKnownNames(value, [], unknownMember));
  if (result.success) {
    return result.data;
  }
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${pathText(issue.path)}: `;
  throw new StrategiesError(`${where}${issue?.message ?? "is not valid"}`, { cause: result.error });
}

/**
 * Maximum number of levels of nesting that are checked. All known members are within it; deeper members are ignored.
 */
const maxDepth = 6;

function withKnownNames(
  value: unknown,
  path: readonly PropertyKey[],
  unknownMember: (path: string) => void,
): unknown {
  if (typeof value !== "object" || value === null || path.length > maxDepth) {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item, index) => withKnownNames(item, [...path, index], unknownMember));
  }
  const known: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const name = key.toLowerCase();
    if (memberNames.has(name)) {
      known[name] = withKnownNames(member, [...path, name], unknownMember);
    } else {
      unknownMember(pathText([...path, key]));
    }
  }
  return known;
}

/** Text of a path: `service_strategies[0].param`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
