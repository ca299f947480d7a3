import { readResponseMatcher } from "../matchers/response-matcher.ts";
import { integer } from "../values/block-fields.ts";
import { childOf, type Draft } from "../values/draft.ts";
import { handlerDirective } from "./directive.ts";

const formats = new Set(["gzip", "zstd", "br"]);
const minimumLength = integer("minimum_length", "");

/** `encode [format…] { … }`: compresses answers; the order of formats is the preference. */
export const encode = handlerDirective(({ cursor, readModule }) => {
  cursor.next();
  const given = cursor.remainingArguments();
  const draft: Draft = { handler: "encode" };
  const prefer: string[] = [];
  const matchers = new Map<string, Draft>();
  while (cursor.nextInBlock(0)) {
    switch (cursor.value) {
      case "minimum_length":
        minimumLength(cursor, draft);
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
