import { handlerDirective } from "serverfile/directives/directive";
import { readResponseMatcher } from "serverfile/matchers/response-matcher";
import type { ModuleText } from "serverfile/module-text";
import { inexpressible } from "serverfile/to-text/inexpressible";
import { fieldLines } from "serverfile/to-text/lines/field-lines";
import { blockOf, line, lineWith } from "serverfile/to-text/lines/line";
import { responseMatcherLines } from "serverfile/to-text/matchers/response-matchers";
import type { HandlerWriter, Written } from "serverfile/to-text/routes/handler-writer";
import { integer } from "serverfile/values/block-fields";
import { childOf, type Draft } from "serverfile/values/draft";

/**
 * Formats that the line may name. Plug-in encoders are allowed only in the block, where the plug-in's own reader parses
 * their settings.
 */
const formats = new Set(["gzip", "zstd", "br"]);
/** The only line of the block that is neither an encoder nor `match`. */
const fields = { minimum_length: integer("minimum_length") };

/**
 * `encode [format…] { … }`: compresses responses. The order of formats is the preference; without a format the line
 * means `zstd gzip`. A format in the block may have settings, and is preferred over the formats of the line.
 * ```
 * encode zstd br {
 *   minimum_length 1024
 *   match {
 *     header Content-Type text/*
 *   }
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "encode",
 *   "minimum_length": 1024,
 *   "match": { "headers": { "Content-Type": ["text/*"] } },
 *   "encodings": { "zstd": {}, "br": {} },
 *   "prefer": ["zstd", "br"]
 * }
 * ```
 * The long form gives a format settings:
 * ```
 * encode {
 *   gzip 9
 *   zstd better
 * }
 * ```
 * becomes
 * ```json
 * {
 *   "handler": "encode",
 *   "encodings": { "gzip": { "level": 9 }, "zstd": { "level": "better" } },
 *   "prefer": ["gzip", "zstd"]
 * }
 * ```
 */
const directive = handlerDirective(({ cursor, readModule }) => {
  cursor.next();
  const given = cursor.remainingArguments();
  const draft: Draft = { handler: "encode" };
  const prefer: string[] = [];
  const matchers = new Map<string, Draft>();
  while (cursor.nextInBlock(0)) {
    switch (cursor.value) {
      case "minimum_length":
        fields.minimum_length(cursor, draft);
        break;
      case "match":
        draft.match = readResponseMatcher(cursor.segmentCursor(), matchers);
        break;
      default: {
        const name = cursor.value;
        const encoder = readModule(cursor, "http.encoders");
        childOf(draft, "encodings")[name] = encoder;
        prefer.push(name);
      }
    }
  }
  for (const name of prefer.length + given.length === 0 ? ["zstd", "gzip"] : given) {
    if (!formats.has(name)) {
      throw cursor.error(`finding encoder module '${name}': module not registered: http.encoders.${name}`);
    }
    childOf(draft, "encodings")[name] = {};
    prefer.push(name);
  }
  draft.prefer = prefer;
  return draft;
});

/**
 * Formats without settings are written on the first line; otherwise each encoder gets a line in the block. A preference
 * for an encoder that the config does not list cannot be written.
 */
const toText: HandlerWriter = (handler): Written => {
  const prefer = handler.texts("prefer") ?? [];
  const encodings = handler.child("encodings");
  const lines = prefer.map((name) => {
    const encoder = encodings?.child(name);
    if (encoder === undefined) {
      throw inexpressible(handler.pathOf("prefer"), `${name} is not among the encodings`);
    }
    const level = encoder.take("level");
    const words = [name, ...(level === undefined ? [] : [String(level)])];
    return lineWith(words, encoder.boolean("checksum") === false ? [line("disable_checksum")] : []);
  });
  const isPlain = lines.every(({ words, block: inner }) => words.length === 1 && inner === undefined);
  const more = fieldLines(handler, fields);
  const match = handler.child("match");
  if (match !== undefined) {
    more.push({ words: ["match"], block: responseMatcherLines(match) });
  }
  if (isPlain && prefer.join() === "zstd,gzip") {
    return { directive: "encode", words: [], ...blockOf(more) };
  }
  return isPlain
    ? { directive: "encode", words: prefer, ...blockOf(more) }
    : { directive: "encode", words: [], block: [...lines, ...more] };
};

export const encodeText: ModuleText = { directive, toText };
