import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue } from "react";
import type { Completion, Completions } from "ui-kit/components/completion-field.tsx";
import { type AskedRange, attributeNamesQuery, attributeValuesQuery } from "../../api/analysis.ts";
import { tagPlace } from "./completion.ts";
import { matchingItems, valueItems } from "./completion-items.ts";

/**
 * Completions of `key=value` pairs at the caret, from spans of the searched time range. Names are requested once,
 * values for each typed prefix. While new values load, the old values stay.
 * @param enabled true when the server offers names and values
 * @param range time range of the search; undefined while a custom range is incomplete
 */
export function useCompletions(
  text: string,
  caret: number,
  { enabled, range }: { enabled: boolean; range: AskedRange | undefined },
): Completions | undefined {
  const place = tagPlace(text, caret);
  const names = useQuery({ ...attributeNamesQuery(range), enabled });
  const wanted = useDeferredValue(place.want);
  const value = wanted?.kind === "value" ? wanted : undefined;
  const scopes = (names.data ?? []).filter(({ name }) => name === value?.key).map(({ scope }) => scope);
  const scope = value?.scope || scopes[0] || "";
  const values = useQuery({
    ...attributeValuesQuery(scope, value?.key ?? "", value?.typed ?? "", { range }),
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
  const items = matchingItems(tagNames(names.data ?? []), want.typed);
  return { from, to, items, ...unread(names.error) };
}

/** The note below a list of completions whose request failed. */
function unread(error: Error | null): { rest?: string } {
  return error === null ? {} : { rest: `Names and values could not be read: ${error.message}` };
}

/** Names for the field of tags, each followed by `=`. A name in several scopes is offered once. */
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
