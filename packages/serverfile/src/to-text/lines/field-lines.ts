import { type FieldReader, wordsFor } from "../../values/block-fields.ts";
import type { Members } from "../members.ts";
import { given, type Line, line, lineWith, type Word } from "./line.ts";

/** @public A user's module defines its lines in one table, and may import these functions from reader or writer. */
export {
  duration,
  flag,
  integer,
  /** @public */
  size,
  text,
  texts,
} from "../../values/block-fields.ts";

/** The words after a line's name; undefined when the config does not have its member. */
export type WordsOf = (members: Members, key: string) => readonly Word[] | undefined;

/** A line for one member, or for several members together. */
export interface Field {
  /** Dotted path in the object of the block. */
  readonly path: string;
  readonly words: WordsOf;
  /** The word for an empty value, which creates the objects on the path. */
  readonly empty: Word | undefined;
}

/** A member that is written as whole lines. */
export interface Part {
  /** Dotted path in the object of the block. */
  readonly path: string;
  readonly lines: (parent: Members, key: string, name: string) => readonly Line[];
}

/** Lines by name, in writing order. Plain readers are skipped here, because other code writes their lines. */
export type Fields = Readonly<Record<string, Field | Part | FieldReader>>;

/** A line with its own function for the words. */
export function field(path: string, words: WordsOf): Field {
  return { path, words, empty: undefined };
}

/** A line with a fixed word that means `value`: `keepalive off`. @public for modules of the user */
export function fixed(path: string, word: string, value: boolean): Field {
  return field(path, wordsFor(value, word));
}

/** An object that is written as one line. @param write called with the name of the line */
export function part(path: string, write: (child: Members, name: string) => Line): Part {
  return { path, lines: (parent, key, name) => given(parent.child(key)).map((each) => write(each, name)) };
}

/** A list of objects, each of which is written as one line. */
export function parts(path: string, write: (each: Members, name: string) => Line): Part {
  return {
    path,
    lines: (parent, key, name) => (parent.children(key) ?? []).map((each) => write(each, name)),
  };
}

/** A list of texts, each of which is written on a separate line. */
export function textEach(path: string): Part {
  return { path, lines: (parent, key, name) => (parent.texts(key) ?? []).map((each) => line(name, each)) };
}

/** An object whose members are the lines of a block. */
export function block(path: string, fields: Fields): Part {
  return part(path, (child, name) => lineWith([name], fieldLines(child, fields)));
}

/**
 * Writes the lines of the present members in `fields`. Members without an entry in `fields` stay untaken.
 *
 *     fieldLines({ timeouts: { read_body: 1e9 } }, { read_body: duration("timeouts.read_body") })
 *
 * returns the line `read_body 1s`. The same table is also used for reading the line, see values/block-fields.ts.
 */
export function fieldLines(members: Members, fields: Fields): Line[] {
  const filled = new Set<string>();
  return Object.entries(fields).flatMap(([name, each]): readonly Line[] => {
    if (!("path" in each)) {
      return [];
    }
    const keys = each.path.split(".");
    const key = keys.pop() ?? each.path;
    const parent = keys.reduce<Members | undefined>((at, part) => at?.child(part), members);
    if (parent?.has(key) === true && "lines" in each) {
      return each.lines(parent, key, name);
    }
    const words = parent?.has(key) === true && "words" in each ? each.words(parent, key) : undefined;
    if (words !== undefined) {
      return [line(name, ...words)];
    }
    const isEmpty = keys.length > 0 && parent?.isEmpty === true && !filled.has(parent.path);
    if (!isEmpty || !("empty" in each) || each.empty === undefined) {
      return [];
    }
    filled.add(parent.path);
    return [line(name, each.empty)];
  });
}
