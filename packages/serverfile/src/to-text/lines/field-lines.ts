import { type FieldReader, wordsFor } from "../../values/block-fields.ts";
import type { Members } from "../members.ts";
import { type Line, line, type Word } from "./line.ts";

/** @public A module of the user names its lines once, and may take them from either side. */
export {
  duration,
  flag,
  integer,
  /** @public */
  size,
  text,
  texts,
} from "../../values/block-fields.ts";

/** The words after a line's name; undefined when its member is absent. */
export type WordsOf = (members: Members, key: string) => readonly Word[] | undefined;

/** A line that stands for one member, or for several together. */
export interface Field {
  /** Dotted, from the object that the block is for. */
  readonly path: string;
  readonly words: WordsOf;
  /** The word for an empty value, which makes the objects on the way. */
  readonly empty: Word | undefined;
}

/** Lines by name, in the order in which they are written. Readers that are no rows are left to be written otherwise. */
export type Fields = Readonly<Record<string, Field | FieldReader>>;

/** A line whose words are made otherwise. */
export function field(path: string, words: WordsOf): Field {
  return { path, words, empty: undefined };
}

/** A line with one fixed word that stands for `value`: `keepalive off`. @public for modules of the user */
export function fixed(path: string, word: string, value: boolean): Field {
  return field(path, wordsFor(value, word));
}

/**
 * The lines for the present members of `fields`. Other members stay untaken.
 *
 *     fieldLines({ timeouts: { read_body: 1e9 } }, { read_body: duration("timeouts.read_body") })
 *
 * gives the line `read_body 1s`. The same table reads the line, see values/block-fields.ts.
 */
export function fieldLines(members: Members, fields: Fields): Line[] {
  const lines: Line[] = [];
  const filled = new Set<string>();
  for (const [name, each] of Object.entries(fields)) {
    if (!("words" in each)) {
      continue;
    }
    const { path, words, empty } = each;
    const keys = path.split(".");
    const key = keys.pop() ?? path;
    let parent: Members | undefined = members;
    for (const part of keys) {
      parent = parent.look(part) === undefined ? undefined : parent.child(part);
      if (parent === undefined) {
        break;
      }
    }
    if (parent === undefined) {
      continue;
    }
    const found = parent.has(key) ? words(parent, key) : undefined;
    if (found !== undefined) {
      lines.push(line(name, ...found));
    } else if (keys.length > 0 && parent.isEmpty && empty !== undefined && !filled.has(parent.path)) {
      lines.push(line(name, empty));
      filled.add(parent.path);
    }
  }
  return lines;
}
