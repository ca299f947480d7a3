import { HttpError } from "http-engine/http-error";
import type { LinearRegexp } from "server-core/regexp/linear-regexp";
import { bufferOfText, textOfBuffer } from "server-core/uri/text-of-bytes";
import { type BodyReplacer, maxGrownBytes } from "./stream-replacer.ts";

/**
 * Characters that are held until more data arrives, so that a match across pieces is found whole. Source: MaxMatchSize
 * of Caddy's plug-in (caddyserver/replace-response)
 */
const heldCharacters = 2_048;
/** Maximum CPU time for one piece, in milliseconds; a pattern may read the rest of the piece for each match. */
const maxPieceMs = 250;
/** Matches after which the time is checked. */
const matchesPerCheck = 100;

/**
 * Replaces matches of a regular expression in a stream, in one pass. A match that begins in the last 2,048 characters
 * waits for more data, because that could lengthen it. A longer match may be found in parts.
 */
export class RegexpReplacer implements BodyReplacer {
  readonly #regexp: LinearRegexp;
  readonly #replacement: string;
  /** The last character before {@link #kept}, which `^` and `\b` look at. */
  #before = "";
  #kept: Buffer = Buffer.alloc(0);
  /** True when {@link #kept} begins where a match ended. */
  #isAfterMatch = false;

  /** @param replacement text with Go's references: `$1`, `${name}` */
  constructor(regexp: LinearRegexp, replacement: string) {
    this.#regexp = regexp;
    this.#replacement = replacement;
  }

  push(chunk: Uint8Array): Buffer {
    return this.#replace(chunk, heldCharacters);
  }

  end(chunk: Uint8Array): Buffer {
    return this.#replace(chunk, 0);
  }

  /** @param held characters at the end in which no match may begin. @throws HttpError */
  #replace(chunk: Uint8Array, held: number): Buffer {
    const bytes = Buffer.concat([this.#kept, chunk]);
    const text = this.#before + textOfBuffer(bytes);
    const begin = this.#before.length;
    // A match may begin at the end of the last piece, with no character after it.
    const limit = held === 0 ? text.length + 1 : Math.max(begin, text.length - held);
    const allowed = maxGrownBytes + 2 * bytes.length;
    const startedAt = process.threadCpuUsage();
    const pieces: string[] = [];
    let [rest, from, length] = [begin, begin, 0];
    let lastEnd = this.#isAfterMatch ? begin : -1;
    for (let count = 1; from < limit; count++) {
      const match = this.#regexp.find(text, from);
      if (match === undefined || match.start >= limit) {
        break;
      }
      // As in Go, an empty match directly after another match is ignored.
      const isTaken = match.end > match.start || match.end > lastEnd;
      const filled = isTaken ? this.#regexp.expand(this.#replacement, match) : "";
      pieces.push(text.slice(rest, match.start), filled);
      length += filled.length;
      rest = match.end;
      lastEnd = match.end;
      from = match.end > match.start ? match.end : match.end + stepAt(text, match.end);
      if (length > allowed) {
        throw new HttpError(
          500,
          `replace: ${bytes.length} bytes of a response grow beyond the limit of ${allowed} bytes`,
        );
      }
      if (count % matchesPerCheck === 0) {
        checkTime(startedAt, bytes.length);
      }
    }
    const cut = wholeCharacter(text, Math.max(rest, Math.min(limit, text.length)));
    pieces.push(text.slice(rest, cut));
    this.#isAfterMatch = lastEnd === cut;
    this.#before = cut > 0 ? text.slice(cut - stepBefore(text, cut), cut) : "";
    this.#kept = bufferOfText(text.slice(cut));
    return bufferOfText(pieces.join(""));
  }
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

/** Units of the character at an index. */
function stepAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}

/** Units of the character before an index. */
function stepBefore(text: string, index: number): number {
  return index > 1 && stepAt(text, index - 2) === 2 ? 2 : 1;
}

/** The index; if it is inside a character, the index before it. */
function wholeCharacter(text: string, index: number): number {
  return index > 0 && index < text.length && isHigh(text.charCodeAt(index - 1)) ? index - 1 : index;
}

/** @throws HttpError */
function checkTime(startedAt: NodeJS.CpuUsage, length: number): void {
  const { user, system } = process.threadCpuUsage(startedAt);
  if ((user + system) / 1000 > maxPieceMs) {
    throw new HttpError(
      500,
      `replace: a regular expression takes more than ${maxPieceMs} ms for ${length} bytes`,
    );
  }
}
