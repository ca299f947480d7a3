import { isDeepStrictEqual } from "node:util";
import type { ServerfileDifference } from "./compare-serverfiles.ts";

interface KnownServerfileDifference {
  readonly reason: string;
  holds(difference: ServerfileDifference): boolean;
}

/** Differences on purpose between the two servers; docs/serverfile.md lists them. */
const known: readonly KnownServerfileDifference[] = [
  {
    reason:
      "the directive `timeouts` takes days (`1d`) as everything else does; the model refuses them there",
    holds: ({ theirs }) => /parsing (read|write)_timeout: time: unknown unit \\"d\\"/.test(theirs),
  },
  {
    reason:
      "`validity_days` of the issuer zerossl is read; the model reads the word before it and refuses any",
    holds: ({ theirs }) => theirs.includes("invalid number of days validity_days: strconv.Atoi: parsing"),
  },
  {
    reason: "`encode` knows `br`, for which the model has no encoder",
    holds: ({ theirs }) => theirs.includes("module not registered: http.encoders.br"),
  },
  {
    reason: "sizes of 8 EiB and more are what they say; the model makes them negative",
    holds: ({ theirs }) => /":-92233720368547\d+/.test(theirs),
  },
  {
    reason:
      "names that a site has beside an address for any host are in the text's order; the model's order changes from run to run",
    holds: ({ theirs, ours }) =>
      theirs.includes('"subjects"') &&
      isDeepStrictEqual(withSortedSubjects(theirs), withSortedSubjects(ours)),
  },
];

/** A body with the names of each policy sorted. */
function withSortedSubjects(body: string): unknown {
  try {
    return JSON.parse(body, (key, value: unknown) => {
      const sorted = key === "subjects" && Array.isArray(value) ? [...value].sort() : value;
      return key === "message" ? undefined : sorted;
    });
  } catch {
    return undefined;
  }
}

/** The reason for a difference on purpose; undefined when no known reason fits. */
export function knownReason(difference: ServerfileDifference): string | undefined {
  return known.find((each) => each.holds(difference))?.reason;
}
