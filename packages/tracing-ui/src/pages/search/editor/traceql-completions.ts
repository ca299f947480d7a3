import type { QueryClient } from "@tanstack/react-query";
import type { Completion, Completions } from "ui-kit/components/completion-field.tsx";
import { type AskedRange, attributeNamesQuery, attributeValuesQuery } from "../../../api/analysis.ts";
import { matchingItems, valueItems } from "../completion-items.ts";
import { attributeName } from "../traceql-fields.ts";
import { traceQlPlace } from "./traceql-place.ts";

/** The offered intrinsics, in their short forms. */
const intrinsics = [
  "name",
  "status",
  "kind",
  "duration",
  "statusMessage",
  "rootName",
  "rootServiceName",
  "traceDuration",
];

/** Where names and values come from. */
export interface CompletionSource {
  /** The cache of answers. */
  queries: QueryClient;
  /** Time range of the search; undefined while a custom range is incomplete. */
  range: AskedRange | undefined;
}

/** Completions at a place in TraceQL; undefined when neither a name nor a value is expected. */
export async function traceQlCompletions(
  { queries, range }: CompletionSource,
  text: string,
  caret: number,
): Promise<Completions | undefined> {
  const place = traceQlPlace(text, caret);
  if (place === undefined) {
    return undefined;
  }
  const { from, to, want } = place;
  const known = await queries.fetchQuery(attributeNamesQuery(range));
  if (want.kind === "key") {
    return { from, to, items: matchingItems(traceQlNames(known), want.typed) };
  }
  const scope = want.scope || known.find(({ name }) => name === want.key)?.scope || "";
  if (scope === "") {
    return { from, to, items: [] };
  }
  const values = await queries.fetchQuery(attributeValuesQuery(scope, want.key, want.typed, { range }));
  return { from, to, items: valueItems(values, want, "traceql") };
}

/** Names for TraceQL: intrinsics, then attributes with their scopes. */
function traceQlNames(known: readonly { scope: string; name: string }[]): Completion[] {
  return [
    ...intrinsics.map((name) => ({ text: `${name} `, label: name, note: "intrinsic", goesOn: true })),
    ...known
      .filter(({ scope }) => scope !== "intrinsic")
      .map(({ scope, name }) => {
        const text = attributeName(scope, name);
        return { text: `${text} `, label: text, note: scope, goesOn: true };
      }),
  ];
}
