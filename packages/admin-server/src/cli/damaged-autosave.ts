import type { CheckedText } from "server-core/files/text-checksum";
import type { ConfigHistory } from "server-core/history/config-history";

/** The damage of a saved configuration. */
export interface AutosaveDamage {
  /** Index of the first changed byte; undefined when only the checksum shows the damage. */
  readonly place: number | undefined;
  /** The configuration to load instead; undefined: there is none. */
  readonly whole: string | undefined;
}

/**
 * Maximum number of bytes that may differ from the newest config of the history. A config with more different bytes
 * counts as another config.
 */
const mostChangedBytes = 64;

/**
 * Finds the damage of a saved configuration: a wrong checksum, invalid JSON, or a few bytes that differ from the newest
 * config of the history. A file without a checksum was written by an older server.
 */
export async function damageOf(
  { text: saved, checksum }: CheckedText,
  history: Pick<ConfigHistory, "entries" | "document">,
): Promise<AutosaveDamage | undefined> {
  if (checksum === "right") {
    return undefined;
  }
  const whole = await newestWhole(history);
  const good = whole === undefined ? undefined : Buffer.from(whole);
  const isNearly =
    good !== undefined && good.length === saved.length && countOthers(good, saved) <= mostChangedBytes;
  const first = isNearly ? good.findIndex((byte, at) => byte !== saved[at]) : -1;
  const problem = problemOf(saved);
  if (problem !== undefined) {
    return { place: first === -1 ? problem : first, whole };
  }
  if (checksum === "wrong") {
    return { place: first === -1 ? undefined : first, whole };
  }
  return first === -1 ? undefined : { place: first, whole };
}

/** True for JSON in UTF-8. */
export function isJson(saved: Uint8Array): boolean {
  return problemOf(saved) === undefined;
}

/** Number of bytes that differ. */
function countOthers(good: Uint8Array, saved: Uint8Array): number {
  return good.filter((byte, at) => byte !== saved[at]).length;
}

/** Reads the newest readable config of the history. */
async function newestWhole(
  history: Pick<ConfigHistory, "entries" | "document">,
): Promise<string | undefined> {
  for (const { n } of history.entries) {
    try {
      const text = await history.document(n);
      JSON.parse(text);
      return text;
    } catch {
      // This entry is damaged or missing too, so the previous entry is tried.
    }
  }
  return undefined;
}

/** @returns index of the first invalid byte; undefined if the JSON is valid */
function problemOf(saved: Uint8Array): number | undefined {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(saved));
    return undefined;
  } catch (error) {
    const [, place] = /at position (\d+)/.exec(String(error)) ?? [];
    return place === undefined ? 0 : Number(place);
  }
}
