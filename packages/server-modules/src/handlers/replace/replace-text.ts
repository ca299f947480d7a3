import { handlerDirective } from "serverfile/directives/directive";
import { readResponseMatcher } from "serverfile/matchers/response-matcher";
import type { ModuleText } from "serverfile/module-text";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { line } from "serverfile/to-text/lines/line";
import { responseMatcherLines } from "serverfile/to-text/matchers/response-matchers";
import type { Members } from "serverfile/to-text/members";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { type Draft, listOf, onlyGiven } from "serverfile/values/draft";

/**
 * `replace [stream | [re] search replacement] { stream; [re] search replacement…; match { … } }`. The directive has the
 * form of a plugin of Caddy. `match` restricts the handler to some responses. The search text `match` itself
 * is possible on the first line only.
 * ```
 * replace {
 *   http://old.example.com https://example.com
 *   re "\\bv(\\d+)" "version $1"
 *   match {
 *     header Content-Type text/html*
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "replace_response",
 *   "replacements": [
 *     { "search": "http://old.example.com", "replace": "https://example.com" },
 *     { "search_regexp": "\\bv(\\d+)", "replace": "version $1" }
 *   ],
 *   "match": { "headers": { "Content-Type": ["text/html*"] } }
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "replace_response" };
  const take = (word: string, ...more: readonly string[]) => {
    if (word === "stream") {
      if (draft.stream === true) {
        throw cursor.error("streaming already enabled");
      }
      draft.stream = true;
    }
    const isRegexp = word === "re";
    const [search = "", text = ""] = isRegexp ? more : [word, ...more];
    if (more.length !== (word === "stream" ? 0 : isRegexp ? 2 : 1)) {
      throw cursor.argumentError();
    }
    if (word !== "stream") {
      const pair = isRegexp ? { search_regexp: search } : onlyGiven({ search });
      listOf(draft, "replacements").push({ ...pair, replace: text });
    }
  };
  const [first, ...words] = cursor.remainingArguments();
  if (first !== undefined) {
    take(first, ...words);
  }
  const matchers = new Map<string, Draft>();
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    if (cursor.value !== "match") {
      take(cursor.value, ...cursor.remainingArguments());
    } else if (draft.match === undefined) {
      draft.match = readResponseMatcher(cursor.segmentCursor(), matchers);
    } else {
      throw cursor.error("match block already specified");
    }
  }
  return draft;
});

/** The words of a replacement; refuses members that have no text form. */
function wordsOf(replacement: Members): string[] {
  const search = replacement.text("search") ?? "";
  const pattern = replacement.text("search_regexp") ?? "";
  const text = replacement.text("replace") ?? "";
  replacement.done("a replacement");
  if (pattern === "" && (search === "re" || search === "stream")) {
    throw inexpressible(
      replacement.pathOf("search"),
      `the word ${search} begins another line of the directive`,
    );
  }
  return pattern === "" ? [search, text] : ["re", pattern, text];
}

/** Writes one replacement without conditions on the first line; everything else goes to the block. */
const toText: HandlerWriter = (handler) => {
  const path = handler.pathOf("replacements");
  const rows = (handler.children("replacements") ?? []).map(wordsOf);
  const match = handler.child("match");
  const streams = handler.boolean("stream") === true;
  const [only, second] = rows;
  if (only === undefined && match === undefined) {
    return { directive: "replace", words: streams ? ["stream"] : [] };
  }
  if (only !== undefined && match === undefined && second === undefined && !streams) {
    return { directive: "replace", words: only };
  }
  if (rows.some(([search]) => search === "match")) {
    throw inexpressible(path, "in a block, a line match is no text to look for");
  }
  const lines = [
    ...(streams ? [line("stream")] : []),
    ...rows.map(([name = "", ...rest]) => line(name, ...rest)),
  ];
  const rules = match === undefined ? [] : [{ words: ["match"], block: responseMatcherLines(match) }];
  return { directive: "replace", words: [], block: [...lines, ...rules] };
};

export const replaceText: ModuleText = { directives: { replace: directive }, toText };
