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
 * `replace [search replacement] { search replacement…; match { … } }`. The directive has the form of a plugin of
 * Caddy. `match` restricts the handler to some responses. The search text `match` itself is possible on the
 * first line only.
 * ```
 * replace {
 *   http://old.example.com https://example.com
 *   match {
 *     header Content-Type text/html*
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "replace",
 *   "replacements": [{ "search": "http://old.example.com", "replace": "https://example.com" }],
 *   "match": { "headers": { "Content-Type": ["text/html*"] } }
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const draft: Draft = { handler: "replace" };
  const add = (...words: readonly string[]) => {
    const [search = "", text = "", ...more] = words;
    if (search === "re" && more.length === 1) {
      throw cursor.error("replace: regular expressions are not supported");
    }
    if (words.length < 2 || more.length > 0) {
      throw cursor.argumentError();
    }
    listOf(draft, "replacements").push(onlyGiven({ search, replace: text }));
  };
  const words = cursor.remainingArguments();
  // Bodies are always replaced as they stream; the plug-in of Caddy must be told so.
  if (words.length > 0 && !(words.length === 1 && words[0] === "stream")) {
    add(...words);
  }
  const matchers = new Map<string, Draft>();
  for (const outer = cursor.nesting; cursor.nextInBlock(outer); ) {
    if (cursor.value === "match") {
      draft.match = readResponseMatcher(cursor.segmentCursor(), matchers);
    } else {
      const [word, text] = [cursor.value, cursor.remainingArguments()];
      if (word !== "stream" || text.length > 0) {
        add(word, ...text);
      }
    }
  }
  if (draft.replacements === undefined) {
    throw cursor.error("replace needs a text to look for");
  }
  return draft;
});

/** The two words of a replacement; refuses members that have no text form. */
function pairOf(replacement: Members): [string, string] {
  const search = replacement.text("search") ?? "";
  const text = replacement.text("replace") ?? "";
  replacement.done("a replacement");
  return [search, text];
}

/** Writes one replacement without conditions on the first line; everything else goes to the block. */
const toText: HandlerWriter = (handler) => {
  const path = handler.pathOf("replacements");
  const pairs = (handler.children("replacements") ?? []).map(pairOf);
  const match = handler.child("match");
  const [only, second] = pairs;
  if (only === undefined) {
    throw inexpressible(path, "the directive replace has a text to look for");
  }
  if (match === undefined && second === undefined) {
    return { directive: "replace", words: only };
  }
  if (pairs.some(([search]) => search === "match")) {
    throw inexpressible(path, "in a block, a line match is no text to look for");
  }
  const lines = pairs.map((pair) => line(...pair));
  const rules = match === undefined ? [] : [{ words: ["match"], block: responseMatcherLines(match) }];
  return { directive: "replace", words: [], block: [...lines, ...rules] };
};

/** Reads and writes the directive in serverfiles. */
export const replaceText: ModuleText = { directive, toText };
