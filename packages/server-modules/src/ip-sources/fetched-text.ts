import type { ModuleText } from "serverfile/module-text";
import type { ModuleReader } from "serverfile/modules/module-reader";
import { duration, type FieldReaders, integer, readFields } from "serverfile/values/block-fields";
import { type Draft, listOf, setAt } from "serverfile/values/draft";

/** Lines common to all lists. */
const times: FieldReaders = {
  interval: duration("interval", "invalid interval '%s'"),
  timeout: duration("timeout", "invalid timeout '%s'"),
};

/** A reader of a block without arguments before it. */
function readBlock(fields: FieldReaders): ModuleReader {
  return (cursor) => {
    cursor.next();
    cursor.noMoreArguments();
    const draft: Draft = {};
    readFields(cursor, draft, fields, (word) => `unrecognized subdirective '${word}'`);
    return draft;
  };
}

/** `cloudflare { interval <duration>; timeout <duration> }`, and the same for other publishers. */
export const publishedText: ModuleText = { readText: readBlock(times) };

/** `list { url <url>; … }`: one line for each list. */
export const listText: ModuleText = {
  readText: readBlock({
    ...times,
    url: (cursor, draft) => listOf(draft, "url").push(...cursor.someArguments()),
    retries: integer("retries", "invalid retries '%s'"),
    cache_file: (cursor, draft) => setAt(draft, "cache_file", cursor.onlyArgument()),
  }),
};

/** `combine { <source> …; … }`. */
export const combineText: ModuleText = {
  readText(cursor, readModule) {
    cursor.next();
    cursor.noMoreArguments();
    const draft: Draft = {};
    for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
      listOf(draft, "parts").push(readModule(cursor, "http.ip_sources", "source"));
    }
    return draft;
  },
};
