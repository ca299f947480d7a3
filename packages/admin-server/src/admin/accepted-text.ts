import type { AdapterRegistry } from "server-core/adapters/adapter-registry";

/** One media range of `Accept`. */
interface Range {
  readonly type: string;
  readonly subtype: string;
  /** Weight from 0 to 1; a malformed weight counts as 0. */
  readonly quality: number;
}

/** `text/serverfile;q=0.5` has the subtype `serverfile` and the quality 0.5. */
function rangeOf(text: string): Range {
  const [media = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const [type = "", subtype = ""] = media.split("/");
  const weight = parameters.find((each) => each.startsWith("q="))?.slice(2);
  const quality = weight === undefined ? 1 : Number(weight);
  return { type, subtype, quality: quality >= 0 && quality <= 1 ? quality : 0 };
}

/** A text format that a client prefers over JSON. */
export interface AcceptedText {
  /** Media type in the request: `text/serverfile`. */
  readonly mediaType: string;
  /** Name of the adapter. */
  readonly format: string;
}

/**
 * Chooses a text format for a config by `Accept`. The header must list the format, and prefer it over JSON.
 * `text/serverfile` gives the format `serverfile`; `text/serverfile;q=0.1, application/json` gives undefined.
 * @returns undefined for JSON, the default of all other clients. Source: RFC 9110 section 12.5.1
 */
export function acceptedText(accept: string, adapters: AdapterRegistry): AcceptedText | undefined {
  if (!/text\//i.test(accept)) {
    return undefined;
  }
  const ranges = accept.split(",").map(rangeOf);
  const json = ranges.find(({ type, subtype }) => type === "application" && subtype === "json")?.quality ?? 0;
  const texts = ranges.filter(
    ({ type, subtype, quality }) => type === "text" && quality > json && adapters.writes(subtype),
  );
  const [first] = texts.sort((a, b) => b.quality - a.quality);
  return first === undefined ? undefined : { mediaType: `text/${first.subtype}`, format: first.subtype };
}
