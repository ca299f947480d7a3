import { keepPreviousData, type QueryClient, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { Completion, Completions } from "ui-kit/components/completion-field.tsx";
import { formatCount } from "ui-kit/format/format-count.ts";
import { type AttributeValue, attributeNamesQuery, attributeValuesQuery } from "../../api/analysis.ts";
import { quotedTag } from "../../searches/tag-text.ts";
import { type CompletionPlace, tagPlace, traceQlPlace } from "./completion.ts";
import { attributeName, quoted } from "./traceql-fields.ts";

/** Limit of offered completions; nobody reads a longer list. */
const most = 50;

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

/**
 * Completions of `key=value` pairs at the caret, from recent spans. Names are requested once, values for
 * each typed prefix. While new values load, the old values stay.
 * @param enabled true when the server offers names and values
 */
export function useCompletions(text: string, caret: number, enabled: boolean): Completions | undefined {
  const place = tagPlace(text, caret);
  const names = useQuery({ ...attributeNamesQuery, enabled });
  const wanted = useDeferredValue(place.want);
  const value = wanted?.kind === "value" ? wanted : undefined;
  const scopes = (names.data ?? []).filter(({ name }) => name === value?.key).map(({ scope }) => scope);
  const scope = value?.scope || scopes[0] || "";
  const values = useQuery({
    ...attributeValuesQuery(scope, value?.key ?? "", value?.typed ?? ""),
    enabled: enabled && value !== undefined && value.key !== "" && scope !== "",
    placeholderData: keepPreviousData,
  });
  if (!enabled) {
    return undefined;
  }
  const { from, to, want } = place;
  if (want.kind === "value") {
    const items = value === undefined || value.key !== want.key ? [] : (values.data ?? []);
    return { from, to, items: valueItems(items, want, "tags"), ...unread(names.error ?? values.error) };
  }
  const items = matching(tagNames(names.data ?? []), want.typed).slice(0, most);
  return { from, to, items, ...unread(names.error) };
}

/** The note below a list of completions whose request failed. */
function unread(error: Error | null): { rest?: string } {
  return error === null ? {} : { rest: `Names and values could not be read: ${error.message}` };
}

/** Completions at a place in TraceQL; undefined when neither a name nor a value is expected. */
export async function traceQlCompletions(
  queries: QueryClient,
  text: string,
  caret: number,
): Promise<Completions | undefined> {
  const place = traceQlPlace(text, caret);
  if (place === undefined) {
    return undefined;
  }
  const { from, to, want } = place;
  const known = await queries.fetchQuery(attributeNamesQuery);
  if (want.kind === "key") {
    return { from, to, items: matching(traceQlNames(known), want.typed).slice(0, most) };
  }
  const scope = want.scope || known.find(({ name }) => name === want.key)?.scope || "";
  if (scope === "") {
    return { from, to, items: [] };
  }
  const values = await queries.fetchQuery(attributeValuesQuery(scope, want.key, want.typed));
  return { from, to, items: valueItems(values, want, "traceql") };
}

/** Names for the field of tags, each followed by `=`. A name in several scopes appears once. */
function tagNames(known: readonly { scope: string; name: string }[]): Completion[] {
  const names = new Map<string, string>();
  for (const { scope, name } of known) {
    if (scope !== "intrinsic") {
      names.set(name, names.get(name) ?? scope);
    }
  }
  return [
    { text: "error=", label: "error", note: "intrinsic", goesOn: true },
    ...[...names].map(([name, scope]) => ({
      text: `${/^[^\s="]+$/.test(name) ? name : JSON.stringify(name)}=`,
      label: name,
      note: scope,
      goesOn: true,
    })),
  ];
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

/**
 * The names that contain the typed text. Names that begin with the text come first, then names with a part between dots
 * that begins with it, then the others.
 */
function matching(items: readonly Completion[], typed: string): Completion[] {
  const wanted = typed.toLowerCase();
  const at = (item: Completion) => (item.label ?? item.text).toLowerCase().indexOf(wanted);
  const part = (item: Completion) =>
    (item.label ?? item.text)
      .toLowerCase()
      .split(".")
      .some((word) => word.startsWith(wanted));
  const rank = (item: Completion) => (at(item) === 0 ? 0 : part(item) ? 1 : 2);
  return items.filter((item) => at(item) !== -1).sort((a, b) => rank(a) - rank(b));
}

/**
 * The values that contain the typed text, with their counts. `error` has no values in the store, so its two values
 * are built in.
 */
function valueItems(
  values: readonly AttributeValue[],
  want: Extract<CompletionPlace["want"], { kind: "value" }>,
  language: "tags" | "traceql",
): Completion[] {
  const typed = want.typed.toLowerCase();
  const known: readonly AttributeValue[] =
    language === "tags" && want.key === "error"
      ? [
          { type: "keyword", value: "true" },
          { type: "keyword", value: "false" },
        ]
      : values;
  return known
    .filter(({ value }) => value.toLowerCase().includes(typed))
    .sort((a, b) => begins(b, typed) - begins(a, typed))
    .slice(0, most)
    .map(({ type, value, count }) => ({
      text: written(type, value, language),
      label: value === "" ? '""' : value,
      note: count === undefined ? "" : formatCount(count),
    }));
}

/** Sort key that puts values first that begin with the typed text. */
function begins({ value }: AttributeValue, typed: string): number {
  return Number(value.toLowerCase().startsWith(typed));
}

/** A value in the syntax of the language. TraceQL quotes only texts. */
function written(type: string, value: string, language: "tags" | "traceql"): string {
  if (language === "tags") {
    return quotedTag(value);
  }
  return type === "string" ? quoted(value) : value;
}
