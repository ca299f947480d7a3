import { inexpressible } from "../inexpressible.ts";
import type { Members } from "../members.ts";
import { type Line, line, type Word } from "./line.ts";
import { durationWord, sizeWord } from "./value-words.ts";

/** The words after a line's name; undefined when its member is absent. */
export type WordsOf = (members: Members, key: string) => readonly Word[] | undefined;

/** A line that stands for one member. */
export interface Field {
  /** Dotted, from the object that the block is for. */
  readonly path: string;
  readonly words: WordsOf;
  /** The word for an empty value, which makes the objects on the way. */
  readonly empty: Word | undefined;
}

/** Lines by name, in the order in which they are written. */
export type Fields = Readonly<Record<string, Field>>;

function one<T>(value: T | undefined, toWord: (value: T) => Word): readonly Word[] | undefined {
  return value === undefined ? undefined : [toWord(value)];
}

export function text(path: string): Field {
  return { path, words: (members, key) => one(members.text(key), String), empty: "" };
}

export function texts(path: string): Field {
  return { path, words: (members, key) => members.texts(key), empty: undefined };
}

/** @param empty the word for nothing; some lines take no zero */
export function integer(path: string, empty: string | undefined = "0"): Field {
  return { path, words: (members, key) => one(members.number(key), String), empty };
}

export function size(path: string): Field {
  return { path, words: (members, key) => one(members.number(key), sizeWord), empty: "0" };
}

export function duration(path: string): Field {
  return { path, words: (members, key) => one(members.number(key), durationWord), empty: "0" };
}

/** A line without words that stands for `value`. */
export function flag(path: string, value = true): Field {
  const words: WordsOf = (members, key) => {
    const present = members.boolean(key);
    if (present !== undefined && present !== value) {
      throw inexpressible(members.pathOf(key), `${!value} is what it is without a line`);
    }
    return present === undefined ? undefined : [];
  };
  return { path, words, empty: undefined };
}

/** A line whose words are made otherwise. */
export function field(path: string, words: WordsOf): Field {
  return { path, words, empty: undefined };
}

/** A line with one fixed word that stands for `value`: `keepalive off`. */
export function fixed(path: string, word: string, value: boolean): Field {
  return {
    ...flag(path, value),
    words: (members, key) => (flag(path, value).words(members, key) ? [word] : undefined),
  };
}

/** The lines for the members that are there. Others are left to be taken. */
export function fieldLines(members: Members, fields: Fields): Line[] {
  const lines: Line[] = [];
  const filled = new Set<string>();
  for (const [name, { path, words, empty }] of Object.entries(fields)) {
    const keys = path.split(".");
    const key = keys.pop() ?? path;
    let parent: Members | undefined = members;
    for (const each of keys) {
      parent = parent.look(each) === undefined ? undefined : parent.child(each);
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
