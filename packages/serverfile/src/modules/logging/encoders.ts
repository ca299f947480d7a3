import type { TokenCursor } from "../../lexer/token-cursor.ts";
import {
  type FieldReader,
  type FieldReaders,
  flag,
  onlyText,
  type Row,
  readFields,
  row,
  wordsOf,
} from "../../values/block-fields.ts";
import { type Draft, isEmptyDraft, ownMember, setMember } from "../../values/draft.ts";
import { parseScalar } from "../../values/parse-number.ts";
import type { ModuleReader, ReadModule } from "../module-reader.ts";

/** A member with a text; an empty text has a meaning and is therefore written. */
function kept(name: string): Row {
  const read: FieldReader = (cursor, draft) => {
    draft[name] = cursor.onlyArgument();
  };
  return row(name, read, wordsOf.text);
}

/** The lines of `console` and `json`. */
export const plainFields: FieldReaders = {
  message_key: kept("message_key"),
  level_key: kept("level_key"),
  time_key: kept("time_key"),
  name_key: kept("name_key"),
  caller_key: kept("caller_key"),
  stacktrace_key: kept("stacktrace_key"),
  line_ending: kept("line_ending"),
  time_format: onlyText("time_format"),
  duration_format: onlyText("duration_format"),
  level_format: onlyText("level_format"),
  time_local: flag("time_local"),
};

/** The reader of the encoders `console` and `json`, which accept the same lines. */
const plain: ModuleReader = (cursor) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = {};
  readFields(cursor, draft, plainFields, (name) => {
    cursor.onlyArgument();
    return `unrecognized subdirective ${name}`;
  });
  return draft;
};

/** Reads the encoder after `wrap`; the outer encoder changes its output. */
function readWrapped(cursor: TokenCursor, readModule: ReadModule): Draft {
  cursor.argument();
  return readModule(cursor, "logging.encoders", "format");
}

/** Reads `wrap`, `fields { … }`, and lines that directly name a field. */
function readWrapAndFields(cursor: TokenCursor, readModule: ReadModule, readField: () => void): Draft {
  const draft: Draft = {};
  while (cursor.nextInBlock(0)) {
    if (cursor.value === "wrap") {
      draft.wrap = readWrapped(cursor, readModule);
    } else if (cursor.value === "fields") {
      for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
        readField();
      }
    } else {
      readField();
    }
  }
  return draft;
}

/**
 * `filter { field filter … }`: filters fields of a log entry.
 *
 * | text | JSON |
 * |---|---|
 * | `request>uri delete` | `{ "request>uri": { "filter": "delete" } }` |
 * | one line `regexp` for a field | `{ "filter": "regexp", … }` |
 * | several lines `regexp` for a field | `{ "filter": "multi_regexp", "operations": […] }` |
 */
const filter: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const fields: Draft = {};
  const expressions = new Map<string, Draft[]>();
  const draft = readWrapAndFields(cursor, readModule, () => {
    const field = cursor.value;
    const name = cursor.argument();
    const read = readModule(cursor, "logging.encoders.filter");
    if (name === "regexp") {
      expressions.set(field, [...(expressions.get(field) ?? []), read]);
      return;
    }
    if (expressions.has(field)) {
      throw cursor.error(`cannot mix regexp filters with other filter types for field ${field}`);
    }
    if (ownMember(fields, field) !== undefined) {
      throw cursor.error(
        `field ${field} already has a filter; multiple non-regexp filters per field are not supported`,
      );
    }
    setMember(fields, field, { ...read, filter: name });
  });
  for (const [field, operations] of expressions) {
    const [only = {}] = operations;
    setMember(
      fields,
      field,
      operations.length === 1 ? { ...only, filter: "regexp" } : { filter: "multi_regexp", operations },
    );
  }
  return isEmptyDraft(fields) ? draft : { ...draft, fields };
};

/**
 * `append { key value }`: adds fields to each log entry. An unquoted number or boolean keeps its type, and all other
 * values are texts.
 */
const append: ModuleReader = (cursor, readModule) => {
  cursor.next();
  const fields: Draft = {};
  const draft = readWrapAndFields(cursor, readModule, () => {
    const field = cursor.value;
    const word = cursor.argument();
    setMember(fields, field, cursor.token?.quote === "" ? parseScalar(word) : word);
    cursor.noMoreArguments();
  });
  return isEmptyDraft(fields) ? draft : { ...draft, fields };
};

/** `journald { wrap … }`. */
const journald: ModuleReader = (cursor, readModule) => {
  cursor.next();
  cursor.noMoreArguments();
  const draft: Draft = {};
  while (cursor.nextInBlock(0)) {
    if (cursor.value !== "wrap") {
      throw cursor.error(`unrecognized subdirective ${cursor.value}`);
    }
    draft.wrap = readWrapped(cursor, readModule);
  }
  return draft;
};

/** The lines of `transform` besides those of `json`. */
export const transformFields: FieldReaders = {
  ...plainFields,
  placeholder: onlyText("placeholder"),
  unescape_strings: flag("unescape_strings"),
};

/** `transform [template…] { … }`; without a template, the lines are in the Common Log Format. */
const transform: ModuleReader = (cursor) => {
  cursor.next();
  const words = cursor.remainingArguments();
  const draft: Draft = { template: words.length === 0 ? "{common_log}" : words.join(" ") };
  readFields(cursor, draft, transformFields, (name) => `unrecognized subdirective ${name}`);
  return draft;
};

/** Readers of all log encoders. */
export const logEncoders: Readonly<Record<string, ModuleReader>> = {
  append,
  console: plain,
  filter,
  formatted: transform,
  journald,
  json: plain,
  transform,
};
