import type { PartialAnswer, PartialReason } from "storage/api";

/**
 * Header of a partial answer over HTTP, and trailing metadata in gRPC. The header is absent when a reason becomes known
 * only after the answer has begun.
 */
export const partialHeader = "x-tracing-partial";

/** Maximum number of characters of the header. Proxies refuse answers whose headers are longer than a few kilobytes. */
const maxHeaderLength = 2_000;

/** The reasons of a partial answer, for people. */
export function partialText({ reasons }: PartialAnswer): string {
  return reasons.map(({ text }) => text).join("; ");
}

/**
 * The reasons as JSON that fits into a header. When there are too many, the last entry gives the number of
 * omitted entries.
 */
export function partialHeaderValue({ reasons }: PartialAnswer): string {
  let shown = reasons;
  for (;;) {
    const value = asciiJson([...shown, ...restOf(reasons, shown.length)]);
    if (value.length <= maxHeaderLength || shown.length === 0) {
      return value;
    }
    shown = shown.slice(0, -1);
  }
}

function restOf(reasons: readonly PartialReason[], shown: number): PartialReason[] {
  const [first, ...others] = reasons.slice(shown);
  if (first === undefined) {
    return [];
  }
  return [{ kind: first.kind, name: "", text: `${others.length + 1} reasons more` }];
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
