import type { TokenCursor } from "serverfile/lexer/token-cursor";
import type { ModuleText } from "serverfile/module-text";
import { type ModuleReader, noSettings } from "serverfile/modules/module-reader";
import { parsed } from "serverfile/values/block-fields";
import { type Draft, onlyGiven, setAt } from "serverfile/values/draft";
import { parseInteger } from "serverfile/values/parse-number";

/** Names of levels in Caddy. The error message lists them in this order. */
const zstdLevels = ["fastest", "better", "best", "default"];

/** Reads `gzip [level]`: `gzip 9` becomes `{ "level": 9 }`. Level 0 means the default and is left out. */
const gzip: ModuleReader = (cursor) => {
  cursor.next();
  return onlyGiven({ level: cursor.nextArgument() ? parsed(cursor, cursor.value, parseInteger, "") : 0 });
};

/** Checks the name of a level, ignoring case. The config keeps the spelling of the text. */
function zstdLevel(cursor: TokenCursor, word: string): string {
  if (!zstdLevels.includes(word.toLowerCase())) {
    const names = zstdLevels.map((name) => `'${name}'`).join(", ");
    throw cursor.error(`unexpected compression level, use one of ${names}`);
  }
  return word;
}

/**
 * Reads `zstd [level] { level …; disable_checksum }`. `zstd better { disable_checksum }` becomes `{ "level": "better",
 * "checksum": false }`. A level on the line and a second level in the block are an error.
 */
const zstd: ModuleReader = (cursor) => {
  cursor.next();
  const draft: Draft = {};
  const [given, ...more] = cursor.remainingArguments();
  if (more.length > 0) {
    throw cursor.argumentError();
  }
  if (given !== undefined) {
    setAt(draft, "level", zstdLevel(cursor, given));
  }
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    if (cursor.value === "level") {
      const [word, ...others] = cursor.remainingArguments();
      if (word === undefined || others.length > 0) {
        throw cursor.argumentError();
      }
      if (draft.level !== undefined) {
        throw cursor.error("compression level already specified");
      }
      draft.level = zstdLevel(cursor, word);
    } else if (cursor.value === "disable_checksum") {
      cursor.noMoreArguments();
      if (draft.checksum !== undefined) {
        throw cursor.error("checksum already specified");
      }
      draft.checksum = false;
    } else {
      throw cursor.error(`unknown subdirective '${cursor.value}'`);
    }
  }
  return draft;
};

/** Text readers of the encoders. `br` is an addition to Caddy. */
export const encoderTexts = {
  br: { readText: noSettings },
  gzip: { readText: gzip },
  zstd: { readText: zstd },
} satisfies Record<string, ModuleText>;
