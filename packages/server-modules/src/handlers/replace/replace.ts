import type { Exchange } from "http-engine/exchange";
import type { HttpHandler } from "http-engine/handler";
import { removeHeaders } from "http-engine/header-list";
import { compileBodyTemplate } from "http-engine/placeholders";
import { defineModule } from "server-core/modules/module";
import { LinearRegexp } from "server-core/regexp/linear-regexp";
import { bufferOfText } from "server-core/uri/text-of-bytes";
import { z } from "zod";
import {
  compileResponseMatcher,
  type ResponseMatcher,
  responseMatcherSchema,
} from "../../matchers/response-matcher.ts";
import { RegexpReplacer } from "./regexp-replacer.ts";
import { ReplacingFilter } from "./replacing-filter.ts";
import { type BodyReplacer, ReplacerChain, StreamReplacer } from "./stream-replacer.ts";

/**
 * Maximum number of bytes of a search text. A config with a longer text is refused. At most this many bytes of a
 * response wait for the end of a match.
 */
const maxSearchLength = 4096;

const match = responseMatcherSchema.nullish().describe("Responses to look into (all).");

const configSchema = z.strictObject({
  /** All texts are searched in the original body: a replacement is not searched again. */
  replacements: z
    .array(
      z.strictObject({
        search: z.string().min(1).max(maxSearchLength).describe("The text to look for, as it is."),
        replace: z.string().nullish().describe("The text in its place; may have placeholders."),
      }),
    )
    .min(1)
    .describe("Replaced in one pass: the first match counts, of those at one place the first of the list."),
  match,
});

/** Config of the plug-in of Caddy (caddyserver/replace-response). */
const pluginSchema = z.strictObject({
  replacements: z
    .array(
      z
        .strictObject({
          search: z.string().max(maxSearchLength).nullish().describe("The text to look for, as it is."),
          search_regexp: z
            .string()
            .nullish()
            .describe(
              "In place of search: a regular expression, whose matches have 2,048 characters at most.",
            ),
          replace: z
            .string()
            .nullish()
            .describe("The text in its place; may have placeholders, and $1 or $name for groups."),
        })
        .refine(({ search, search_regexp: pattern }) => !search !== !pattern, {
          error: "a replacement needs either search or search_regexp",
        }),
    )
    .min(1)
    .describe("Replaced one after the other: each one reads what the one before it wrote."),
  stream: z
    .boolean()
    .nullish()
    .describe("Taken for the plug-in's sake: bodies are always replaced as they pass."),
  match,
});

/** A handler that passes bodies through a replacer, and asks later handlers for whole, uncompressed bodies. */
function replacingHandler(
  matches: ResponseMatcher,
  replacerOf: (exchange: Exchange) => BodyReplacer,
): HttpHandler {
  return {
    inRehearsal: "changes the answer",
    handle(exchange, next) {
      exchange.changeRequestHeaders((headers) =>
        removeHeaders(headers, (name) => name === "accept-encoding" || name === "range"),
      );
      exchange.interceptResponse((below) => new ReplacingFilter(below, exchange, matches, replacerOf));
      return next(exchange);
    },
  };
}

/**
 * Replaces texts in response bodies while they pass, in one pass. Serverfiles create {@link replaceResponse}; this
 * module remains for JSON configs.
 */
export const replace = defineModule({
  id: "http.handlers.replace",
  config: configSchema,
  provision(config): HttpHandler {
    const compiled = config.replacements.map(({ search, replace: text }) => ({
      search: Buffer.from(search),
      template: compileBodyTemplate(text ?? ""),
    }));
    return replacingHandler(
      compileResponseMatcher(config.match ?? {}),
      (exchange) =>
        new StreamReplacer(
          compiled.map(({ search, template }) => ({ search, replace: bufferOfText(template(exchange)) })),
        ),
    );
  },
});

/**
 * Replaces texts and matches of regular expressions in response bodies while they pass. Source: Caddy's plug-in
 * (caddyserver/replace-response)
 */
export const replaceResponse = defineModule({
  id: "http.handlers.replace_response",
  config: pluginSchema,
  provision(config): HttpHandler {
    const makers = config.replacements.map(({ search, search_regexp: pattern, replace: text }) => {
      const template = compileBodyTemplate(text ?? "");
      if (pattern) {
        const regexp = new LinearRegexp(pattern);
        return (exchange: Exchange): BodyReplacer => new RegexpReplacer(regexp, template(exchange));
      }
      const bytes = Buffer.from(search ?? "");
      return (exchange: Exchange): BodyReplacer =>
        new StreamReplacer([{ search: bytes, replace: bufferOfText(template(exchange)) }]);
    });
    return replacingHandler(
      compileResponseMatcher(config.match ?? {}),
      (exchange) => new ReplacerChain(makers.map((make) => make(exchange))),
    );
  },
});
