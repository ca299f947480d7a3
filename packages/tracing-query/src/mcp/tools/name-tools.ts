import { linearRegex } from "traceql";
import { spanKinds } from "wire/model";
import { z } from "zod";
import { QueryError } from "../../query-error.ts";
import { defineTool, type Tool } from "../tool.ts";

// Names and patterns have at most 4,096 characters: the longest name that the store keeps.
const name = z.string().max(4_096);

// Arguments of both lists.
const listArguments = {
  pattern: name
    .default("")
    .describe("Only names in which this regular expression (RE2) is found; (?i) in front ignores case."),
  limit: z.int().min(1).max(10_000).default(100).describe("Most names in the answer."),
  offset: z.int().min(0).max(10_000_000).default(0).describe("Names before those of the answer."),
};

/**
 * Compiles a pattern to a test of names. RE2 has no backtracking, so a pattern of a client cannot block the process.
 *
 * ```
 * "^shop|cart"  matches "shop-eu", "my-cart"
 * ```
 *
 * @throws QueryError QUERY_BAD_PARAMETER with the error in the pattern
 */
function tester(pattern: string): (text: string) => boolean {
  if (pattern === "") {
    return () => true;
  }
  try {
    // The regex matches whole texts; a group keeps the alternatives of the pattern together.
    const regex = linearRegex(`.*(?:${pattern}).*`);
    return (text) => regex.matches(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new QueryError("QUERY_BAD_PARAMETER", `pattern is no regular expression: ${reason}`, {
      parameter: "pattern",
      cause: error,
    });
  }
}

/** A page of a list. */
interface Page<T> {
  /** Names of the page. */
  readonly items: readonly T[];
  /** Number of matching names on all pages. */
  readonly total_count: number;
  /** True when more names follow after this page. */
  readonly truncated: boolean;
}

function pageOf<T>(
  all: readonly T[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Page<T> {
  const items = all.slice(offset, offset + limit);
  return { items, total_count: all.length, truncated: offset + items.length < all.length };
}

// Advice for the assistant when the budget shortened the list.
const rest = "narrow pattern, or ask again with a larger offset";

/** `get_services` {"pattern": "sh"} → {"services": ["shop"], "total_count": 1, "truncated": false}. */
export const servicesTool: Tool = defineTool({
  name: "get_services",
  title: "Services",
  description: "Names of services that sent spans, from a to z. A name can be narrowed down with a pattern.",
  weight: "light",
  input: listArguments,
  async answer({ pattern, ...page }, { service, read }) {
    const isAsked = tester(pattern);
    const all = (await service.names.getServices(read)).filter(isAsked);
    const { items: services, ...counts } = pageOf(all, page);
    return { fields: { services, ...counts }, lists: ["services"], rest };
  },
});

/**
 * `get_span_names` {"service_name": "db"} → {"span_names": [{"name": "SELECT", "span_kind": "CLIENT"}], …}.
 * Kinds are in upper case in the answer. The argument accepts any case.
 */
export const spanNamesTool: Tool = defineTool({
  name: "get_span_names",
  title: "Operations of a service",
  description: "Names of a service's spans (operations) with their kinds.",
  weight: "light",
  input: {
    service_name: name.min(1).describe("As get_services writes it."),
    span_kind: z
      .string()
      .max(20)
      .default("")
      .describe(`Only spans of this kind: ${spanKinds.join(", ").toUpperCase()}.`),
    ...listArguments,
  },
  async answer({ service_name, span_kind, pattern, ...page }, { service, read }) {
    const isAsked = tester(pattern);
    const kind = spanKinds.find((one) => one === span_kind.toLowerCase());
    if (span_kind !== "" && kind === undefined) {
      throw new QueryError("QUERY_BAD_PARAMETER", `span_kind is none of ${spanKinds.join(", ")}`, {
        parameter: "span_kind",
      });
    }
    const found = await service.names.getOperations(service_name, kind, read);
    const all = found.filter((one) => isAsked(one.name));
    const { items, ...counts } = pageOf(all, page);
    const span_names = items.map((one) => ({ name: one.name, span_kind: one.spanKind.toUpperCase() }));
    return { fields: { span_names, ...counts }, lists: ["span_names"], rest };
  },
});
