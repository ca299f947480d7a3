import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ReadModule } from "serverfile/modules/module-reader";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { type Line, lineWith } from "serverfile/to-text/lines/line";
import type { MatcherSetWriter } from "serverfile/to-text/matchers/matcher-writer";
import type { Members } from "serverfile/to-text/members";
import { type FieldReaders, readFields } from "serverfile/values/block-fields";
import type { Draft } from "serverfile/values/draft";

/** Readers for the content of a handler's braces. */
export interface Readers {
  readonly readModule: ReadModule;
  /** Reads named matchers and routes. @param cursor on the word before the braces */
  readonly routes: (cursor: TokenCursor) => Draft;
  /** Reads handlers, one per line. */
  readonly handlers: (cursor: TokenCursor) => Draft[];
}

/** Writers for the content of a handler's braces. */
export interface Writers {
  readonly matcherLines: MatcherSetWriter;
  readonly routes: (members: Members) => Line[];
  readonly handlers: (list: readonly Members[]) => Line[];
}

/** Text form of a handler. */
export interface TextModule {
  /** @param cursor before the module's name */
  read(cursor: TokenCursor, readers: Readers): Draft;
  /** @param name name of the module, the first word of its line */
  write(members: Members, name: string, writers: Writers): Line;
}

/** A module without settings. */
export const plain: TextModule = {
  read(cursor) {
    cursor.next();
    cursor.noMoreArguments();
    return {};
  },
  write: (_members, name) => ({ words: [name] }),
};

/** Reads a block of options. @param cursor on the module's name. @throws ServerError CONFIG_ADAPTER */
export function readBlock(cursor: TokenCursor, fields: FieldReaders): Draft {
  const draft: Draft = {};
  readFields(cursor, draft, fields, (word) => `unrecognized option '${word}'`);
  return draft;
}

/** A module with only options in a block. */
export function blockModule(fields: FieldReaders): TextModule {
  return {
    read(cursor) {
      cursor.next();
      cursor.noMoreArguments();
      return readBlock(cursor, fields);
    },
    write: (members, name) => lineWith([name], fieldLines(members, fields)),
  };
}
