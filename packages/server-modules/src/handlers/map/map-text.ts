import type { JsonValue } from "server-core/json/json-value";
import { handlerDirective } from "serverfile/directives/directive";
import type { ModuleText } from "serverfile/module-text";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { line, type Word } from "serverfile/to-text/lines/line";
import { scalarWord } from "serverfile/to-text/lines/scalar-word";
import type { HandlerWriter } from "serverfile/to-text/routes/handler-writer";
import { type Draft, type DraftValue, onlyGiven } from "serverfile/values/draft";
import { parseScalar } from "serverfile/values/parse-number";
import { shorthandOf } from "serverfile/values/shorthands";

/**
 * `map source destination… { input output…; ~regexp output…; default output… }`; the output `-` means no value. Missing
 * outputs of a line have no value either. Unquoted words that look like numbers or booleans become JSON numbers or
 * booleans. A destination cannot be a shorthand such as `{path}`, because the text would always show the shorthand's
 * own value.
 * ```
 * map {host} {tenant} {limit} {
 *   ~^(.*)\.example\.com$ ${1} 100
 *   example.org main 500
 *   default none 10
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "map",
 *   "source": "{http.request.host}",
 *   "destinations": ["{tenant}", "{limit}"],
 *   "mappings": [
 *     { "input_regexp": "^(.*)\\.example\\.com$", "outputs": ["${1}", 100] },
 *     { "input": "example.org", "outputs": ["main", 500] }
 *   ],
 *   "defaults": ["none", "10"]
 * }
 * ```
 */
const directive = handlerDirective(({ cursor }) => {
  cursor.next();
  const source = cursor.argument();
  const destinations = cursor.remainingArguments();
  if (destinations.length === 0) {
    throw cursor.error("missing destination argument(s)");
  }
  for (const destination of destinations) {
    const shorthand = shorthandOf(destination);
    if (shorthand !== undefined) {
      throw cursor.error(`destination ${shorthand} conflicts with a serverfile placeholder shorthand`);
    }
  }
  let defaults: string[] = [];
  const mappings: Draft[] = [];
  while (cursor.nextInBlock(0)) {
    if (cursor.value === "default") {
      if (defaults.length > 0) {
        throw cursor.error("defaults already defined");
      }
      defaults = cursor.remainingArguments();
      while (defaults.length < destinations.length) {
        defaults.push("");
      }
      continue;
    }
    const input = cursor.value;
    const outputs: DraftValue[] = [];
    while (cursor.nextArgument()) {
      const isQuoted = cursor.token?.quote !== "";
      const value = isQuoted ? cursor.value : parseScalar(cursor.value);
      outputs.push(value === "-" ? null : value);
    }
    if (outputs.length > destinations.length) {
      throw cursor.error("too many outputs");
    }
    while (outputs.length < destinations.length) {
      outputs.push(null);
    }
    mappings.push(
      onlyGiven(input.startsWith("~") ? { input_regexp: input.slice(1), outputs } : { input, outputs }),
    );
  }
  return onlyGiven({ handler: "map", source, destinations, mappings, defaults });
});

/**
 * The word of an output: `-` for no value. The text `-` itself cannot be written, because the reader takes it for "no
 * value".
 */
function outputWord(value: JsonValue, path: string): Word {
  if (value === "-") {
    throw inexpressible(path, "the output - is none");
  }
  return value === null ? "-" : scalarWord(value, path);
}

/** Writes `map`, with mappings in the order of the config and `default` last. */
const toText: HandlerWriter = (handler) => {
  const source = handler.text("source") ?? "";
  const destinations = handler.texts("destinations") ?? [];
  const mappings = (handler.children("mappings") ?? []).map((mapping) => {
    const regexp = mapping.text("input_regexp");
    const input = regexp === undefined ? (mapping.text("input") ?? "") : `~${regexp}`;
    const outputs = mapping.list("outputs") ?? [];
    mapping.done("a line of map");
    return line(
      input,
      ...outputs.map((each, index) => outputWord(each, `${mapping.pathOf("outputs")}/${index}`)),
    );
  });
  const defaults = handler.texts("defaults");
  const block = defaults === undefined ? mappings : [...mappings, line("default", ...defaults)];
  return { directive: "map", words: [source, ...destinations], block };
};

export const mapText: ModuleText = { directive, toText };
